/** Paths of content, resolved in the embedded IPFS node. */
import * as Block from "@plumbline/ipfs-client/block/Block"
import { MalformedBlock } from "@plumbline/ipfs-client/block/DagError"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsPath from "@plumbline/ipfs-client/cid/IpfsPath"
import * as DagCodec from "@plumbline/ipfs-client/codec/DagCodec"
import { type IpfsNodeError, NoLink, NotSupported } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as UnixFs from "@plumbline/ipfs-client/unixfs/UnixFs"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { CID } from "multiformats/cid"

import { dagErrors, failure, invalid } from "./failure.ts"
import * as Store from "./store.ts"

/** The target of a path: a block, or with names left, a value inside it. */
export interface Place {
  readonly cid: Cid.Cid
  /** The remaining names inside the block. */
  readonly inside: ReadonlyArray<string>
  /** The value at the end of the path. */
  readonly value: unknown
}

/**
 * Resolves a path. Names of directories lead to their entries; names in dag-cbor and dag-json lead to fields, and
 * through links to blocks.
 */
export const resolve = Effect.fnUntraced(function* (store: Store.Store, path: string) {
  const { namespace, names, root } = yield* Effect.fromResult(
    Result.mapError(IpfsPath.split(path), (error) =>
      invalid(`path ${JSON.stringify(path.slice(0, 80))}`, error.message)
    )
  )
  if (namespace === "ipns") return yield* failure(new NotSupported({ what: "names under /ipns/" }))
  let place: Place = { cid: Cid.fromTextUnsafe(root), inside: [], value: undefined }
  let rest = names
  while (rest.length > 0) {
    const { cid } = place
    if (cid.code === Block.DAG_PB) {
      const found: Cid.Cid = yield* dagErrors(UnixFs.resolve(Store.source(store), cid, rest.slice(0, 1)))
      place = { cid: found, inside: [], value: undefined }
      rest = rest.slice(1)
    } else {
      const bytes: Uint8Array = yield* Store.get(store, cid)
      const value: unknown = yield* dagErrors(Effect.fromResult(valueOf({ cid, bytes })))
      const within: Inner = yield* Effect.fromResult(enter(cid, value, rest))
      place = within.place
      rest = within.rest
    }
  }
  return place
})

/** Resolves a path that must lead to a block. */
export const resolveBlock = (store: Store.Store, path: string): Effect.Effect<Cid.Cid, IpfsNodeError> =>
  Effect.flatMap(resolve(store, path), ({ cid, inside }) =>
    inside.length === 0
      ? Effect.succeed(cid)
      : Effect.fail(failure(new NoLink({ cid: Cid.toText(cid), name: inside[0]! })))
  )

/** Returns the value of a block, with the kinds of its numbers if its codec can be encoded again. */
export const valueOf = (block: Block.Block): ReturnType<typeof Block.decode> => {
  const codec = Block.codecs.get(block.cid.code)
  return codec !== undefined && DagCodec.isName(codec)
    ? Result.mapError(
        DagCodec.decode(codec, block.bytes),
        (detail) => new MalformedBlock({ cid: Cid.toText(block.cid), detail })
      )
    : Block.decode(block)
}

interface Inner {
  readonly place: Place
  readonly rest: ReadonlyArray<string>
}

/** Follows the names within a block, until they end or a link leaves it. */
const enter = (cid: Cid.Cid, value: unknown, names: ReadonlyArray<string>): Result.Result<Inner, IpfsNodeError> => {
  let at = value
  for (const [i, name] of names.entries()) {
    const next = fieldOf(at, name)
    if (next === undefined) return Result.fail(failure(new NoLink({ cid: Cid.toText(cid), name })))
    const link = typeof next === "object" ? CID.asCID(next) : null
    if (link !== null) {
      return Result.succeed({ place: { cid: link, inside: [], value: undefined }, rest: names.slice(i + 1) })
    }
    at = next
  }
  return Result.succeed({ place: { cid, inside: names, value: at }, rest: [] })
}

const fieldOf = (value: unknown, name: string): unknown => {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return undefined
  if (value instanceof DagCodec.Float || value instanceof DagCodec.Text) return undefined
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,8})$/.test(name) ? value[Number(name)] : undefined
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}
