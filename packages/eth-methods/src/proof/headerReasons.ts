/** The reasons about headers, sizes, withdrawals and uncles. */
import * as Reason from "@plumbline/verdict/Reason"

import type * as LaterForks from "../model/LaterForks.ts"
import { named } from "./fieldNames.ts"

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

/** The node left out the header's slotNumber, which some nodes with Amsterdam do not show, so nothing can be hashed. */
export const SlotNotSent: Reason.ReasonKind<"SlotNotSent", {}> = /* @__PURE__ */ Reason.kind(
  "SlotNotSent",
  () =>
    "its header has a blockAccessListHash and no slotNumber, which the hash covers, so that its hash cannot be computed"
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

/** The answer holds the uncles as hashes only. */
export const UncleHashesOnly: Reason.ReasonKind<"UncleHashesOnly", {}> = /* @__PURE__ */ Reason.kind(
  "UncleHashesOnly",
  () =>
    "the answer has only the hashes of the uncles, and the block's sha3Uncles covers their headers: uncleHeaders reads them"
)

/** The uncle names uncles of its own, and no method returns those. */
export const UnclesOfUncle: Reason.ReasonKind<"UnclesOfUncle", {}> = /* @__PURE__ */ Reason.kind(
  "UnclesOfUncle",
  () => "the uncle has uncles of its own, by its sha3Uncles, and no method of a node returns them"
)

/** The size of a block whose parts are not all in the answer. */
export const SizeOfParts: Reason.ReasonKind<"SizeOfParts", {}> = /* @__PURE__ */ Reason.kind(
  "SizeOfParts",
  () => "the size is proven only with all parts of the block: whole transactions, the uncles' headers, withdrawals"
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
