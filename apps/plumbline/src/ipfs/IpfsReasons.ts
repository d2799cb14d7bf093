import * as Evidence from "@plumbline/verdict/Evidence"
import * as Reason from "@plumbline/verdict/Reason"

import * as Units from "../terminal/Units.ts"

/** Evidence that every directory on the path was checked. */
export const Path = Evidence.kind(
  "Path",
  ({ root }: { readonly root: string }) => `the path: every directory on the way from ${root} hashes to its CID`
)

/** Evidence that all bytes of a file, or a part of them, were checked. */
export const FileBytes = Evidence.kind(
  "FileBytes",
  /** `from` is the offset where a part begins; without `from` it is the whole file. */
  ({ from, size }: { readonly size: number; readonly from?: number | undefined }) =>
    from === undefined
      ? `all ${Units.count(size, "byte")}: every block of the file hashes to its CID`
      : `${Units.count(size, "byte")} from byte ${Units.grouped(BigInt(from))} on: every block with them hashes to its CID`
)

/** Evidence that all files and directories that were written were checked. */
export const Written = Evidence.kind("Written", () => "all that was written: every block hashes to its CID")

/** Evidence that the entries of a directory were checked. */
export const Entries = Evidence.kind(
  "Entries",
  () =>
    "every entry, its kind and its size, and that there are no more: the blocks of the directory and the first one of each entry hash to their CIDs"
)

/** Evidence that the links and the data of a dag-pb node were checked. */
export const Object = Evidence.kind(
  "Object",
  () => "the links and the data: the block that they are in hashes to its CID"
)

/** Evidence that a block was checked. */
export const Block = Evidence.kind("Block", () => "the block: it hashes to its CID")

/** Evidence that the CIDs of the sent content were computed here. */
export const Computed = Evidence.kind(
  "Computed",
  () => "every CID and every size: computed here of what was sent, and the node says the same"
)

/** A claim of the node: it keeps the content, pinned or not. */
export const Kept = Reason.kind(
  "Kept",
  ({ pinned }: { readonly pinned: boolean }) =>
    `that the node keeps it${pinned ? " pinned" : ""} is its word: no hash proves it`
)

/** A claim of the node about its own pins. */
export const OwnPins = Reason.kind(
  "OwnPins",
  ({ what }: { readonly what: "pinned" | "let go" | "listed" }) =>
    `${pins[what]} is the node's word about itself: no hash proves it`
)

const pins = {
  pinned: "that it is pinned",
  "let go": "that the pin is gone",
  listed: "which pins there are"
} as const
