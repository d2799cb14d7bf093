/** The kind of evidence that a bundle gives. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Evidence from "@plumbline/verdict/Evidence"

/** Every block of a bundle hashes to its CID, and links lead to each one from the hash of the bundle's block. */
export const BundleBlocks: Evidence.Kind<"BundleBlocks", { readonly block: Hash32.Hash32; readonly count: number }> =
  /* @__PURE__ */ Evidence.kind(
    "BundleBlocks",
    ({ block, count }) => `${count} block${count === 1 ? "" : "s"} of the data of block ${block}, by their hashes`
  )
