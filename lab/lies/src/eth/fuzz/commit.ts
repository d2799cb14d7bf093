/**
 * Makes a block, its uncles and its receipts agree with each other: it computes every hash, root, place, price and size
 * from the content. A forger does this last. With the resulting hash as the anchor, the block is a new truth.
 */
import * as Json from "../../json.ts"
import * as Encode from "./hashedForms.ts"

/** All answers of a node about one block. */
export interface Whole {
  readonly block: Json.JsonObject
  readonly uncles: ReadonlyArray<Json.JsonObject>
  readonly receipts: ReadonlyArray<Json.JsonObject>
}

/** The level up to which hashes are computed again: the transactions' hashes, the roots, or the header's hash. */
export type Height = "transactions" | "roots" | "header"

export const commit = (whole: Whole, height: Height = "header"): Whole => {
  const said = Encode.listOf(whole.block["transactions"])
  const transactions = said.map((transaction) => ({
    ...transaction,
    hash: Encode.keccak(Encode.transactionBytes(transaction))
  }))
  if (height === "transactions") return { ...whole, block: { ...whole.block, transactions } }
  const receipts = receiptsOf(whole, transactions)
  const last = receipts.at(-1)
  const { block, uncles } = whole
  const rooted: Json.JsonObject = {
    ...block,
    transactionsRoot: Encode.rootOf(transactions.map(Encode.transactionBytes)),
    receiptsRoot: Encode.rootOf(receipts.map(Encode.receiptBytes)),
    logsBloom: Encode.bloomOf(receipts.flatMap(({ logs }) => Encode.listOf(logs))),
    sha3Uncles: Encode.unclesHash(uncles),
    uncles: uncles.map((uncle) => uncle["hash"]!),
    gasUsed: last?.["cumulativeGasUsed"] ?? "0x0",
    ...(block["withdrawals"] === undefined ? {} : { withdrawalsRoot: Encode.withdrawalsRoot(block["withdrawals"]) })
  }
  const hash = height === "header" ? Encode.keccak(Encode.headerBytes(rooted)) : block["hash"]!
  const place = { blockHash: hash, blockNumber: rooted["number"]! }
  const placed = transactions.map((transaction, index) => ({
    ...transaction,
    ...place,
    ...("blockTimestamp" in transaction ? { blockTimestamp: rooted["timestamp"]! } : {}),
    transactionIndex: Encode.hexNumber(index),
    gasPrice: priceOf(transaction, rooted)
  }))
  const final: Json.JsonObject = { ...rooted, hash, transactions: placed }
  return {
    block: { ...final, size: Encode.hexNumber(Encode.blockBytes(final, uncles).length) },
    uncles,
    receipts: labelled(receipts, placed, final)
  }
}

/** Returns the price that a transaction paid per gas: EIP-1559. */
const priceOf = (transaction: Json.JsonObject, block: Json.JsonObject): Json.Json => {
  if (transaction["maxFeePerGas"] === undefined) return transaction["gasPrice"] ?? null
  const most = Encode.numberOf(transaction["maxFeePerGas"])
  const wanted = Encode.numberOf(block["baseFeePerGas"]) + Encode.numberOf(transaction["maxPriorityFeePerGas"])
  return Encode.hexNumber(wanted < most ? wanted : most)
}

/** Returns the receipts with new values of the fields that the receipts' trie holds. */
const receiptsOf = (
  { receipts }: Whole,
  transactions: ReadonlyArray<Json.JsonObject>
): ReadonlyArray<Json.JsonObject> =>
  receipts.map((receipt, at) => ({
    ...receipt,
    type: transactions[at]?.["type"] ?? "0x0",
    logsBloom: Encode.bloomOf(Encode.listOf(receipt["logs"]))
  }))

/** Returns the receipts with the fields that follow from the block and from its transactions. */
const labelled = (
  receipts: ReadonlyArray<Json.JsonObject>,
  transactions: ReadonlyArray<Json.JsonObject>,
  block: Json.JsonObject
): ReadonlyArray<Json.JsonObject> => {
  let gas = 0n
  let logIndex = 0
  return receipts.map((receipt, at) => {
    const transaction = transactions[at] ?? {}
    const cumulative = Encode.numberOf(receipt["cumulativeGasUsed"])
    const place = {
      blockHash: block["hash"]!,
      blockNumber: block["number"]!,
      transactionHash: transaction["hash"] ?? null,
      transactionIndex: Encode.hexNumber(at)
    }
    const { from = null, nonce, to = null } = transaction
    const hashes = transaction["blobVersionedHashes"]
    const { blobGasUsed: _, ...rest } = receipt
    const made = {
      ...rest,
      ...place,
      from,
      to,
      contractAddress: to === null ? Encode.createdBy(from, nonce) : null,
      gasUsed: Encode.hexNumber(cumulative - gas),
      effectiveGasPrice: transaction["gasPrice"] ?? null,
      ...(Json.isList(hashes) ? { blobGasUsed: Encode.hexNumber(131_072 * hashes.length) } : {}),
      logs: Encode.listOf(receipt["logs"]).map((log) => ({
        ...log,
        ...place,
        ...("blockTimestamp" in log ? { blockTimestamp: block["timestamp"]! } : {}),
        logIndex: Encode.hexNumber(logIndex++)
      }))
    }
    gas = cumulative
    return made
  })
}
