/**
 * A node over HTTP with a chain of any length, in a thread of its own. Every so many blocks, one has 200 transactions
 * with logs; the bloom filters of the others are empty.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { parentPort, workerData } from "node:worker_threads"

import { Trie } from "@plumbline/merkle-trie"
import * as Random from "@plumbline/seeded/Random"

import { hashed } from "../growth/verifierGrowth.ts"
import { hexOf } from "../inputs/byteInput.ts"
import { blockAnswer, headerAnswer, receiptAnswers } from "../inputs/ethereumjsAnswers.ts"
import * as BlockHashes from "./historyContract.ts"

/** The first length of the chain, and which answers of eth_getLogs the node gives. */
export interface NodeOptions {
  readonly blocks: number
  readonly every: number
  readonly kind: NodeKind
}

/** The node's answers to eth_getLogs: all logs, no log of some blocks, or a refusal of ranges; or random failures. */
export type NodeKind = "honest" | "drops" | "limits" | "fails"

/** A message to the thread: replaces the newest blocks, and then adds blocks up to a length. */
export interface NodeChange {
  readonly replace: number
  readonly blocks: number
}

/** The first message of the thread. */
export interface NodeReady {
  readonly url: string
  readonly head: string
}

/** The answer to a change: the logs of the bench's filter on the chain, by block hash and index. */
export interface NodeChain {
  readonly logs: ReadonlyArray<string>
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

/** A block of the chain. A full one has transactions. */
interface MadeBlock {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly isFull: boolean
  readonly salt: number
  /** Its state, if a proof can lead from it to older blocks. */
  readonly state: BlockHashes.BlockHashes | undefined
}

const fieldsOf = ({ isFull, number, parentHash, salt, state }: Omit<MadeBlock, "hash">) => ({
  ...(isFull ? {} : empty),
  ...(state === undefined ? {} : { stateRoot: state.stateRoot }),
  number: hex(number),
  parentHash,
  // blocks that replace others differ from them
  extraData: `0x${salt.toString(16).padStart(8, "0")}`
})

/** The chain by number, and every block that was ever on it by hash. Block 0 is only a hash. */
const chain: Array<MadeBlock> = [
  { number: 0, hash: hexOf(new Uint8Array(32)), parentHash: "", isFull: false, salt: 0, state: undefined }
]
const known = new Map<string, MadeBlock>()
let salt = 0

/** True if the last block of an extension leads to this one in leaps, because a state holds only so many hashes. */
const isLeapt = (number: number, length: number): boolean => (length - number) % BlockHashes.WINDOW === 0

/** Adds blocks up to a length. After a replacement, other blocks are full. */
const extend = (length: number): void => {
  for (let number = chain.length; number <= length; number++) {
    const block = {
      number,
      parentHash: chain[number - 1]!.hash,
      isFull: (number + 7 * salt) % every === 0,
      salt,
      state: isLeapt(number, length)
        ? BlockHashes.make(chain.slice(-BlockHashes.WINDOW).map(({ hash, number }) => [number, hash]))
        : undefined
    }
    const made = { ...block, hash: hashed(fieldsOf(block)).hash }
    chain.push(made)
    known.set(made.hash, made)
  }
}
extend(blocks)

/** Returns a block as the node answers it. */
const blockOf = (block: MadeBlock | undefined, whole: unknown): unknown => {
  if (block === undefined || block.number === 0) return null
  const header = { ...headerAnswer, ...fieldsOf(block), hash: block.hash }
  if (!block.isFull) return { ...header, transactions: [], withdrawals: [] }
  const { transactions, withdrawals } = blockAnswer
  return { ...header, withdrawals, transactions: whole === true ? placed(transactions, block) : header.transactions }
}

/** Returns objects as parts of a block. */
const placed = <A>(items: ReadonlyArray<A>, { hash, number }: MadeBlock): ReadonlyArray<A> => {
  const place = { blockHash: hash, blockNumber: hex(number) }
  return items.map((item) => ({ ...item, ...place }))
}

const receiptsOf = (block: MadeBlock | undefined): ReadonlyArray<(typeof receiptAnswers)[number]> =>
  block?.isFull === true
    ? placed(receiptAnswers, block).map((receipt) => ({ ...receipt, logs: [...placed(receipt.logs, block)] }))
    : []

/** Returns the logs of a block that an address wrote. */
const logsOf = (block: MadeBlock, address: string): ReadonlyArray<(typeof receiptAnswers)[number]["logs"][number]> =>
  receiptsOf(block).flatMap(({ logs }) => logs.filter((log) => log.address === address))

const random = Random.make(blocks)

/** The part of the calls that fail. */
const FAILING = 0.05

const answer = (method: string, [first, second, third]: ReadonlyArray<any>): unknown => {
  if (kind === "fails" && Random.chance(random, FAILING)) throw new RefusalError(-32_005, "rate limit exceeded")
  switch (method) {
    case "eth_chainId":
      return "0x1"
    case "eth_getBlockByNumber":
      return blockOf(first === "latest" ? chain.at(-1) : chain[Number(first)], second)
    case "eth_getBlockByHash":
      return blockOf(known.get(first), second)
    case "eth_getBlockReceipts":
      return receiptsOf(known.get(first.blockHash))
    case "eth_getProof": {
      const { state } = known.get(third.blockHash) ?? {}
      if (state === undefined) throw new RefusalError(-32_000, "missing trie node")
      return state.prove(second)
    }
    case "eth_getLogs": {
      if (first.blockHash !== undefined) {
        return kind === "drops" ? [] : logsOf(known.get(first.blockHash)!, first.address)
      }
      const [from, to] = [Number(first.fromBlock), Number(first.toBlock)]
      if (kind === "limits" && to - from >= 10) throw new RefusalError(-32_614, "eth_getLogs is limited to a 10 range")
      const full = chain.slice(from, to + 1).filter(({ isFull }) => isFull)
      const sent = kind === "drops" ? full.filter(({ number }) => Math.floor(number / every) % 100 !== 1) : full
      return sent.flatMap((block) => logsOf(block, first.address))
    }
    default:
      throw new RefusalError(-32_601, `the method ${method} does not exist`)
  }
}

/** An error object of the node. */
class RefusalError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const reply = ({ id, method, params }: { readonly id: unknown; readonly method: string; readonly params: [] }) => {
  try {
    return { jsonrpc: "2.0", id, result: answer(method, params) }
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    return { jsonrpc: "2.0", id, error: { code: error.code, message: error.message } }
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
  parentPort!.postMessage({ url: `http://127.0.0.1:${port}/`, head: chain[blocks]!.hash } satisfies NodeReady)
})

parentPort!.on("message", ({ blocks: length, replace }: NodeChange) => {
  if (replace > 0) {
    chain.length -= replace
    salt++
  }
  extend(length)
  const { address } = receiptAnswers.flatMap(({ logs }) => logs)[0]!
  const logs = chain.flatMap((block) => logsOf(block, address).map(({ logIndex }) => `${block.hash} ${logIndex}`))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort!.postMessage({ logs } satisfies NodeChain)
})
