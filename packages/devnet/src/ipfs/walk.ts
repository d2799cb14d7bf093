/** Walks DAGs in the embedded IPFS node, depth first, each block once. */
import * as Block from "@plumbline/ipfs-client/block/Block"
import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import { fromBlockError, type IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import * as Blocks from "./blocks.ts"
import * as Store from "./store.ts"

/** A visited block. A leaf that need not be read has no bytes. */
export interface Visited {
  readonly cid: Cid.Cid
  readonly bytes: Uint8Array | undefined
}

export interface Options {
  /** True to also read blocks that cannot have links, which shows that they are present and intact. */
  readonly leaves: boolean
  /** The work that holds the blocks. The walk names each block to the work before it looks the block up. */
  readonly work?: Store.Work | undefined
  /** The keys of the blocks seen so far; the walk adds the keys that it visits. */
  readonly seen?: Set<string> | undefined
}

/** Streams the root and everything below it. Keeps only the CIDs of visited blocks. */
export const walk = (
  store: Store.Store,
  root: Cid.Cid,
  { leaves, seen = new Set(), work }: Options
): Stream.Stream<Visited, IpfsNodeError> =>
  Stream.suspend(() => {
    const rest = [root]
    const visit = Effect.fnUntraced(function* (cid: Cid.Cid) {
      work?.touch(Blocks.keyOf(cid))
      if (cid.code === Block.RAW && !leaves) return { cid, bytes: undefined }
      const bytes = yield* Store.get(store, cid)
      const links = yield* Effect.mapError(Effect.fromResult(Block.links({ cid, bytes })), fromBlockError)
      for (let i = links.length - 1; i >= 0; i--) rest.push(links[i]!)
      return { cid, bytes }
    })
    const pull = Effect.suspend((): Effect.Effect<[Visited], IpfsNodeError | Cause.Done> => {
      for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
        const key = nodeKey(next)
        if (seen.has(key)) continue
        seen.add(key)
        return Effect.map(visit(next), (visited) => [visited])
      }
      return Cause.done()
    })
    return Stream.fromPull(Effect.succeed(pull))
  })

/** Returns a key that is the same for all CIDs with the same bytes and codec, because links depend on both. */
const nodeKey = (cid: Cid.Cid): string => `${cid.code} ${Blocks.keyOf(cid)}`
