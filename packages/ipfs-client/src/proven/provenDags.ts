/** Reads data by paths, and walks through them. Every block is checked. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Car from "../car/Car.ts"
import * as Cid from "../cid/Cid.ts"
import type * as IpfsPath from "../cid/IpfsPath.ts"
import type { AnyClient } from "../client/IpfsClient.ts"
import type { IpfsError } from "../client/IpfsError.ts"
import * as DagCodec from "../codec/DagCodec.ts"
import { DagCount } from "../dag/dagCount.ts"
import * as DagPath from "../dag/dagPath.ts"
import * as DagRefs from "../dag/dagRefs.ts"
import * as DagSelection from "../dag/DagSelection.ts"
import type * as UnixFs from "../unixfs/UnixFs.ts"
import * as NodeBlocks from "./nodeBlocks.ts"
import * as ResolvedPath from "./resolvedPath.ts"

type Dags = Pick<AnyClient, "dagGet" | "dagResolve" | "resolve" | "refs" | "dagStat" | "dagExport">

export const make = (ipfs: AnyClient, options: UnixFs.UnixFsOptions): Dags => ({
  dagGet: (path, asked = {}) =>
    Effect.gen(function* () {
      const { names, root } = yield* ResolvedPath.of("dag/get", path)
      const { value } = yield* DagPath.resolve(NodeBlocks.make(ipfs, asked), root, names, options)
      return yield* Effect.fromResult(encode("dag/get", asked.outputCodec ?? "dag-json", value))
    }),
  dagResolve: (path, asked) =>
    Effect.gen(function* () {
      const { names, root } = yield* ResolvedPath.of("dag/resolve", path)
      const { cid, rest } = yield* DagPath.resolve(NodeBlocks.make(ipfs, asked), root, names, options)
      return { cid: Cid.toText(cid), remainder: rest.join("/") }
    }),
  resolve: (path, asked = {}) =>
    Effect.gen(function* () {
      const { names, root } = yield* ResolvedPath.of("resolve", path)
      const { cid, rest } = yield* DagPath.resolve(NodeBlocks.make(ipfs, asked), root, names, options)
      return ["", "ipfs", Cid.toText(cid), ...rest].join("/")
    }),
  refs: (path, asked = {}) => {
    const format = asked.edges === true ? "<src> -> <dst>" : asked.format || "<dst>"
    const source = NodeBlocks.make(ipfs, asked)
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
    const source = NodeBlocks.make(ipfs, asked)
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
    const cid = NodeBlocks.cidOf(given)
    const car = ipfs.dagExport(cid, asked)
    const blocks = Car.dag(car, cid, { ...options, isPartial: asked.localOnly === true })
    return Car.encode([cid], blocks)
  }
})

/** Encodes a value in a codec. */
const encode = (command: string, codec: string, value: unknown): Result.Result<Uint8Array, IpfsError> =>
  DagCodec.isName(codec)
    ? Result.mapError(DagCodec.encode(codec, value), () =>
        NodeBlocks.refused(command, "codec", "cannot hold this value")
      )
    : Result.fail(NodeBlocks.refused(command, "codec", "must be dag-json, dag-cbor, dag-pb or raw"))
