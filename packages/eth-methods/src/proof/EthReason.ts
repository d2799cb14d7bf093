/** The reasons why a part of an Ethereum answer is only claimed: the kinds that this package defines. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Reason from "@plumbline/verdict/Reason"
import type { RefutedError } from "@plumbline/verdict/RefutedError"

import type { CallError } from "../call/CallError.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as LaterForks from "../model/LaterForks.ts"

/** The hash or trie that proves most of an answer, but not this field. */
export type HashCover = "header" | "signature" | "deposit" | "withdrawals" | "receipts" | "account"

/** The field is not part of the header, the signature, the deposit, the trie or the account, so no hash covers it. */
export const NotCovered: Reason.ReasonKind<"NotCovered", { readonly by: HashCover }> = /* @__PURE__ */ Reason.kind(
  "NotCovered",
  ({ by }) =>
    by === "signature"
      ? "it is not part of the signed transaction"
      : by === "header" || by === "account" || by === "deposit"
        ? `it is not part of the ${by}`
        : `the ${by}' trie does not hold it`
)

/** The node omitted the withdrawals. */
export const WithdrawalsNotSent: Reason.ReasonKind<"WithdrawalsNotSent", {}> = /* @__PURE__ */ Reason.kind(
  "WithdrawalsNotSent",
  () => "the node did not send them; the header has their root"
)

/** The node left out a part of the seal, so the header cannot be hashed. */
export const SealNotSent: Reason.ReasonKind<"SealNotSent", {}> = /* @__PURE__ */ Reason.kind(
  "SealNotSent",
  () => "its header has no nonce or no mixHash, as on chains with another seal, so that its hash cannot be computed"
)

/** The header's hash does not follow from its known fields, and it has others: it may be of a fork that came later. */
export const UnknownHeaderFields: Reason.ReasonKind<
  "UnknownHeaderFields",
  {
    /** The names of the unknown fields, as the node wrote them; at least one. */
    readonly fields: ReadonlyArray<string>
  }
> = /* @__PURE__ */ Reason.kind(
  "UnknownHeaderFields",
  ({ fields }) =>
    `its hash does not follow from the header fields that are known here, and it has others (${named(fields)}), which a later fork may have added to the header`
)

/**
 * The header has a field before the time at which the named fork adds it, or lacks it since. So the data about the fork
 * does not fit the chain.
 */
export const ForkMismatch: Reason.ReasonKind<"ForkMismatch", LaterForks.Mismatch> = /* @__PURE__ */ Reason.kind(
  "ForkMismatch",
  ({ field, fork, present, timestamp }) =>
    present
      ? `its header has ${field} before the time ${timestamp}, from which ${fork} adds it by your data about forks`
      : `its header has no ${field}, which ${fork} adds from the time ${timestamp} on by your data about forks`
)

/** Names fields that a node made up or a later fork added. */
const named = (fields: ReadonlyArray<string>): string => {
  const first = fields.slice(0, NAMED_FIELDS).map((field) => field.slice(0, NAME_LENGTH))
  return `${first.join(", ")}${fields.length > NAMED_FIELDS ? ` and ${fields.length - NAMED_FIELDS} more` : ""}`
}

/** Maximum number of unknown fields that a sentence names. */
const NAMED_FIELDS = 4

/** Maximum number of characters of the name of an unknown field in a sentence. */
const NAME_LENGTH = 40

/** The node left out the header's slotNumber, which some nodes with Amsterdam do not show, so nothing can be hashed. */
export const SlotNotSent: Reason.ReasonKind<"SlotNotSent", {}> = /* @__PURE__ */ Reason.kind(
  "SlotNotSent",
  () =>
    "its header has a blockAccessListHash and no slotNumber, which the hash covers, so that its hash cannot be computed"
)

/** The header has no hash of a block access list. */
export const BeforeAmsterdam: Reason.ReasonKind<"BeforeAmsterdam", {}> = /* @__PURE__ */ Reason.kind(
  "BeforeAmsterdam",
  () => "its header has no blockAccessListHash, as before Amsterdam, so nothing covers a list"
)

/** The node has no access list of the block. */
export const AccessListUnknown: Reason.ReasonKind<"AccessListUnknown", {}> = /* @__PURE__ */ Reason.kind(
  "AccessListUnknown",
  () => "the node has no access list of this block, which proves nothing about it"
)

/** The access list has more entries than a block's gas can pay, and was not hashed. */
export const AccessListTooLong: Reason.ReasonKind<"AccessListTooLong", { readonly most: number }> =
  /* @__PURE__ */ Reason.kind(
    "AccessListTooLong",
    ({ most }) =>
      `the list has more than ${most} entries, which is more than the block's gas can pay, and was not hashed`
  )

/** The hash of an access list does not follow from its known fields, and it has others. */
export const UnknownAccessListFields: Reason.ReasonKind<
  "UnknownAccessListFields",
  { readonly fields: ReadonlyArray<string> }
> = /* @__PURE__ */ Reason.kind(
  "UnknownAccessListFields",
  ({ fields }) =>
    `the header's blockAccessListHash does not follow from the fields that are known here, and the list has others (${named(fields)}), which a later fork may have added`
)

/** The field of an entry is not part of the access list that the header's hash covers. */
export const BesideAccessList: Reason.ReasonKind<"BesideAccessList", {}> = /* @__PURE__ */ Reason.kind(
  "BesideAccessList",
  () => "it is not part of the list that the header's blockAccessListHash covers"
)

/** A rule of EIP-7928 about the order of a block access list. */
export type AccessListRule =
  | "account-order"
  | "slot-order"
  | "read-order"
  | "index-order"
  | "read-and-written"
  | "empty-slot"

/** The access list has the header's hash, and breaks a rule that every valid block keeps. */
export const AccessListRuleBroken: Reason.ReasonKind<
  "AccessListRuleBroken",
  {
    readonly rule: AccessListRule
    /** The path of the entry that breaks it. */
    readonly at: string
  }
> = /* @__PURE__ */ Reason.kind(
  "AccessListRuleBroken",
  ({ at, rule }) =>
    `the list has the hash in the header, and breaks the rule ${rule} of EIP-7928 at ${at}, so the block is not valid`
)

/** The list of withdrawals is empty, and the header's withdrawalsRoot is not the root of an empty list. */
export const WithdrawalsRootOfOther: Reason.ReasonKind<
  "WithdrawalsRootOfOther",
  {
    /** The chain, if the caller knows it or proven transactions name it. It is none of Ethereum. */
    readonly chainId: bigint | undefined
  }
> = /* @__PURE__ */ Reason.kind(
  "WithdrawalsRootOfOther",
  () =>
    "the list is empty, and the header's withdrawalsRoot is another: on chains of the OP stack it is a storage root, elsewhere withdrawals are left out"
)

/** The hash is not that of Ethereum's header, and the block has the form of a consensus engine with another rule. */
export const AnotherHash: Reason.ReasonKind<"AnotherHash", { readonly engine: string }> = /* @__PURE__ */ Reason.kind(
  "AnotherHash",
  ({ engine }) =>
    `the block has the form of another consensus (${engine}), whose blocks do not hash by Ethereum's rule, so its hash proves nothing here`
)

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

/** The answer holds the uncles as hashes only. */
export const UncleHashesOnly: Reason.ReasonKind<"UncleHashesOnly", {}> = /* @__PURE__ */ Reason.kind(
  "UncleHashesOnly",
  () => "hashes of uncles are proven only by the uncles' headers"
)

/** The uncle names uncles of its own, and no method returns those. */
export const UnclesOfUncle: Reason.ReasonKind<"UnclesOfUncle", {}> = /* @__PURE__ */ Reason.kind(
  "UnclesOfUncle",
  () => "it has uncles, by its own sha3Uncles, which nodes do not show"
)

/** The size of a block whose parts are not all in the answer. */
export const SizeOfParts: Reason.ReasonKind<"SizeOfParts", {}> = /* @__PURE__ */ Reason.kind(
  "SizeOfParts",
  () => "it follows only from whole transactions, uncles and withdrawals"
)

/** The size of a block that the node counted without the withdrawals. */
export const SizeWithoutWithdrawals: Reason.ReasonKind<"SizeWithoutWithdrawals", {}> = /* @__PURE__ */ Reason.kind(
  "SizeWithoutWithdrawals",
  () => "this node counts the block without its withdrawals, as anvil does"
)

/** The sum of the difficulties up to a block. */
export const TotalDifficulty: Reason.ReasonKind<"TotalDifficulty", {}> = /* @__PURE__ */ Reason.kind(
  "TotalDifficulty",
  () => "a header proves its own difficulty, not the sum of all before it"
)

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

/** Only the node says that a tag means this block. */
export const Tag: Reason.ReasonKind<
  "Tag",
  {
    readonly tag: BlockParameter.Tag
    /** The number of the trusted block, if the node's latest block lies before it. The node is then out of date. */
    readonly staleBefore?: bigint | undefined
  }
> = /* @__PURE__ */ Reason.kind("Tag", ({ staleBefore, tag }) => {
  const word = `that it is the ${tag} block is the node's word`
  return staleBefore === undefined
    ? word
    : `${word}, which is out of date: it lies before the trusted block ${staleBefore}`
})

/** Only the node says that a block is on the main chain. */
export const Canonical: Reason.ReasonKind<"Canonical", {}> = /* @__PURE__ */ Reason.kind(
  "Canonical",
  () => "that it is on the main chain is the node's word"
)

/** No trusted block leads to this block. */
export const NotOnChain: Reason.ReasonKind<
  "NotOnChain",
  { readonly block: Hash32.Hash32; readonly cause: Reason.Reason }
> = /* @__PURE__ */ Reason.kind(
  "NotOnChain",
  ({ block, cause }) => `that block ${block} is on the chain is the node's word: ${cause.sentence}`
)

/** The caller trusts no hash. */
export const NoTrust: Reason.ReasonKind<"NoTrust", {}> = /* @__PURE__ */ Reason.kind(
  "NoTrust",
  () => "no trusted hash was given"
)

/** The trusted node does not know the block. */
export const TrustedNodeLacks: Reason.ReasonKind<"TrustedNodeLacks", {}> = /* @__PURE__ */ Reason.kind(
  "TrustedNodeLacks",
  () => "the trusted node knows no such block"
)

/** The pending block has no final hash, so no proof covers it. */
export const PendingBlock: Reason.ReasonKind<"PendingBlock", {}> = /* @__PURE__ */ Reason.kind(
  "PendingBlock",
  () => "a pending block is not on the chain yet"
)

/** The pending block has no hash that could prove it. */
export const PendingWithoutHash: Reason.ReasonKind<"PendingWithoutHash", {}> = /* @__PURE__ */ Reason.kind(
  "PendingWithoutHash",
  () => "a pending block is not on the chain yet: no hash proves it"
)

/** The node that answers does not know the trusted block. */
export const TrustedBlockUnknown: Reason.ReasonKind<"TrustedBlockUnknown", { readonly hash: Hash32.Hash32 }> =
  /* @__PURE__ */ Reason.kind("TrustedBlockUnknown", ({ hash }) => `the node does not know the trusted block ${hash}`)

/** The block does not come before the trusted one. */
export const NotBefore: Reason.ReasonKind<"NotBefore", { readonly number: bigint; readonly trusted: bigint | null }> =
  /* @__PURE__ */ Reason.kind(
    "NotBefore",
    ({ number, trusted }) => `block ${number} is not before the trusted block ${trusted}`
  )

/** The block lies further back than the maximum length of a walk. */
export const TooFar: Reason.ReasonKind<
  "TooFar",
  { readonly number: bigint; readonly maxSteps: number; readonly trusted: bigint | null }
> = /* @__PURE__ */ Reason.kind(
  "TooFar",
  ({ maxSteps, number, trusted }) =>
    `block ${number} is more than ${maxSteps} steps before the trusted block ${trusted}`
)

/** The node does not know a block on the way to the requested one. */
export const AncestorUnknown: Reason.ReasonKind<
  "AncestorUnknown",
  { readonly number: bigint; readonly hash: Hash32.Hash32 }
> = /* @__PURE__ */ Reason.kind(
  "AncestorUnknown",
  ({ hash, number }) => `the node does not know block ${number} by its hash ${hash}`
)

/** A block on the way to the requested one holds parts that cannot be proven. */
export const AncestorUnprovable: Reason.ReasonKind<
  "AncestorUnprovable",
  { readonly number: bigint; readonly cause: Reason.Reason }
> = /* @__PURE__ */ Reason.kind(
  "AncestorUnprovable",
  ({ cause, number }) => `block ${number} is not proven: ${cause.sentence}`
)

/** The name of a block: a hash from the caller, a number or tag, or the hash that a trusted authority gave. */
export type NamedBlock =
  | { readonly _tag: "Hash" }
  | { readonly _tag: "Number" }
  | { readonly _tag: "Trust"; readonly hash: Hash32.Hash32; readonly by: string }

/** The node has no such block. */
export const BlockUnknown: Reason.ReasonKind<
  "BlockUnknown",
  {
    readonly named: NamedBlock
  }
> = /* @__PURE__ */ Reason.kind("BlockUnknown", ({ named }) => {
  const what =
    named._tag === "Hash"
      ? "the node knows no block with this hash"
      : named._tag === "Number"
        ? "the node knows no such block"
        : `the node does not know block ${named.hash}, which ${named.by} names`
  return `${what}; that there is none cannot be proven`
})

/** The node has no such transaction, or no receipt of it. */
export const TransactionUnknown: Reason.ReasonKind<"TransactionUnknown", { readonly what: "transaction" | "receipt" }> =
  /* @__PURE__ */ Reason.kind("TransactionUnknown", ({ what }) =>
    what === "transaction"
      ? "the node knows no transaction with this hash; that there is none cannot be proven"
      : "the node knows no receipt of this transaction; that there is none cannot be proven"
  )

/** The node does not return the block that it names in its answer. */
export const NamedBlockUnknown: Reason.ReasonKind<"NamedBlockUnknown", {}> = /* @__PURE__ */ Reason.kind(
  "NamedBlockUnknown",
  () => "the node does not know the block that it names"
)

/** The node has dropped the block since it was located. */
export const BlockGone: Reason.ReasonKind<"BlockGone", {}> = /* @__PURE__ */ Reason.kind(
  "BlockGone",
  () => "the node does not know the block any more"
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

/** The bloom filter allows logs of this kind, and the receipts that would decide are not known or not proven. */
export const LogsMayBe: Reason.ReasonKind<
  "LogsMayBe",
  {
    /** The reason why the receipts are not proven; undefined if they are not known. */
    readonly cause?: Reason.Reason | undefined
  }
> = /* @__PURE__ */ Reason.kind("LogsMayBe", ({ cause }) => {
  const open = "the block's logsBloom does not exclude the filter, and its receipts are not"
  return cause === undefined ? `${open} known` : `${open} proven: ${cause.sentence}`
})

/** The logs of one block in the range could not be proven. */
export const LogsOfBlock: Reason.ReasonKind<"LogsOfBlock", { readonly number: bigint; readonly cause: Reason.Reason }> =
  /* @__PURE__ */ Reason.kind("LogsOfBlock", ({ cause, number }) => `block ${number}: ${cause.sentence}`)

/**
 * Proving the logs of a range needs more work or time than the client has for one read. `maxLogWork` and `maxLogTime` are
 * the bounds.
 *
 * The blocks after `next` were read, and `next` is the first block to go on from, downwards. A range from `from` to
 * `within` has as many blocks as were read, so it is likely to be within the bound. If `next` is `to`, none was read: the
 * headers alone are beyond the bound, and the range to `within` has half as many, or the time was over.
 */
export const RangeTooLong: Reason.ReasonKind<
  "RangeTooLong",
  {
    readonly from: bigint
    readonly to: bigint
    readonly bound: "work" | "time"
    /** The bound: headers, receipts, and kilobytes of logs; or milliseconds. */
    readonly max: number
    readonly next: bigint
    readonly within: bigint
  }
> = /* @__PURE__ */ Reason.kind("RangeTooLong", ({ bound, from, max, next, to, within }) => {
  const most = bound === "work" ? `${max} headers, receipts and kilobytes of logs` : `${max} milliseconds`
  return `blocks ${from} to ${to} need more than the maximum of ${most} in one read, which was reached at block ${next}. Try with this block range [0x${from.toString(16)}, 0x${within.toString(16)}]`
})

/** The range ends before it begins. */
export const RangeReversed: Reason.ReasonKind<"RangeReversed", { readonly from: bigint; readonly to: bigint }> =
  /* @__PURE__ */ Reason.kind("RangeReversed", ({ from, to }) => `the range ends at ${to}, before it begins at ${from}`)

/** The node does not know the parent of a block of the range. */
export const ParentUnknown: Reason.ReasonKind<
  "ParentUnknown",
  { readonly number: bigint; readonly hash: Hash32.Hash32 }
> = /* @__PURE__ */ Reason.kind(
  "ParentUnknown",
  ({ hash, number }) => `the node does not know block ${number}, ${hash}`
)

/** The node refused to give the proof. */
export const ProofRefused: Reason.ReasonKind<"ProofRefused", { readonly error: JsonRpcError | RefutedError }> =
  /* @__PURE__ */ Reason.kind("ProofRefused", ({ error }) => `the node gives no proof: ${error.message}`)

/** A fact for which this package has no proof at all. */
export const NoProofKnown: Reason.ReasonKind<"NoProofKnown", {}> = /* @__PURE__ */ Reason.kind(
  "NoProofKnown",
  () => "no proof of it is known here; ask for it at the node's word"
)

/** No engine runs calls here. */
export const NoCallEngine: Reason.ReasonKind<"NoCallEngine", {}> = /* @__PURE__ */ Reason.kind(
  "NoCallEngine",
  () => "no engine runs it here: provide the layer of @plumbline/verified-calls, or ask for it at the node's word"
)

/** The engine could not run the call over proven state. */
export const CallNotRun: Reason.ReasonKind<"CallNotRun", { readonly cause: CallError }> = /* @__PURE__ */ Reason.kind(
  "CallNotRun",
  ({ cause }) => cause.message
)
