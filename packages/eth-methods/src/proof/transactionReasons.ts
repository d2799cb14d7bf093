/** The reasons about transactions and their receipts. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Reason from "@plumbline/verdict/Reason"

/** The transaction or receipt belongs to a state-sync transaction of Polygon. */
export const StateSync: Reason.ReasonKind<"StateSync", {}> = /* @__PURE__ */ Reason.kind(
  "StateSync",
  () => "it is a state-sync transaction of Polygon, which is in no root of the header"
)

/**
 * The block has a state-sync transaction of Polygon, whose logs are in no receipt of the root. `refusal` is the error by
 * which the node refused its own logs of the range, if it did.
 */
export const StateSyncLogs: Reason.ReasonKind<"StateSyncLogs", { readonly refusal?: JsonRpcError | undefined }> =
  /* @__PURE__ */ Reason.kind("StateSyncLogs", ({ refusal }) => {
    const open = "it has a state-sync transaction of Polygon, whose logs are in no root of the header"
    return refusal === undefined ? open : `${open}, and the node refused them: ${refusal.message}`
  })

/** The answer holds the transactions as hashes only. */
export const HashesOnly: Reason.ReasonKind<"HashesOnly", {}> = /* @__PURE__ */ Reason.kind(
  "HashesOnly",
  () => "hashes alone do not make the header's transactionsRoot; ask for whole transactions"
)

/** A receipt repeats fields of its transaction, and of the block's transactions only the hashes are known. */
export const TransactionByHashOnly: Reason.ReasonKind<
  "TransactionByHashOnly",
  {
    /** The reason why the whole transactions prove nothing; undefined if they were not asked for. */
    readonly cause?: Reason.Reason | undefined
  }
> = /* @__PURE__ */ Reason.kind("TransactionByHashOnly", ({ cause }) =>
  cause === undefined
    ? "of the block's transactions only the hashes were asked for, which nothing proves"
    : `the block's transactions are not proven: ${cause.sentence}`
)

/** A transaction has a type whose encoding this package does not know. */
export const UnknownTransactionType: Reason.ReasonKind<
  "UnknownTransactionType",
  {
    /** Undefined for a message of a second layer, which has neither a type nor a signature. */
    readonly type: bigint | undefined
    /** The index of the item that prevents computing the root of a whole block. */
    readonly index?: number | undefined
  }
> = /* @__PURE__ */ Reason.kind("UnknownTransactionType", ({ index, type }) => {
  const unknown =
    type === undefined
      ? "a transaction without a type and a signature has no known encoding"
      : `transactions of type 0x${type.toString(16)} are not known here: their encoding cannot be made`
  return index === undefined
    ? unknown
    : `transactions[${index}]: ${unknown}, so the transactionsRoot cannot be computed`
})

/** Your data about forks names the fields of a type of transactions, but no rule by which this value follows from them. */
export const TransactionRulesUnknown: Reason.ReasonKind<"TransactionRulesUnknown", { readonly type: bigint }> =
  /* @__PURE__ */ Reason.kind(
    "TransactionRulesUnknown",
    ({ type }) =>
      `how it follows from a transaction of type 0x${type.toString(16)} is not known here: only the fields of that type are`
  )

/** A receipt has a type whose encoding this package does not know. */
export const UnknownReceiptType: Reason.ReasonKind<"UnknownReceiptType", { readonly index: number }> =
  /* @__PURE__ */ Reason.kind(
    "UnknownReceiptType",
    ({ index }) => `receipts[${index}] has a type that is not known here, so the receiptsRoot cannot be computed`
  )

/** The caller did not ask for senders to be recovered. */
export const SendersNotRecovered: Reason.ReasonKind<"SendersNotRecovered", {}> = /* @__PURE__ */ Reason.kind(
  "SendersNotRecovered",
  () => "recovering the senders was not asked for"
)

/** The transaction has a signature of zeros. */
export const Unsigned: Reason.ReasonKind<"Unsigned", {}> = /* @__PURE__ */ Reason.kind(
  "Unsigned",
  () => "no key signed it: its signature is zeros, as those of deposits before Bedrock"
)

/** Only the node says that a transaction is pending. */
export const Pending: Reason.ReasonKind<"Pending", {}> = /* @__PURE__ */ Reason.kind(
  "Pending",
  () => "that it is pending is the node's word"
)

/** The place of a transaction in a block, which the transaction's hash does not cover. */
export const Place: Reason.ReasonKind<"Place", {}> = /* @__PURE__ */ Reason.kind(
  "Place",
  () => "a transaction's hash does not cover its place in the chain"
)

/** The price that a transaction effectively paid. */
export const EffectivePrice: Reason.ReasonKind<"EffectivePrice", {}> = /* @__PURE__ */ Reason.kind(
  "EffectivePrice",
  () => "what it paid in effect depends on its block"
)

/** The price of blob gas, whose schedule differs in each fork. */
export const BlobSchedule: Reason.ReasonKind<"BlobSchedule", {}> = /* @__PURE__ */ Reason.kind(
  "BlobSchedule",
  () => "it follows from excessBlobGas only by the blob schedule of the fork"
)

/** The status or the root, whichever of the two the receipt's encoding lacks. */
export const OtherOutcome: Reason.ReasonKind<"OtherOutcome", { readonly holds: "root" | "status" }> =
  /* @__PURE__ */ Reason.kind("OtherOutcome", ({ holds }) =>
    holds === "root"
      ? "receipts from before Byzantium hold a root and no status"
      : "receipts since Byzantium hold a status and no root"
  )

/** The receipts have a status and no root, do not fit the receiptsRoot, and may be from before Byzantium. */
export const RootsNotSent: Reason.ReasonKind<"RootsNotSent", {}> = /* @__PURE__ */ Reason.kind(
  "RootsNotSent",
  () =>
    "they do not give the receiptsRoot: receipts from before Byzantium hold a state root, and this node sends a status instead"
)

/** The outcome of a creation: a receipt without a status does not say if the contract was created. */
export const CreationOutcome: Reason.ReasonKind<"CreationOutcome", {}> = /* @__PURE__ */ Reason.kind(
  "CreationOutcome",
  () => "receipts from before Byzantium do not say whether the creation failed"
)

/** The node has no such transaction, or no receipt of it. */
export const TransactionUnknown: Reason.ReasonKind<"TransactionUnknown", { readonly what: "transaction" | "receipt" }> =
  /* @__PURE__ */ Reason.kind("TransactionUnknown", ({ what }) =>
    what === "transaction"
      ? "the node knows no transaction with this hash; that there is none cannot be proven"
      : "the node knows no receipt of this transaction; that there is none cannot be proven"
  )

/** The transactions or receipts of the block hold parts that cannot be proven. */
export const ItemsUnprovable: Reason.ReasonKind<
  "ItemsUnprovable",
  { readonly items: "transactions" | "receipts"; readonly cause: Reason.Reason }
> = /* @__PURE__ */ Reason.kind(
  "ItemsUnprovable",
  ({ cause, items }) => `the block's ${items} could not be proven: ${cause.sentence}`
)

/** The node gives no receipts of the block. */
export const ReceiptsUnknown: Reason.ReasonKind<"ReceiptsUnknown", { readonly of: "block" | "others" }> =
  /* @__PURE__ */ Reason.kind("ReceiptsUnknown", ({ of }) =>
    of === "block"
      ? "the node knows the block, but not its receipts"
      : "the node does not give the other receipts of the block"
  )

/** The receipt is a proven receipt of the block, but nothing proves that it belongs to this transaction. */
export const ReceiptOf: Reason.ReasonKind<
  "ReceiptOf",
  { readonly hash: Hash32.Hash32; readonly cause: Reason.Reason }
> = /* @__PURE__ */ Reason.kind(
  "ReceiptOf",
  ({ cause, hash }) => `that it is the receipt of ${hash}: ${cause.sentence}`
)
