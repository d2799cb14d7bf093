/**
 * The block that proofs of each network end at, with its number and time, for people who watch a service. It is read on
 * request, at most once a second, and costs no project anything.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

import type { Network } from "../networks/Network.ts"
import { read } from "./heads.ts"

/** The block that proofs end at. A member that is not known is undefined. */
export interface Anchored {
  readonly hash: string | undefined
  /** The number and time of the block, in milliseconds since 1970 UTC. */
  readonly number: bigint | undefined
  readonly time: number | undefined
  /** Milliseconds from the time of the block to the moment at which it was read. */
  readonly ageMillis: number | undefined
  /** The authority that names the block, and the support of a light client's block. */
  readonly by: string | undefined
  readonly finality: string | undefined
  /** The reason why there is no block. */
  readonly problem: string | undefined
}

/** Returns the block of a network; undefined if nothing is proven on it. */
export type Anchors = (network: Network) => Effect.Effect<Anchored | undefined>

/** Makes a reader of anchors. A reader whose network does not answer in time gets the last anchor that was found. */
export const make = (): Anchors => {
  const known = new WeakMap<Network, Known>()
  return (network) => {
    const { anchor } = network
    if (anchor === undefined) return Effect.undefined
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const entry = known.get(network) ?? { found: UNKNOWN, askedAt: -Infinity }
      known.set(network, entry)
      const answer = Effect.sync(() => aged(entry.found, now))
      // A clock that was set back must not end the reading.
      if (Math.abs(now - entry.askedAt) < FRESH) return answer
      entry.askedAt = now
      const look = Effect.gen(function* () {
        const trusted = yield* anchor
        if (trusted._tag === "None") {
          entry.found = { ...UNKNOWN, problem: trusted.problem }
          return
        }
        const { by, finality, hash } = trusted
        // A block that was read once stays what it is.
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
  found: Anchored
  askedAt: number
}

const UNKNOWN: Anchored = {
  hash: undefined,
  number: undefined,
  time: undefined,
  ageMillis: undefined,
  by: undefined,
  finality: undefined,
  problem: "it was not named in time"
}

const aged = (found: Anchored, now: number): Anchored =>
  found.time === undefined ? found : { ...found, ageMillis: Math.max(0, now - found.time) }

/** Milliseconds for which an anchor is not read again. */
const FRESH = 1000

const TIMEOUT = "2 seconds"
