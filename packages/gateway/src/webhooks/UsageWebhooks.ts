/**
 * Sends the events of `UsageAlerts` to receivers that the operator names: signed POST requests, repeated until they are
 * answered with a status from 200 to 299.
 */
import { randomUUID } from "node:crypto"

import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

import type { Event } from "../alerts/service.ts"
import { UsageAlerts } from "../alerts/UsageAlerts.ts"
import { SettingError } from "../errors/SettingError.ts"
import * as Migrations from "../state/Migrations.ts"
import { fromSql, type StateError } from "../state/StateError.ts"
import * as Places from "./places.ts"
import * as Sending from "./sending.ts"
import * as Signature from "./signature.ts"
import { migrations } from "./tables.ts"

/**
 * A receiver of events.
 */
export interface Webhook {
  /** Names the receiver for the operator. Its place in the events is kept under this name. */
  readonly name: string
  /** `http` or `https`, without a user. It may hold a key, so it is never shown. */
  readonly url: string | Redacted.Redacted
  /** `whsec_` and a key of 24 to 64 bytes in Base64. */
  readonly secret: Redacted.Redacted
  /** The types of events that are sent. Default: all. */
  readonly events?: ReadonlyArray<Event["type"]> | undefined
}

/**
 * The types of events.
 */
export const types: ReadonlyArray<Event["type"]> = ["usage.threshold", "usage.day"]

/**
 * The most receivers of a service.
 */
export const MAX_WEBHOOKS = 16

/**
 * The state of a receiver. Times are milliseconds since 1970 UTC.
 */
export interface State {
  readonly name: string
  /** Events that are not delivered yet, those of other types included. */
  readonly waiting: number
  /** Events that were delivered. */
  readonly delivered: number
  readonly deliveredAt: number | null
  /** Events that left the table before they were delivered: it keeps the newest 100,000. */
  readonly lost: number
  /** Tries that failed since the last delivery. */
  readonly failures: number
  readonly failedAt: number | null
  /** The reason of the last failure, as a sentence without the URL; null after a delivery. */
  readonly problem: string | null
  /** The earliest time of the next try, while tries fail. */
  readonly nextAt: number | null
}

/**
 * The service.
 */
export class UsageWebhooks extends Context.Service<
  UsageWebhooks,
  {
    /** The states of the receivers, in their order. */
    readonly states: Effect.Effect<ReadonlyArray<State>, StateError>
    /** Delivers now what can be delivered. The layer does so every 5 seconds. */
    readonly deliver: Effect.Effect<void, StateError>
  }
>()("@plumbline/gateway/UsageWebhooks") {}

/**
 * Sends events to receivers. Any number of processes may run it over one database: one of them sends at a time.
 *
 * A receiver gets the events that are told after it was first configured, in their order, one by one. After a failure the
 * same event is sent again: after two seconds, then after twice as long each time, up to ten minutes. So a receiver may
 * get an event twice, and knows it by the header `webhook-id`. Redirections are not followed, and count as failures.
 *
 * The headers are those of Standard Webhooks: `webhook-id`, `webhook-timestamp` (Unix seconds of the try) and
 * `webhook-signature`. A receiver must compare the signature, and refuse a time that is more than five minutes away.
 *
 * Fails with `SettingError` if a receiver is not valid.
 *
 * ```ts import.meta.vitest
 * import { createHmac } from "node:crypto"
 *
 * // a receiver checks an event: id and time are from the headers, and the body is the bytes as they came
 * const signatureOf = (secret: string, id: string, time: string, body: string) => {
 *   const key = Buffer.from(secret.replace("whsec_", ""), "base64")
 *   return `v1,${createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64")}`
 * }
 * const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
 * const signature = signatureOf(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", '{"test": 2432232314}')
 * signature // => "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
 * ```
 */
export const layer = (
  webhooks: ReadonlyArray<Webhook>
): Layer.Layer<UsageWebhooks, SettingError | StateError, SqlClient.SqlClient | UsageAlerts> =>
  Layer.effect(
    UsageWebhooks,
    Effect.gen(function* () {
      const receivers = yield* Effect.fromResult(check(webhooks))
      yield* Migrations.run(migrations)
      const alerts = yield* UsageAlerts
      const places = Places.make(yield* SqlClient.SqlClient, randomUUID())
      yield* stated(Effect.forEach(receivers, ({ name }) => places.enter(name), { discard: true }))

      const deliverTo = Effect.fnUntraced(function* (receiver: Sending.Receiver) {
        const { name } = receiver
        const place = yield* places.take(name, yield* Clock.currentTimeMillis)
        if (place === undefined) return
        let after = Number(place.after_id)
        let failures = Number(place.failures)
        for (;;) {
          const events = yield* alerts.events(after, PAGE)
          if (events.length === 0) return yield* places.release(name)
          for (const event of events) {
            const isWanted = receiver.events.has(event.type)
            const outcome = isWanted ? yield* Effect.result(Sending.send(receiver, event)) : Result.void
            const now = yield* Clock.currentTimeMillis
            if (Result.isFailure(outcome)) {
              const problem = outcome.failure
              if (failures === 0) {
                yield* Effect.annotateLogs(Effect.logWarning("a webhook fails", problem), { webhook: name })
              }
              return yield* places.fail(name, { failures: failures + 1, now, problem })
            }
            const lost = event.id - after - 1
            if (!(yield* places.advance(name, { after: event.id, isDelivered: isWanted, lost, now }))) return
            after = event.id
            if (isWanted) failures = 0
          }
        }
      })

      yield* Effect.addFinalizer(() =>
        Effect.forEach(receivers, ({ name }) => Effect.ignore(places.release(name)), { discard: true })
      )
      // Each receiver for itself: a slow one holds no other up.
      const deliveries = yield* Effect.forEach(receivers, (receiver) =>
        Effect.map(Semaphore.make(1), (one) => stated(one.withPermits(1)(deliverTo(receiver))))
      )
      let isDown = false
      const watch = (deliver: Effect.Effect<void, StateError>) =>
        Effect.matchEffect(deliver, {
          onSuccess: () =>
            Effect.sync(() => {
              isDown = false
            }),
          onFailure: (error) => {
            if (isDown) return Effect.void
            isDown = true
            return Effect.logError("events cannot be read for webhooks", error.message)
          }
        })
      for (const deliver of deliveries) {
        yield* watch(deliver).pipe(Effect.delay("5 seconds"), Effect.forever, Effect.forkScoped)
      }
      return {
        deliver: Effect.all(deliveries, { concurrency: "unbounded", discard: true }),
        states: Effect.map(stated(places.list), ({ last, places }) =>
          receivers.flatMap(({ name }) => {
            const place = places.find((one) => one.name === name)
            return place === undefined ? [] : [stateOf(place, last)]
          })
        )
      }
    })
  )

// Private.

/** Events that are read together. */
const PAGE = 50

const stated = <A, E>(work: Effect.Effect<A, E | SqlError>) =>
  Effect.mapError(work, (error): Exclude<E, SqlError> | StateError =>
    isSqlError(error) ? fromSql(error) : (error as Exclude<E, SqlError>)
  )

const stateOf = (place: Places.Place, last: number): State => {
  const failures = Number(place.failures)
  return {
    name: place.name,
    waiting: Math.max(0, last - Number(place.after_id)),
    delivered: Number(place.delivered),
    deliveredAt: place.delivered_at === null ? null : Number(place.delivered_at),
    lost: Number(place.lost),
    failures,
    failedAt: place.failed_at === null ? null : Number(place.failed_at),
    problem: place.problem,
    nextAt: failures === 0 ? null : Number(place.next_at)
  }
}

/**
 * Returns the problem of a receiver; undefined if there is none. It holds no part of the URL or the secret.
 */
export const problemOf = ({
  name,
  secret,
  url
}: Webhook): { readonly setting: "name" | "url" | "secret"; readonly problem: string } | undefined => {
  if (!/^[\w.-]{1,64}$/u.test(name)) {
    return { setting: "name", problem: "must be 1 to 64 letters, digits, dots, dashes or underscores" }
  }
  const parsed = URL.parse(textOf(url))
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) {
    return { setting: "url", problem: "must be an http or https URL" }
  }
  if (parsed.username !== "" || parsed.password !== "") {
    return { setting: "url", problem: "must have no user or password" }
  }
  return Signature.keyOf(Redacted.value(secret)) === undefined
    ? { setting: "secret", problem: "must be whsec_ and 24 to 64 bytes in Base64" }
    : undefined
}

const check = (webhooks: ReadonlyArray<Webhook>): Result.Result<ReadonlyArray<Sending.Receiver>, SettingError> => {
  const wrong = (setting: string, problem: string) => Result.fail(new SettingError({ setting, problem }))
  if (webhooks.length > MAX_WEBHOOKS) return wrong("webhooks", `must be at most ${MAX_WEBHOOKS}`)
  const receivers: Array<Sending.Receiver> = []
  for (const [index, webhook] of webhooks.entries()) {
    const { events = types, name, secret, url } = webhook
    const found = problemOf(webhook)
    if (found !== undefined) return wrong(`webhooks[${index}].${found.setting}`, found.problem)
    if (receivers.some((other) => other.name === name)) {
      return wrong(`webhooks[${index}].name`, "must differ from the other names")
    }
    const key = Signature.keyOf(Redacted.value(secret))!
    receivers.push({ name, url: Redacted.make(textOf(url)), key: Redacted.make(key), events: new Set(events) })
  }
  return Result.succeed(receivers)
}

const textOf = (text: string | Redacted.Redacted): string => (typeof text === "string" ? text : Redacted.value(text))
