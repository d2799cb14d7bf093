/**
 * The transactions of a block against its transactionsRoot, each field of each against what the proof and the header
 * say.
 */
import * as Hash32 from "@plumbline/codec/Hash32"
import * as Hex from "@plumbline/codec/Hex"
import * as Keccak256 from "@plumbline/codec/Keccak256"
import type * as RlpWriter from "@plumbline/codec/RlpWriter"
import * as Trie from "@plumbline/merkle-trie/Trie"
import * as Result from "effect/Result"

import type * as Block from "../Block.ts"
import { isEmptyRoot } from "../internal/emptyRoot.ts"
import { refute } from "../internal/refute.ts"
import { withHead } from "../internal/rlpSize.ts"
import type { Refuted } from "../Refuted.ts"
import * as Transaction from "../Transaction.ts"
import type { Claim } from "../Verified.ts"
import { hasBlobs, writeNetworkForm } from "./networkForm.ts"
import { effectiveGasPrice, isLegacy, isUnsigned, write } from "./transaction.ts"
import {
  checkSender,
  checkSigned,
  disguise,
  notSigned,
  notSignedAtAll,
  uncovered,
  unknownType
} from "./verifyTransaction.ts"

/** What is known of a block's transactions after the checks. */
export interface Transactions {
  readonly proven: ReadonlyArray<string>
  readonly claimed: ReadonlyArray<Claim>
  /** Whether one has an unknown type, so that nothing could be proven of any. */
  readonly unknown: boolean
  /** Bytes of their RLP inside the block's, without the list's head; `undefined` when only hashes are known. */
  readonly size: number | undefined
}

/** Checks the transactions of a block whose header is proven. The writer is used for scratch. */
export const checkTransactions = (
  block: Block.Block,
  senders: boolean,
  writer: RlpWriter.RlpWriter
): Result.Result<Transactions, Refuted> => {
  const { transactions, transactionsRoot } = block
  const isEmpty = isEmptyRoot(transactionsRoot)
  if (isEmpty !== (transactions.length === 0)) {
    return Result.fail(
      isEmpty
        ? refute("transactionsRoot", "no transactions", `${transactions.length} transactions`)
        : refute("transactionsRoot", transactionsRoot, Trie.EMPTY_ROOT)
    )
  }
  if (isEmpty) {
    return Result.succeed({
      proven: ["transactions: none, by the header's transactionsRoot"],
      claimed: [],
      unknown: false,
      size: 0
    })
  }
  if (!areWhole(transactions)) {
    return Result.succeed({
      proven: [],
      claimed: [
        {
          field: "transactions",
          reason: "hashes alone do not make the header's transactionsRoot; ask for whole transactions"
        }
      ],
      unknown: false,
      size: undefined
    })
  }
  const known = transactions.filter(Transaction.isKnown)
  return known.length === transactions.length ? checkKnown(block, known, senders, writer) : claimUnknown(transactions)
}

const areWhole = (transactions: Block.Block["transactions"]): transactions is ReadonlyArray<Transaction.Transaction> =>
  typeof transactions[0] !== "string"

const claimUnknown = (transactions: ReadonlyArray<Transaction.Transaction>): Result.Result<Transactions, Refuted> => {
  let reason = ""
  for (const [i, transaction] of transactions.entries()) {
    if (Transaction.isKnown(transaction)) continue
    const disguised = disguise(transaction)
    if (disguised !== undefined) return Result.fail(refute(`transactions[${i}].type`, disguised, transaction.type))
    reason ||= `transactions[${i}]: ${unknownType(transaction)}, so the transactionsRoot cannot be computed`
  }
  return Result.succeed({
    proven: [],
    claimed: [{ field: "transactions", reason }],
    unknown: true,
    size: undefined
  })
}

const checkKnown = (
  block: Block.Block,
  transactions: ReadonlyArray<Transaction.Known>,
  senders: boolean,
  writer: RlpWriter.RlpWriter
): Result.Result<Transactions, Refuted> => {
  let items = encode(transactions, writer, write)
  const hashes = Keccak256.hashMany(items).map(Hash32.fromBytesUnsafe)
  const root = Hash32.fromBytesUnsafe(Trie.rootOfList(items))
  let form = ""
  if (!Hex.equals(root, block.transactionsRoot)) {
    const other = withBlobs(transactions, block.transactionsRoot, writer)
    if (other === undefined) {
      // name the transaction, if it contradicts itself; else some are missing, too many or out of order
      const at = transactions.findIndex((transaction, i) => !Hex.equals(transaction.hash, hashes[i]!))
      return Result.fail(
        at < 0
          ? refute("transactionsRoot", block.transactionsRoot, root)
          : refute(`transactions[${at}] hash`, transactions[at]!.hash, hashes[at])
      )
    }
    items = other
    form = ", which this node makes of blobs as well, as anvil does"
  }
  // a typed transaction is a byte string in the block, a legacy one a list
  const size = transactions.reduce((sum, transaction, at) => {
    const { length } = items[at]!
    return sum + (isLegacy(transaction) ? length : withHead(length))
  }, 0)
  const loose = new Map<string, Array<number>>()
  const claimed: Array<Claim> = []
  for (const [i, transaction] of transactions.entries()) {
    const path = `transactions[${i}]`
    const unsigned = isUnsigned(transaction)
    const wrong =
      checkPlace(transaction, path, i, block, hashes[i]!) ??
      checkSigned(transaction, path) ??
      (senders && !unsigned ? (writer.reset(), checkSender(transaction, path, writer)) : undefined)
    if (wrong !== undefined) return Result.fail(wrong)
    for (const field of uncovered(transaction)) {
      const at = loose.get(field)
      if (at === undefined) loose.set(field, [i])
      else at.push(i)
    }
    if (senders && unsigned) claimed.push({ field: `${path}.from`, reason: notSignedAtAll })
  }
  for (const [field, indices] of loose) {
    // a field of one type may be a stranger to another: then those that have it as their own are left out
    const everywhere = field.includes("[") || indices.length === transactions.filter((one) => field in one).length
    for (const at of everywhere ? [""] : indices)
      claimed.push({ field: `transactions[${at}].${field}`, reason: notSigned })
  }
  if (!senders) claimed.push({ field: "transactions[].from", reason: "recovering the senders was not asked for" })
  return Result.succeed({
    proven: [
      `transactions: ${transactions.length}, their fields and order, under the header's transactionsRoot${form}`,
      ...(senders ? ["senders: recovered from the signatures"] : [])
    ],
    claimed,
    unknown: false,
    size
  })
}

type Write = (writer: RlpWriter.RlpWriter, transaction: Transaction.Known) => void

/** The transactions as leaves of their trie, one behind the other in the writer. */
const encode = (
  transactions: ReadonlyArray<Transaction.Known>,
  writer: RlpWriter.RlpWriter,
  write: Write
): ReadonlyArray<Uint8Array> => {
  writer.reset()
  const ends = transactions.map((transaction) => {
    write(writer, transaction)
    return writer.position
  })
  return ends.map((end, at) => writer.view(at === 0 ? 0 : ends[at - 1]!, end))
}

/** The leaves of a trie in which those with blobs stand in the network's form, if it has this root. */
const withBlobs = (
  transactions: ReadonlyArray<Transaction.Known>,
  root: Hash32.Hash32,
  writer: RlpWriter.RlpWriter
): ReadonlyArray<Uint8Array> | undefined => {
  if (!transactions.some(hasBlobs)) return undefined
  const items = encode(transactions, writer, (writer, transaction) =>
    (hasBlobs(transaction) ? writeNetworkForm : write)(writer, transaction)
  )
  return Hex.equals(Hash32.fromBytesUnsafe(Trie.rootOfList(items)), root) ? items : undefined
}

/** What a transaction says of its place and price, against its proven position in the proven block. */
const checkPlace = (
  transaction: Transaction.Known,
  path: string,
  index: number,
  block: Block.Block,
  hash: Hash32.Hash32
): Refuted | undefined => {
  if (!Hex.equals(transaction.hash, hash)) return refute(`${path}.hash`, hash, transaction.hash)
  if (transaction.blockHash === null || !Hex.equals(transaction.blockHash, block.hash!)) {
    return refute(`${path}.blockHash`, block.hash, transaction.blockHash)
  }
  if (transaction.blockNumber !== block.number)
    return refute(`${path}.blockNumber`, block.number, transaction.blockNumber)
  if (transaction.transactionIndex !== BigInt(index)) {
    return refute(`${path}.transactionIndex`, BigInt(index), transaction.transactionIndex)
  }
  if (transaction.blockTimestamp != null && transaction.blockTimestamp !== block.timestamp) {
    return refute(`${path}.blockTimestamp`, block.timestamp, transaction.blockTimestamp)
  }
  const { gasPrice } = transaction
  if (gasPrice != null) {
    const price = effectiveGasPrice(transaction, block.baseFeePerGas)
    if (gasPrice !== price) return refute(`${path}.gasPrice`, price, gasPrice)
  }
  return undefined
}
