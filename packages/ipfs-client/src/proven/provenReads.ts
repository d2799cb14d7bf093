/** Reads files, directories, blocks, data and dag-pb nodes. Every block is checked. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Block from "../block/Block.ts"
import * as BlockSource from "../block/BlockSource.ts"
import * as DagPbObject from "../block/DagPbObject.ts"
import * as Car from "../car/Car.ts"
import * as Cid from "../cid/Cid.ts"
import * as IpfsPath from "../cid/IpfsPath.ts"
import * as IpfsReason from "../cid/IpfsReason.ts"
import * as Multihash from "../cid/Multihash.ts"
import { unproven } from "../cid/unprovenContent.ts"
import type { AnyClient, CheckFailure, ReadFailure } from "../client/IpfsClient.ts"
import { EncodeError, IpfsError } from "../client/IpfsError.ts"
import * as DagCodec from "../codec/DagCodec.ts"
import type * as IpfsApi from "../commands/IpfsApi.ts"
import { DagCount } from "../dag/dagCount.ts"
import * as DagPath from "../dag/dagPath.ts"
import * as DagRefs from "../dag/dagRefs.ts"
import * as DagSelection from "../dag/DagSelection.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"
import * as ProvenExports from "./provenExports.ts"
import * as ResolvedPath from "./resolvedPath.ts"
import * as TarArchive from "./tarArchive.ts"

type Reads = Pick<
  AnyClient,
  | "cat"
  | "get"
  | "ls"
  | "filesStat"
  | "blockGet"
  | "blockStat"
  | "dagGet"
  | "dagResolve"
  | "dagExport"
  | "dagStat"
  | "refs"
  | "resolve"
  | "objectGet"
  | "objectData"
  | "objectStat"
>

/** The options that a call passes on to each of its requests. */
interface Asked {
  readonly offline?: boolean | undefined
  readonly timeout?: string | undefined
}

export const make = (ipfs: AnyClient, options: UnixFs.UnixFsOptions): Reads => {
  /** Returns a source of the node's blocks. The requests of the source have the options of the call. */
  const sourceOf =
    ({ offline, timeout }: Asked = {}): BlockSource.BlockSource<CheckFailure> =>
    (cid) =>
      ipfs.blockGet(cid, { offline, timeout })
  const exported = ProvenExports.make(ipfs, options)
  const blockOf = (source: BlockSource.BlockSource<CheckFailure>, cid: Cid.Cid) => BlockSource.get(source, cid, options)

  const node = <A, E extends ReadFailure>(
    command: string,
    path: IpfsPath.IpfsPathInput,
    read: (cid: Cid.Cid, block: Uint8Array) => Result.Result<A, E>
  ): Effect.Effect<A, ReadFailure> =>
    Effect.gen(function* () {
      const source = sourceOf()
      const cid = yield* ResolvedPath.cidAt(command, path, source, options)
      const { bytes } = yield* blockOf(source, cid)
      return yield* Effect.fromResult(read(cid, bytes))
    })

  return {
    cat: (path, asked = {}) => {
      const { length, offset } = asked
      if (isNegative(offset) || isNegative(length)) {
        return Stream.fail(refused("cat", "offset", "and length must be zero or more"))
      }
      const source = sourceOf(asked)
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
        return Stream.fail(refused("get", "compress", "is not for archives that are made here: compress the stream"))
      }
      const source = sourceOf(asked)
      return Stream.unwrap(
        Effect.map(ResolvedPath.cidAt("get", path, source, options), (cid) =>
          TarArchive.archive(source, cid, IpfsPath.lastName(IpfsPath.toText(path)), options)
        )
      )
    },
    ls: (path, asked = {}) => {
      const source = sourceOf(asked)
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
        const source = sourceOf(asked)
        const cid = yield* ResolvedPath.cidAt("files/stat", path, source, options)
        const block = yield* blockOf(source, cid)
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
    },
    blockGet: (cid, asked) => Effect.map(blockOf(sourceOf(asked), cidOf(cid)), ({ bytes }) => bytes),
    blockStat: (cid, asked) =>
      Effect.map(blockOf(sourceOf(asked), cidOf(cid)), ({ bytes, cid }) => ({
        cid: Cid.toText(cid),
        size: bytes.length
      })),
    dagGet: (path, asked = {}) =>
      Effect.gen(function* () {
        const { names, root } = yield* ResolvedPath.of("dag/get", path)
        const { value } = yield* DagPath.resolve(sourceOf(asked), root, names, options)
        return yield* Effect.fromResult(encode("dag/get", asked.outputCodec ?? "dag-json", value))
      }),
    dagResolve: (path, asked) =>
      Effect.gen(function* () {
        const { names, root } = yield* ResolvedPath.of("dag/resolve", path)
        const { cid, rest } = yield* DagPath.resolve(sourceOf(asked), root, names, options)
        return { cid: Cid.toText(cid), remainder: rest.join("/") }
      }),
    resolve: (path, asked = {}) =>
      Effect.gen(function* () {
        const { names, root } = yield* ResolvedPath.of("resolve", path)
        const { cid, rest } = yield* DagPath.resolve(sourceOf(asked), root, names, options)
        return ["", "ipfs", Cid.toText(cid), ...rest].join("/")
      }),
    refs: (path, asked = {}) => {
      const format = asked.edges === true ? "<src> -> <dst>" : asked.format || "<dst>"
      const source = sourceOf(asked)
      const maxDepth = DagRefs.depthOf(asked)
      return Stream.unwrap(
        Effect.gen(function* () {
          const { names, root } = yield* ResolvedPath.of("refs", path)
          const { cid } = yield* DagPath.resolve(source, root, names, options)
          const refs = DagRefs.refs(source, cid, { ...options, maxDepth, unique: asked.unique })
          return Stream.map(refs, (ref) => DagRefs.written(ref, format, Cid.toText))
        })
      )
    },
    dagStat: (paths, asked = {}) => {
      const source = sourceOf(asked)
      const counted = new DagCount(Array.isArray(paths) ? paths.length : 1)
      return Stream.concat(
        Stream.flatMap(Stream.fromIterable<IpfsPath.IpfsPathInput>(Array.isArray(paths) ? paths : [paths]), (path) =>
          Stream.unwrap(
            Effect.gen(function* () {
              const { names, root } = yield* ResolvedPath.of("dag/stat", path)
              const { cid } = yield* DagPath.resolve(source, root, names, options)
              counted.begin(Cid.toText(cid))
              const blocks = DagSelection.blocks(source, cid, { ...options, inlined: true })
              const lines = Stream.map(blocks, ({ bytes, cid }) => counted.add(cid, bytes.length))
              return asked.progress === true ? lines : Stream.drain(lines)
            })
          )
        ),
        Stream.fromEffect(Effect.sync(() => counted.end()))
      )
    },
    dagExport: (given, asked = {}) => {
      const cid = cidOf(given)
      const car = ipfs.dagExport(cid, asked)
      const blocks = Car.dag(car, cid, { ...options, isPartial: asked.localOnly === true })
      return Car.encode([cid], blocks)
    },
    objectGet: (path, { dataEncoding = "base64" } = {}) =>
      node("object/get", path, (cid, block) => DagPbObject.get(cid, block, dataEncoding)),
    objectData: (path) => node("object/data", path, DagPbObject.data),
    objectStat: (path) => node("object/stat", path, DagPbObject.stat)
  }
}

/** Returns the CID that an argument of a command names. */
export const cidOf = (cid: Cid.Cid | Cid.CidText): Cid.Cid => (typeof cid === "string" ? Cid.fromTextUnsafe(cid) : cid)

/** The type numbers of UnixFS, as `ls` returns them. */
const TYPES = { directory: 1, file: 2, metadata: 3, symlink: 4 } as const

/** Encodes a value in a codec. */
const encode = (command: string, codec: string, value: unknown): Result.Result<Uint8Array, IpfsError> =>
  DagCodec.isName(codec)
    ? Result.mapError(DagCodec.encode(codec, value), () => refused(command, "codec", "cannot hold this value"))
    : Result.fail(refused(command, "codec", "must be dag-json, dag-cbor, dag-pb or raw"))

const isNegative = (value: number | undefined): boolean => value !== undefined && value < 0

const refused = (command: string, name: string, detail: string): IpfsError =>
  new IpfsError({ command, reason: new EncodeError({ name, detail }) })

/** Returns the mode and the time of a block, if it has them, in the form of the API. */
const attributesOf = ({ mode, mtime }: UnixFs.UnixFsStat) => {
  const seconds = mtime === undefined ? undefined : Number(mtime.seconds)
  return {
    ...(mode === undefined ? {} : { mode: mode % 0o10000 }),
    ...(seconds === undefined || !Number.isSafeInteger(seconds) ? {} : { mtime: seconds }),
    ...(mtime?.nanoseconds && Number.isSafeInteger(seconds) ? { mtimeNsecs: mtime.nanoseconds } : {})
  }
}
