/** Proves one receipt by the proven receipts of its block. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import * as Receipt from "../model/Receipt.ts"
import * as EthEvidence from "./EthEvidence.ts"
import * as EthReason from "./EthReason.ts"
import { completed, difference, leftOut } from "./provenDifference.ts"
import { concerns, LIST } from "./receiptClaims.ts"

/**
 * Proves one receipt of a block whose receipts are proven.
 *
 * Fails with `RefutedError`: `receipt.transactionHash` (another transaction, or a transaction of another block),
 * `receipt.<field>`.
 */
export const verifyReceipt = (
  receipt: Receipt.Receipt,
  transactionHash: Hash32.Hash32,
  receipts: Verified<ReadonlyArray<Receipt.Receipt>>
): Result.Result<Verified<Receipt.Receipt>, RefutedError> => {
  if (!Hex.equals(receipt.transactionHash, transactionHash)) {
    return Result.fail(refute("receipt.transactionHash", transactionHash, receipt.transactionHash))
  }
  const beside = new Set(receipts.claimed.map(({ field }) => field))
  const at = receipts.value.findIndex(
    (other, i) => Hex.equals(other.transactionHash, transactionHash) && !beside.has(`receipts[${i}]`)
  )
  if (at < 0) return Result.fail(refute("receipt.transactionHash", "a transaction of the block", transactionHash))
  const own = `receipts[${at}].`
  const proven = receipts.value[at]!
  const open = new Set(
    receipts.claimed.flatMap(({ field }) =>
      [LIST, own].flatMap((path) => (field.startsWith(path) ? [field.slice(path.length)] : []))
    )
  )
  const loose: Array<Claim.Claim> = []
  const wrong =
    difference(receipt, proven, "receipt", (path) =>
      loose.push(Claim.of(path.slice("receipt.".length), EthReason.NotCovered({ by: "receipts" })))
    ) ??
    // an omitted type means 0, so omitting another type is a lie
    (Receipt.typeOf(receipt) === proven.type ? undefined : refute("receipt.type", proven.type, null)) ??
    leftOut(
      receipt,
      proven,
      "receipt",
      outcomes.filter((name) => !open.has(name))
    )
  if (wrong !== undefined) return Result.fail(wrong)
  // a field that the list only claims is claimed here too; but a second outcome would turn a proof into a claim
  const value = completed(
    receipt,
    proven,
    (path) => open.has(path) && (!Receipt.knownFields.has(path) || path === "status" || path === "root")
  )
  const claimed = receipts.claimed.flatMap(({ field, reason }) => {
    const list = [LIST, own].find((path) => field.startsWith(path))
    const inside = list === undefined ? undefined : field.slice(list.length)
    return inside !== undefined && concerns(value, inside, reason) ? [Claim.of(inside, reason)] : []
  })
  return Result.succeed(
    Proven.make({
      value,
      anchor: receipts.anchor,
      proven: [EthEvidence.Member({ list: "receipts", index: at, count: receipts.value.length })],
      claimed: [...claimed, ...loose]
    })
  )
}

/** The two fields for the outcome of a transaction. The trie holds only one. */
const outcomes = ["status", "root"] as const
