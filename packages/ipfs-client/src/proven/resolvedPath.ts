/** Resolves a path by reading verified blocks. */
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { Block } from "../block/Block.ts"
import type { BlockSource } from "../block/BlockSource.ts"
import type { NoSuchEntry } from "../block/DagError.ts"
import * as Cid from "../cid/Cid.ts"
import * as IpfsPath from "../cid/IpfsPath.ts"
import * as IpfsReason from "../cid/IpfsReason.ts"
import { unproven } from "../cid/unprovenContent.ts"
import { EncodeError, IpfsError } from "../client/IpfsError.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"

/** A CID, and the names after it. */
export interface ResolvedPath {
  readonly root: Cid.Cid
  readonly names: ReadonlyArray<string>
}

/**
 * Parses a path. Fails with `UnprovenError` for a name of IPNS, because its target is only claimed by the node that
 * resolves it.
 */
export const of = (
  command: string,
  path: string | IpfsPath.IpfsPathInput
): Effect.Effect<ResolvedPath, IpfsError | UnprovenError> => {
  if (typeof path !== "string") {
    return Effect.succeed({ root: path, names: [] })
  }
  const parts = IpfsPath.split(path)
  if (Result.isFailure(parts)) {
    const reason = new EncodeError({ name: "path", detail: `is ${parts.failure.message}` })
    return Effect.fail(new IpfsError({ command, reason }))
  }
  const { names, namespace, root } = parts.success
  return namespace === "ipns"
    ? Effect.fail(unproven(`/ipns/${root}`, IpfsReason.IpnsName({})))
    : Effect.succeed({ root: Cid.fromTextUnsafe(root), names })
}

/** Returns the CID that a path leads to through directories. */
export const cidAt = <E, R>(
  command: string,
  path: string | IpfsPath.IpfsPathInput,
  source: BlockSource<E, R>,
  options: UnixFs.UnixFsOptions
): Effect.Effect<Cid.Cid, E | IpfsError | UnprovenError | UnixFs.UnixFsReadError | NoSuchEntry, R> =>
  Effect.flatMap(of(command, path), ({ names, root }) => UnixFs.resolve(source, root, names, options))

/** Returns a source that has this block, and requests all other blocks from the other source. */
export const besides =
  <E, R>(source: BlockSource<E, R>, block: Block): BlockSource<E, R> =>
  (cid) =>
    Cid.equals(cid, block.cid) ? Effect.succeed(block.bytes) : source(cid)
