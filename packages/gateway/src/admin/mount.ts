/** Admin requests from the listener: checks the token, reads the body and sends the answer. */
import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"

import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"

import type { Mount } from "../http/Mount.ts"
import * as AdminError from "./AdminError.ts"
import type { AdminToken } from "./AdminToken.ts"
import type { App } from "./app.ts"
import { type Answer, JSON_TYPE, noPath, readBody, type Refusal, refuse, send } from "./exchange.ts"
import * as Page from "./page.ts"
import { AdminTokens } from "./tokens.ts"

export const make = Effect.fnUntraced(function* (options: {
  readonly app: App
  readonly tokens: ReadonlyArray<AdminToken>
  readonly allowedOrigins: ReadonlyArray<string>
  readonly clock: Clock.Clock
}): Effect.fn.Return<Mount["handle"], never, Scope.Scope> {
  const { allowedOrigins, app, clock } = options
  const tokens = new AdminTokens(options.tokens)
  const run = yield* FiberSet.makeRuntime()
  let underWay = 0

  const crossOrigin = ({ headers: { origin } }: IncomingMessage): Readonly<Record<string, string>> =>
    allowedOrigins.length === 0
      ? {}
      : origin !== undefined && allowedOrigins.includes(origin)
        ? { ...CORS, "access-control-allow-origin": origin }
        : { vary: "origin" }

  /** Returns the label of the caller's token, or the answer that refuses the caller. */
  const letIn = (request: IncomingMessage, caller: string): Answer | { readonly label: string } => {
    // A monotonic clock: if the time went back, an address would be blocked for that much longer.
    const now = Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
    const verdict = tokens.check(request.headers.authorization, caller, now)
    switch (verdict._tag) {
      case "Accepted":
        return { label: verdict.label }
      case "Missing":
        return refuse(new AdminError.Unauthorized({ message: "an admin token is needed" }), CHALLENGE)
      case "Wrong":
        run(Effect.annotateLogs(Effect.logWarning("wrong admin token"), { address: caller }))
        return refuse(new AdminError.Unauthorized({ message: "this is no admin token" }), CHALLENGE)
      case "TooMany": {
        const { retryAfter } = verdict
        return refuse(
          new AdminError.TooManyAttempts({ message: "too many wrong tokens from this address", retryAfter }),
          { "retry-after": String(retryAfter) }
        )
      }
    }
  }

  return (request, response, caller) => {
    const more = crossOrigin(request)
    const answer = (given: Answer) => send(request, response, given, more)
    const path = pathOf(request.url ?? "")

    const published = Page.published(path)
    if (published !== undefined) {
      return answer(request.method === "GET" ? published : notAllowed("GET"))
    }
    if (request.method === "OPTIONS" && more["access-control-allow-origin"] !== undefined) return answer(PREFLIGHT)
    const admitted = letIn(request, caller)
    if (!("label" in admitted)) return answer(admitted)
    if (!METHODS.includes(request.method ?? "")) return answer(notAllowed(METHODS.join(", ")))
    if (underWay >= MAX_UNDER_WAY) return answer(busy)

    underWay++
    const fiber = run(
      Effect.flatMap(webRequest(request), (asked) => app(asked, admitted.label)).pipe(
        Effect.catch((error) => Effect.succeed(refuse(error)))
      )
    )
    // The caller has left.
    response.once("close", () => fiber.interruptUnsafe())
    fiber.addObserver((exit) => {
      underWay--
      answer(Exit.isSuccess(exit) ? exit.value : ending)
    })
  }
})

const pathOf = (url: string): string => url.replace(/[?#].*$/su, "")

/**
 * True if a path has its plain spelling. A proxy may have rules for `/admin/v1`, and may compare the raw path. So every
 * path that reaches an endpoint begins with the same text for the proxy too.
 */
const isPlain = (url: string): boolean => {
  const path = pathOf(url)
  return path.startsWith("/admin/v1/") && !path.includes("//") && new URL(ORIGIN + path).pathname === path
}

const ORIGIN = "http://admin.invalid"

/** Maximum number of requests under way. */
const MAX_UNDER_WAY = 64

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]

const CHALLENGE = { "www-authenticate": 'Bearer realm="plumbline admin"' }

const CORS = {
  vary: "origin",
  "access-control-expose-headers": "retry-after"
}

const PREFLIGHT: Answer = {
  status: 204,
  headers: {
    "access-control-allow-methods": METHODS.join(", "),
    "access-control-allow-headers": "authorization, content-type, idempotency-key",
    "access-control-max-age": "600"
  },
  body: ""
}

const notAllowed = (allow: string): Answer =>
  refuse(new AdminError.MethodNotAllowed({ message: `this path has ${allow}` }), { allow })

const busy = refuse(new AdminError.Unavailable({ message: "too many requests at a time" }), { "retry-after": "1" })

const ending = refuse(new AdminError.Unavailable({ message: "the service ends" }))

/** Returns a web request with the whole body, and only the headers that the API reads. */
const webRequest = Effect.fnUntraced(function* (request: IncomingMessage): Effect.fn.Return<Request, Refusal> {
  const { headers, method = "GET", url = "/" } = request
  if (!isPlain(url)) return yield* noPath
  const body = yield* readBody(request)
  if (body.length > 0 && !/^application\/json\s*(?:;|$)/iu.test(headers["content-type"] ?? "")) {
    return yield* new AdminError.UnsupportedMediaType({ message: `a body must be ${JSON_TYPE}` })
  }
  // Other bytes would be decoded to replacement characters instead of the intended text.
  if (!isUtf8(body)) return yield* new AdminError.BadRequest({ at: "payload", message: "must be UTF-8" })
  const kept = Object.entries({
    "content-type": body.length > 0 ? JSON_TYPE : undefined,
    "idempotency-key": headers["idempotency-key"]
  }).filter((header): header is [string, string] => typeof header[1] === "string")
  return new Request(ORIGIN + url, {
    method,
    headers: kept,
    ...(method === "GET" ? {} : { body: Uint8Array.from(body) })
  })
})
