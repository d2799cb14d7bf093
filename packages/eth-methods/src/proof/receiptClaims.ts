/** The claims about proven receipts: which of their fields nothing proves, and why. */
import { fieldOf } from "@plumbline/codec/wire/WireObject"
import * as Claim from "@plumbline/verdict/Claim"
import type { Reason } from "@plumbline/verdict/Reason"
import type { Verified } from "@plumbline/verdict/Verdict"

import type * as Block from "../model/Block.ts"
import type * as LaterTransactions from "../model/LaterTransactions.ts"
import * as Log from "../model/Log.ts"
import * as Receipt from "../model/Receipt.ts"
import * as Transaction from "../model/Transaction.ts"
import type { ReceiptOutcome } from "../rlp/receiptEncoding.ts"
import * as EthReason from "./EthReason.ts"
import { hasOpenAddress, isOfOpStack, repeatedBy } from "./receiptFields.ts"

/** The path of a claim about all receipts of a list. */
export const LIST = "receipts[]."

/** Receipts, and the forms of their later types. */
export interface ReceiptForms {
  readonly receipts: ReadonlyArray<Receipt.Receipt>
  /** The forms that the caller names, by type. */
  readonly forms: ReadonlyMap<bigint, LaterTransactions.TransactionType>
}

/**
 * True if a claim about `receipts[]` concerns this receipt. It does not if the receipt lacks the field, or if the field
 * of this receipt is proven.
 */
export const concerns = (receipt: Receipt.Receipt, path: string, reason: Reason): boolean => {
  const [field = ""] = path.split("[", 1)
  if (fieldOf(receipt, field) === undefined && !isMissed(receipt, field)) return false
  if (EthReason.CreationOutcome.is(reason)) return receipt.to === null && receipt.contractAddress === null
  if (field === "contractAddress" && !EthReason.TransactionByHashOnly.is(reason))
    return receipt.contractAddress !== null
  if (field === "status") return Receipt.rootOf(receipt) !== undefined
  if (field === "root") return receipt.status !== undefined
  return true
}

/**
 * True if readers expect the field in this receipt, and take it for "none" if it is missing. If such a field does not
 * follow from the proof, it is claimed even if it is missing.
 */
const isMissed = (receipt: Receipt.Receipt, field: string): boolean =>
  ofBlobs.has(field) ? receipt.type === 3n : ofTransaction.has(field)

/**
 * Returns a function from the index of a transaction to the reason why its sender is only claimed. For a proven
 * sender the reason is undefined.
 */
const senderReasons = (block: Verified<Block.Block>): ((index: number) => Reason | undefined) => {
  const ofEach = new Map(
    block.claimed.filter(({ field }) => SENDER.test(field)).map(({ field, reason }) => [field, reason])
  )
  const ofAll = ofEach.get("transactions[].from")
  if (ofAll !== undefined) return () => ofAll
  return ofEach.size === 0 ? () => undefined : (index) => ofEach.get(`transactions[${index}].from`)
}

/** Returns the reason why the block's whole transactions are not proven; undefined if they were not asked for. */
const causeOf = ({ claimed }: Verified<Block.Block>): Reason | undefined =>
  claimed.find(({ field, reason }) => field === "transactions" && !EthReason.HashesOnly.is(reason))?.reason

const SENDER = /^transactions\[\d*\]\.from$/u

/** Returns the claims about fields that neither the receipts' trie nor the proven block covers. */
export const claims = (
  { forms, receipts }: ReceiptForms,
  outcome: ReceiptOutcome,
  transactions: ReadonlyArray<Transaction.Transaction> | undefined,
  block: Verified<Block.Block>
): ReadonlyArray<Claim.Claim> => {
  const senderReason = senderReasons(block)
  const ofOpStack = isOfOpStack(block.value)
  const byHashOnly = EthReason.TransactionByHashOnly({ cause: causeOf(block) })
  const claimed = new Map<string, Claim.Claim>()
  const add = (field: string, reason: Reason): void => {
    claimed.set(`${field} ${reason._tag}`, Claim.of(field, reason))
  }
  for (const [i, receipt] of receipts.entries()) {
    const form = forms.get(Receipt.typeOf(receipt))
    for (const field of Object.keys(receipt)) {
      if (form?.receiptFields?.some(({ name }) => name === field) === true) continue
      const path = form === undefined ? LIST : `receipts[${i}].`
      if (!Receipt.knownFields.has(field)) add(path + field, EthReason.NotCovered({ by: "receipts" }))
    }
    if (!Receipt.hasHashedNonce(receipt)) {
      for (const field of ofDeposits)
        if (fieldOf(receipt, field) !== undefined)
          add(`receipts[${i}].${field}`, EthReason.NotCovered({ by: "receipts" }))
    }
    if (ofOpStack && receipt.blobGasUsed !== undefined)
      add(`${LIST}blobGasUsed`, EthReason.NotCovered({ by: "receipts" }))
    for (const log of receipt.logs) {
      for (const field of Object.keys(log)) {
        if (!Log.knownFields.has(field)) add(`${LIST}logs[].${field}`, EthReason.NotCovered({ by: "receipts" }))
      }
    }
    if (receipt.blobGasPrice !== undefined || isMissed(receipt, "blobGasPrice")) {
      add(`${LIST}blobGasPrice`, EthReason.BlobSchedule({}))
    }
    const root = Receipt.rootOf(receipt)
    if (root !== undefined && receipt.status !== undefined) {
      add(LIST + (outcome === "root" ? "status" : "root"), EthReason.OtherOutcome({ holds: outcome }))
    }
    if (receipt.to === null && receipt.contractAddress === null && outcome === "root" && root !== undefined) {
      add(`${LIST}contractAddress`, EthReason.CreationOutcome({}))
    }
    if (transactions === undefined) {
      for (const field of ofTransaction) {
        if (fieldOf(receipt, field) !== undefined || isMissed(receipt, field)) add(LIST + field, byHashOnly)
      }
      if (receipt.logs.length > 0) add(`${LIST}logs[].transactionHash`, byHashOnly)
      continue
    }
    const transaction = transactions[i]!
    if (!Transaction.isKnown(transaction)) {
      const proven: ReadonlySet<string> = new Set(["transactionHash", ...repeatedBy(form!)])
      for (const field of ofTransaction) {
        if (!proven.has(field))
          add(`receipts[${i}].${field}`, EthReason.TransactionRulesUnknown({ type: Receipt.typeOf(receipt) }))
      }
      continue
    }
    if (hasOpenAddress(receipt, transaction))
      add(`receipts[${i}].contractAddress`, EthReason.NotCovered({ by: "receipts" }))
    const ofSender = senderReason(i)
    if (ofSender === undefined) continue
    // one claim about all receipts if no sender is proven; otherwise a claim for each unproven sender
    const path = EthReason.SendersNotRecovered.is(ofSender) ? LIST : `receipts[${i}].`
    add(`${path}from`, ofSender)
    if (receipt.contractAddress != null) add(`${path}contractAddress`, ofSender)
  }
  return [...claimed.values()]
}

/** The fields of a deposit's receipt that the receipts' trie holds only together, and since Canyon (OP stack). */
const ofDeposits = ["depositNonce", "depositReceiptVersion"] as const

/** The fields that a receipt repeats from its transaction. */
const ofTransaction: ReadonlySet<string> = new Set([
  "transactionHash",
  "from",
  "to",
  "contractAddress",
  "effectiveGasPrice",
  "blobGasUsed"
])

/** The fields that only receipts of transactions with blobs have. */
const ofBlobs: ReadonlySet<string> = new Set(["blobGasUsed", "blobGasPrice"])
