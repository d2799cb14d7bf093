/** The attacked block of an honest node, with all data that the questions and the lies need. */
import type { Json, JsonObject } from "../../json.ts"
import { list, type Node, object, quantity, text } from "./node.ts"

/** True data of one block with transactions, and of what is around it, as an honest node returns them. */
export interface World {
  readonly name: string
  readonly node: Node
  readonly number: bigint
  readonly head: bigint
  /** The block, with whole transactions. */
  readonly block: JsonObject
  readonly hash: string
  readonly receipts: ReadonlyArray<JsonObject>
  readonly uncles: ReadonlyArray<JsonObject>
  readonly parent: JsonObject
  readonly headHash: string
  /** Another true block with whole transactions, and its receipts. */
  readonly other: { readonly block: JsonObject; readonly receipts: ReadonlyArray<JsonObject> }
  /** The accounts and slots to ask for; undefined if the node serves no state. */
  readonly state: State | undefined
  /** True if the node can be asked for the logs of a range of blocks. */
  readonly ranges: boolean
}

/** The accounts and slots that the questions about the state name. */
export interface State {
  readonly contract: string
  readonly account: string
  readonly absent: string
  readonly slots: readonly [string, string]
}

export interface Options {
  readonly name: string
  readonly node: Node
  readonly number: bigint
  readonly other: bigint
  readonly state?: State
  readonly ranges?: boolean
}

/** Reads the attacked block, and all other data of the world, from the honest node. */
export const read = async ({ name, node, number, other, ranges = true, state }: Options): Promise<World> => {
  const at = async (number: bigint): Promise<{ block: JsonObject; receipts: ReadonlyArray<JsonObject> }> => ({
    block: object(await node("eth_getBlockByNumber", [quantity(number), true])),
    receipts: list(await node("eth_getBlockReceipts", [quantity(number)])).map(object)
  })
  const { block, receipts } = await at(number)
  const hash = text(block["hash"])
  const head = object(await node("eth_getBlockByNumber", ["latest", false]))
  const count = list(block["uncles"] ?? []).length
  const uncles: Array<JsonObject> = []
  for (let i = 0; i < count; i++)
    uncles.push(object(await node("eth_getUncleByBlockHashAndIndex", [hash, quantity(i)])))
  const parent = await node("eth_getBlockByHash", [block["parentHash"]!, false])
  return {
    name,
    node,
    number,
    head: BigInt(text(head["number"])),
    block,
    hash,
    receipts,
    uncles,
    parent: parent === null ? block : object(parent),
    headHash: text(head["hash"]),
    other: await at(other),
    state,
    ranges
  }
}

export const transactionsOf = (block: JsonObject): ReadonlyArray<JsonObject> => list(block["transactions"]).map(object)

/** The hash of a transaction that does not exist. */
export const NEVER = `0x${"e7".repeat(32)}`

/** Returns the block with the hashes of its transactions. */
export const withHashes = (block: JsonObject): JsonObject => ({
  ...block,
  transactions: list(block["transactions"]).map((one): Json => (typeof one === "string" ? one : object(one)["hash"]!))
})
