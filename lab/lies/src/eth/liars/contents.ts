/** Liars about the content of a true block: the places of its transactions, its fields and its uncles. */
import type { JsonObject } from "../../json.ts"
import * as Forge from "./forge.ts"
import { ADDRESS, another, hasUncles, type Liar, liar } from "./liar.ts"
import { list, type Node, object, quantity, refusal } from "./node.ts"
import { touching } from "./touch.ts"
import { NEVER, type World } from "./world.ts"

const pending = (world: World, fields: JsonObject = {}): Node =>
  touching(world.node, {
    transaction: (one) => ({
      ...object(one),
      blockHash: null,
      blockNumber: null,
      transactionIndex: null,
      ...fields
    })
  })

export const liars: ReadonlyArray<Liar> = [
  liar("mined as pending", "mined transactions have no place", (world) => pending(world)),
  liar("mined as pending, wholly", "the same, without time and at another price", (world) =>
    pending(world, { blockTimestamp: null })
  ),
  liar("mined as pending, another price", "the same, where the price follows from the block", (world) =>
    touching(pending(world), {
      transaction: (one) =>
        object(one)["maxFeePerGas"] === undefined
          ? one
          : { ...object(one), gasPrice: object(one)["maxFeePerGas"]!, blockTimestamp: "0x1" }
    })
  ),
  liar("another place in the true block", "transactions name each other's index", (world) =>
    touching(world.node, {
      transaction: (one) => ({ ...object(one), transactionIndex: another(object(one)["transactionIndex"]) })
    })
  ),
  liar("a place in another true block", "transactions and receipts name another block that there is", (world) => {
    const { hash, number } = world.other.block
    const move = (one: JsonObject): JsonObject =>
      one["blockHash"] === world.hash ? { ...one, blockHash: hash!, blockNumber: number! } : one
    return touching(world.node, {
      transaction: (one) => move(object(one)),
      receipts: (receipts) => receipts.map(move),
      log: move
    })
  }),
  liar("a place in a block that nobody knows", "transactions and receipts name a block without showing it", (world) => {
    const move = (one: JsonObject): JsonObject => ({ ...one, blockHash: NEVER, blockNumber: quantity(world.head) })
    return touching(world.node, {
      transaction: (one) => move(object(one)),
      receipt: move,
      log: move
    })
  }),
  liar(
    "transactions dropped",
    "the last transaction is nowhere: not in the block, the count or the receipts",
    (world) =>
      touching(world.node, {
        block: (block) => ({ ...block, transactions: list(block["transactions"]).slice(0, -1) }),
        receipts: (receipts) => receipts.slice(0, -1),
        scalar: (method, answer) =>
          method.includes("TransactionCountBy") ? quantity(Math.max(0, Number(answer) - 1)) : answer
      })
  ),
  liar("no transactions", "the block is empty in every answer", (world) =>
    touching(world.node, {
      block: (block) => ({ ...block, transactions: [] }),
      receipts: () => [],
      logs: () => [],
      scalar: (method, answer) => (method.includes("TransactionCountBy") ? "0x0" : answer)
    })
  ),
  liar("another total difficulty and size", "what no header proves", (world) =>
    touching(world.node, {
      block: (block) => ({ ...block, totalDifficulty: "0x1", size: "0x1" }),
      uncle: (uncle) => ({ ...uncle, totalDifficulty: "0x1" })
    })
  ),
  liar("another total difficulty", "of blocks and uncles alike", (world) =>
    touching(world.node, {
      block: (block) => ({ ...block, totalDifficulty: "0x1" }),
      uncle: (uncle) => ({ ...uncle, totalDifficulty: "0x1" })
    })
  ),
  liar("other withdrawals", "withdrawals to the liar", (world) =>
    touching(world.node, {
      block: (block) =>
        block["withdrawals"] === undefined
          ? block
          : { ...block, withdrawals: [{ index: "0x0", validatorIndex: "0x0", address: ADDRESS, amount: "0x1" }] }
    })
  ),
  liar("nulls in all that may be", "null in every field that a node may leave out", (world) => {
    const nulled = (thing: JsonObject): JsonObject => ({ ...thing, blockTimestamp: null })
    return touching(world.node, {
      block: (block) => ({ ...block, size: null, totalDifficulty: null }),
      transaction: (one) => ({ ...nulled(object(one)), yParity: null, chainID: null }),
      receipts: (receipts) =>
        receipts.map((one) => ({ ...nulled(one), effectiveGasPrice: null, blobGasUsed: null, blobGasPrice: null })),
      log: (log) => ({ ...nulled(log), removed: null })
    })
  }),
  liar(
    "other uncle hashes",
    "the hashes of uncles in the block",
    (world) =>
      touching(world.node, {
        block: (block) => ({ ...block, uncles: list(block["uncles"] ?? []).map(() => NEVER) })
      }),
    hasUncles
  ),
  liar(
    "other uncles",
    "other headers in the place of the uncles, and their hashes in the block",
    (world) => {
      const told = world.uncles.map((uncle) => {
        const header = { ...uncle, miner: ADDRESS }
        return { ...header, hash: Forge.hashOf(header) }
      })
      return touching(world.node, {
        block: (block) => (block["hash"] === world.hash ? { ...block, uncles: told.map(({ hash }) => hash) } : block),
        uncle: (uncle) => told[world.uncles.findIndex(({ hash }) => hash === uncle["hash"])] ?? uncle
      })
    },
    hasUncles
  ),
  liar(
    "fewer uncles",
    "one uncle less, in the block, by index and in the count",
    (world) =>
      touching(world.node, {
        block: (block) => ({ ...block, uncles: list(block["uncles"] ?? []).slice(1) }),
        uncle: (uncle) => (uncle["hash"] === world.uncles[0]?.["hash"] ? (world.uncles[1] ?? null) : null),
        scalar: (method, answer) => (method.includes("UncleCount") ? quantity(Number(answer) - 1) : answer)
      }),
    hasUncles
  ),
  liar(
    "uncles where there are none",
    "an uncle of the liar's making, in the block, by index and in the count",
    (world) => {
      const { transactions: _a, uncles: _b, withdrawals: _c, ...header } = world.parent
      return async (method, params) => {
        if (method.includes("UncleCount")) return "0x1"
        if (method.includes("Uncle")) return params[1] === "0x0" ? header : null
        const answer = await world.node(method, params)
        return method.startsWith("eth_getBlockBy") && answer !== null
          ? { ...object(answer), uncles: [header["hash"]!] }
          : answer
      }
    }
  ),
  liar("a node without uncle methods", "no method for uncles, and other hashes in the block", (world) => {
    const lying = touching(world.node, {
      block: (block) => ({ ...block, uncles: list(block["uncles"] ?? []).map(() => NEVER) })
    })
    return async (method, params) => {
      if (method.includes("Uncle")) throw refusal(-32601, `the method ${method} does not exist`)
      return lying(method, params)
    }
  })
]
