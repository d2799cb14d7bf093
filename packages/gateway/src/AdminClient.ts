/**
 * The typed client of the admin API, for programs, the command line and pages in a browser.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

import * as AdminApi from "./AdminApi.ts"
import { type BadRequest, NoAnswer } from "./AdminError.ts"
import { badRequest } from "./internal/adminFlaw.ts"

/**
 * A method of the client: the parts of a request, to what it is answered with.
 *
 * It fails with the errors of its endpoint, and with `NoAnswer`. What cannot be sent because it makes no sense is a
 * `BadRequest` too, and is not sent.
 *
 * @since 0.1.0
 */
export type Method<E extends HttpApiEndpoint.ConstraintRequest> = (
  request: HttpApiEndpoint.ClientRequest<E["~Params"], E["~Query"], E["~Payload"], E["~Headers"], "decoded-only">
) => Effect.Effect<
  E["~Success"]["Type"],
  BadRequest | E["~Error"]["Type"] | HttpApiMiddleware.Error<E["~Middleware"]> | NoAnswer
>

type Groups = (typeof AdminApi.Api)["groups"]

/**
 * The client: its groups, such as `projects`, and their methods, such as `create`.
 *
 * @since 0.1.0
 */
export type AdminClient = {
  readonly [G in keyof Groups]: {
    readonly [M in keyof Groups[G]["endpoints"]]: Groups[G]["endpoints"][M] extends HttpApiEndpoint.ConstraintRequest
      ? Method<Groups[G]["endpoints"][M]>
      : never
  }
}

/**
 * How the client asks.
 *
 * @since 0.1.0
 */
export interface Options {
  /** The service: `http://127.0.0.1:8545`. */
  readonly url: string
  readonly token: Redacted.Redacted
  /** How long an answer may take: 40 seconds, which is longer than the service takes. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * A client that asks through any `HttpClient`. Nothing is asked twice: a change whose answer was lost may have been made.
 *
 * ```ts import.meta.vitest
 * import { AdminClient } from "@plumbline/gateway"
 * import { Effect, Redacted } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * // In the place of FetchHttpClient.layer: a service without projects.
 * const http = HttpClient.make((request) =>
 *   Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ projects: [], next: null })))
 * )
 * const program = Effect.gen(function* () {
 *   const admin = yield* AdminClient.make({ url: "http://127.0.0.1:8545", token: Redacted.make("0123...") })
 *   const wrong = yield* Effect.flip(admin.projects.list({ query: { limit: 0 } }))
 *   return [wrong._tag, yield* admin.projects.list({ query: {} })]
 * })
 * await Effect.runPromise(Effect.provideService(program, HttpClient.HttpClient, http)) // => ["BadRequest", { projects: [], next: null }]
 * ```
 *
 * @since 0.1.0
 */
export const make = (options: Options): Effect.Effect<AdminClient, never, HttpClient.HttpClient> =>
  Effect.map(
    HttpApiClient.make(AdminApi.Api, {
      baseUrl: options.url,
      transformClient: (http) =>
        http.pipe(
          HttpClient.mapRequest(HttpClientRequest.bearerToken(options.token)),
          HttpClient.tap(({ status }) =>
            Effect.map(Progress, (progress) => {
              progress.status = status
            })
          )
        )
    }),
    (client) => {
      const timeout = Duration.fromInputUnsafe(options.timeout ?? "40 seconds")
      const guarded =
        (method: Asking): Asking =>
        (request) =>
          guard(method(request), timeout)
      // The shape is that of the API; only the errors are others.
      return mapMethods(client as unknown as Shape, guarded) as unknown as AdminClient
    }
  )

// Private: errors that hold no URL and no header.

type Asking = (request: unknown) => Effect.Effect<unknown, unknown>
type Shape = Readonly<Record<string, Readonly<Record<string, Asking>>>>

const mapMethods = (shape: Shape, f: (method: Asking) => Asking): Shape =>
  Object.fromEntries(
    Object.entries(shape).map(([group, methods]) => [
      group,
      Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, f(method)]))
    ])
  )

/** How far a request has come: the status of its answer, if there is one. */
const Progress: Context.Reference<{ status: number | null }> = Context.Reference(
  "@plumbline/gateway/AdminClient/Progress",
  { defaultValue: (): { status: number | null } => ({ status: null }) }
)

const guard = (asked: Effect.Effect<unknown, unknown>, timeout: Duration.Duration): Effect.Effect<unknown, unknown> =>
  Effect.suspend(() => {
    const progress: { status: number | null } = { status: null }
    return asked.pipe(
      Effect.provideService(Progress, progress),
      Effect.mapError((error) => {
        const { status } = progress
        // Before there is an answer, it is the request that does not fit.
        if (Schema.isSchemaError(error) && status === null) return badRequest("request", error)
        if (!Schema.isSchemaError(error) && !HttpClientError.isHttpClientError(error)) return error
        return new NoAnswer({ problem: status === null ? "Unreachable" : "NotUnderstood", status })
      }),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => Effect.fail(new NoAnswer({ problem: "TimedOut", status: null }))
      })
    )
  })
