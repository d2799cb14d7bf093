/**
 * The ends of answers. An answer is sent except its end, then the request is recorded, and then the end is sent. So a
 * client never gets the whole answer to a request that is not recorded.
 */
import { Buffer } from "node:buffer"

import * as Redaction from "@plumbline/gateway/errors/Redaction"
import {
  type HttpExchange,
  JSON_TYPE,
  LEFT,
  type MemoryBudget,
  type SpawnFiber
} from "@plumbline/gateway/GatewayInternals"
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

/** The part of an answer that is not sent yet. `status` is the status that is recorded. */
export type Ending =
  | {
      readonly _tag: "Whole"
      readonly status: 200 | 206 | 304
      readonly headers: ReadonlyArray<string>
      /** The body, which is sent with its length; undefined if the answer has none. */
      readonly body: Uint8Array | undefined
    }
  | {
      readonly _tag: "Streamed"
      readonly status: 200
      readonly headers: ReadonlyArray<string>
      /** The last bytes of the body; undefined if all were sent. */
      readonly body: Uint8Array | undefined
    }
  | { readonly _tag: "Refused"; readonly status: number; readonly refusal: HttpRefusal.HttpRefusal }
  /** An error in Kubo's form. */
  | {
      readonly _tag: "Failed"
      readonly status: number
      readonly httpStatus: number
      readonly headers: ReadonlyArray<string>
      readonly body: Uint8Array
      readonly message: string
    }
  /** The caller has disconnected. */
  | { readonly _tag: "Left"; readonly status: number }

export const whole = (status: 200 | 206 | 304, headers: ReadonlyArray<string>, body?: Uint8Array): Ending => ({
  _tag: "Whole",
  status,
  headers,
  body
})

export const streamed = (headers: ReadonlyArray<string>, body?: Uint8Array): Ending => ({
  _tag: "Streamed",
  status: 200,
  headers,
  body
})

export const refused = (refusal: HttpRefusal.HttpRefusal): Ending => ({
  _tag: "Refused",
  status: refusal.status,
  refusal
})

/** Returns the end that fits the exit of the work on an answer. `died` is logged if the work had a defect. */
export const of = <E>(
  exchange: HttpExchange,
  exit: Exit.Exit<Ending, E>,
  { died, fork, ofFault }: { readonly died: string; readonly fork: SpawnFiber; readonly ofFault: (fault: E) => Ending }
): Ending => {
  if (exchange.response.destroyed) return { _tag: "Left", status: LEFT }
  if (exit._tag === "Success") return exit.value
  const error = Cause.findError(exit.cause)
  if (Result.isSuccess(error)) return ofFault(error.success)
  if (Cause.hasInterruptsOnly(exit.cause)) {
    return exchange.interrupted() === LEFT ? { _tag: "Left", status: LEFT } : refused(HttpRefusal.unavailable)
  }
  fork(Effect.logError(died, Redaction.text(Cause.pretty(exit.cause))))
  return refused(HttpRefusal.failed)
}

/**
 * Runs the work of an exchange, which records and ends its answer itself unless it dies. The work is uninterruptible,
 * except where it says otherwise, so that an abandoned request is still recorded.
 */
export const run = (exchange: HttpExchange, work: Effect.Effect<void>, died: string, fork: SpawnFiber): void => {
  exchange.isAccountedFor = true
  const fiber = fork(Effect.uninterruptible(work))
  exchange.work = fiber
  fiber.addObserver((exit) => {
    exchange.work = undefined
    if (exit._tag === "Success" || Cause.hasInterruptsOnly(exit.cause)) return
    fork(Effect.logError(died, Redaction.text(Cause.pretty(exit.cause))))
    end(exchange, refused(HttpRefusal.failed))
  })
}

/** Returns the number of bytes that the answer's body has after the rest is sent. */
export const bytesOf = (exchange: HttpExchange, ending: Ending): number => {
  if (exchange.request.method === "HEAD" || ending._tag === "Left") return exchange.bytesOut
  if (ending._tag === "Streamed") return exchange.bytesOut + (ending.body?.length ?? 0)
  if (exchange.isSent) return exchange.bytesOut
  return ending._tag === "Refused" ? HttpRefusal.body(ending.refusal).length : (ending.body?.length ?? 0)
}

/** Sends the rest of an answer. */
export const end = (exchange: HttpExchange, ending: Ending): void => {
  switch (ending._tag) {
    case "Whole": {
      const { body, headers, status } = ending
      if (body === undefined) return exchange.empty(status, headers)
      exchange.begin(status, [...headers, "content-length", String(body.length)])
      exchange.write(body)
      return exchange.finish()
    }
    case "Streamed":
      if (!exchange.isSent) begin(exchange, ending.headers)
      if (ending.body !== undefined) exchange.write(ending.body)
      return exchange.finish()
    case "Refused":
      return exchange.isSent ? exchange.breakOff(ending.refusal.text) : exchange.refuse(ending.refusal)
    case "Failed":
      return exchange.isSent
        ? exchange.breakOff(ending.message)
        : exchange.send(ending.httpStatus, JSON_TYPE, ending.headers, ending.body)
    case "Left":
      return
  }
}

/**
 * Sends a stream, but not the last chunk of HTTP, which ends the answer. The head is sent with the first byte of the
 * body, so that an earlier error can still set the status.
 *
 * The answer takes the bytes of its largest piece from the memory budget of all requests, until the exchange ends: a
 * caller that reads nothing keeps a piece in memory, and a piece can be the text of a block, six times as large as the
 * block. Without free memory the answer is refused or broken off.
 */
export const stream = <E, R>(
  exchange: HttpExchange,
  headers: ReadonlyArray<string>,
  bytes: Stream.Stream<Uint8Array, E, R>,
  budget: MemoryBudget
): Effect.Effect<Ending, E | HttpRefusal.HttpRefusal, R> => {
  const write = (pieces: ReadonlyArray<Uint8Array>) =>
    Effect.suspend(() => {
      const piece = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
      if (!budget.raise(exchange, piece.length)) return Effect.fail(HttpRefusal.busy)
      if (!exchange.isSent) begin(exchange, headers)
      return piece.length === 0 || exchange.write(piece) ? Effect.void : drained(exchange)
    })
  return Effect.as(Stream.runForEachArray(bytes, write), streamed(headers))
}

const begin = (exchange: HttpExchange, headers: ReadonlyArray<string>): void => {
  // Only a chunked answer can have a trailer, and HTTP/1.0 has no chunks.
  const trailer = exchange.response.useChunkedEncodingByDefault ? ["trailer", "X-Stream-Error"] : []
  exchange.begin(200, [...headers, ...trailer])
}

const drained = (exchange: HttpExchange): Effect.Effect<void> =>
  Effect.callback<void>((resume) => exchange.onDrain(() => resume(Effect.void)))
