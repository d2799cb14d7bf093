/** Recorded mainnet blocks with their receipts and uncles, served by nodes that lie about them. */
import { Hex, Rlp } from "@plumbline/codec"
import { Block, BlockRlp, Receipt } from "@plumbline/eth-methods"
import { type Node, quantity } from "@plumbline/lies/src/eth/liars/node.ts"
import * as World from "@plumbline/lies/src/eth/liars/world.ts"
import type { Json, JsonObject } from "@plumbline/lies/src/json.ts"
import { Result, Schema } from "effect"

import { files } from "../support/fixtures.ts"
import { encodedReceipts, valuesOf } from "./portal.ts"

interface Recorded {
  readonly block: JsonObject
  readonly uncles: ReadonlyArray<JsonObject>
  readonly receipts: ReadonlyArray<JsonObject>
}

const encodeBlock = Schema.encodeSync(Block.WithTransactions)
const encodeUncle = Schema.encodeSync(Block.Uncle)
const encodeReceipt = Schema.encodeSync(Receipt.Receipt)

/** Casts the output of a schema to the type of JSON objects. The output is always a JSON object. */
const asJson = (value: unknown): JsonObject => value as JsonObject

const read = (file: string): Recorded => {
  const [header, body] = ["header", "body"].map((name) =>
    Result.getOrThrow(Rlp.decode(Hex.toBytesUnsafe(valuesOf(file, name)[0]!)))
  )
  const parts = body instanceof Uint8Array ? [] : body!
  const { block, uncles } = Result.getOrThrow(BlockRlp.decode(Rlp.encode([header!, ...parts])))
  const receipts = Result.getOrThrow(BlockRlp.decodeReceipts(encodedReceipts(file), block))
  const hashes = uncles.map(({ hash }) => hash!)
  return {
    block: asJson(encodeBlock({ ...block, uncles: hashes })),
    uncles: uncles.map((uncle) => asJson(encodeUncle(uncle))),
    receipts: receipts.map((receipt) => asJson(encodeReceipt(receipt)))
  }
}

/** Returns a node that knows only these blocks. The first block is its head. */
const serving = (blocks: readonly [Recorded, ...ReadonlyArray<Recorded>]): Node => {
  const find = (parameter: Json | undefined): Recorded | undefined => {
    if (typeof parameter === "object" && parameter !== null && !Array.isArray(parameter)) {
      return find((parameter as JsonObject)["blockHash"] ?? (parameter as JsonObject)["blockNumber"])
    }
    if (parameter === "latest") return blocks[0]
    return blocks.find(({ block }) => block["hash"] === parameter || block["number"] === parameter)
  }
  const transactions = blocks.flatMap(({ block }) => World.transactionsOf(block))
  const receipts = blocks.flatMap((one) => one.receipts)
  return async (method, [first, second]) => {
    const found = find(first)
    switch (method) {
      case "eth_blockNumber":
        return blocks[0].block["number"]!
      case "eth_getBlockByHash":
      case "eth_getBlockByNumber":
        return found === undefined ? null : second === true ? found.block : World.withHashes(found.block)
      case "eth_getBlockReceipts":
        return found === undefined ? null : [...found.receipts]
      case "eth_getTransactionByHash":
        return transactions.find(({ hash }) => hash === first) ?? null
      case "eth_getTransactionReceipt":
        return receipts.find(({ transactionHash }) => transactionHash === first) ?? null
      case "eth_getTransactionByBlockHashAndIndex":
      case "eth_getTransactionByBlockNumberAndIndex":
        return found === undefined ? null : (World.transactionsOf(found.block)[Number(second)] ?? null)
      case "eth_getBlockTransactionCountByHash":
      case "eth_getBlockTransactionCountByNumber":
        return found === undefined ? null : quantity(found.receipts.length)
      case "eth_getUncleByBlockHashAndIndex":
      case "eth_getUncleByBlockNumberAndIndex":
        return found?.uncles[Number(second)] ?? null
      case "eth_getUncleCountByBlockHash":
      case "eth_getUncleCountByBlockNumber":
        return found === undefined ? null : quantity(found.uncles.length)
      case "eth_getLogs":
        return logsOf(find, first as JsonObject)
      default:
        throw new Error(`nothing is recorded of ${method}`)
    }
  }
}

/** Returns the logs of one block that match a filter with at most one topic. */
const logsOf = (find: (parameter: Json | undefined) => Recorded | undefined, filter: JsonObject): Json => {
  const found = find(filter["blockHash"] ?? filter["fromBlock"])
  const [topic] = (filter["topics"] as ReadonlyArray<Json> | undefined) ?? []
  const logs = (found?.receipts ?? []).flatMap(({ logs }) => logs as ReadonlyArray<JsonObject>)
  return logs.filter(({ topics }) => topic === undefined || (topics as ReadonlyArray<Json>)[0] === topic)
}

/** Returns a world for each of these block numbers. Each block is the head of its own node. */
export const worlds = (
  numbers: ReadonlyArray<number>
): ReadonlyArray<{ number: number; read: () => Promise<World.World> }> =>
  numbers.map((number) => ({
    number,
    read: () => {
      const [file] = files(`3-mainnet/portal-spec-tests/block_data/*${number}.yaml`)
      const [other] = files(`3-mainnet/portal-spec-tests/block_data/*${numbers.find((one) => one !== number)!}.yaml`)
      const one = read(file!)
      const another = read(other!)
      return World.read({
        name: `mainnet block ${number}`,
        node: serving([one, another]),
        number: BigInt(number),
        other: BigInt(another.block["number"] as string),
        ranges: false
      })
    }
  }))
