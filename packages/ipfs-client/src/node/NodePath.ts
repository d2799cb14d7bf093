/** Paths of content, resolved through the blocks of an IPFS node. They are the path arguments of `IpfsNode`. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Block from "../block/Block.ts"
import * as BlockSource from "../block/BlockSource.ts"
import * as Cid from "../cid/Cid.ts"
import * as IpfsPath from "../cid/IpfsPath.ts"
import * as DagCodec from "../codec/DagCodec.ts"
import * as IpldValue from "../codec/ipldValue.ts"
import { CODECS } from "../codec/valueCodecs.ts"
import * as DagPath from "../dag/dagPath.ts"
import * as DagRefs from "../dag/dagRefs.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"
import type { Steps } from "../work/steps.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"
import type { Ref, RefsOptions } from "./IpfsNode.ts"
import { fromBlockError, InvalidRequest, IpfsNodeError, NoLink, NotSupported } from "./IpfsNodeError.ts"

/** Blocks of a node. Each is checked against its CID when it is read. */
export type NodeBlocks = BlockSource.BlockSource<IpfsNodeError>

/** The target of a path: a block or, if names remain, a value inside it. */
export interface PathTarget {
  readonly cid: Cid.Cid
  /** The names that remain, inside the block. */
  readonly inside: ReadonlyArray<string>
  /** The value at the end of the names, or `undefined` if the target is a block. */
  readonly value: unknown
}

/** No limit for the size of blocks, because a node stores blocks of any size. */
const ANY_SIZE = { maxBlockSize: Number.MAX_SAFE_INTEGER }

const fail = (reason: IpfsNodeError["reason"]) => Result.fail(new IpfsNodeError({ reason }))

/**
 * Resolves a path. A name leads to an entry in a directory, and to a field in data. A link leads to its block.
 *
 * Fails with `IpfsNodeError`: `InvalidRequest` for a text that is not a path, `NotSupported` for a name under `/ipns/`,
 * `NoLink` for a name that does not exist, and the reason of a block that cannot be read.
 *
 * ```ts import.meta.vitest
 * import { Block, BlockSource, Cid, NodePath } from "@plumbline/ipfs-client"
 * import { Effect, Result } from "effect"
 *
 * const bytes = Uint8Array.of(0xa1, 0x61, 0x61, 0x82, 1, 2) // {"a": [1, 2]} in dag-cbor
 * const cid = Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, bytes))
 * const source = () => Effect.succeed(bytes)
 * const place = await Effect.runPromise(NodePath.resolve(source, `${Cid.toText(cid)}/a/1`))
 * place.value // => 2
 * place.inside // => ["a", "1"]
 * ```
 */
export const resolve: (source: NodeBlocks, path: string) => Effect.Effect<PathTarget, IpfsNodeError> =
  Effect.fnUntraced(function* (source: NodeBlocks, path: string) {
    const { namespace, names, root } = yield* Effect.fromResult(
      Result.mapError(
        IpfsPath.split(path),
        ({ message }) =>
          new IpfsNodeError({
            reason: new InvalidRequest({ what: `path ${JSON.stringify(path.slice(0, 80))}`, detail: message })
          })
      )
    )
    if (namespace === "ipns") return yield* Effect.fromResult(fail(new NotSupported({ what: "names under /ipns/" })))
    let place: PathTarget = { cid: Cid.fromTextUnsafe(root), inside: [], value: undefined }
    let rest = names
    while (rest.length > 0) {
      const { cid } = place
      if (cid.code === Block.DAG_PB) {
        const found = UnixFs.resolve(source, cid, rest.slice(0, 1), ANY_SIZE)
        place = { cid: yield* Effect.mapError(found, fromBlockError), inside: [], value: undefined }
        rest = rest.slice(1)
      } else {
        const block = yield* Effect.mapError(BlockSource.get(source, cid, ANY_SIZE), fromBlockError)
        const entered: Entered = yield* Effect.fromResult(enter(cid, yield* valueOf(block), rest))
        place = entered.place
        rest = entered.rest
      }
    }
    return place
  })

/**
 * Resolves a path that must lead to a block. Fails as `resolve` does, and with `NoLink` if the path leads to a value
 * inside a block.
 */
export const resolveBlock = (source: NodeBlocks, path: string): Effect.Effect<Cid.Cid, IpfsNodeError> =>
  Effect.flatMap(resolve(source, path), ({ cid, inside }) =>
    Effect.fromResult(
      inside[0] === undefined ? Result.succeed(cid) : fail(new NoLink({ cid: Cid.toText(cid), name: inside[0] }))
    )
  )

/**
 * Streams the links of the block at a path, as the command `refs` lists them. A path that leads to a value inside a block
 * means the block around it, as in Kubo. Fails as `resolve` does.
 */
export const refs = (source: NodeBlocks, path: string, options: RefsOptions = {}): Stream.Stream<Ref, IpfsNodeError> =>
  Stream.unwrap(
    Effect.map(resolve(source, path), ({ cid }) =>
      Stream.mapError(DagRefs.refs(source, cid, { ...ANY_SIZE, ...options }), fromBlockError)
    )
  )

/**
 * Returns the value of a block with distinct integers and floats, so that `DagCodec` can write it again. Decodes in
 * turns with other work. Fails with `Malformed` if the block is invalid in its codec or beyond a bound, or if the codec
 * is unknown.
 */
export const valueOf = (block: Block.Block): Effect.Effect<unknown, IpfsNodeError> =>
  Effect.mapError(DagPath.decode(block), fromBlockError)

/**
 * Writes the value of a block, or the value at the end of the names in it, in another codec. Works in turns with other
 * work. Fails with `InvalidRequest` if the codec cannot hold the value, with `NotSupported` for an unknown codec, and as
 * `valueOf` does.
 */
export const write = (
  block: Block.Block,
  names: ReadonlyArray<string>,
  codec: string
): Effect.Effect<Uint8Array, IpfsNodeError> =>
  DagCodec.isName(codec)
    ? Effect.flatMap(
        WorkScheduler.run(() => written(block, names, codec)),
        Effect.fromResult
      )
    : Effect.fromResult(fail(new NotSupported({ what: `the codec ${codec.slice(0, 40)}` })))

/** Reads and writes in one job, so that the values of a block are not held while other jobs of the caller run. */
function* written(
  block: Block.Block,
  names: ReadonlyArray<string>,
  codec: DagCodec.ValueCodecName
): Steps<Result.Result<Uint8Array, IpfsNodeError>> {
  const value = yield* DagPath.decoded(block)
  if (Result.isFailure(value)) return Result.fail(fromBlockError(value.failure))
  const bytes = yield* CODECS[codec].encode(names.reduce(IpldValue.field, value.success))
  return Result.mapError(bytes, (detail) => new IpfsNodeError({ reason: new InvalidRequest({ what: codec, detail }) }))
}

interface Entered {
  readonly place: PathTarget
  readonly rest: ReadonlyArray<string>
}

/** Follows the names within a block, until no names remain or a link leads out of the block. */
const enter = (cid: Cid.Cid, value: unknown, names: ReadonlyArray<string>): Result.Result<Entered, IpfsNodeError> => {
  let at = value
  for (const [i, name] of names.entries()) {
    at = IpldValue.field(at, name)
    if (at === undefined) return fail(new NoLink({ cid: Cid.toText(cid), name }))
    const link = Cid.asCid(at)
    if (link !== undefined) {
      return Result.succeed({ place: { cid: link, inside: [], value: undefined }, rest: names.slice(i + 1) })
    }
  }
  return Result.succeed({ place: { cid, inside: names, value: at }, rest: [] })
}
