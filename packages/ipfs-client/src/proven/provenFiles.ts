/** Reads files and directories. Every block is checked. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import * as Block from "../block/Block.ts"
import * as BlockSource from "../block/BlockSource.ts"
import * as DagPbObject from "../block/DagPbObject.ts"
import * as Cid from "../cid/Cid.ts"
import * as IpfsPath from "../cid/IpfsPath.ts"
import * as IpfsReason from "../cid/IpfsReason.ts"
import * as Multihash from "../cid/Multihash.ts"
import { unproven } from "../cid/unprovenContent.ts"
import type { AnyClient, ReadFailure } from "../client/IpfsClient.ts"
import type * as IpfsApi from "../commands/IpfsApi.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"
import * as NodeBlocks from "./nodeBlocks.ts"
import * as ProvenExports from "./provenExports.ts"
import * as ResolvedPath from "./resolvedPath.ts"
import * as TarArchive from "./tarArchive.ts"

type Files = Pick<AnyClient, "cat" | "get" | "ls" | "filesStat">

export const make = (ipfs: AnyClient, options: UnixFs.UnixFsOptions): Files => {
  const exported = ProvenExports.make(ipfs, options)
  return {
    cat: (path, asked = {}) => {
      const { length, offset } = asked
      if (isNegative(offset) || isNegative(length)) {
        return Stream.fail(NodeBlocks.refused("cat", "offset", "and length must be zero or more"))
      }
      const source = NodeBlocks.make(ipfs, asked)
      const { offline, timeout } = asked
      const isWhole = length === undefined && (offset ?? 0) === 0
      return Stream.unwrap(
        Effect.map(ResolvedPath.cidAt("cat", path, source, options), (cid) =>
          // The export is used only for a whole file of several blocks. A range needs some blocks, and a single block
          // is requested by its CID.
          isWhole && cid.code === Block.DAG_PB && Multihash.inlined(cid) === undefined
            ? exported.cat(cid, { offline, timeout }, source)
            : UnixFs.cat(source, cid, { ...options, offset, length })
        )
      )
    },
    get: (path, asked = {}) => {
      if (asked.compress === true || asked.compressionLevel !== undefined) {
        return Stream.fail(
          NodeBlocks.refused("get", "compress", "is not for archives that are made here: compress the stream")
        )
      }
      const source = NodeBlocks.make(ipfs, asked)
      return Stream.unwrap(
        Effect.map(ResolvedPath.cidAt("get", path, source, options), (cid) =>
          TarArchive.archive(source, cid, IpfsPath.lastName(IpfsPath.toText(path)), options)
        )
      )
    },
    ls: (path, asked = {}) => {
      const source = NodeBlocks.make(ipfs, asked)
      const isBare = asked.resolveType === false && asked.size === false
      return Stream.unwrap(
        Effect.map(ResolvedPath.cidAt("ls", path, source, options), (cid) =>
          Stream.mapEffect(
            UnixFs.entries(source, cid, options),
            (entry): Effect.Effect<IpfsApi.ListedEntry, ReadFailure> =>
              isBare
                ? Effect.succeed({
                    name: entry.name,
                    cid: Cid.toText(entry.cid),
                    size: 0,
                    type: 0,
                    ...(entry.nameBytes === undefined ? {} : { nameBytes: entry.nameBytes })
                  })
                : Effect.map(UnixFs.stat(source, entry.cid, options), (stat) => ({
                    name: entry.name,
                    cid: Cid.toText(entry.cid),
                    size: stat.size,
                    type: TYPES[stat.kind],
                    target: stat.target ?? "",
                    ...(entry.nameBytes === undefined ? {} : { nameBytes: entry.nameBytes }),
                    ...(stat.targetBytes === undefined ? {} : { targetBytes: stat.targetBytes }),
                    ...attributesOf(stat)
                  })),
            { concurrency: options.concurrency ?? UnixFs.defaults.concurrency }
          )
        )
      )
    },
    filesStat: (path, asked) => {
      if (!path.startsWith("/ipfs/")) {
        return Effect.fail(unproven(path.slice(0, 200), IpfsReason.NodesOwnTree({})))
      }
      return Effect.gen(function* () {
        const source = NodeBlocks.make(ipfs, asked)
        const cid = yield* ResolvedPath.cidAt("files/stat", path, source, options)
        const block = yield* BlockSource.get(source, cid, options)
        const stat = yield* UnixFs.stat(ResolvedPath.besides(source, block), cid, options)
        const sizes = cid.code === Block.DAG_PB ? yield* DagPbObject.statEffect(cid, block.bytes) : undefined
        return {
          cid: Cid.toText(cid),
          size: stat.size,
          cumulativeSize: sizes?.cumulativeSize ?? block.bytes.length,
          blocks: sizes?.links ?? 0,
          type: stat.kind === "directory" ? "directory" : "file",
          ...attributesOf(stat)
        } as const
      })
    }
  }
}

/** The type numbers of UnixFS, as `ls` returns them. */
const TYPES = { directory: 1, file: 2, metadata: 3, symlink: 4 } as const

const isNegative = (value: number | undefined): boolean => value !== undefined && value < 0

/** Returns the mode and the time of a block, if it has them, in the form of the API. */
const attributesOf = ({ mode, mtime }: UnixFs.UnixFsStat) => {
  const seconds = mtime === undefined ? undefined : Number(mtime.seconds)
  return {
    ...(mode === undefined ? {} : { mode: mode % 0o10000 }),
    ...(seconds === undefined || !Number.isSafeInteger(seconds) ? {} : { mtime: seconds }),
    ...(mtime?.nanoseconds && Number.isSafeInteger(seconds) ? { mtimeNsecs: mtime.nanoseconds } : {})
  }
}
