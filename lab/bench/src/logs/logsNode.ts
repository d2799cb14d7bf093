/**
 * A node over HTTP with a chain of any length, in a thread of its own. Every so many blocks, one has 200 transactions
 * with logs; the bloom filters of the others are empty.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { parentPort, workerData } from "node:worker_threads"

import { Trie } from "@plumbline/merkle-trie"

import { hashed } from "../growth/chain.ts"
import { hexOf } from "../inputs/bytes.ts"
import { blockAnswer, headerAnswer, receiptAnswers } from "../inputs/made.ts"

/** The length of the chain, and which answers of eth_getLogs the node gives. */
export interface NodeOptions {
  readonly blocks: number
  readonly every: number
  readonly kind: NodeKind
}

/** The node's answers to eth_getLogs: all logs, no log of some blocks, or a refusal of ranges. */
export type NodeKind = "honest" | "drops" | "limits"

/** The first message of the thread. */
export interface NodeReady {
  readonly url: string
  readonly head: string
}

const { blocks, every, kind } = workerData as NodeOptions
const hex = (n: number): `0x${string}` => `0x${n.toString(16)}`

const empty = {
  logsBloom: hexOf(new Uint8Array(256)),
  transactionsRoot: Trie.EMPTY_ROOT,
  receiptsRoot: Trie.EMPTY_ROOT,
  withdrawalsRoot: Trie.EMPTY_ROOT,
  gasUsed: "0x0"
}

const isFull = (number: number): boolean => number % every === 0
const fieldsOf = (number: number, parentHash: string) => ({
  ...(isFull(number) ? {} : empty),
  number: hex(number),
  parentHash
})

/** The hashes of the blocks, by number. Block 0 is only a hash. */
const hashes: Array<string> = [hexOf(new Uint8Array(32))]
const numbers = new Map<string, number>()
for (let number = 1; number <= blocks; number++) {
  const { hash } = hashed(fieldsOf(number, hashes[number - 1]!))
  hashes.push(hash)
  numbers.set(hash, number)
}

/** Returns the block of a number. */
const blockOf = (number: number | undefined, whole: unknown): unknown => {
  const hash = hashes[number ?? 0]
  if (number === undefined || number === 0 || hash === undefined) return null
  const header = { ...headerAnswer, ...fieldsOf(number, hashes[number - 1]!), hash }
  if (!isFull(number)) return { ...header, transactions: [], withdrawals: [] }
  const { transactions, withdrawals } = blockAnswer
  return { ...header, withdrawals, transactions: whole === true ? placed(transactions, number) : header.transactions }
}

/** Returns objects as parts of the block with a number. */
const placed = <A>(items: ReadonlyArray<A>, number: number): ReadonlyArray<A> => {
  const place = { blockHash: hashes[number]!, blockNumber: hex(number) }
  return items.map((item) => ({ ...item, ...place }))
}

const receiptsOf = (number: number | undefined): ReadonlyArray<(typeof receiptAnswers)[number]> =>
  number === undefined || !isFull(number)
    ? []
    : placed(receiptAnswers, number).map((receipt) => ({ ...receipt, logs: [...placed(receipt.logs, number)] }))

const answer = (method: string, [first, second]: ReadonlyArray<any>): unknown => {
  switch (method) {
    case "eth_getBlockByNumber":
      return blockOf(first === "latest" ? blocks : Number(first), second)
    case "eth_getBlockByHash":
      return blockOf(numbers.get(first), second)
    case "eth_getBlockReceipts":
      return receiptsOf(numbers.get(first.blockHash))
    case "eth_getLogs": {
      if (first.blockHash !== undefined) {
        return kind === "drops" ? [] : logsOf(numbers.get(first.blockHash)!, first.address)
      }
      const [from, to] = [Number(first.fromBlock), Number(first.toBlock)]
      if (kind === "limits" && to - from >= 10) throw new Error("eth_getLogs is limited to a 10 range")
      const found: Array<unknown> = []
      for (let number = Math.ceil(from / every) * every; number <= to; number += every) {
        if (kind !== "drops" || (number / every) % 100 !== 1) found.push(...logsOf(number, first.address))
      }
      return found
    }
    default:
      return null
  }
}

const logsOf = (number: number, address: string): ReadonlyArray<unknown> =>
  receiptsOf(number).flatMap(({ logs }) => logs.filter((log) => log.address === address))

const reply = ({ id, method, params }: { readonly id: unknown; readonly method: string; readonly params: [] }) => {
  try {
    return { jsonrpc: "2.0", id, result: answer(method, params) }
  } catch (error) {
    return { jsonrpc: "2.0", id, error: { code: -32614, message: (error as Error).message } }
  }
}

const server = createServer((request, response) => {
  void json(request).then((asked) => {
    const text = JSON.stringify(Array.isArray(asked) ? asked.map(reply) : reply(asked as never))
    response.writeHead(200, { "content-type": "application/json" }).end(text)
  })
})
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort!.postMessage({ url: `http://127.0.0.1:${port}/`, head: hashes[blocks]! } satisfies NodeReady)
})
