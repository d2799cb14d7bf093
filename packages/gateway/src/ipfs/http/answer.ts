/**
 * Sends an answer in two steps. First it sends all except the end of the answer. It sends the end after the command is
 * recorded. So a client never gets the whole answer to a command that is not recorded.
 */
import { Buffer } from "node:buffer"

import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Turns from "@plumbline/ipfs-client/work/Turns"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import type { Budget } from "../../http/budget.ts"
import { type HttpExchange, JSON_TYPE } from "../../http/exchange.ts"
import * as Refusal from "../../http/Refusal.ts"
import * as AnswerText from "./answerText.ts"
import type * as Call from "./call.ts"
import * as Go from "./goForms.ts"
import type { Answer, Fault } from "./handler.ts"

/** The part of an answer that is not sent yet. `status` is the status that is recorded. */
export type Ending =
  | {
      readonly _tag: "Whole"
      readonly status: 200
      readonly headers: ReadonlyArray<string>
      /** The body; undefined if it was sent as a stream. */
      readonly body: Uint8Array | undefined
    }
  | { readonly _tag: "Refused"; readonly status: number; readonly refusal: Refusal.Refusal }
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

export const refused = (refusal: Refusal.Refusal): Ending => ({ _tag: "Refused", status: refusal.status, refusal })

/** Returns an error in Kubo's form. `status` is recorded (default: `httpStatus`). */
export const failed = (
  httpStatus: number,
  code: number,
  message: string,
  { headers = [], status = httpStatus }: { readonly headers?: ReadonlyArray<string>; readonly status?: number } = {}
): Ending => {
  const body = Buffer.from(`${Go.toJson({ Message: message, Code: code, Type: "error" })}\n`)
  return { _tag: "Failed", status, httpStatus, headers, body, message }
}

/** Returns the number of bytes that the answer's body has after the rest is sent. */
export const bytesOf = (exchange: HttpExchange, ending: Ending): number => {
  if (exchange.request.method === "HEAD") return exchange.bytesOut
  switch (ending._tag) {
    case "Whole":
      return exchange.bytesOut + (ending.body?.length ?? 0)
    case "Refused":
      return exchange.isSent ? exchange.bytesOut : Refusal.body(ending.refusal).length
    case "Failed":
      return exchange.isSent ? exchange.bytesOut : ending.body.length
    case "Left":
      return exchange.bytesOut
  }
}

/** Sends the rest of an answer. */
export const end = (exchange: HttpExchange, ending: Ending): void => {
  switch (ending._tag) {
    case "Whole":
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
 * Sends an answer except its end. The head is sent with the first byte of the body, so that an earlier error can still
 * set the status.
 *
 * The answer takes the bytes of its largest piece from the memory budget of all requests, until the exchange ends: a
 * caller that reads nothing keeps a piece in memory, and a piece can be the text of a block, six times as large as the
 * block. Without free memory the answer is refused or broken off.
 */
export const send = (
  exchange: HttpExchange,
  { command, name }: Call.Call,
  answer: Answer,
  budget: Budget
): Effect.Effect<Ending, Fault> => {
  switch (answer._tag) {
    case "Value":
      return Effect.flatMap(
        Turns.run(() => AnswerText.write(answer.value, (value) => textOf(name, value))),
        (text) => {
          const body = Buffer.from(`${text}\n`)
          return budget.raise(exchange, body.length)
            ? Effect.succeed(whole(JSON_TYPE, body))
            : Effect.fail(Refusal.busy)
        }
      )
    case "Lines": {
      const lines = Stream.map(answer.values, (value) => line(name, value))
      return stream(exchange, [...JSON_TYPE, "x-chunked-output", "1"], lines, budget)
    }
    case "Bytes": {
      const { length } = answer
      const type = answer.contentType ?? (command.answer.kind === "bytes" ? command.answer.contentType : "text/plain")
      const headers = ["content-type", type, "x-content-type-options", "nosniff", "x-stream-output", "1"]
      if (length !== undefined) headers.push("x-content-length", String(length))
      return stream(exchange, headers, answer.bytes, budget)
    }
  }
}

/** Sends a stream, but not the last chunk of HTTP, which ends the answer. */
const stream = (
  exchange: HttpExchange,
  headers: ReadonlyArray<string>,
  bytes: Stream.Stream<Uint8Array, Fault>,
  budget: Budget
): Effect.Effect<Ending, Fault> => {
  const write = (pieces: ReadonlyArray<Uint8Array>) =>
    Effect.suspend(() => {
      const piece = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
      if (!budget.raise(exchange, piece.length)) return Effect.fail(Refusal.busy)
      if (!exchange.isSent) begin(exchange, headers)
      return piece.length === 0 || exchange.write(piece) ? Effect.void : drained(exchange)
    })
  return Effect.as(Stream.runForEachArray(bytes, write), whole(headers))
}

const whole = (headers: ReadonlyArray<string>, body?: Uint8Array): Ending => ({
  _tag: "Whole",
  status: 200,
  headers,
  body
})

const line = (name: IpfsApi.Name, value: unknown): Uint8Array => Buffer.from(`${textOf(name, value)}\n`)

const textOf = (name: IpfsApi.Name, value: unknown): string => Go.toJson(encoders.get(name)!(value))

const begin = (exchange: HttpExchange, headers: ReadonlyArray<string>): void => {
  // Only a chunked answer can have a trailer, and HTTP/1.0 has no chunks.
  const trailer = exchange.response.useChunkedEncodingByDefault ? ["trailer", "X-Stream-Error"] : []
  exchange.begin(200, [...headers, ...exchange.common, ...trailer])
}

const drained = (exchange: HttpExchange): Effect.Effect<void> =>
  Effect.callback<void>((resume) => exchange.onDrain(() => resume(Effect.void)))

/** The functions that encode the values of answers, by command. */
const encoders: ReadonlyMap<string, (value: unknown) => unknown> = new Map(
  Object.entries(IpfsApi.commands).flatMap(([name, { answer }]) =>
    answer.kind === "bytes" ? [] : [[name, Schema.encodeUnknownSync<any>(answer.schema)]]
  )
)
