/** The kind and the size of content in a list of files. */
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Cause from "effect/Cause"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import * as Result from "effect/Result"

import { bytes } from "../look/TextFormats.ts"
import { useAtom } from "../look/useAtom.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import * as ContentReads from "./ContentReads.ts"
import { tell } from "./IpfsTrouble.tsx"

/** The kind that follows from the CID alone; undefined if the block has to be read. A raw block is a file. */
const isKnownFile = (cid: Cid.Cid): boolean => cid.code === Block.RAW

const RAW_FILE = Atom.make(AsyncResult.success<ContentReads.EntryStat>({ kind: "file", size: 0 }))

/** Reads the facts. Without `said`, the size of a raw block is read from the block. */
const useStat = (cid: Cid.Cid, said: number | undefined) =>
  useAtom<AsyncResult.AsyncResult<ContentReads.EntryStat, { readonly _tag: string; readonly message: string }>>(
    isKnownFile(cid) && said !== undefined ? RAW_FILE : ContentReads.stat(Cid.toText(cid))
  )

/** The icon of a kind. It is decoration: the kind is also in words. */
const ICONS = {
  directory: "M1 3.5h5l1.5 2H15v8H1z",
  file: "M3 1h6.5L13 4.5V15H3zM9.5 1v3.5H13",
  symlink: "M3 13V7h8M8 4l3 3-3 3",
  value: "M6 2C3.5 2 5 8 2.5 8 5 8 3.5 14 6 14M10 2c2.5 0 1 6 3.5 6-2.5 0-1 6-3.5 6",
  unknown: "M8 3v6M8 11.5v1.5"
} as const

const WORDS = { directory: "folder", file: "file", symlink: "link", value: "value", unknown: "not read" } as const

/** The kind of an entry, as an icon with its word. */
export const EntryKind = ({ cid, said }: { readonly cid: Cid.Cid; readonly said?: number | undefined }) => {
  const result = useStat(cid, said)
  const kind = AsyncResult.isSuccess(result) ? result.value.kind : "unknown"
  return (
    <span className={`entry-kind ${AsyncResult.isFailure(result) ? "failed" : kind}`}>
      <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <path d={ICONS[kind]} />
      </svg>
      <span className="spoken">{WORDS[kind]}</span>
    </span>
  )
}

/**
 * The size of an entry, or the reason why its first block is not there. `said` is the number of stored bytes below the
 * entry that the directory states: nothing proves it. The size of a file with parts is proven by its first block.
 */
export const EntrySize = ({ cid, said }: { readonly cid: Cid.Cid; readonly said?: number | undefined }) => {
  const result = useStat(cid, said)
  if (AsyncResult.isFailure(result)) {
    const found = Cause.findError(result.cause)
    const error = Result.isSuccess(found) ? found.success : undefined
    if (error?._tag === "RefutedError") return <VerdictWord word="REFUTED" />
    const told = error === undefined ? undefined : tell(error)
    return (
      <span className="entry-missing" title={told?.text}>
        {told?.kind === "Not found" ? "block missing" : (told?.kind.toLowerCase() ?? "not read")}
      </span>
    )
  }
  const proven =
    AsyncResult.isSuccess(result) && !(isKnownFile(cid) && said !== undefined) ? result.value.size : undefined
  if (proven !== undefined) return bytes(proven)
  const stated =
    said ?? (AsyncResult.isSuccess(result) && result.value.kind === "directory" ? result.value.said : undefined)
  return stated === undefined ? (
    <span className="quiet">–</span>
  ) : (
    <span className="soft" title="Stored bytes of everything below, with their encoding, as the folder's author states">
      ~ {bytes(stated)}
    </span>
  )
}
