/** The reasons about blocks: their place on the chain, and the way to them from a trusted block. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Reason from "@plumbline/verdict/Reason"

import type * as BlockParameter from "../model/BlockParameter.ts"

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
    ({ number, trusted }) =>
      `block ${number} is not before the trusted block ${trusted}: only block ${number} or a later one proves it`
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
