/** One try to deliver an event: a POST whose answer counts by its status alone. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

import type { Event } from "../alerts/service.ts"
import * as Signature from "./signature.ts"

/** A receiver, with its key. */
export interface Receiver {
  readonly name: string
  readonly url: Redacted.Redacted
  readonly key: Redacted.Redacted<Uint8Array>
  readonly events: ReadonlySet<Event["type"]>
}

/** Milliseconds within which a receiver must answer. */
const PATIENCE = 10_000

/** Sends an event. Fails with the problem, which holds no part of the URL and no text of the receiver. */
export const send = (receiver: Receiver, event: Event): Effect.Effect<void, string> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const body = bodyOf(event)
    const id = `evt_${event.id}`
    const signed = Signature.headersOf(Redacted.value(receiver.key), { body, id, seconds: Math.floor(now / 1000) })
    return Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(Redacted.value(receiver.url), {
          method: "POST",
          headers: { "content-type": "application/json", "user-agent": "plumbline", ...signed },
          body,
          // the operator named one address, and no other may get the event
          redirect: "manual",
          signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)])
        })
        await response.body?.cancel()
        return response.status
      },
      catch: problemOf
    }).pipe(
      Effect.flatMap((status) =>
        status >= 200 && status < 300 ? Effect.void : Effect.fail(`it answered with HTTP status ${status}`)
      )
    )
  })

/** The event as the admin API writes it. */
const bodyOf = ({ at, calls, credits, day, id, name, project, threshold, type }: Event): string =>
  JSON.stringify({
    id,
    name,
    at: new Date(at).toISOString(),
    type,
    project,
    day: new Date(day).toISOString(),
    threshold,
    calls: calls === null ? null : String(calls),
    credits: String(credits)
  })

const problemOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "it cannot be reached"
  if (error.name === "TimeoutError") return `it did not answer within ${PATIENCE / 1000} seconds`
  const code = error.cause instanceof Error && "code" in error.cause ? String(error.cause.code) : ""
  return /^[A-Z][A-Z0-9_]{1,63}$/u.test(code) ? `it cannot be reached (${code})` : "it cannot be reached"
}
