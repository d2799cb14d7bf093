/**
 * The kinds of evidence and reasons in answers about IPFS.
 */
import * as Evidence from "@plumbline/verdict/Evidence"
import * as Reason from "@plumbline/verdict/Reason"

import * as Units from "../terminal/Units.ts"

/** Every directory on the way of a path was checked. */
export const Path = Evidence.kind(
  "Path",
  ({ root }: { readonly root: string }) => `the path: every directory on the way from ${root} hashes to its CID`
)

/** The bytes of a file, or a part of them, were checked. */
export const FileBytes = Evidence.kind(
  "FileBytes",
  /** `from` is where a part begins; left out, it is the whole file. */
  ({ from, size }: { readonly size: number; readonly from?: number | undefined }) =>
    from === undefined
      ? `all ${Units.count(size, "byte")}: every block of the file hashes to its CID`
      : `${Units.count(size, "byte")} from byte ${Units.grouped(BigInt(from))} on: every block with them hashes to its CID`
)

/** All files and directories that were written were checked. */
export const Written = Evidence.kind("Written", () => "all that was written: every block hashes to its CID")

/** The entries of a directory were checked. */
export const Entries = Evidence.kind(
  "Entries",
  () =>
    "every entry, its kind and its size, and that there are no more: the blocks of the directory and the first one of each entry hash to their CIDs"
)

/** The links and the data of a dag-pb node were checked. */
export const Object = Evidence.kind(
  "Object",
  () => "the links and the data: the block that they are in hashes to its CID"
)

/** A block was checked. */
export const Block = Evidence.kind("Block", () => "the block: it hashes to its CID")

/** The CIDs of content that was sent were computed here. */
export const Computed = Evidence.kind(
  "Computed",
  () => "every CID and every size: computed here of what was sent, and the node says the same"
)

/** The node says that it keeps the content, pinned or not. */
export const Kept = Reason.kind(
  "Kept",
  ({ pinned }: { readonly pinned: boolean }) =>
    `that the node keeps it${pinned ? " pinned" : ""} is its word: no hash proves it`
)

/** The node says something about its own pins. */
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
