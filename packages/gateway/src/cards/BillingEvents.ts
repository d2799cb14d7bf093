/**
 * The endpoint for the payment provider's events: `POST /billing/events`.
 */
import { Buffer } from "node:buffer"
import type { IncomingMessage, ServerResponse } from "node:http"

import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"

import type { Mount } from "../http/Mount.ts"
import { BillingCards } from "./BillingCards.ts"

/**
 * The path of the endpoint.
 */
export const PATH = "/billing/events"

/**
 * The maximum size of an event in bytes. The events that are read here are far smaller.
 */
export const MAX_BYTES: number = 64 * 1024

/**
 * The endpoint, for `GatewayOptions.mounts`. When the scope ends, the endpoint and its requests under way end too.
 *
 * | answer | when                                                                                                 |
 * | ------ | ---------------------------------------------------------------------------------------------------- |
 * | 200    | the event is processed and on the disk; also for a repeated event, and for one not about cards       |
 * | 400    | not signed by the provider within `BillingCards.TOLERANCE`; or signed, and not of the form of an event |
 * | 404    | another path                                                                                         |
 * | 405    | not a POST                                                                                           |
 * | 413    | more than `MAX_BYTES`                                                                                |
 * | 503    | the store is down: the provider sends the event again                                                |
 *
 * No part of an event or its signature is logged or returned.
 */
export const mount: Effect.Effect<Mount, never, BillingCards | Scope.Scope> = Effect.gen(function* () {
  const cards = yield* BillingCards
  const fork = yield* FiberSet.makeRuntime()
  return {
    path: PATH,
    handle: (request, response) => {
      const refusal = refusalOf(request)
      if (refusal !== undefined) return send(response, refusal)
      read(request, response, (body) => {
        const fiber = fork(answer(cards, body, headerOf(request)))
        fiber.addObserver((exit) => send(response, exit._tag === "Success" ? exit.value : unavailable))
      })
    }
  }
})

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers?: { readonly [name: string]: string }
}

const answer = (
  cards: BillingCards["Service"],
  body: Uint8Array,
  signature: string | undefined
): Effect.Effect<Answer> =>
  cards.receive(body, signature).pipe(
    Effect.as(taken),
    Effect.catchTags({
      BillingCardsError: (error) => Effect.succeed({ status: 400, text: error.message }),
      StateError: (error) => Effect.as(Effect.logError("a billing event cannot be stored", error.message), unavailable)
    }),
    // The defect itself is not logged: it may hold parts of the event.
    Effect.catchDefect(() => Effect.as(Effect.logError("a billing event cannot be handled"), unavailable))
  )

const taken: Answer = { status: 200, text: "ok" }
const tooLarge: Answer = {
  status: 413,
  text: `an event has at most ${MAX_BYTES} bytes`,
  headers: { connection: "close" }
}
const unavailable: Answer = { status: 503, text: "service unavailable", headers: { "retry-after": "1" } }

/** Returns the refusal of a request before its body is read, if one is due. */
const refusalOf = ({ headers, method, url = "" }: IncomingMessage): Answer | undefined => {
  if (url.replace(/[?#].*$/su, "") !== PATH) return { status: 404, text: "not found" }
  if (method !== "POST") return { status: 405, text: "method not allowed", headers: { allow: "POST" } }
  return Number(headers["content-length"] ?? 0) > MAX_BYTES ? tooLarge : undefined
}

/**
 * A header that is sent twice counts as absent: Node joins both by a comma and a blank, and the second would count too.
 */
const headerOf = ({ headersDistinct }: IncomingMessage): string | undefined => {
  const [header, ...others] = headersDistinct["stripe-signature"] ?? []
  return others.length === 0 ? header : undefined
}

/**
 * Passes on the whole body, once. It passes nothing on if the body is too large, or if the caller leaves before its
 * end.
 */
const read = (request: IncomingMessage, response: ServerResponse, onBody: (body: Uint8Array) => void): void => {
  const chunks: Array<Uint8Array> = []
  let held = 0
  const onData = (chunk: Uint8Array): void => {
    held += chunk.length
    chunks.push(chunk)
    if (held <= MAX_BYTES) return
    request.off("data", onData).off("end", onEnd).resume()
    send(response, tooLarge)
  }
  const onEnd = (): void => onBody(Buffer.concat(chunks, held))
  request.on("data", onData).on("end", onEnd)
}

const send = (response: ServerResponse, { headers, status, text }: Answer): void => {
  const body = Buffer.from(`${text}\n`)
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "content-length": body.length,
    ...headers
  })
  response.end(body)
}
