/**
 * Makes a tar archive of a file or a directory from checked blocks.
 *
 * Names and targets are the unchanged bytes of the blocks, UTF-8 or not, as in Kubo's archives.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import * as BlockSource from "../block/BlockSource.ts"
import { LimitExceeded } from "../block/DagError.ts"
import * as Cid from "../cid/Cid.ts"
import * as EntryNames from "../codec/entryNames.ts"
import * as TarHeader from "../unixfs/TarHeader.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"
import * as ResolvedPath from "./resolvedPath.ts"

/** Streams the archive: the entry itself and everything below it, with paths that begin with `name`. */
export const archive = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  name: string,
  options: UnixFs.UnixFsOptions
): Stream.Stream<Uint8Array, E | UnixFs.UnixFsReadError, R> =>
  Stream.concat(entry(source, cid, { text: name, bytes: undefined }, options, 0), Stream.succeed(TarHeader.END))

/** Maximum nesting of directories. No system accepts a path of that depth. */
const MAX_DEPTH = 1024

const entry = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  path: EntryNames.EntryName,
  options: UnixFs.UnixFsOptions,
  depth: number
): Stream.Stream<Uint8Array, E | UnixFs.UnixFsReadError, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const near = ResolvedPath.besides(source, yield* BlockSource.get(source, cid, options))
      const stat = yield* UnixFs.stat(near, cid, options)
      const { kind, mode, size } = stat
      const type = kind === "symlink" || kind === "directory" ? kind : "file"
      const target = EntryNames.toBytes({ text: stat.target ?? "", bytes: stat.targetBytes })
      const mtime = Number(stat.mtime?.seconds ?? 0n)
      const head = Stream.succeed(TarHeader.header({ type, path: EntryNames.toBytes(path), size, mode, mtime, target }))
      if (type === "symlink") return head
      if (type === "file") {
        const padding = TarHeader.padding(size)
        return head.pipe(
          Stream.concat(UnixFs.cat(near, cid, options)),
          Stream.concat(padding.length > 0 ? Stream.succeed(padding) : Stream.empty)
        )
      }
      const below: Stream.Stream<Uint8Array, E | UnixFs.UnixFsReadError, R> =
        depth < MAX_DEPTH
          ? Stream.flatMap(UnixFs.entries(near, cid, options), ({ cid, name, nameBytes }) =>
              entry(source, cid, EntryNames.under(path, { text: name, bytes: nameBytes }), options, depth + 1)
            )
          : Stream.fail(new LimitExceeded({ cid: Cid.toText(cid), bound: "directories", limit: MAX_DEPTH }))
      return Stream.concat(head, below)
    })
  )
