/** Reads the body of a request to the admin API from Node's server, and writes the answer. */
import { Buffer } from "node:buffer"
import type { IncomingMessage, ServerResponse } from "node:http"

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

import * as AdminError from "./AdminError.ts"

/** Maximum size of a body, in bytes. */
export const MAX_BODY = 64 * 1024

/** Makes the headers that set and remove the session's cookie for the current request. */
interface CookieHeaders {
  /** Returns the header that sets the cookie to a secret, for a number of seconds. */
  readonly set: (secret: string, seconds: number) => string
  /** The header that removes the cookie. */
  readonly clear: string
}

export const CookieHeaders: Context.Reference<CookieHeaders> = Context.Reference(
  "@plumbline/gateway-admin/AdminCookieHeaders",
  { defaultValue: (): CookieHeaders => ({ set: () => "", clear: "" }) }
)

/** A complete answer. */
export interface AdminAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly body: Uint8Array | string
}

/**
 * Reads the whole body. If the body is too large, it is not read further, and the connection is closed after the
 * answer. If the caller disconnects before the end of the body, the request is interrupted.
 */
export const readBody = (
  request: IncomingMessage
): Effect.Effect<Uint8Array, AdminError.TooLarge | AdminError.TooSlow> =>
  Effect.callback<Uint8Array, AdminError.TooLarge>((resume) => {
    if (Number(request.headers["content-length"] ?? 0) > MAX_BODY) return resume(Effect.fail(tooLarge))
    const chunks: Array<Uint8Array> = []
    let size = 0
    const onData = (chunk: Uint8Array) => {
      size += chunk.length
      if (size > MAX_BODY) {
        stop()
        return resume(Effect.fail(tooLarge))
      }
      chunks.push(chunk)
    }
    const onEnd = () => {
      stop()
      resume(Effect.succeed(Buffer.concat(chunks)))
    }
    const onGone = () => {
      stop()
      resume(Effect.interrupt)
    }
    const stop = () => {
      request.off("data", onData).off("end", onEnd).off("close", onGone).off("error", onGone)
      request.pause()
      // An error event without a listener would end the process.
      request.on("error", () => undefined)
    }
    request.on("data", onData).on("end", onEnd).on("close", onGone).on("error", onGone)
    return Effect.sync(stop)
  }).pipe(
    Effect.timeoutOrElse({
      duration: "10 seconds",
      orElse: () => Effect.fail(new AdminError.TooSlow({ message: "the body did not come within 10 seconds" }))
    })
  )

const tooLarge = new AdminError.TooLarge({ message: `a body has at most ${MAX_BODY} bytes`, limit: MAX_BODY })

/**
 * Sends an answer unless the caller has disconnected. An answer to the head alone waits for what came with the head: a
 * connection that is closed in the middle of a request can lose the answer, and costs the next request a new one.
 */
export const send = (
  request: IncomingMessage,
  response: ServerResponse,
  answer: AdminAnswer,
  more: Readonly<Record<string, string>>
): void => {
  if (request.complete) write(request, response, answer, more)
  else process.nextTick(write, request, response, answer, more)
}

const write = (
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers, status }: AdminAnswer,
  more: Readonly<Record<string, string>>
): void => {
  if (response.destroyed || response.headersSent) return
  response.setTimeout(READ_TIMEOUT, () => response.destroy())
  const bytes = Buffer.from(body)
  const unread = !request.complete
  response.writeHead(status, {
    ...ALWAYS,
    ...more,
    ...headers,
    ...(unread ? { connection: "close" } : {}),
    // An answer with status 204 has no Content-Length.
    ...(status === 204 ? {} : { "content-length": String(bytes.length) })
  })
  if (!unread) return void response.end(bytes)
  // Closing a connection while the caller still sends would reset it, and the answer could be lost. So the rest of the
  // body is read and dropped, for at most `LINGER` milliseconds.
  response.write(bytes)
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, LINGER)
  request.once("end", end).once("close", end)
  request.resume()
}

/** Milliseconds without progress after which a caller that reads its answer too slowly is disconnected. */
const READ_TIMEOUT = 30_000

/** Maximum time of reading the rest of a refused body, in milliseconds. */
const LINGER = 1000

const ALWAYS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}

export const JSON_TYPE = "application/json"

/** Returns the answer for an error. */
export const refuse = (error: AdminRefusal, headers: Readonly<Record<string, string>> = {}): AdminAnswer => {
  const [status, encode] = FORMS[error._tag]
  return {
    status,
    headers: { "content-type": JSON_TYPE, ...headers },
    body: JSON.stringify(encode(error))
  }
}

export const noPath = new AdminError.NotFound({ kind: "path", id: null, message: "there is nothing at this path" })

/** Errors that do not belong to a single endpoint. */
export type AdminRefusal =
  | AdminError.BadRequest
  | AdminError.Failed
  | AdminError.Forbidden
  | AdminError.MethodNotAllowed
  | AdminError.NotFound
  | AdminError.TooLarge
  | AdminError.TooManyAttempts
  | AdminError.TooSlow
  | AdminError.Unauthorized
  | AdminError.Unavailable
  | AdminError.UnsupportedMediaType

const form = <S extends Schema.Encoder<unknown>>(status: number, schema: S) =>
  [status, Schema.encodeUnknownSync(schema)] as const

const FORMS: { readonly [Tag in AdminRefusal["_tag"]]: readonly [number, (error: unknown) => unknown] } = {
  BadRequest: form(400, AdminError.BadRequest),
  Unauthorized: form(401, AdminError.Unauthorized),
  Forbidden: form(403, AdminError.Forbidden),
  NotFound: form(404, AdminError.NotFound),
  MethodNotAllowed: form(405, AdminError.MethodNotAllowed),
  TooSlow: form(408, AdminError.TooSlow),
  TooLarge: form(413, AdminError.TooLarge),
  UnsupportedMediaType: form(415, AdminError.UnsupportedMediaType),
  TooManyAttempts: form(429, AdminError.TooManyAttempts),
  Failed: form(500, AdminError.Failed),
  Unavailable: form(503, AdminError.Unavailable)
}
