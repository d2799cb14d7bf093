/** The reasons of claims that this package adds to the reasons of the Ethereum proofs. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Reason from "@plumbline/verdict/Reason"

/** This package cannot prove the method's answers. */
export const NodesWord: Reason.ReasonKind<"NodesWord", { readonly method: string }> = /* @__PURE__ */ Reason.kind(
  "NodesWord",
  ({ method }) => `${method} is answered by the node's word; no proof of it is known here`
)

/** The hash belongs to the sent transaction, but only the node says that it accepted the transaction. */
export const Accepted: Reason.ReasonKind<"Accepted", {}> = /* @__PURE__ */ Reason.kind(
  "Accepted",
  () => "the hash is the transaction's own; that the node accepted the transaction is its word"
)

/** The node names the configured chain. */
export const Configured: Reason.ReasonKind<"Configured", { readonly chainId: bigint }> = /* @__PURE__ */ Reason.kind(
  "Configured",
  ({ chainId }) => `the node says that it serves chain ${chainId}, as configured`
)

/** The block is on a branch from the trusted block. Other branches may exist, and none of them is proven. */
export const Extends: Reason.ReasonKind<"Extends", { readonly trusted: Hash32.Hash32 }> = /* @__PURE__ */ Reason.kind(
  "Extends",
  ({ trusted }) =>
    `its parents lead to the trusted block ${trusted}; that the chain goes on with this block is the node's word`
)

/** The trusted authority names another block with the same number. */
export const Another: Reason.ReasonKind<"Another", { readonly by: string; readonly hash: Hash32.Hash32 }> =
  /* @__PURE__ */ Reason.kind("Another", ({ by, hash }) => `${by} names another block of this number, ${hash}`)

/** The node names a block that it does not have. */
export const Absent: Reason.ReasonKind<"Absent", { readonly hash: Hash32.Hash32 }> = /* @__PURE__ */ Reason.kind(
  "Absent",
  ({ hash }) => `the node names block ${hash} and does not have it`
)

/** No block contains a pending transaction yet. */
export const Pending: Reason.ReasonKind<"Pending", {}> = /* @__PURE__ */ Reason.kind(
  "Pending",
  () => "that the transaction is pending is the node's word"
)

/** Nothing can prove that a block is not on the canonical chain. */
export const Removed: Reason.ReasonKind<"Removed", {}> = /* @__PURE__ */ Reason.kind(
  "Removed",
  () => "that the block left the chain is the node's word"
)

/** The answer comes from the filters of this package. */
export const Kept: Reason.ReasonKind<"Kept", {}> = /* @__PURE__ */ Reason.kind(
  "Kept",
  () => "the provider itself keeps the filter"
)

/** The node says that nothing has changed. */
export const NoNews: Reason.ReasonKind<"NoNews", {}> = /* @__PURE__ */ Reason.kind(
  "NoNews",
  () => "that nothing is new is the node's word"
)

/** The chain's base fees do not follow Ethereum's rule, or do not show it. */
export const FeeRule: Reason.ReasonKind<"FeeRule", {}> = /* @__PURE__ */ Reason.kind(
  "FeeRule",
  () => "it follows from the header only by the fee rule of Ethereum, which this chain does not show"
)

/** This process computed the answer from the parameters alone. */
export const Computed: Reason.ReasonKind<"Computed", {}> = /* @__PURE__ */ Reason.kind(
  "Computed",
  () => "the provider itself computed it from the parameters: no block is part of it"
)
