/**
 * Sends the events of `UsageAlerts` to receivers that the operator names. Each event is a signed POST request. It is
 * repeated until the receiver answers with a status from 200 to 299.
 */
import { randomUUID } from "node:crypto"

import * as Redaction from "@plumbline/gateway/errors/Redaction"
import { SettingError } from "@plumbline/gateway/errors/SettingError"
import type { MetricFamily } from "@plumbline/gateway/meters/MetricFamily"
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as Migrations from "@plumbline/gateway/state/Migrations"
import { fromSql, type StateError } from "@plumbline/gateway/state/StateError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

import { EVENT_TYPES, type UsageEvent } from "../alerts/alertsService.ts"
import { UsageAlerts } from "../alerts/UsageAlerts.ts"
import * as CloudEvents from "./cloudEvents.ts"
import * as DeliveryCursors from "./deliveryCursors.ts"
import type { DeliveryTry } from "./deliveryTries.ts"
import * as DeliveryTries from "./deliveryTries.ts"
import { WebhookError } from "./WebhookError.ts"
import * as WebhookMetrics from "./webhookMetrics.ts"
import * as WebhookReceivers from "./webhookReceivers.ts"
import * as WebhookSending from "./webhookSending.ts"
import * as WebhookSignature from "./webhookSignature.ts"
import { migrations } from "./webhookTables.ts"

export type { DeliveryTry } from "./deliveryTries.ts"
export { WebhookError } from "./WebhookError.ts"

/**
 * A receiver of events.
 */
export interface Webhook {
  /** The operator's name for the receiver. The position of the receiver in the events is stored under this name. */
  readonly name: string
  /** A URL with `http` or `https`, without a user. It may hold a key, so it is never shown. */
  readonly url: string | Redacted.Redacted
  /** The secret for signatures: `whsec_` and a key of 24 to 64 bytes in Base64. */
  readonly secret: Redacted.Redacted
  /** The types of events that the receiver gets. Default: all types. */
  readonly events?: ReadonlyArray<UsageEvent["type"]> | undefined
  /** The form of the messages: one event in JSON, or batches of CloudEvents 1.0. Default: `json`. */
  readonly format?: "json" | "cloudevents" | undefined
}

/** The types of events. */
export const types: ReadonlyArray<UsageEvent["type"]> = EVENT_TYPES

/** The settings of a receiver. */
export const fields = {
  url: Setting.secretUrl(
    Setting.url(["http", "https"], {
      description: "The address of the receiver. It may contain a key, so it is never shown."
    })
  ),
  secret: Setting.secret(
    Setting.text({
      description: "The secret that signs events: whsec_ and 24 to 64 bytes in Base64. It is never shown."
    })
  ),
  events: Setting.optional(
    Setting.array(Setting.literal(EVENT_TYPES, { description: "A type of events." }), {
      description: "The types of events that are sent. Left out: all."
    })
  ),
  format: Setting.optional(
    Setting.literal(["json", "cloudevents"], {
      description:
        "The form of the messages: json is one event; cloudevents is a batch of CloudEvents 1.0, with one for each row of a project's day. Left out: json."
    })
  )
}

/**
 * Maximum number of receivers in the configuration. The same maximum applies to the receivers that operators add.
 */
export const MAX_WEBHOOKS = 16

/**
 * The state of a receiver. Times are milliseconds since the epoch.
 */
export interface WebhookState {
  readonly name: string
  /** The origin of the receiver: the configuration, or an operator who called `create`. */
  readonly source: "configuration" | "operator"
  /** The host and port of the receiver's URL. The rest of the URL is never shown. */
  readonly host: string
  /** The types of events that the receiver gets. */
  readonly events: ReadonlyArray<UsageEvent["type"]>
  /** The form of the messages. */
  readonly format: "json" | "cloudevents"
  /**
   * The number of recorded events after the last one that was delivered or skipped. It includes events of other types.
   */
  readonly waiting: number
  /** The number of delivered events. */
  readonly delivered: number
  readonly deliveredAt: number | null
  /** The number of events that were deleted before they were delivered. The table keeps the newest 100,000 events. */
  readonly lost: number
  /** The number of failed tries since the last delivery. */
  readonly failures: number
  readonly failedAt: number | null
  /** The reason of the last failure, as a sentence without the URL; null after a delivery. */
  readonly problem: string | null
  /** The earliest time of the next try; null if the last try did not fail. */
  readonly nextAt: number | null
}

/** A receiver to be created. The service generates its secret. */
export interface NewWebhook {
  readonly name: string
  readonly url: Redacted.Redacted
  readonly events?: ReadonlyArray<UsageEvent["type"]> | undefined
  readonly format?: Webhook["format"]
}

/**
 * The service that delivers usage events to receivers.
 */
export class UsageWebhooks extends Context.Service<
  UsageWebhooks,
  {
    /**
     * Returns the states of the receivers: first those of the configuration, in its order, then those of operators, by
     * name.
     */
    readonly states: Effect.Effect<ReadonlyArray<WebhookState>, StateError>
    /**
     * Returns the metrics of the receivers, for `families` of `GatewayOptions`. While the database does not answer,
     * they have only the counts of this process.
     */
    readonly families: Effect.Effect<ReadonlyArray<MetricFamily>>
    /** Delivers all waiting events now. The layer does this every 5 seconds. */
    readonly deliver: Effect.Effect<void, StateError>
    /** Creates a receiver. Every process uses it within 5 seconds. Only this result contains the secret. */
    readonly create: (
      receiver: NewWebhook
    ) => Effect.Effect<Redacted.Redacted, SettingError | StateError | WebhookError>
    /** Removes a receiver that an operator created. An event that is being sent is still sent. */
    readonly remove: (name: string) => Effect.Effect<void, StateError | WebhookError>
    /** Returns the last tries of a receiver, at most 20, the newest first. */
    readonly tries: (name: string) => Effect.Effect<ReadonlyArray<DeliveryTry>, StateError | WebhookError>
    /**
     * Sends one event again, or a test message if no number is given. A success ends the pause of a failing receiver. A
     * failure changes nothing.
     */
    readonly attempt: (name: string, event?: number) => Effect.Effect<DeliveryTry, StateError | WebhookError>
  }
>()("@plumbline/gateway-admin/UsageWebhooks") {}

/**
 * Sends events to receivers. Any number of processes may run it over one database. Only one process at a time sends to
 * a receiver.
 *
 * The receivers are those of the configuration, and those that operators create with `create`. The latter are stored in
 * the database with their URL and secret.
 *
 * A receiver gets the events that are recorded after it was first configured or created. They are sent in order, one by
 * one. After a failure the same event is sent again: first after two seconds, then after a pause that doubles each
 * time, up to ten minutes. So a receiver may get an event twice; the header `webhook-id` identifies the event.
 * Redirections are not followed, and count as failures.
 *
 * The headers are those of Standard Webhooks: `webhook-id`, `webhook-timestamp` (Unix seconds of the try) and
 * `webhook-signature`. A receiver must compare the signature, and must refuse a time that is more than five minutes
 * away.
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
      const configured = yield* Effect.fromResult(check(webhooks))
      yield* Migrations.run(migrations)
      const alerts = yield* UsageAlerts
      const sql = yield* SqlClient.SqlClient
      const places = DeliveryCursors.make(sql, randomUUID())
      const stored = WebhookReceivers.make(sql)
      const tries = DeliveryTries.make(sql)
      yield* stated(Effect.forEach(configured, ({ name }) => places.enter(name), { discard: true }))

      /** True for a receiver of the configuration. It replaces an operator's receiver of the same name. */
      const isConfigured = (name: string): boolean => configured.some((one) => one.name === name)
      const receivers = stated(
        Effect.map(stored.list, (list) => [...configured, ...list.filter(({ name }) => !isConfigured(name))])
      )
      const receiver = (name: string) =>
        Effect.flatMap(receivers, (list) => {
          const found = list.find((one) => one.name === name)
          return found === undefined ? Effect.fail(absent(name)) : Effect.succeed(found)
        })

      // Each receiver has counts from the start. If a counter first appeared later, Prometheus would see no increase.
      const counts = new WebhookMetrics.WebhookCounts(configured.map(({ name }) => name))

      /** Sends the messages of an event, up to the first failure. Returns the last try. */
      const sendAll = Effect.fnUntraced(function* (receiver: WebhookSending.WebhookReceiver, event: UsageEvent) {
        const messages =
          receiver.format === "cloudevents"
            ? yield* CloudEvents.messagesOf(sql, event)
            : [WebhookSending.messageOf(event)]
        for (const [index, message] of messages.entries()) {
          const outcome = yield* WebhookSending.send(receiver, message)
          const noted = yield* tries.note(receiver.name, { message: message.id, event: event.id, ...outcome })
          if (outcome.problem !== null || index === messages.length - 1) return noted
        }
        return yield* Effect.die(new Error("an event has a message"))
      })

      const deliverTo = Effect.fnUntraced(function* (receiver: WebhookSending.WebhookReceiver) {
        const { name } = receiver
        const counted = counts.of(name)
        const place = yield* places.take(name, yield* Clock.currentTimeMillis)
        if (place === undefined) return
        let after = Number(place.after_id)
        let failures = Number(place.failures)
        for (;;) {
          const events = yield* alerts.events(after, PAGE)
          if (events.length === 0) return yield* places.release(name)
          for (const event of events) {
            const isWanted = receiver.events.has(event.type)
            if (isWanted) {
              const { problem } = yield* sendAll(receiver, event)
              if (problem !== null) {
                counted.failed++
                if (failures === 0) {
                  yield* Effect.annotateLogs(Effect.logWarning("a webhook fails", problem), { webhook: name })
                }
                const now = yield* Clock.currentTimeMillis
                return yield* places.fail(name, { failures: failures + 1, now, problem })
              }
            }
            const now = yield* Clock.currentTimeMillis
            const lost = event.id - after - 1
            if (!(yield* places.advance(name, { after: event.id, isDelivered: isWanted, lost, now }))) return
            after = event.id
            counted.lost += lost
            if (!isWanted) continue
            counted.delivered++
            failures = 0
          }
        }
      })

      const sendTest = Effect.fnUntraced(function* (receiver: WebhookSending.WebhookReceiver) {
        const test = WebhookSending.testOf(randomUUID(), yield* Clock.currentTimeMillis)
        const outcome = yield* WebhookSending.send(receiver, test)
        return yield* stated(tries.note(receiver.name, { message: test.id, event: null, ...outcome }))
      })

      const busy = new Map<string, Semaphore.Semaphore>()
      const alone = (name: string): Semaphore.Semaphore => {
        const one = busy.get(name) ?? Semaphore.makeUnsafe(1)
        busy.set(name, one)
        return one
      }
      const deliverOne = (receiver: WebhookSending.WebhookReceiver) =>
        stated(alone(receiver.name).withPermits(1)(deliverTo(receiver)))

      yield* Effect.addFinalizer(() =>
        Effect.forEach([...busy.keys()], (name) => Effect.ignore(places.release(name)), { discard: true })
      )
      // Each receiver has a separate fiber, so that a slow receiver does not delay the others.
      const fibers = yield* FiberMap.make<string>()
      let isDown = false
      const watch = (work: Effect.Effect<void, StateError>) =>
        Effect.matchEffect(work, {
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
      const look = Effect.flatMap(receivers, (list) =>
        Effect.forEach(
          list,
          (receiver) => FiberMap.run(fibers, receiver.name, watch(deliverOne(receiver)), { onlyIfMissing: true }),
          { discard: true }
        )
      )
      yield* watch(look).pipe(Effect.delay("5 seconds"), Effect.forever, Effect.forkScoped)

      return {
        families: Effect.gen(function* () {
          const found = yield* Effect.all([receivers, stated(places.list)]).pipe(
            Effect.timeout("2 seconds"),
            Effect.orElseSucceed(() => [undefined, undefined] as const)
          )
          const [list, shared] = found
          if (list !== undefined) counts.keep(list.map(({ name }) => name))
          return WebhookMetrics.of(counts.all, shared, yield* Clock.currentTimeMillis)
        }),
        deliver: Effect.flatMap(receivers, (list) =>
          Effect.forEach(list, deliverOne, { concurrency: "unbounded", discard: true })
        ),
        states: Effect.gen(function* () {
          const list = yield* receivers
          const { last, places: rows } = yield* stated(places.list)
          return list.flatMap((receiver) => {
            const place = rows.find(({ name }) => name === receiver.name)
            return place === undefined ? [] : [stateOf(receiver, place, last)]
          })
        }),
        create: Effect.fnUntraced(function* ({ events = types, format = "json", name, url }) {
          const secret = WebhookSignature.generate()
          const flaw =
            events.length === 0
              ? { setting: "events", problem: "must name at least one type of events" }
              : problemOf({ name, url, secret })
          if (flaw !== undefined) return yield* new SettingError(flaw)
          if (isConfigured(name)) return yield* taken(name)
          const at = yield* Clock.currentTimeMillis
          yield* Effect.gen(function* () {
            const others = yield* stored.list
            const added = yield* stored.add({ name, url: Redacted.value(url), secret, events, format, at })
            if (!added) return yield* taken(name)
            if (others.length >= MAX_WEBHOOKS) {
              return yield* new WebhookError({ reason: { _tag: "TooMany", limit: MAX_WEBHOOKS } })
            }
            // Removes the data of an earlier receiver with this name.
            yield* places.leave(name)
            yield* tries.forget(name)
            yield* places.enter(name)
          }).pipe(sql.withTransaction, stated)
          return secret
        }),
        remove: Effect.fnUntraced(function* (name) {
          if (isConfigured(name)) return yield* new WebhookError({ reason: { _tag: "Configured", name } })
          yield* Effect.gen(function* () {
            if (!(yield* stored.remove(name))) return yield* absent(name)
            yield* places.leave(name)
            yield* tries.forget(name)
          }).pipe(sql.withTransaction, stated)
        }),
        tries: (name) => Effect.andThen(receiver(name), stated(tries.list(name))),
        attempt: Effect.fnUntraced(function* (name, event) {
          const found = yield* receiver(name)
          const tried = yield* event === undefined
            ? sendTest(found)
            : Effect.flatMap(eventOf(alerts, event), (event) => stated(sendAll(found, event)))
          if (tried.problem === null) yield* stated(places.resume(name))
          return tried
        })
      }
    })
  )

// Private.

/** Maximum number of characters of a URL. */
const MAX_URL = 2048

/** Maximum number of events that are read at a time. */
const PAGE = 50

const stated = <A, E>(work: Effect.Effect<A, E | SqlError>) =>
  Effect.mapError(work, (error): Exclude<E, SqlError> | StateError =>
    isSqlError(error) ? fromSql(error) : (error as Exclude<E, SqlError>)
  )

const absent = (name: string): WebhookError =>
  new WebhookError({ reason: { _tag: "Absent", name: Redaction.id(name) } })

const taken = (name: string): WebhookError => new WebhookError({ reason: { _tag: "Taken", name } })

const eventOf = (alerts: UsageAlerts["Service"], event: number) =>
  Effect.flatMap(alerts.events(event - 1, 1), ([found]) =>
    found?.id === event ? Effect.succeed(found) : Effect.fail(new WebhookError({ reason: { _tag: "NoEvent", event } }))
  )

const stateOf = (
  { events, format, source, url }: WebhookSending.WebhookReceiver,
  place: DeliveryCursors.DeliveryCursor,
  last: number
): WebhookState => {
  const failures = Number(place.failures)
  return {
    name: place.name,
    source,
    host: URL.parse(Redacted.value(url))?.host ?? "",
    events: types.filter((type) => events.has(type)),
    format,
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
 * Returns the problem with a receiver; undefined if there is none. The text has no part of the URL or the secret.
 */
export const problemOf = ({
  name,
  secret,
  url
}: Pick<Webhook, "name" | "url" | "secret">):
  | { readonly setting: "name" | "url" | "secret"; readonly problem: string }
  | undefined => {
  if (!/^[\w.-]{1,64}$/u.test(name)) {
    return { setting: "name", problem: "must be 1 to 64 letters, digits, dots, dashes or underscores" }
  }
  if (textOf(url).length > MAX_URL) return { setting: "url", problem: `must have at most ${MAX_URL} characters` }
  const parsed = URL.parse(textOf(url))
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) {
    return { setting: "url", problem: "must be an http or https URL" }
  }
  if (parsed.username !== "" || parsed.password !== "") {
    return { setting: "url", problem: "must have no user or password" }
  }
  return WebhookSignature.keyOf(Redacted.value(secret)) === undefined
    ? {
        setting: "secret",
        problem: "must be whsec_ and 24 to 64 bytes in Base64, as openssl rand -base64 32 makes them"
      }
    : undefined
}

const check = (
  webhooks: ReadonlyArray<Webhook>
): Result.Result<ReadonlyArray<WebhookSending.WebhookReceiver>, SettingError> => {
  const wrong = (setting: string, problem: string) => Result.fail(new SettingError({ setting, problem }))
  if (webhooks.length > MAX_WEBHOOKS) return wrong("webhooks", `must be at most ${MAX_WEBHOOKS}`)
  const receivers: Array<WebhookSending.WebhookReceiver> = []
  for (const [index, webhook] of webhooks.entries()) {
    const { events = types, format = "json", name, secret, url } = webhook
    const found = problemOf(webhook)
    if (found !== undefined) return wrong(`webhooks[${index}].${found.setting}`, found.problem)
    if (receivers.some((other) => other.name === name)) {
      return wrong(`webhooks[${index}].name`, "must differ from the other names")
    }
    const key = WebhookSignature.keyOf(Redacted.value(secret))!
    receivers.push({
      name,
      url: Redacted.make(textOf(url)),
      key: Redacted.make(key),
      events: new Set(events),
      format,
      source: "configuration"
    })
  }
  return Result.succeed(receivers)
}

const textOf = (text: string | Redacted.Redacted): string => (typeof text === "string" ? text : Redacted.value(text))
