/** Refuses the blocks that the operator does not serve. */
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import { IpfsNodeError, NotSupported } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"

import type { TrustlessReader } from "./trustlessContent.ts"

/** 410: the operator has blocked this content. */
export const gone: HttpRefusal.HttpRefusal = HttpRefusal.make(410, "this content is not served here any more")

/** A node without the blocked content. `isGone` is true once a blocked block was requested. */
export interface FilteredNode {
  readonly node: TrustlessReader
  readonly isGone: () => boolean
}

/** Wraps a node and refuses the blocks with these multihashes. */
export const over = (node: TrustlessReader, blocked: ReadonlySet<string>): FilteredNode => {
  let isGone = false
  if (blocked.size === 0) return { node, isGone: () => false }
  const check = (cid: Cid.Cid): Effect.Effect<void, IpfsNodeError> =>
    Effect.suspend(() => {
      if (!blocked.has(Cid.key(cid))) return Effect.void
      isGone = true
      return Effect.fail(new IpfsNodeError({ reason: new NotSupported({ what: "this content" }) }))
    })
  /** Checks the root of a path. The root was parsed before, so it is a valid CID. */
  const checked = <A>(path: string, ask: (path: string) => Effect.Effect<A, IpfsNodeError>) =>
    Effect.andThen(check(Cid.fromTextUnsafe(path.split("/", 1)[0]!)), ask(path))
  return {
    isGone: () => isGone,
    node: {
      blockGet: (path) => checked(path, node.blockGet),
      blockStat: (path) => checked(path, node.blockStat),
      dagResolve: (path) => Effect.tap(checked(path, node.dagResolve), ({ cid }) => check(cid))
    }
  }
}
