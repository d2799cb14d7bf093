/**
 * The truth: the answers of a live node, read once before a run. The lies and faults are made from them, and each
 * client's outcome is compared with them.
 */
import { Address, Hash32 } from "@plumbline/codec"
import { Anvil, PreparedState } from "@plumbline/devnet"
import { Effect } from "effect"

export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [name: string]: Json
}

/** One call as it arrives at a server. */
export interface WireCall {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<any>
}

/** Block 3 has transactions of three types, and the token's supply is in slot 2. */
const block = PreparedState.blocks[3]!
const otherBlock = PreparedState.blocks[5]!

/** The questions that clients ask. */
export const question = {
  transactions: block.transactions.map((transaction) => Hash32.fromHexUnsafe(transaction.hash)),
  /** The transaction that single reads request. It transfers ether, and has the current form of fees. */
  transaction: Hash32.fromHexUnsafe(block.transactions[2]!.hash),
  block: Hash32.fromHexUnsafe(block.hash),
  account: Address.fromHexUnsafe(PreparedState.contracts.token.address),
  slot: Hash32.fromHexUnsafe(`0x${"2".padStart(64, "0")}`),
  number: block.number,
  chainId: PreparedState.chainId
} as const

/** The true values in wire form, as the node sent them. */
export interface Truth {
  readonly transactions: ReadonlyArray<JsonObject>
  readonly transaction: JsonObject
  readonly block: JsonObject
  readonly slot: string
  readonly proof: JsonObject
  /** Values that are also true, but answer another question. */
  readonly other: {
    readonly transaction: JsonObject
    readonly block: JsonObject
    readonly proof: JsonObject
  }
}

/** Reads the truth from anvil in its prepared state, without any of our clients. */
export const read: Effect.Effect<Truth> = Effect.gen(function* () {
  const { url } = yield* Anvil.Anvil
  const ask = (method: string, ...params: ReadonlyArray<Json>) =>
    Effect.promise(async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      const headers = { "content-type": "application/json" }
      const response = await fetch(url, { method: "POST", headers, body })
      const answer: any = await response.json()
      if (answer.result === undefined || answer.result === null) throw new Error(`${method}: the node has no answer`)
      return answer.result
    })
  const transactions: ReadonlyArray<JsonObject> = yield* Effect.forEach(question.transactions, (hash) =>
    ask("eth_getTransactionByHash", hash)
  )
  const at = `0x${question.number.toString(16)}`
  return {
    transactions,
    transaction: transactions[2]!,
    block: yield* ask("eth_getBlockByHash", question.block, true),
    slot: yield* ask("eth_getStorageAt", question.account, question.slot, at),
    proof: yield* ask("eth_getProof", question.account, [question.slot], at),
    other: {
      transaction: yield* ask("eth_getTransactionByHash", otherBlock.transactions[0]!.hash),
      block: yield* ask("eth_getBlockByHash", otherBlock.hash, true),
      proof: yield* ask("eth_getProof", PreparedState.contracts.proxy.address, [question.slot], at)
    }
  }
}).pipe(Effect.provide(Anvil.layer()), Effect.scoped, Effect.orDie)

/** Returns the true result of a call. */
export const resultOf = (truth: Truth, { method, params }: WireCall): Json => {
  switch (method) {
    case "eth_getTransactionByHash":
      return truth.transactions.find(({ hash }) => hash === params[0]) ?? null
    case "eth_getBlockByHash":
      return params[0] === question.block ? inDetail(truth.block, params[1] === true) : null
    case "eth_getStorageAt":
      return truth.slot
    case "eth_getProof":
      return truth.proof
    case "eth_chainId":
      return `0x${question.chainId.toString(16)}`
    case "eth_blockNumber":
      return `0x${question.number.toString(16)}`
    case "net_version":
      return String(question.chainId)
    default:
      return null
  }
}

const inDetail = (block: JsonObject, whole: boolean): JsonObject =>
  whole
    ? block
    : { ...block, transactions: (block["transactions"] as ReadonlyArray<JsonObject>).map((t) => t["hash"]!) }
