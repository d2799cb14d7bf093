/**
 * Counts the use of limits in Redis. The counts are exact for all processes that share the Redis server.
 */
import { randomBytes } from "node:crypto"

import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

import { SettingError } from "../../errors/SettingError.ts"
import type { LimitedMembers } from "../KeyLimits.ts"
import { type CounterKind, LimiterStore, type Reservation } from "../LimiterStore.ts"
import type { LimitExceeded } from "../LimitExceeded.ts"
import { type LimitBounds, boundsOf } from "../memberBounds.ts"
import type { ProjectLimits } from "../ProjectLimits.ts"
import * as CallLeases from "./callLeases.ts"
import * as LimiterScripts from "./limiterScripts.ts"
import * as RedisConnection from "./redisConnection.ts"
import * as RedisQuotaStatus from "./redisQuotaStatus.ts"

/**
 * The options of the store: the address of Redis, and the times of leases.
 */
export interface RedisLimiterStoreOptions {
  /** The URL `redis://user:password@host:port/database`, or with `rediss://` for TLS. */
  readonly url: Redacted.Redacted
  /** The prefix of all keys (default: `plumbline`). */
  readonly prefix?: string | undefined
  /**
   * The time for which the calls of a killed process still count as under way (default: 30 seconds). Calls of a running
   * process count until they end.
   */
  readonly lease?: Duration.Input | undefined
  /** The time after which a call counts as lost, and its place is freed (default: 1 hour). */
  readonly longestCall?: Duration.Input | undefined
}

/** The defaults of the options. */
export const defaults: {
  readonly prefix: string
  readonly lease: Duration.Input
  readonly longestCall: Duration.Input
} = { prefix: "plumbline", lease: "30 seconds", longestCall: "1 hour" }

/**
 * The store in Redis 5 or later.
 *
 * Each decision is one script, so no other command runs between its check and its change. The scripts use the clock of
 * Redis, so the clocks of the processes do not matter. A key expires as soon as its counts are the same as those of a
 * new key. The layer can be built while Redis is down. Every call then fails with `LimiterError`, and the connection is
 * opened again after growing pauses of up to 5 seconds.
 *
 * If Redis loses counts, calls above the limits are admitted. So Redis should keep its data over a restart (`appendonly
 * yes`), and should not evict keys (`maxmemory-policy noeviction`: if the memory is full, a call gets an error, and no
 * count is lost).
 */
export const layer = (options: RedisLimiterStoreOptions): Layer.Layer<LimiterStore, SettingError> =>
  Layer.effect(LimiterStore, make(options))

// Private: keys and replies.

const make: (options: RedisLimiterStoreOptions) => Effect.Effect<LimiterStore["Service"], SettingError, Scope.Scope> =
  Effect.fnUntraced(function* ({
    lease = defaults.lease,
    longestCall = defaults.longestCall,
    prefix = defaults.prefix,
    url
  }) {
    const leaseMillis = yield* millisOf("lease", lease)
    const longest = yield* millisOf("longestCall", longestCall)
    const send = yield* RedisConnection.make(url)
    const leaseText = String(leaseMillis)
    const places = yield* CallLeases.make(send, leaseMillis, longest)
    const process = randomBytes(8).toString("hex")
    let calls = 0

    // Because of the braces, a Redis cluster stores all keys of a project on the same server. An account has several
    // projects, so its limits need a Redis that is one server.
    const keyOf = (kind: CounterKind, id: string) => `${prefix}:limits:{${kind}:${id}}`
    const keysOf = (kind: CounterKind, id: string): LimiterScripts.CounterKeys => {
      const own = keyOf(kind, id)
      return {
        own,
        memberOf: (member) =>
          member.kind === "account" ? keyOf("account", member.id) : `${own}:${member.kind}:${member.id}`
      }
    }

    const settle = ({ credits, day, id, kind, members, slot }: Reservation, charged: number) => {
      const keys = keysOf(kind, id)
      if (slot !== undefined) places.delete(`${keys.own}:calls`, slot)
      return send(LimiterScripts.settle(keys, day, charged - credits, slot, members))
    }

    return LimiterStore.of({
      local: undefined,
      take: (kind, id, limits, credits, members) =>
        Effect.callback((resume) => {
          const keys = keysOf(kind, id)
          const slot = limits.concurrency === undefined ? undefined : `${process}:${(calls++).toString(36)}`
          let late = false
          send(LimiterScripts.take(keys, limits, credits, slot ?? "", leaseText, members)).then(
            (reply) => {
              const [decision, at, ...rest] = reply as readonly [number, number, ...ReadonlyArray<number>]
              if (decision !== 0) {
                resume(Effect.fail(exceeded(decision, limits, members, at, rest)))
                return
              }
              const day = limits.creditsPerDay === undefined ? undefined : rest[0]
              const reservation: Reservation = { _tag: "Reservation", kind, id, credits, day, at, slot }
              const taken = members?.all.flatMap(({ id, kind, limits }, index) =>
                limits.creditsPerDay === undefined ? [] : [{ kind, id, day: rest[index + 1]! }]
              )
              const made = taken === undefined || taken.length === 0 ? reservation : { ...reservation, members: taken }
              if (late) {
                // The caller no longer waits for this reservation, so it is settled at once.
                settle(made, 0).catch(() => undefined)
                return
              }
              if (slot !== undefined) places.add(`${keys.own}:calls`, slot)
              resume(Effect.succeed(made))
            },
            (error: unknown) => resume(Effect.fail(RedisConnection.errorOf(error)))
          )
          return Effect.sync(() => {
            late = true
          })
        }),
      settle: (reservation, charged) =>
        Effect.asVoid(
          Effect.tryPromise({
            try: () => settle(reservation, charged),
            catch: (error) => RedisConnection.errorOf(error)
          })
        ),
      look: (kind, id, limits, member) =>
        Effect.map(
          Effect.tryPromise({
            try: () =>
              send(RedisQuotaStatus.look(member === undefined ? keyOf(kind, id) : keysOf(kind, id).memberOf(member))),
            catch: (error) => RedisConnection.errorOf(error)
          }),
          (reply) => RedisQuotaStatus.of(reply, limits)
        )
    })
  })

const millisOf = (setting: string, input: Duration.Input): Effect.Effect<number, SettingError> => {
  const duration = Duration.fromInput(input)
  const millis = duration._tag === "Some" ? Math.ceil(Duration.toMillis(duration.value)) : Number.NaN
  return millis >= 1000 && millis <= 86_400_000
    ? Effect.succeed(millis)
    : Effect.fail(new SettingError({ setting, problem: "must be a time from 1 second to 1 day" }))
}

const exceeded = (
  decision: number,
  limits: ProjectLimits,
  members: LimitedMembers | undefined,
  at: number,
  [amount = 0, wait = -1, of = 0]: ReadonlyArray<number>
): LimitExceeded => {
  const member = of === 0 ? undefined : members?.all[of - 1]
  const bounds: LimitBounds = member === undefined ? limits : boundsOf(member.limits)
  const { burst, concurrency, creditsPerDay, creditsPerSecond } = bounds
  const said = (limit: LimitExceeded["limit"], allowed: number | undefined, current = amount): LimitExceeded => ({
    _tag: "LimitExceeded",
    limit,
    allowed: allowed ?? 0,
    current,
    retryAfter: wait === -1 ? undefined : wait,
    at,
    ...(member === undefined ? {} : { of: member.kind })
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
