/** Renews the leases of calls under way in Redis. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

import * as LimiterScripts from "./limiterScripts.ts"
import type { RunScript } from "./redisConnection.ts"

/** The places of this process's calls under way. `key` is the key of the project's sorted set in Redis. */
export interface CallLeases {
  readonly add: (key: string, slot: string) => void
  readonly delete: (key: string, slot: string) => void
}

/**
 * Renews the places in use three times per lease. A place expires only if the process ends, or if the call has not
 * ended after `longest` milliseconds.
 */
export const make: (send: RunScript, lease: number, longest: number) => Effect.Effect<CallLeases, never, Scope.Scope> =
  Effect.fnUntraced(function* (send, lease, longest) {
    const clock = yield* Clock.Clock
    /** The time at which each place was taken, by key and slot. */
    const inUse = new Map<string, Map<string, number>>()
    const remove = (key: string, slot: string) => {
      const slots = inUse.get(key)
      if (slots?.delete(slot) === true && slots.size === 0) inUse.delete(key)
    }
    const renew = Effect.promise(async () => {
      const forgotten = clock.currentTimeMillisUnsafe() - longest
      for (const [key, slots] of inUse) {
        for (const [slot, since] of slots) if (since <= forgotten) remove(key, slot)
        const all = [...slots.keys()]
        for (let start = 0; start < all.length; start += AT_ONCE) {
          // After a failure, the next renewal comes before the lease ends.
          await send(LimiterScripts.renew(key, String(lease), all.slice(start, start + AT_ONCE))).catch(() => undefined)
        }
      }
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(lease / 3), renew)))
    return {
      add: (key, slot) => {
        const slots = inUse.get(key) ?? new Map<string, number>()
        inUse.set(key, slots.set(slot, clock.currentTimeMillisUnsafe()))
      },
      delete: remove
    }
  })

const AT_ONCE = 500
