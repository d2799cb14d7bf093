/**
 * The anchor of each network: the block that its proofs end at, with number and time. Operators see it, and `/health`
 * says why there is none. It is read on request, at most once a second, and costs no project anything.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

import type { Network } from "../networks/Network.ts"
import { read } from "./networkHeads.ts"

/** An anchor. A field that is not known is undefined. */
export interface NetworkAnchor {
  readonly hash: string | undefined
  /** The number of the block. `time` is its timestamp, in milliseconds since the epoch. */
  readonly number: bigint | undefined
  readonly time: number | undefined
  /** Milliseconds from the block's timestamp to the moment at which the anchor was read. */
  readonly ageMillis: number | undefined
  /**
   * The authority that names the block. `finality` states how strongly the network supports a block that a light client
   * names, such as `finalized`.
   */
  readonly by: string | undefined
  readonly finality: string | undefined
  /** The reason why there is no anchor. */
  readonly problem: string | undefined
}

/**
 * Returns the anchor of a network; undefined if the network's answers are not proven. `fresh` is the age in milliseconds up
 * to which an anchor is not read again. Default: a second.
 */
export type NetworkAnchors = (network: Network, fresh?: number) => Effect.Effect<NetworkAnchor | undefined>

/** Makes a reader of anchors. If a network does not answer in time, the reader returns its last known anchor. */
export const make = (): NetworkAnchors => {
  const known = new WeakMap<Network, Known>()
  return (network, fresh = FRESH) => {
    const { anchor } = network
    if (anchor === undefined) return Effect.undefined
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const entry = known.get(network) ?? { found: UNKNOWN, askedAt: -Infinity }
      known.set(network, entry)
      const answer = Effect.sync(() => aged(entry.found, now))
      // The absolute difference is used so that a clock that was set back does not stop the reads.
      if (Math.abs(now - entry.askedAt) < fresh) return answer
      entry.askedAt = now
      const look = Effect.gen(function* () {
        const trusted = yield* anchor
        if (trusted._tag === "None") {
          entry.found = { ...UNKNOWN, problem: trusted.problem }
          return
        }
        const { by, finality, hash } = trusted
        // The number and time of a block never change, so they are read once.
        if (entry.found.hash !== hash || entry.found.time === undefined) {
          entry.found = { ...UNKNOWN, problem: undefined, hash, by, finality }
          const block = yield* Effect.option(network.upstream.call("eth_getBlockByHash", [hash, false]))
          const header = block._tag === "Some" ? read(block.value) : undefined
          entry.found = { ...entry.found, number: header?.number, time: header?.time }
        }
        entry.found = { ...entry.found, by, finality }
      })
      return Effect.andThen(Effect.timeoutOption(look, TIMEOUT), answer)
    })
  }
}

interface Known {
  found: NetworkAnchor
  askedAt: number
}

const UNKNOWN: NetworkAnchor = {
  hash: undefined,
  number: undefined,
  time: undefined,
  ageMillis: undefined,
  by: undefined,
  finality: undefined,
  problem: "it was not named in time"
}

const aged = (found: NetworkAnchor, now: number): NetworkAnchor =>
  found.time === undefined ? found : { ...found, ageMillis: Math.max(0, now - found.time) }

/** Minimum time between two reads of an anchor for operators, in milliseconds. */
const FRESH = 1000

/** The same for a path that is open to everyone: a read of a rollup's anchor costs calls to the node of its parent chain. */
export const FRESH_ENOUGH = 30_000

const TIMEOUT = "2 seconds"
