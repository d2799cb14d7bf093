/** The kind of evidence that a bundle gives. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Evidence from "@plumbline/verdict/Evidence"

/**
 * Every block in a bundle hashes to its CID. The bundle proves one Ethereum block: links lead from this block's hash to
 * every block in the bundle.
 */
export const BundleBlocks: Evidence.EvidenceKind<
  "BundleBlocks",
  { readonly block: Hash32.Hash32; readonly count: number }
> = /* @__PURE__ */ Evidence.kind(
  "BundleBlocks",
  ({ block, count }) => `${count} block${count === 1 ? "" : "s"} of the data of block ${block}, by their hashes`
)
