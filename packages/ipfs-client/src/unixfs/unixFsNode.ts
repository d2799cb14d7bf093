/**
 * Checked blocks as parts of UnixFS. A block that contradicts itself is refused here. The readers refuse a block that
 * contradicts its parent.
 */
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Result from "effect/Result"

import type { Block } from "../block/Block.ts"
import { LimitExceeded, MalformedBlock } from "../block/DagError.ts"
import { flawed } from "../block/malformedBlock.ts"
import * as Cid from "../cid/Cid.ts"
import * as IpfsReason from "../cid/IpfsReason.ts"
import { unproven } from "../cid/unprovenContent.ts"
import * as DagPb from "../codec/dagPb.ts"
import { DAG_PB, RAW } from "../codec/ipldCodecs.ts"
import type { Steps } from "../work/steps.ts"
import * as UnixFsData from "./UnixFsData.ts"

/** Part of a file: first its own bytes, then the bytes under its links. */
export interface FilePart {
  readonly kind: "file"
  readonly data: Uint8Array
  /** Bytes of the file below each link. */
  readonly sizes: ReadonlyArray<number>
  /** Makes the CID of a link. */
  readonly cidAt: (index: number) => Cid.Cid
  /** Bytes of the file, here and below. */
  readonly size: number
  readonly message: UnixFsData.UnixFsData | undefined
}

/** A directory whose links are its entries, a shard of a directory, or a node that is neither file nor directory. */
export interface OtherUnixFsNode {
  readonly kind: "directory" | "hamt-shard" | "symlink" | "metadata"
  readonly links: DagPb.Scanned
  readonly message: UnixFsData.UnixFsData
}

export type UnixFsNode = FilePart | OtherUnixFsNode

/** A block of dag-pb that is not UnixFS. A path goes through its links by name, and nothing else can be read. */
export interface PlainDagPb {
  readonly kind: "links"
  readonly links: DagPb.Scanned
  /** The reason why the block is not UnixFS. */
  readonly flaw: string
}

type Problem = MalformedBlock | UnprovenError | LimitExceeded

const NOTHING = new Uint8Array(0)

const NO_DATA = "dag-pb without Data: not UnixFS"

/** Reads a checked block, which may have at most `maxWidth` links, in steps. Makes no object for a link. */
export function* read(block: Block, maxWidth: number): Steps<Result.Result<UnixFsNode, Problem>> {
  return Result.flatMap(yield* readAny(block, maxWidth), (node) =>
    node.kind === "links" ? malformed(block.cid, node.flaw) : Result.succeed(node)
  )
}

/** Reads a checked block on the way of a path, as `read` does. A block of dag-pb need not be UnixFS. */
export function* readAny(
  { bytes, cid }: Block,
  maxWidth: number
): Steps<Result.Result<UnixFsNode | PlainDagPb, Problem>> {
  if (cid.code === RAW) {
    const leaf = { data: bytes, sizes: [], cidAt: () => cid, size: bytes.length, message: undefined }
    return Result.succeed({ kind: "file", ...leaf })
  }
  if (cid.code !== DAG_PB) {
    const reason = IpfsReason.UnreadableCodec({ code: cid.code, reading: "files" })
    return Result.fail(unproven(Cid.toText(cid), reason))
  }
  const block = yield* DagPb.scan(bytes)
  if (Result.isFailure(block)) return Result.fail(flawed(cid)(block.failure))
  const links = block.success
  const { count, data } = links
  if (count > maxWidth) {
    return Result.fail(new LimitExceeded({ cid: Cid.toText(cid), bound: "maxWidth", limit: maxWidth }))
  }
  const decoded = data === undefined ? Result.fail(NO_DATA) : UnixFsData.decode(data)
  if (Result.isFailure(decoded)) return Result.succeed({ kind: "links", links, flaw: decoded.failure })
  const message = decoded.success
  return message.kind === "file" || message.kind === "raw"
    ? filePart(cid, message, links)
    : Result.succeed({ kind: message.kind, links, message })
}

const filePart = (
  cid: Cid.Cid,
  message: UnixFsData.UnixFsData,
  links: DagPb.Scanned
): Result.Result<FilePart, MalformedBlock> => {
  const { blockSizes: sizes, data = NOTHING } = message
  const { count } = links
  if (sizes.length !== count) return malformed(cid, `${count} links, ${sizes.length} block sizes`)
  const size = sizes.reduce((sum, part) => sum + part, data.length)
  if (!Number.isSafeInteger(size)) return malformed(cid, "a file beyond 2^53 bytes")
  if (message.fileSize !== undefined && message.fileSize !== size) {
    return malformed(cid, `its file size is ${message.fileSize}, its parts have ${size} bytes`)
  }
  // If such a link had a name, a part of a file would look like an entry of a directory. The specification says that
  // parsers reject such a block.
  if (DagPb.hasNames(links)) return malformed(cid, "a part of a file with a name")
  return Result.succeed({
    kind: "file",
    data,
    sizes,
    cidAt: (index) => DagPb.cidOf(links, index),
    size,
    message
  })
}

export const malformed = (cid: Cid.Cid, detail: string): Result.Result<never, MalformedBlock> =>
  Result.fail(new MalformedBlock({ cid: Cid.toText(cid), detail }))
