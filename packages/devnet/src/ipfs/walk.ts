/** DAGs in the embedded IPFS node, walked depth first, each block once. */
import * as Block from "@plumbline/ipfs-client/block/Block"
import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import * as Blocks from "./blocks.ts"
import { dagErrors } from "./failure.ts"
import * as Store from "./store.ts"

/** What was come by. A leaf that need not be read has no bytes. */
export interface Visited {
  readonly cid: Cid.Cid
  readonly bytes: Uint8Array | undefined
}

export interface Options {
  /** Whether blocks that cannot have links are read, and so found to be there and whole. */
  readonly leaves: boolean
  /** Blocks are named to it before they are looked for. */
  readonly work?: Store.Work | undefined
  /** What was seen before, and will be. */
  readonly seen?: Set<string> | undefined
}

/** The root and all that is below it. Nothing is kept but the CIDs that were seen. */
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
      const links = yield* dagErrors(Effect.fromResult(Block.links({ cid, bytes })))
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

/** The same for all CIDs of the same bytes in the same codec: links depend on both. */
const nodeKey = (cid: Cid.Cid): string => `${cid.code} ${Blocks.keyOf(cid)}`
