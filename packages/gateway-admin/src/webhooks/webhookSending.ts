/** Sends a message once, as a POST. Only the status of the answer counts. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

import type { UsageEvent } from "../alerts/alertsService.ts"
import type { DeliveryTry } from "./deliveryTries.ts"
import * as WebhookSignature from "./webhookSignature.ts"

/** A receiver, with the key for signatures. */
export interface WebhookReceiver {
  readonly name: string
  readonly url: Redacted.Redacted
  readonly key: Redacted.Redacted<Uint8Array>
  readonly events: ReadonlySet<UsageEvent["type"]>
  /** The form of the messages. */
  readonly format: "json" | "cloudevents"
  /** The origin of the receiver: the configuration, or an operator while the service ran. */
  readonly source: "configuration" | "operator"
}

/** A message to be signed and sent. */
export interface WebhookMessage {
  /** The value of the header `webhook-id`. */
  readonly id: string
  readonly contentType: string
  readonly body: string
}

/** The outcome of a try. It has no part of the URL, and no text of the receiver. */
export type DeliveryOutcome = Pick<DeliveryTry, "at" | "millis" | "status" | "problem">

/** Milliseconds within which a receiver must answer. */
const PATIENCE = 10_000

/** Sends a message, and returns the outcome. */
export const send = (
  receiver: WebhookReceiver,
  { body, contentType, id }: WebhookMessage
): Effect.Effect<DeliveryOutcome> =>
  Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const signed = WebhookSignature.headersOf(Redacted.value(receiver.key), {
      body,
      id,
      seconds: Math.floor(at / 1000)
    })
    const ended = (outcome: Pick<DeliveryOutcome, "status" | "problem">) =>
      Effect.map(Clock.currentTimeMillis, (now): DeliveryOutcome => ({ at, millis: now - at, ...outcome }))
    return yield* Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(Redacted.value(receiver.url), {
          method: "POST",
          headers: { "content-type": contentType, "user-agent": "plumbline", ...signed },
          body,
          // The operator named one address. No other address may get the event.
          redirect: "manual",
          signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)])
        })
        await response.body?.cancel()
        return response.status
      },
      catch: problemOf
    }).pipe(
      Effect.matchEffect({
        onFailure: (problem) => ended({ status: null, problem }),
        onSuccess: (status) =>
          ended({ status, problem: status >= 200 && status < 300 ? null : `it answered with HTTP status ${status}` })
      })
    )
  })

/** Returns the message of an event, in the form of the admin API. */
export const messageOf = ({
  at,
  calls,
  credits,
  day,
  id,
  lie,
  name,
  project,
  threshold,
  type
}: UsageEvent): WebhookMessage => ({
  id: `evt_${id}`,
  contentType: "application/json",
  body: JSON.stringify({
    id,
    name,
    at: new Date(at).toISOString(),
    type,
    project,
    day: new Date(day).toISOString(),
    threshold,
    calls: calls === null ? null : String(calls),
    credits: String(credits),
    ...(lie === null ? {} : { lie })
  })
})

/** Returns a test message. It shows only that the receiver can be reached. */
export const testOf = (id: string, at: number): WebhookMessage => ({
  id: `test_${id}`,
  contentType: "application/json",
  body: JSON.stringify({ name: `webhook.test:${id}`, at: new Date(at).toISOString(), type: "webhook.test" })
})

const problemOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "it cannot be reached"
  if (error.name === "TimeoutError") return `it did not answer within ${PATIENCE / 1000} seconds`
  const code = error.cause instanceof Error && "code" in error.cause ? String(error.cause.code) : ""
  return /^[A-Z][A-Z0-9_]{1,63}$/u.test(code) ? `it cannot be reached (${code})` : "it cannot be reached"
}
