/** Single blocks, IPLD data and CARs in the embedded IPFS node. */
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as Car from "@plumbline/ipfs-client/car/Car"
import { CarError } from "@plumbline/ipfs-client/car/CarError"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import * as DagCodec from "@plumbline/ipfs-client/codec/DagCodec"
import type { BlockPutOptions, BlockStat, DagPutOptions, Imported } from "@plumbline/ipfs-client/node/IpfsNode"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as NodePath from "@plumbline/ipfs-client/node/NodePath"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as CodecNames from "./codecNames.ts"
import { attempt, invalid } from "./embeddedFailure.ts"
import * as EmbeddedStore from "./embeddedStore.ts"
import * as EmbeddedWalk from "./embeddedWalk.ts"
import * as Pinning from "./pinning.ts"

export const blockGet = (store: EmbeddedStore.EmbeddedStore, path: string): Effect.Effect<Uint8Array, IpfsNodeError> =>
  Effect.flatMap(NodePath.resolveBlock(EmbeddedStore.source(store), path), (cid) => EmbeddedStore.get(store, cid))

export const blockStat = Effect.fnUntraced(function* (store: EmbeddedStore.EmbeddedStore, path: string) {
  const cid = yield* NodePath.resolveBlock(EmbeddedStore.source(store), path)
  const bytes = yield* EmbeddedStore.get(store, cid)
  return { cid, size: bytes.length }
})

export const blockPut = Effect.fnUntraced(function* (
  store: EmbeddedStore.EmbeddedStore,
  bytes: Uint8Array,
  { allowBigBlock, cidCodec, format, mhlen = -1, mhtype = "sha2-256", pin = false }: BlockPutOptions = {}
) {
  if (format !== undefined && cidCodec !== undefined) {
    return yield* invalid("option", "unable to use format and cid-codec at the same time")
  }
  const codec = yield* Effect.fromResult(CodecNames.format(format ?? cidCodec ?? "raw"))
  const hash = yield* Effect.fromResult(CodecNames.hash(mhtype))
  const digest = yield* Effect.fromResult(
    Result.mapError(Multihash.digest(hash, bytes, mhlen === -1 ? undefined : mhlen), ({ sentence }) =>
      invalid("multihash", sentence)
    )
  )
  const made = Cid.make(codec, hash, digest)
  const cid = format === "v0" ? yield* Effect.fromResult(toV0(made)) : made
  yield* keep(store, { cid, bytes }, { allowBigBlock, pin })
  return { cid, size: bytes.length }
})

export const dagGet = Effect.fnUntraced(function* (
  store: EmbeddedStore.EmbeddedStore,
  path: string,
  outputCodec = "dag-json"
) {
  const { cid, inside } = yield* NodePath.resolve(EmbeddedStore.source(store), path)
  const bytes = yield* EmbeddedStore.get(store, cid)
  if (inside.length === 0 && Block.codecs.get(cid.code) === outputCodec) return bytes
  return yield* NodePath.write({ cid, bytes }, inside, outputCodec)
})

export const dagPut = Effect.fnUntraced(function* (
  store: EmbeddedStore.EmbeddedStore,
  data: Uint8Array,
  {
    allowBigBlock,
    hash = "sha2-256",
    inputCodec = "dag-json",
    pin = false,
    storeCodec = "dag-cbor"
  }: DagPutOptions = {}
) {
  const code = yield* Effect.fromResult(CodecNames.hash(hash))
  const codec = yield* Effect.fromResult(CodecNames.codec(storeCodec))
  const [input, output] = yield* Effect.fromResult(Result.all([named(inputCodec), named(storeCodec)]))
  const bytes = yield* Effect.mapError(DagCodec.convert(input, data, output), ({ at, detail }) =>
    invalid(at === "reading" ? inputCodec : storeCodec, detail)
  )
  const cid = yield* Effect.fromResult(
    Result.mapError(Block.cidOf(codec, bytes, code), ({ sentence }) => invalid("multihash", sentence))
  )
  yield* keep(store, { cid, bytes }, { allowBigBlock, pin })
  return cid
})

export const dagResolve = Effect.fnUntraced(function* (store: EmbeddedStore.EmbeddedStore, path: string) {
  const { cid, inside } = yield* NodePath.resolve(EmbeddedStore.source(store), path)
  return { cid, remainder: inside.join("/") }
})

/**
 * Exports a DAG as a CAR. Reads the root before it emits the header of the CAR, so that a missing root is an error and
 * not an incomplete answer.
 */
export const dagExport = (store: EmbeddedStore.EmbeddedStore, path: string): Stream.Stream<Uint8Array, IpfsNodeError> =>
  Stream.unwrap(
    Effect.map(
      Effect.tap(NodePath.resolveBlock(EmbeddedStore.source(store), path), (root) => EmbeddedStore.get(store, root)),
      (root) =>
        Car.encode(
          [root],
          EmbeddedWalk.walk(store, root, { leaves: true }).pipe(
            Stream.filter((visited): visited is Block.Block => visited.bytes !== undefined)
          )
        )
    )
  )

/** Streams the blocks of a DAG with their sizes, each once. */
export const dagBlocks = (store: EmbeddedStore.EmbeddedStore, path: string): Stream.Stream<BlockStat, IpfsNodeError> =>
  Stream.unwrap(
    Effect.map(NodePath.resolveBlock(EmbeddedStore.source(store), path), (root) =>
      Stream.map(EmbeddedWalk.walk(store, root, { leaves: true }), ({ bytes, cid }) => ({
        cid,
        size: bytes?.length ?? 0
      }))
    )
  )

export const dagImport = Effect.fnUntraced(function* <E>(
  store: EmbeddedStore.EmbeddedStore,
  car: Stream.Stream<Uint8Array, E>,
  { pinRoots = true }: { readonly pinRoots?: boolean | undefined } = {}
) {
  // the blocks are held until the roots are pinned
  const work = yield* EmbeddedStore.work(store)
  let cids: ReadonlyArray<Cid.Cid> = []
  let blocks = 0
  let bytes = 0
  const notACar = (error: Car.CarReadError | E): E | IpfsNodeError =>
    isReadError(error) ? invalid("CAR", error.message) : error
  yield* Car.read(car).pipe(
    Stream.mapError(notACar),
    Stream.runForEach((item) => {
      if (item._tag === "Roots") {
        cids = item.roots
        return Effect.void
      }
      blocks++
      bytes += item.bytes.length
      return attempt(() => work.put(item))
    })
  )
  yield* attempt(work.settle)
  const roots = yield* Effect.forEach(cids, (cid) =>
    pinRoots
      ? Effect.map(Effect.result(Pinning.addCid(store, { cid, recursive: true, name: "" })), (pinned) => ({
          cid,
          pinError: Result.isFailure(pinned) ? pinned.failure.message : ""
        }))
      : Effect.succeed({ cid, pinError: "" })
  )
  const imported: Imported = { roots, blocks, bytes }
  return imported
}, Effect.scoped)

/** Writes a block, and pins it if requested, recursively as Kubo does. */
const keep = (
  store: EmbeddedStore.EmbeddedStore,
  block: Block.Block,
  { allowBigBlock = false, pin }: { readonly allowBigBlock: boolean | undefined; readonly pin: boolean }
): Effect.Effect<void, IpfsNodeError> =>
  Effect.scoped(
    Effect.gen(function* () {
      if (block.bytes.length > Block.defaults.maxBlockSize && !allowBigBlock) return yield* invalid("block", TOO_BIG)
      const work = yield* EmbeddedStore.work(store)
      yield* attempt(() => work.put(block))
      yield* attempt(work.settle)
      if (pin) yield* Pinning.addCid(store, { cid: block.cid, recursive: true, name: "" })
    })
  )

const TOO_BIG =
  "produced block is over 2MiB: big blocks can't be exchanged with other peers. consider using UnixFS for automatic chunking of bigger files, or pass --allow-big-block to override"

/** Returns the CID in version 0, which supports only dag-pb and sha2-256. */
const toV0 = (cid: Cid.Cid): Result.Result<Cid.Cid, IpfsNodeError> =>
  cid.multihash.code === Multihash.SHA2_256 && cid.multihash.digest.length === 32
    ? Result.succeed(cid.toV0())
    : Result.fail(invalid("format", "only sha2-256 with 32 bytes is possible with CIDv0"))

const named = (codec: string): Result.Result<DagCodec.ValueCodecName, IpfsNodeError> =>
  DagCodec.isName(codec) ? Result.succeed(codec) : CodecNames.notSupported(`the codec ${codec.slice(0, 40)}`)

const isReadError = (error: unknown): error is Car.CarReadError =>
  error instanceof CarError || error instanceof RefutedError || error instanceof UnprovenError
