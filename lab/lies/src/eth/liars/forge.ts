/** Forged blocks. Their hashes and roots are right, but they are on no chain. */
import { Hash32, Hex, Keccak256 } from "@plumbline/codec"
import { Block, BlockRlp, LogsBloom, Receipt } from "@plumbline/eth-methods"
import { Trie } from "@plumbline/merkle-trie"
import { Result, Schema } from "effect"

import type { Json, JsonObject } from "../../json.ts"
import { list, type Node, object, type Params, quantity, text } from "./node.ts"
import { transactionsOf, withHashes } from "./world.ts"

/** A block with all of its content. */
export interface Forged {
  /** The block, with whole transactions. */
  readonly block: JsonObject
  readonly receipts: ReadonlyArray<JsonObject>
  readonly uncles: ReadonlyArray<JsonObject>
}

const decodeBlock = Schema.decodeUnknownSync(Block.WithTransactions)
const decodeReceipt = Schema.decodeUnknownSync(Receipt.Receipt)

/** Returns the Keccak-256 of a header. */
export const hashOf = (block: JsonObject): string =>
  Keccak256.hashHex(Result.getOrThrow(BlockRlp.encodeHeader(decodeBlock({ ...block, transactions: [], uncles: [] }))))

/** Computes the roots, the bloom and the hash from the content, and changes every label so that it fits the block. */
export const seal = ({ block, receipts, uncles }: Forged): Forged => {
  const decoded = decodeBlock(block)
  const transactions = decoded.transactions.map((one) => BlockRlp.encodeTransaction(one)!)
  const logged = receipts.map((receipt) => decodeReceipt(receipt))
  const blooms = LogsBloom.ofEach(logged.map(({ logs }) => logs))
  const blooming = receipts.map((receipt, i): JsonObject => ({ ...receipt, logsBloom: Hex.fromBytes(blooms[i]!) }))
  const encoded = blooming.map((receipt) => BlockRlp.encodeReceipt(decodeReceipt(receipt)))
  const rootOf = (items: ReadonlyArray<Uint8Array>): string => Hash32.fromBytesUnsafe(Trie.rootOfList(items))
  const sealed: JsonObject = {
    ...block,
    transactionsRoot: rootOf(transactions),
    receiptsRoot: rootOf(encoded),
    logsBloom: Hex.fromBytes(LogsBloom.union(blooms)),
    gasUsed: receipts.at(-1)?.["cumulativeGasUsed"] ?? "0x0"
  }
  const { size: _, ...header } = sealed
  const hash = hashOf(header)
  const place = { blockHash: hash, blockNumber: header["number"]! }
  const time = (of: JsonObject): JsonObject =>
    of["blockTimestamp"] === undefined ? {} : { blockTimestamp: header["timestamp"]! }
  let logIndex = 0
  return {
    block: {
      ...header,
      hash,
      transactions: transactionsOf(header).map((one, i) => ({
        ...one,
        ...place,
        ...time(one),
        transactionIndex: quantity(i)
      }))
    },
    receipts: blooming.map((receipt, i) => ({
      ...receipt,
      ...place,
      ...time(receipt),
      transactionIndex: quantity(i),
      transactionHash: transactionsOf(header)[i]!["hash"]!,
      logs: list(receipt["logs"]).map((log) => ({
        ...object(log),
        ...place,
        ...time(object(log)),
        transactionIndex: quantity(i),
        transactionHash: transactionsOf(header)[i]!["hash"]!,
        logIndex: quantity(logIndex++)
      }))
    })),
    uncles
  }
}

/** The options of a node that shows a forged block besides its true blocks. */
export interface Beside {
  /** The numbers and tags under which the node shows the forged block. The block can always be found by its hash. */
  readonly named?: ReadonlyArray<string>
  /** The true block whose state the node shows for the forged block. */
  readonly stateOf?: string
}

/**
 * Returns a node that also has this block. The block is found by its hash, by the given names, and by its transactions.
 */
export const beside = (ask: Node, forged: Forged, { named = [], stateOf = "latest" }: Beside = {}): Node => {
  const { block, receipts, uncles } = forged
  const hash = text(block["hash"])
  const names = new Set<Json | undefined>([hash, ...named])
  const meant = (parameter: Json | undefined): boolean => {
    if (typeof parameter !== "object" || parameter === null) return names.has(parameter)
    const { blockHash, blockNumber } = object(parameter)
    return names.has(blockHash ?? blockNumber)
  }
  const transactions = transactionsOf(block)
  const logs = receipts.flatMap((receipt) => list(receipt["logs"]).map(object))
  const at = <A>(items: ReadonlyArray<A>, index: Json | undefined): A | null => items[Number(index)] ?? null
  return async (method, params) => {
    const [first, second, third] = params
    switch (method) {
      case "eth_blockNumber":
        return named.includes("latest") ? block["number"]! : ask(method, params)
      case "eth_getBlockByHash":
      case "eth_getBlockByNumber":
        return meant(first) ? (second === true ? block : withHashes(block)) : ask(method, params)
      case "eth_getBlockReceipts":
        return meant(first) ? [...receipts] : ask(method, params)
      case "eth_getTransactionByHash":
        return transactions.find((one) => one["hash"] === first) ?? ask(method, params)
      case "eth_getTransactionReceipt":
        return receipts.find((one) => one["transactionHash"] === first) ?? ask(method, params)
      case "eth_getTransactionByBlockHashAndIndex":
      case "eth_getTransactionByBlockNumberAndIndex":
        return meant(first) ? at(transactions, second) : ask(method, params)
      case "eth_getBlockTransactionCountByHash":
      case "eth_getBlockTransactionCountByNumber":
        return meant(first) ? quantity(transactions.length) : ask(method, params)
      case "eth_getUncleByBlockHashAndIndex":
      case "eth_getUncleByBlockNumberAndIndex":
        return meant(first) ? at(uncles, second) : ask(method, params)
      case "eth_getUncleCountByBlockHash":
      case "eth_getUncleCountByBlockNumber":
        return meant(first) ? quantity(uncles.length) : ask(method, params)
      case "eth_getLogs":
        return logsWith(ask, params, { meant, logs, number: BigInt(text(block["number"])) })
      case "eth_getBalance":
      case "eth_getCode":
      case "eth_getTransactionCount":
      case "eth_getStorageValues":
        return ask(method, meant(second) ? [first!, stateOf] : params)
      case "eth_getProof":
      case "eth_getStorageAt":
        return ask(method, meant(third) ? [first!, second!, stateOf] : params)
      default:
        return ask(method, params)
    }
  }
}

const logsWith = async (
  ask: Node,
  params: Params,
  of: { meant: (parameter: Json | undefined) => boolean; logs: ReadonlyArray<JsonObject>; number: bigint }
): Promise<Json> => {
  const filter = object(params[0])
  const { blockHash, fromBlock, toBlock } = filter
  if (blockHash !== undefined) return of.meant(blockHash) ? [...of.logs] : ask("eth_getLogs", params)
  if (!of.meant(quantity(of.number))) return ask("eth_getLogs", params)
  if (of.meant(fromBlock ?? "latest") && of.meant(toBlock ?? "latest")) return [...of.logs]
  const before = list(await ask("eth_getLogs", params)).map(object)
  const numberOf = (log: JsonObject): bigint => BigInt(text(log["blockNumber"]))
  const others = before.filter((log) => numberOf(log) !== of.number)
  const from = typeof fromBlock === "string" && fromBlock.startsWith("0x") ? BigInt(fromBlock) : 0n
  const to = typeof toBlock === "string" && toBlock.startsWith("0x") ? BigInt(toBlock) : of.number
  if (of.number < from || of.number > to) return before
  return [...others, ...of.logs].toSorted((a, b) => Number(numberOf(a) - numberOf(b)))
}
