/**
 * The endpoint for the payment provider's events: `POST /billing/events`.
 */
import { Buffer } from "node:buffer"
import type { IncomingMessage, ServerResponse } from "node:http"

import type { Mount } from "@plumbline/gateway/http/Mount"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"

import { BillingCards } from "./BillingCards.ts"

/**
 * The path of the endpoint.
 */
export const PATH = "/billing/events"

/**
 * Maximum size of an event, in bytes. Events about cards are far smaller.
 */
export const MAX_BYTES: number = 64 * 1024

/**
 * The endpoint, to pass in `GatewayOptions.mounts`. When the scope ends, requests under way are interrupted.
 *
 * | answer | when                                                                                                 |
 * | ------ | ---------------------------------------------------------------------------------------------------- |
 * | 200    | the event is stored; or it is a repetition, or not about cards                                       |
 * | 400    | the event has no valid signature within `BillingCards.TOLERANCE`, or not the form of an event        |
 * | 404    | the path is another one                                                                              |
 * | 405    | the method is not POST                                                                               |
 * | 413    | the event has more than `MAX_BYTES`                                                                  |
 * | 503    | the store is down; the provider sends the event again later                                          |
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
    // The defect itself is not logged, because it may contain parts of the event.
    Effect.catchDefect(() => Effect.as(Effect.logError("a billing event cannot be handled"), unavailable))
  )

const taken: Answer = { status: 200, text: "ok" }
const tooLarge: Answer = {
  status: 413,
  text: `an event has at most ${MAX_BYTES} bytes`,
  headers: { connection: "close" }
}
const unavailable: Answer = { status: 503, text: "service unavailable", headers: { "retry-after": "1" } }

/** Returns the refusal of a request if its head requires one; undefined if the body must be read. */
const refusalOf = ({ headers, method, url = "" }: IncomingMessage): Answer | undefined => {
  if (url.replace(/[?#].*$/su, "") !== PATH) return { status: 404, text: "not found" }
  if (method !== "POST") return { status: 405, text: "method not allowed", headers: { allow: "POST" } }
  return Number(headers["content-length"] ?? 0) > MAX_BYTES ? tooLarge : undefined
}

/**
 * Returns the signature header; undefined if it is sent twice. Node would join two headers with a comma, and signatures
 * of both would count.
 */
const headerOf = ({ headersDistinct }: IncomingMessage): string | undefined => {
  const [header, ...others] = headersDistinct["stripe-signature"] ?? []
  return others.length === 0 ? header : undefined
}

/**
 * Reads the body, and calls `onBody` once with all of it. `onBody` is not called if the body is too large, or if the
 * caller disconnects before the end of the body.
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
