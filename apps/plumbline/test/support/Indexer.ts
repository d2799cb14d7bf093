/**
 * A small indexer that asks as ponder 0.16 does: the same methods, with parameters of the same form, in the same order.
 * First the blocks that it takes for final, by ranges of logs; then the newest ones, block by block.
 */
import * as viem from "viem"

/** The contract that is indexed, and an account of it. */
export interface Indexed {
  readonly token: viem.Address
  readonly holder: viem.Address
}

/** The tables that the indexer wrote. Every part is from an answer of the node. */
export interface IndexedTables {
  readonly transfers: ReadonlyArray<object>
  readonly transactions: ReadonlyArray<object>
  readonly blocks: ReadonlyArray<object>
  readonly reads: ReadonlyArray<object>
}

/** An answer of a node or a proxy. */
interface Answer {
  readonly result: any
  readonly error?: { readonly code: number; readonly message: string }
  readonly verdict: string | null
}

/** A run: the tables, the verdicts that each method got, and the ranges that were split. */
export interface IndexerRun {
  readonly tables: IndexedTables
  readonly verdicts: ReadonlyMap<string, ReadonlySet<string | null>>
  readonly splits: number
}

/** Blocks before the newest one that may still be replaced. */
const UNFINAL = 5n

/** Times that a failed call is repeated, as ponder repeats it. */
const TRIES = 10

const abi = viem.parseAbi([
  "event Transfer(address indexed, address indexed, uint256)",
  "function balanceOf(address) view returns (uint256)"
])
const [transfer] = viem.encodeEventTopics({ abi, eventName: "Transfer" })

/** Indexes the chain behind a URL. */
export const run = async (url: string, indexed: Indexed): Promise<IndexerRun> => {
  const verdicts = new Map<string, Set<string | null>>()
  let splits = 0
  const ask = async (method: string, params: ReadonlyArray<unknown>): Promise<any> => {
    for (let tries = 1; ; tries++) {
      const { error, result, verdict } = await post(url, method, params)
      if (error === undefined) {
        verdicts.set(method, (verdicts.get(method) ?? new Set()).add(verdict))
        return result
      }
      if (tries === TRIES || suggested(error.message) !== undefined) throw new Error(error.message)
    }
  }
  /** Reads a range, in the size that an error suggests. */
  const logsOf = async (from: bigint, to: bigint): Promise<ReadonlyArray<any>> => {
    const range = { address: [indexed.token], topics: [transfer], fromBlock: viem.toHex(from), toBlock: viem.toHex(to) }
    try {
      return await ask("eth_getLogs", [range])
    } catch (error) {
      const size = suggested((error as Error).message)
      if (size === undefined || size > to - from) throw error
      splits++
      const found: Array<any> = []
      for (let start = from; start <= to; start += size) {
        const end = start + size - 1n
        found.push(...(await logsOf(start, end < to ? end : to)))
      }
      return found
    }
  }
  const blockOf = (block: bigint): Promise<any> => ask("eth_getBlockByNumber", [viem.toHex(block), true])

  await ask("eth_chainId", [])
  const head = BigInt((await ask("eth_getBlockByNumber", ["latest", false])).number)
  for (const number of [head - UNFINAL, 0n]) await ask("eth_getBlockByNumber", [viem.toHex(number), false])
  const logs = [...(await logsOf(0n, head - UNFINAL))]
  const blocks = []
  const receipts = []
  for (const number of new Set(logs.map(({ blockNumber }) => BigInt(blockNumber)))) {
    const block = await blockOf(number)
    blocks.push(block)
    receipts.push(...(await ask("eth_getBlockReceipts", [block.hash])))
  }
  for (let number = head - UNFINAL + 1n; number <= head; number++) {
    const block = number === head ? await ask("eth_getBlockByNumber", ["latest", true]) : await blockOf(number)
    blocks.push(await ask("eth_getBlockByHash", [block.hash, true]))
    const found: ReadonlyArray<any> = await ask("eth_getLogs", [{ blockHash: block.hash }])
    logs.push(
      ...found.filter(({ address, topics }) => viem.isAddressEqual(address, indexed.token) && topics[0] === transfer)
    )
    for (const { hash } of block.transactions) receipts.push(await ask("eth_getTransactionReceipt", [hash]))
  }
  const data = viem.encodeFunctionData({ abi, functionName: "balanceOf", args: [indexed.holder] })
  const reads = []
  for (const { number } of blocks) {
    reads.push({
      number,
      balance: await ask("eth_call", [{ data, to: indexed.token }, number]),
      ether: await ask("eth_getBalance", [indexed.holder, number]),
      word: await ask("eth_getStorageAt", [indexed.token, "0x0", number])
    })
  }
  return { tables: { ...tablesOf(logs, receipts, blocks), reads }, verdicts, splits }
}

/** The rows: what an indexer keeps of logs, receipts and blocks. */
const tablesOf = (
  logs: ReadonlyArray<any>,
  receipts: ReadonlyArray<any>,
  blocks: ReadonlyArray<any>
): Omit<IndexedTables, "reads"> => ({
  transfers: logs.map(({ blockHash, data, logIndex, topics, transactionHash }) => ({
    blockHash,
    data,
    logIndex,
    topics,
    transactionHash
  })),
  transactions: receipts.map(({ cumulativeGasUsed, gasUsed, from, status, to, transactionHash }) => ({
    cumulativeGasUsed,
    from,
    gasUsed,
    status,
    to,
    transactionHash
  })),
  blocks: blocks.map(({ hash, number, stateRoot, timestamp, transactions }) => ({
    hash,
    number,
    stateRoot,
    timestamp,
    inputs: transactions.map(({ input }: { readonly input: string }) => input)
  }))
})

/** The number of blocks that an error suggests, in the words that `@ponder/utils` looks for. */
const suggested = (message: string): bigint | undefined => {
  const [, from, to] = /Try with this block range \[0x([0-9a-fA-F]+),\s*0x([0-9a-fA-F]+)\]/u.exec(message) ?? []
  return from === undefined ? undefined : BigInt(`0x${to}`) - BigInt(`0x${from}`) + 1n
}

const post = async (url: string, method: string, params: ReadonlyArray<unknown>): Promise<Answer> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })
  return { ...(await response.json()), verdict: response.headers.get("plumbline-verdict") }
}
