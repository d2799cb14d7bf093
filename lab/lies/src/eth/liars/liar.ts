/** A liar, and the parts that liars share. */
import { type Lie, Tamper } from "@plumbline/tamper"

import type { Json, JsonObject } from "../../json.ts"
import { list, type Node, object, through } from "./node.ts"
import { transactionsOf, type World } from "./world.ts"

/** A node that tells several lies that agree with each other. */
export interface Liar {
  readonly name: string
  readonly about: string
  /** False if this lie has no subject in the world. */
  readonly applies?: (world: World) => boolean
  readonly node: (world: World) => Node
}

export const liar = (
  name: string,
  about: string,
  node: (world: World) => Node,
  applies?: (world: World) => boolean
): Liar => ({ name, about, node, ...(applies === undefined ? {} : { applies }) })

/** Returns the liar that tells a published lie. */
export const telling = (lie: Lie.Lie): Liar => liar(lie.name, lie.about, ({ node }) => through(node, Tamper.make(lie)))

export const ADDRESS = `0x${"6b".repeat(20)}`

export const hasTwo = (world: World): boolean => world.receipts.length > 1
export const hasLogs = (world: World): boolean => world.receipts.some((receipt) => list(receipt["logs"]).length > 0)
export const hasUncles = (world: World): boolean => world.uncles.length > 0
export const hasState = (world: World): boolean => world.state !== undefined
export const isBeforeByzantium = (world: World): boolean => world.receipts.some((receipt) => "root" in receipt)
export const isSinceByzantium = (world: World): boolean => world.receipts.some((receipt) => "status" in receipt)
export const isSinceLondon = (world: World): boolean => world.block["baseFeePerGas"] !== undefined
export const hasTyped = (world: World): boolean =>
  transactionsOf(world.block).some(({ type }) => type !== undefined && type !== "0x0")

/** Returns hex with a different last digit. */
export const another = (value: Json | undefined): string => {
  const before = typeof value === "string" ? value : "0x0"
  return before.slice(0, -1) + (before.endsWith("1") ? "2" : "1")
}

/** True for an object of the attacked block. Only such objects are changed. */
export const isOf = (world: World, thing: JsonObject): boolean => thing["blockHash"] === world.hash

/** Returns a transaction of an unknown type, so that its encoding cannot be made. */
export const unknown = (transaction: JsonObject): JsonObject => ({ type: "0x64", hash: transaction["hash"]! })

/** Returns, for the hash of each transaction, the hash that takes its place when all transactions move by one. */
export const rotated = (world: World): ReadonlyMap<Json | undefined, Json> => {
  const hashes = transactionsOf(world.block).map(({ hash }) => hash!)
  return new Map(hashes.map((hash, i) => [hash, hashes[(i + 1) % hashes.length]!]))
}

/** Returns an object with its new `transactionHash`, also in its logs. */
export const relabelled = (thing: JsonObject, labels: ReadonlyMap<Json | undefined, Json>): JsonObject => ({
  ...thing,
  transactionHash: labels.get(thing["transactionHash"]) ?? thing["transactionHash"]!,
  ...("logs" in thing ? { logs: list(thing["logs"]).map((log) => relabelled(object(log), labels)) } : {})
})
