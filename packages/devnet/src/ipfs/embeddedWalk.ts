/** Walks DAGs in the embedded IPFS node, depth first, each block once. */
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import { MAX_HELD_BYTES, WalkStack } from "@plumbline/ipfs-client/dag/WalkStack"
import { fromBlockError, type IpfsNodeError, Malformed } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as WorkScheduler from "@plumbline/ipfs-client/work/WorkScheduler"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import { attempt, failure } from "./embeddedFailure.ts"
import * as EmbeddedStore from "./embeddedStore.ts"
import * as FlatfsBlocks from "./flatfsBlocks.ts"

/** A visited block. A leaf that need not be read has no bytes. */
export interface VisitedBlock {
  readonly cid: Cid.Cid
  readonly bytes: Uint8Array | undefined
}

export interface EmbeddedWalkOptions {
  /** True to also read blocks that cannot have links, which shows that they are present and intact. */
  readonly leaves: boolean
  /** The work that holds the blocks. The walk names each block to the work before it looks the block up. */
  readonly work?: EmbeddedStore.StoreWork | undefined
  /** The keys of the blocks seen so far; the walk adds the keys that it visits. */
  readonly seen?: Set<string> | undefined
}

/** Maximum number of blocks that a walk reads before their turn. */
const AHEAD = 8

/** Number of links that are passed in one step. */
const LINKS_AT_ONCE = 512

/**
 * Streams the root and everything below it. The next blocks are read while the consumer works on the current one.
 * Keeps only the CIDs of visited blocks.
 */
export const walk = (
  store: EmbeddedStore.EmbeddedStore,
  root: Cid.Cid,
  { leaves, seen = new Set(), work }: EmbeddedWalkOptions
): Stream.Stream<VisitedBlock, IpfsNodeError> =>
  Stream.suspend(() => {
    const rest = new WalkStack<Place>()
    const first = placeOf(root)
    rest.push({ count: 1, at: () => first, heldBytes: 0 })
    /** Blocks that are read before their turn. A failure is kept until then. */
    const early = new Map<string, Promise<Uint8Array>>()

    const isRead = ({ cid }: Place): boolean => leaves || cid.code !== Block.RAW

    /** Starts to read the next places. Reads that wait for a later turn count too, so deep DAGs take no more memory. */
    const readAhead = (): void => {
      for (const place of rest.coming(AHEAD)) {
        if (early.size >= AHEAD) break
        const { cid, file, key } = place
        if (!isRead(place) || seen.has(key) || early.has(key) || Multihash.inlined(cid) !== undefined) continue
        work?.touch(file)
        const bytes = store.blocks.get(cid)
        bytes.catch(() => undefined)
        early.set(key, bytes)
      }
    }

    const read = ({ cid, key }: Place): Effect.Effect<Uint8Array, IpfsNodeError> => {
      const bytes = early.get(key)
      early.delete(key)
      return bytes === undefined ? EmbeddedStore.get(store, cid) : attempt(() => bytes)
    }

    const visit = Effect.fnUntraced(function* (place: Place) {
      const { cid, file } = place
      work?.touch(file)
      if (!isRead(place)) return { cid, bytes: undefined }
      readAhead()
      const bytes = yield* read(place)
      const links = yield* Effect.mapError(Block.linksEffect({ cid, bytes }), fromBlockError)
      if (!rest.pushLinks(links, placeOf)) {
        const detail = `the blocks above it have more than ${MAX_HELD_BYTES} bytes of links`
        return yield* failure(new Malformed({ cid: Cid.toText(cid), detail }))
      }
      return { cid, bytes }
    })
    /** Returns the next place that was not visited, in steps, because a block can repeat a link 65,536 times. */
    function* unseen(): WorkScheduler.Steps<{ readonly next: Place | undefined }> {
      for (let count = 1; ; count++) {
        if (count % LINKS_AT_ONCE === 0) yield
        const next = rest.next()
        if (next === undefined || !seen.has(next.key)) return { next }
      }
    }
    const pull = Effect.gen(function* () {
      const { next } = yield* WorkScheduler.run(unseen)
      if (next === undefined) return yield* Cause.done()
      seen.add(next.key)
      return [yield* visit(next)] as const
    })
    return Stream.fromPull(Effect.succeed(pull))
  })

/** A place that the walk comes to. Its keys are computed once, because base32 costs more than a look-up. */
interface Place {
  readonly cid: Cid.Cid
  /** The key of the block's file. */
  readonly file: FlatfsBlocks.BlockKey
  /** The same for all CIDs with the same bytes and codec, because links depend on both. */
  readonly key: string
}

const placeOf = (cid: Cid.Cid): Place => {
  const file = FlatfsBlocks.keyOf(cid)
  return { cid, file, key: `${cid.code} ${file}` }
}
