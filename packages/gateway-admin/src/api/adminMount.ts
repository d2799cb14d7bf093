/** Handles the admin requests of the listener: admits the caller, reads the body and sends the answer. */
import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"

import { Exits } from "@plumbline/gateway/GatewayInternals"
import type { Mount } from "@plumbline/gateway/http/Mount"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

import type { AdminAuthentication } from "./adminAuthentication.ts"
import * as AdminError from "./AdminError.ts"
import {
  type AdminAnswer,
  CookieHeaders,
  JSON_TYPE,
  noPath,
  readBody,
  type AdminRefusal,
  refuse,
  send
} from "./adminExchange.ts"
import type { AdminApp } from "./app.ts"
import * as Cookies from "./cookies.ts"
import type { OpenIdSignIn } from "./openIdSignIn.ts"
import * as PublicPages from "./publicPages.ts"

export const make = Effect.fnUntraced(function* (options: {
  readonly app: AdminApp
  /** Makes the `AdminAuthentication`, which admits callers. It uses `run` to write logs in the background. */
  readonly entryOf: (run: (effect: Effect.Effect<void>) => void) => AdminAuthentication
  readonly allowedOrigins: ReadonlyArray<string>
  /** The sign-in at an identity provider; undefined without one. */
  readonly signIn: OpenIdSignIn | undefined
}): Effect.fn.Return<Mount["handle"], never, Scope.Scope> {
  const { allowedOrigins, app, entryOf, signIn } = options
  const run = yield* FiberSet.makeRuntime()
  const entry = entryOf((effect) => void run(effect))
  let underWay = 0
  let signingIn = 0

  const crossOrigin = ({ headers: { origin } }: IncomingMessage): Readonly<Record<string, string>> =>
    allowedOrigins.length === 0
      ? {}
      : origin !== undefined && allowedOrigins.includes(origin)
        ? { ...CORS, "access-control-allow-origin": origin }
        : { vary: "origin" }

  return (request, response, caller) => {
    const more = crossOrigin(request)
    const answer = (given: AdminAnswer) => send(request, response, given, more)
    const path = pathOf(request.url ?? "")

    const published = PublicPages.published(path)
    if (published !== undefined) {
      return answer(request.method === "GET" ? published : notAllowed("GET"))
    }
    if (request.method === "OPTIONS" && more["access-control-allow-origin"] !== undefined) return answer(PREFLIGHT)
    const signing = signIn?.(request, caller)
    const admitted = signing === undefined ? entry.admit(request, caller) : undefined
    const known = admitted && Exits.exitOf(admitted)
    if (known?._tag === "Failure") return answer(Option.getOrElse(Cause.findErrorOption(known.cause), () => ending))
    if (!METHODS.includes(request.method ?? "")) return answer(notAllowed(METHODS.join(", ")))
    const isFull = signing === undefined ? underWay >= MAX_UNDER_WAY : signingIn >= MAX_SIGNING_IN
    if (isFull) return answer(busy)

    const count = (by: 1 | -1): void => {
      if (signing === undefined) underWay += by
      else signingIn += by
    }
    count(1)
    const fiber = run(
      admitted === undefined
        ? signing!
        : Effect.matchEffect(admitted, {
            onFailure: Effect.succeed,
            onSuccess: (identity) =>
              Effect.flatMap(webRequest(request), (asked) => app(asked, identity, caller)).pipe(
                Effect.provideService(CookieHeaders, {
                  set: (secret, seconds) => Cookies.set(request, secret, seconds),
                  clear: Cookies.clear(request)
                }),
                Effect.catch((error) => Effect.succeed(refuse(error)))
              )
          })
    )
    // If the caller disconnects, the request is interrupted.
    response.once("close", () => fiber.interruptUnsafe())
    fiber.addObserver((exit) => {
      count(-1)
      answer(Exit.isSuccess(exit) ? exit.value : ending)
    })
  }
})

const pathOf = (url: string): string => url.replace(/[?#].*$/su, "")

/**
 * True if a path begins with `/admin/v1/` and is already normalized. A proxy in front may have rules for `/admin/v1`
 * that compare the raw path. Because other spellings are refused, no request gets around such a rule.
 */
const isPlain = (url: string): boolean => {
  const path = pathOf(url)
  return path.startsWith("/admin/v1/") && !path.includes("//") && new URL(ORIGIN + path).pathname === path
}

const ORIGIN = "http://admin.invalid"

/** Maximum number of requests that are handled at a time. */
const MAX_UNDER_WAY = 64

/**
 * Maximum number of sign-ins that are handled at a time. Anybody can begin one, and it can wait for the provider, so
 * they take no place of the API's requests.
 */
const MAX_SIGNING_IN = 16

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]

const CORS = {
  vary: "origin",
  "access-control-expose-headers": "retry-after"
}

const PREFLIGHT: AdminAnswer = {
  status: 204,
  headers: {
    "access-control-allow-methods": METHODS.join(", "),
    "access-control-allow-headers": "authorization, content-type, idempotency-key",
    "access-control-max-age": "600"
  },
  body: ""
}

const notAllowed = (allow: string): AdminAnswer =>
  refuse(new AdminError.MethodNotAllowed({ message: `this path has ${allow}` }), { allow })

const busy = refuse(new AdminError.Unavailable({ message: "too many requests at a time" }), { "retry-after": "1" })

const ending = refuse(new AdminError.Unavailable({ message: "the service ends" }))

/** Returns a web `Request` with the whole body, and with only the headers that the API reads. */
const webRequest = Effect.fnUntraced(function* (request: IncomingMessage): Effect.fn.Return<Request, AdminRefusal> {
  const { headers, method = "GET", url = "/" } = request
  if (!isPlain(url)) return yield* noPath
  const body = yield* readBody(request)
  if (body.length > 0 && !/^application\/json\s*(?:;|$)/iu.test(headers["content-type"] ?? "")) {
    return yield* new AdminError.UnsupportedMediaType({ message: `a body must be ${JSON_TYPE}` })
  }
  // The decoder would silently change invalid UTF-8 to replacement characters.
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
