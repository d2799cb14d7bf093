/** The kinds of evidence that proofs about Ethereum give. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"
import * as Evidence from "@plumbline/verdict/Evidence"

import type { CallBasis, Overridden } from "../call/CallEngine.ts"
import type * as AccountProof from "../model/AccountProof.ts"
import type * as StorageKey from "../model/StorageKey.ts"

/** The Keccak-256 of the header's fields, encoded as RLP, equals the block's hash. */
export const HeaderHash: Evidence.EvidenceKind<"HeaderHash", { readonly hash: Hash32.Hash32 }> =
  /* @__PURE__ */ Evidence.kind("HeaderHash", ({ hash }) => `every header field: together they hash to ${hash}`)

/** The lists of a block, each proven by a root in its header. */
export type List = "transactions" | "receipts" | "withdrawals" | "uncles"

const ROOTS = {
  transactions: "transactionsRoot",
  receipts: "receiptsRoot",
  withdrawals: "withdrawalsRoot",
  uncles: "sha3Uncles"
} as const satisfies Record<List, string>

/** A whole list of a block, in order, gives the root in the block's header. */
export const ListRoot: Evidence.EvidenceKind<
  "ListRoot",
  {
    readonly list: List
    readonly count: number
    /** The form of the items. Uncles may be known by their hashes only. */
    readonly items: "whole" | "hashes"
    /** True if the transactions give the root only in their network form, with their blobs (EIP-4844). */
    readonly withBlobs?: boolean | undefined
  }
> = /* @__PURE__ */ Evidence.kind("ListRoot", ({ count, items, list, withBlobs }) => {
  const root = `the header's ${ROOTS[list]}`
  if (list === "withdrawals") return `${list}: ${count}, under ${root}`
  if (count === 0) return `${list}: none, by ${root}`
  if (items === "hashes") return `${list}: ${count}, by ${root}`
  const what = { transactions: "their fields", receipts: "with their logs", uncles: "their headers" }[list]
  const form = withBlobs === true ? ", which this node makes of blobs as well, as anvil does" : ""
  return `${list}: ${count}, ${what} and order, under ${root}${form}`
})

/** A block access list has the hash in its block's header (EIP-7928). It names all that the block touched. */
export const BlockAccessList: Evidence.EvidenceKind<"BlockAccessList", { readonly accounts: number }> =
  /* @__PURE__ */ Evidence.kind(
    "BlockAccessList",
    ({ accounts }) =>
      `access list: ${counted(accounts, "account")}, all that the block touched, by the header's blockAccessListHash`
  )

/** The signatures of a block's transactions give their senders. The hashes of deposits cover theirs. */
export const Senders: Evidence.EvidenceKind<
  "Senders",
  {
    /** The number of deposits (OP stack), which nobody signs; undefined if there is none. */
    readonly deposits?: number | undefined
    /** False if the block has only deposits. */
    readonly recovered?: boolean | undefined
  }
> = /* @__PURE__ */ Evidence.kind("Senders", ({ deposits = 0, recovered = true }) => {
  if (deposits === 0) return "senders: recovered from the signatures"
  const own = deposits === 1 ? "that of 1 deposit is in its hash" : `those of ${deposits} deposits are in their hashes`
  return recovered ? `senders: recovered from the signatures; ${own}` : `senders: ${own}`
})

/**
 * The block has no withdrawals because its first transaction is a deposit of the OP stack. The header's withdrawalsRoot
 * is then the storage root of a contract.
 */
export const NoWithdrawals: Evidence.EvidenceKind<"NoWithdrawals", {}> = /* @__PURE__ */ Evidence.kind(
  "NoWithdrawals",
  () =>
    "withdrawals: none, as in every block of the OP stack, which this is by its first transaction, a deposit; the header's withdrawalsRoot is a storage root there"
)

/** The size of a block is the length of its RLP. */
export const Size: Evidence.EvidenceKind<"Size", {}> = /* @__PURE__ */ Evidence.kind(
  "Size",
  () => "size: the length of the block's RLP"
)

/** The receipts agree with the block's proven transactions. */
export const ReceiptsOfTransactions: Evidence.EvidenceKind<"ReceiptsOfTransactions", {}> =
  /* @__PURE__ */ Evidence.kind(
    "ReceiptsOfTransactions",
    () => "what they say of their transactions, by those under the header's transactionsRoot"
  )

/** The item is in a proven list of the block. */
export const Member: Evidence.EvidenceKind<
  "Member",
  { readonly list: "receipts" | "uncles"; readonly index: number | bigint; readonly count: number }
> = /* @__PURE__ */ Evidence.kind(
  "Member",
  ({ count, index, list }) => `it is ${list.slice(0, -1)} ${index} of ${count}, under the header's ${ROOTS[list]}`
)

/** The transaction is in a block whose transactions are proven. */
export const Included: Evidence.EvidenceKind<"Included", { readonly index: number; readonly block: Hash32.Hash32 }> =
  /* @__PURE__ */ Evidence.kind(
    "Included",
    ({ block, index }) => `it is number ${index} of block ${block}, under its transactionsRoot`
  )

/** A proven list has this number of items, and none at the requested index. */
export const Count: Evidence.EvidenceKind<
  "Count",
  {
    readonly list: "transactions" | "uncles"
    readonly count: number | bigint
    readonly block?: Hash32.Hash32 | undefined
    readonly noneAt?: bigint | undefined
  }
> = /* @__PURE__ */ Evidence.kind("Count", ({ block, count, list, noneAt }) => {
  const [whose, by] = block === undefined ? ["the block", `the header's`] : [`block ${block}`, "its"]
  return `${whose} has ${count} ${list}, by ${by} ${ROOTS[list]}${noneAt === undefined ? "" : `: none at ${noneAt}`}`
})

/** The Keccak-256 of a transaction's fields and signature equals the transaction's hash. */
export const TransactionHash: Evidence.EvidenceKind<
  "TransactionHash",
  {
    readonly hash: Hash32.Hash32
    /** True for a deposit of the OP stack, which has its sender in its hash and no signature. */
    readonly deposit?: boolean | undefined
  }
> = /* @__PURE__ */ Evidence.kind("TransactionHash", ({ deposit = false, hash }) =>
  deposit
    ? `the fields of the deposit, its sender among them, hash to ${hash}`
    : `the signed fields and the signature hash to ${hash}`
)

/** The signature of a transaction gives its sender. */
export const SignedBy: Evidence.EvidenceKind<"SignedBy", { readonly sender: Address.Address }> =
  /* @__PURE__ */ Evidence.kind("SignedBy", ({ sender }) => `the sender ${sender} signed it`)

/** The nodes of a Merkle proof, from the root down, so that a program can draw the proof. */
export interface MerkleProof {
  /** The root, which is the hash of the first node. */
  readonly root: Hash32.Hash32
  /** The key as the caller requested it. Its Keccak-256 is the path. */
  readonly key: Hex.Hex
  readonly nodes: AccountProof.AccountProof["accountProof"]
}

/** An account is under the block's stateRoot, or its absence there is proven. */
export const Account: Evidence.EvidenceKind<
  "Account",
  { readonly address: Address.Address; readonly exists: boolean; readonly proof: MerkleProof }
> = /* @__PURE__ */ Evidence.kind("Account", ({ address, exists }) =>
  exists
    ? `the account ${address}, under the block's stateRoot`
    : `${address} does not exist, under the block's stateRoot`
)

/**
 * True if the evidence proves that an account does not exist, and no account that exists. Each balance, nonce, code and
 * word of such an account reads as zero, which is also the answer about a mistyped address.
 */
export const isAbsent = (proven: ReadonlyArray<Evidence.Evidence>): boolean => {
  const accounts = proven.filter(Account.is)
  return accounts.length > 0 && accounts.every(({ exists }) => !exists)
}

/** The root of an empty trie: the Keccak-256 of the RLP of an empty text. */
const EMPTY_STORAGE: string = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

/** Slots are under the account's storageHash, with their words, or are proven to be zero. */
export const Slots: Evidence.EvidenceKind<
  "Slots",
  { readonly storageRoot: Hash32.Hash32; readonly slots: ReadonlyArray<AccountProof.StorageProof> }
> = /* @__PURE__ */ Evidence.kind("Slots", ({ slots: { length }, storageRoot }) => {
  const slots = `${length} storage slot${length === 1 ? "" : "s"}`
  return storageRoot === EMPTY_STORAGE || storageRoot === Hash32.ZERO
    ? `${slots}, zero because the account has no storage`
    : `${slots}, under the account's storageHash`
})

/** A field of a proven account. */
export const OfAccount: Evidence.EvidenceKind<"OfAccount", { readonly field: "balance" | "nonce" | "code" }> =
  /* @__PURE__ */ Evidence.kind("OfAccount", ({ field }) =>
    field === "code" ? "the code, by the codeHash of the proven account" : `the ${field}, in the proven account`
  )

/** A word in the storage of a proven account. */
export const Word: Evidence.EvidenceKind<"Word", { readonly position: StorageKey.StorageKey }> =
  /* @__PURE__ */ Evidence.kind("Word", ({ position }) => `the word at ${position}, in the account's proven storage`)

/** Words in the storage of several accounts. All words are proven. */
export const Words: Evidence.EvidenceKind<"Words", { readonly accounts: number }> = /* @__PURE__ */ Evidence.kind(
  "Words",
  ({ accounts }) => `the words of ${accounts} accounts, in their proven storage`
)

/** The logs are complete: the proven receipts of a block hold no other log that the filter selects. */
export const LogsOfReceipts: Evidence.EvidenceKind<
  "LogsOfReceipts",
  { readonly selected: number; readonly of: number }
> = /* @__PURE__ */ Evidence.kind(
  "LogsOfReceipts",
  ({ of, selected }) => `logs: all ${selected} that the filter selects from the ${of} in the block's proven receipts`
)

/** The bloom filter in the header excludes every log that the log filter selects. */
export const NoLogsByBloom: Evidence.EvidenceKind<"NoLogsByBloom", {}> = /* @__PURE__ */ Evidence.kind(
  "NoLogsByBloom",
  () => "logs: none, because the header's logsBloom excludes the filter"
)

/** The logs are complete: a range of blocks has no other log that the filter selects. */
export const LogsOfRange: Evidence.EvidenceKind<
  "LogsOfRange",
  { readonly selected: number; readonly from: bigint; readonly to: bigint }
> = /* @__PURE__ */ Evidence.kind(
  "LogsOfRange",
  ({ from, selected, to }) =>
    `logs: all ${selected} that the filter selects in blocks ${from} to ${to}, by their receipts or blooms`
)

/** The place of a log on the chain. */
export interface LogPlace {
  readonly blockNumber: bigint
  /** The index among all logs of the block. */
  readonly logIndex: bigint
}

/**
 * The node's own logs differ from the proven ones, and the proven ones are the answer. `check`, `expected` and `got`
 * describe the first difference, as a `RefutedError` does.
 *
 * A changed log counts as one omitted and one added. `places` are those of the first omitted logs, at most 16.
 */
export const LogsRepaired: Evidence.EvidenceKind<
  "LogsRepaired",
  {
    readonly check: string
    readonly expected: string
    readonly got: string
    readonly omitted: number
    readonly added: number
    readonly places: ReadonlyArray<LogPlace>
  }
> = /* @__PURE__ */ Evidence.kind("LogsRepaired", ({ added, check, omitted, places }) => {
  const [first] = places
  const at = first === undefined ? "" : `, the first of them log ${first.logIndex} of block ${first.blockNumber}`
  return omitted + added === 0
    ? `logs: the node sent them with a wrong ${check}; the answer has the proven ones`
    : `logs: the node left out ${omitted} and added ${added}${at}; the answer has the proven ones`
})

/** Each block of a range, or the one block, names the previous block by its hash. */
export const Linked: Evidence.EvidenceKind<
  "Linked",
  {
    readonly from: bigint
    readonly to: bigint
    /** The hash of the block before the first one. */
    readonly parent: Hash32.Hash32
    /** The hash of the last block. */
    readonly hash: Hash32.Hash32
  }
> = /* @__PURE__ */ Evidence.kind("Linked", ({ from, parent, to }) =>
  from === to
    ? `block ${from}: it names the one before, ${parent}`
    : `blocks ${from} to ${to}: each names the one before by its hash`
)

/** A block is an ancestor of the trusted one. */
export const AncestorOf: Evidence.EvidenceKind<"AncestorOf", { readonly number: bigint; readonly trusted: string }> =
  /* @__PURE__ */ Evidence.kind(
    "AncestorOf",
    ({ number, trusted }) => `it is block ${number} of the chain that ends in ${trusted}`
  )

/** The block is on the chain: an authority that the caller trusts names this block or a later one. */
export const OnChain: Evidence.EvidenceKind<
  "OnChain",
  {
    /** The name of the authority, as `TrustedBlock` gives it. */
    readonly by: string
    readonly ancestor: boolean
    readonly block?: Hash32.Hash32 | undefined
  }
> = /* @__PURE__ */ Evidence.kind("OnChain", ({ ancestor, block, by }) => {
  const what = block === undefined ? "its block" : `block ${block}`
  return `${what} is on the chain, by ${by}${ancestor ? ", of which it is an ancestor" : ""}`
})

/**
 * The call was run here, over accounts, slots, codes and block hashes that are proven under one header. If the basis has
 * `overridden`, the run is hypothetical: those values are the caller's own.
 */
export const CallRun: Evidence.EvidenceKind<"CallRun", CallBasis> = /* @__PURE__ */ Evidence.kind(
  "CallRun",
  (basis) => `the call, run here by the rules of ${basis.hardfork} in block ${basis.block}: ${overReads(basis)}`
)

/** The call succeeds with this much gas, by a run. `tooLow` is the highest lower amount that is known not to suffice. */
export const GasEstimated: Evidence.EvidenceKind<"GasEstimated", { readonly gas: bigint; readonly tooLow: bigint }> =
  /* @__PURE__ */ Evidence.kind(
    "GasEstimated",
    ({ gas, tooLow }) => `gas: the run with a limit of ${gas} succeeded, and ${tooLow} is too low`
  )

/** A run with this access list used the stated gas. */
export const AccessListRun: Evidence.EvidenceKind<
  "AccessListRun",
  { readonly addresses: number; readonly slots: number }
> = /* @__PURE__ */ Evidence.kind(
  "AccessListRun",
  ({ addresses, slots }) =>
    `access list: ${addresses} address${addresses === 1 ? "" : "es"} and ${counted(slots, "slot")}, by the run with it`
)

/**
 * Calls were run here one after the other, in blocks that do not exist. The run is hypothetical: the rules of
 * eth_simulateV1 and the caller make up the blocks.
 */
export const SimulationRun: Evidence.EvidenceKind<
  "SimulationRun",
  CallBasis & { readonly calls: number; readonly blocks: number }
> = /* @__PURE__ */ Evidence.kind(
  "SimulationRun",
  ({ blocks, calls, ...basis }) =>
    `hypothetical: ${counted(calls, "call")} in ${counted(blocks, "block")} made up here after block ${basis.block}, by the rules of ${basis.hardfork}: ${overReads(basis)}`
)

const overReads = ({ accounts, blockHashes, gasUsed, overridden }: CallBasis): string => {
  const slots = accounts.reduce((sum, account) => sum + account.slots.length, 0)
  const codes = new Set(accounts.flatMap(({ code }) => (code === undefined ? [] : [code]))).size
  const hashes = blockHashes.length === 0 ? "" : `, ${counted(blockHashes.length, "block hash", "block hashes")}`
  const read = `${counted(accounts.length, "account")}, ${counted(slots, "slot")}, ${counted(codes, "code")}${hashes}`
  return `${gasUsed} gas, over ${read}, all proven${overridden === undefined ? "" : alteredBy(overridden)}`
}

/** Names at most this many overridden accounts in a sentence; the data names all of them. */
const NAMED_ACCOUNTS = 4

const alteredBy = ({ accounts, block }: Overridden): string => {
  const parts = accounts.slice(0, NAMED_ACCOUNTS).map(({ address, fields, slots }) => {
    const names = fields.map((field) => (field === "state" || field === "stateDiff" ? `${field} (${slots})` : field))
    return `${names.join(", ")} of ${address}`
  })
  const more = accounts.length - NAMED_ACCOUNTS
  if (more > 0) parts.push(counted(more, "further account"))
  if (block.length > 0) parts.push(`${block.join(", ")} of the block`)
  return `; hypothetical, because the caller overrode ${parts.join("; ")}`
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
