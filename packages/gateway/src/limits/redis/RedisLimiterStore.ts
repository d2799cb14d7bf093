/**
 * Limits counted in Redis: exact over any number of processes that share it.
 *
 * @since 0.1.0
 */
import { randomBytes } from "node:crypto"

import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

import { SettingError } from "../../errors/SettingError.ts"
import { LimiterStore, type Reservation } from "../LimiterStore.ts"
import type { LimitExceeded } from "../LimitExceeded.ts"
import type { Limits } from "../Limits.ts"
import * as Connection from "./connection.ts"
import * as Places from "./places.ts"
import * as Scripts from "./scripts.ts"

/**
 * Where Redis is.
 *
 * @since 0.1.0
 */
export interface Options {
  /** `redis://user:password@host:port/database`, or `rediss://` over TLS. */
  readonly url: Redacted.Redacted
  /** What all keys begin with: `plumbline` unless told otherwise. */
  readonly prefix?: string | undefined
  /**
   * How long the calls under way of a process that ended without a word still count as such: 30 seconds. Those of a
   * process that runs count until they end.
   */
  readonly lease?: Duration.Input | undefined
  /** A call that has not ended after so long is taken for forgotten, and its place given up: 1 hour. */
  readonly longestCall?: Duration.Input | undefined
}

/**
 * A store in Redis 5 or later.
 *
 * Each decision is one script, so nothing comes between the look and the taking; time is Redis's own, so clocks of
 * processes do not matter; keys expire as soon as they are as good as new ones. The layer is there also while Redis is
 * not: every call fails with `LimiterError`, the connection is tried again with growing pauses of up to 5 seconds.
 *
 * What Redis forgets is let through again: it should keep its data over a restart (`appendonly yes`), and not evict keys
 * (`maxmemory-policy noeviction`, where a full memory is an error and not a forgotten limit).
 *
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<LimiterStore, SettingError> =>
  Layer.effect(LimiterStore, make(options))

// Private: keys and replies.

const make: (options: Options) => Effect.Effect<LimiterStore["Service"], SettingError, Scope.Scope> = Effect.fnUntraced(
  function* ({ lease = "30 seconds", longestCall = "1 hour", prefix = "plumbline", url }) {
    const leaseMillis = yield* millisOf("lease", lease)
    const longest = yield* millisOf("longestCall", longestCall)
    const send = yield* Connection.make(url)
    const leaseText = String(leaseMillis)
    const places = yield* Places.make(send, leaseMillis, longest)
    const process = randomBytes(8).toString("hex")
    let calls = 0

    // The braces keep both keys of a project on one node of a cluster.
    const keyOf = (kind: string, id: string) => `${prefix}:limits:{${kind}:${id}}`

    const settle = ({ credits, day, id, kind, slot }: Reservation, charged: number) => {
      const key = keyOf(kind, id)
      if (slot !== undefined) places.delete(`${key}:calls`, slot)
      return send(Scripts.settle(key, day, charged - credits, slot))
    }

    return LimiterStore.of({
      local: undefined,
      take: (kind, id, limits, credits) =>
        Effect.callback((resume) => {
          const key = keyOf(kind, id)
          const slot = limits.concurrency === undefined ? undefined : `${process}:${(calls++).toString(36)}`
          let late = false
          send(Scripts.take(key, limits, credits, slot ?? "", leaseText)).then(
            (reply) => {
              const [decision, at, amount, wait] = reply as readonly [number, number, number, number]
              if (decision !== 0) {
                resume(Effect.fail(exceeded(decision, limits, at, amount, wait)))
                return
              }
              const day = limits.creditsPerDay === undefined ? undefined : amount
              const reservation: Reservation = { _tag: "Reservation", kind, id, credits, day, at, slot }
              if (late) {
                // Nobody waits for it any more: the call was answered without it.
                settle(reservation, 0).catch(() => undefined)
                return
              }
              if (slot !== undefined) places.add(`${key}:calls`, slot)
              resume(Effect.succeed(reservation))
            },
            (error: unknown) => resume(Effect.fail(Connection.errorOf(error)))
          )
          return Effect.sync(() => {
            late = true
          })
        }),
      settle: (reservation, charged) =>
        Effect.asVoid(
          Effect.tryPromise({ try: () => settle(reservation, charged), catch: (error) => Connection.errorOf(error) })
        )
    })
  }
)

const millisOf = (setting: string, input: Duration.Input): Effect.Effect<number, SettingError> => {
  const duration = Duration.fromInput(input)
  const millis = duration._tag === "Some" ? Math.ceil(Duration.toMillis(duration.value)) : Number.NaN
  return millis >= 1000 && millis <= 86_400_000
    ? Effect.succeed(millis)
    : Effect.fail(new SettingError({ setting, problem: "must be a time from 1 second to 1 day" }))
}

const exceeded = (
  decision: number,
  { burst, concurrency, creditsPerDay, creditsPerSecond }: Limits,
  at: number,
  amount: number,
  wait: number
): LimitExceeded => {
  const said = (limit: LimitExceeded["limit"], allowed: number | undefined, current = amount): LimitExceeded => ({
    _tag: "LimitExceeded",
    limit,
    allowed: allowed ?? 0,
    current,
    retryAfter: wait === -1 ? undefined : wait,
    at
  })
  switch (decision) {
    case 1:
      return said("day", creditsPerDay)
    case 2:
      return said("burst", burst ?? creditsPerSecond)
    case 3:
      return said("rate", creditsPerSecond, amount / 1000)
    default:
      return said("concurrency", concurrency)
  }
}
