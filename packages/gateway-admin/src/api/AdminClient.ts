/**
 * The typed client of the admin API, for programs, the command line and pages in a browser.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Random from "effect/Random"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

import * as AdminApi from "./AdminApi.ts"
import { NoAnswer } from "./AdminError.ts"
import type { AdminClient } from "./adminMethods.ts"
import { CSRF_HEADER } from "./AdminSession.ts"
import { badRequest } from "./flaw.ts"

export type {
  AdminAccountsClient,
  AdminAlertsClient,
  AdminClient,
  AdminExportsClient,
  AdminKeysClient,
  AdminLimitsClient,
  AdminMethod,
  AdminNetworksClient,
  AdminOperatorsClient,
  AdminProjectsClient,
  AdminServiceClient,
  AdminSessionClient,
  AdminStandingClient,
  AdminTokensClient,
  AdminUsageClient,
  AdminWebhooksClient
} from "./adminMethods.ts"

/**
 * Options of the client.
 */
export interface AdminClientOptions {
  /** The base URL of the service, such as `http://127.0.0.1:8545`. */
  readonly url: string
  /** The admin token. */
  readonly token?: Redacted.Redacted | undefined
  /** The key and the secret of a project, in place of the token. The service accepts them only to begin a session. */
  readonly project?: { readonly apiKey: Redacted.Redacted; readonly apiKeySecret: Redacted.Redacted } | undefined
  /** The `csrfToken` of a session, in place of the token. The browser sends the session's cookie. */
  readonly csrfToken?: string | undefined
  /** Maximum time of a call, including retries (default: 40 seconds, more than the service needs for an answer). */
  readonly timeout?: Duration.Input | undefined
  /** Maximum time of a `GET` request, including retries (default: `timeout`). */
  readonly readTimeout?: Duration.Input | undefined
  /**
   * Maximum number of retries of a `GET` request (default: 0). The client retries after a failed or broken connection,
   * and after HTTP 429, 502, 503 and 504. It waits at least as long as Retry-After says.
   */
  readonly retries?: number | undefined
  /** Runs before each wait for a retry, for example to log the reason of the wait. */
  readonly onWait?: ((wait: AdminRetryWait) => Effect.Effect<void>) | undefined
}

/** The defaults of the options. */
export const defaults: { readonly timeout: Duration.Input; readonly retries: number } = {
  timeout: "40 seconds",
  retries: 0
}

/**
 * A wait before a retry.
 */
export interface AdminRetryWait {
  /** The reason of the wait: a sentence without URL and token. */
  readonly why: string
  /** Number of attempts that have failed. */
  readonly tried: number
  /** Number of retries that are left. */
  readonly left: number
  readonly duration: Duration.Duration
}

/**
 * Returns a client that sends its requests through any `HttpClient`. The client retries only `GET` requests, at most
 * `retries` times. It never retries a change, because the service may have made a change whose answer was lost.
 *
 * ```ts import.meta.vitest
 * import { AdminClient } from "@plumbline/gateway-admin"
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
 */
export const make = (options: AdminClientOptions): Effect.Effect<AdminClient, never, HttpClient.HttpClient> =>
  Effect.map(
    HttpApiClient.make(AdminApi.Api, {
      baseUrl: options.url,
      transformClient: (http) =>
        http.pipe(
          HttpClient.mapRequest(credentialsOf(options)),
          HttpClient.tap(({ headers, status }) =>
            Effect.map(Progress, (progress) => {
              progress.status = status
              progress.retryAfter = headers["retry-after"]
            })
          )
        )
    }),
    (client) => {
      const timeout = Duration.fromInputUnsafe(options.timeout ?? defaults.timeout)
      const readTimeout = Duration.fromInputUnsafe(options.readTimeout ?? timeout)
      const guarded =
        (method: Asking, isRead: boolean): Asking =>
        (request) =>
          guard(
            method(request),
            isRead
              ? { timeout: readTimeout, retries: options.retries ?? defaults.retries, onWait: options.onWait }
              : { timeout, retries: 0 }
          )
      // `guarded` changes only the errors. The type `AdminClient` declares these errors.
      return mapMethods(client, guarded) as AdminClient
    }
  )

// Private. Errors contain no URL and no header.

const credentialsOf = ({ csrfToken, project, token }: AdminClientOptions) => {
  if (token !== undefined) return HttpClientRequest.bearerToken(token)
  if (project !== undefined) return HttpClientRequest.basicAuth(project.apiKey, project.apiKeySecret)
  return csrfToken === undefined
    ? (request: HttpClientRequest.HttpClientRequest) => request
    : HttpClientRequest.setHeader(CSRF_HEADER, csrfToken)
}

type Asking = (request: any) => Effect.Effect<any, any>
type Shape = Readonly<Record<string, Readonly<Record<string, Asking>>>>

const mapMethods = (shape: Shape, f: (method: Asking, isRead: boolean) => Asking): Readonly<Record<string, any>> =>
  Object.fromEntries(
    Object.entries(shape).map(([group, methods]) => [
      group,
      Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, f(method, isRead(group, name))]))
    ])
  )

const isRead = (group: string, name: string): boolean => {
  const groups: Readonly<
    Record<string, { readonly endpoints: Readonly<Record<string, { readonly method: string }>> }>
  > = AdminApi.Api.groups
  return groups[group]?.endpoints[name]?.method === "GET"
}

/** The status and the Retry-After header of the answer, as soon as it has arrived. */
interface Progress {
  status: number | null
  retryAfter: string | undefined
}

const Progress: Context.Reference<Progress> = Context.Reference("@plumbline/gateway/AdminClient/Progress", {
  defaultValue: (): Progress => ({ status: null, retryAfter: undefined })
})

/**
 * The error of an attempt, and the wait before a retry in milliseconds. The wait is undefined if a retry cannot help.
 */
interface Failed {
  readonly error: unknown
  readonly wait: number | undefined
}

const guard = (
  asked: Effect.Effect<unknown, unknown>,
  {
    onWait,
    retries,
    timeout
  }: { readonly retries: number; readonly timeout: Duration.Duration } & Pick<AdminClientOptions, "onWait">
): Effect.Effect<unknown, unknown> => {
  const attempt: Effect.Effect<unknown, Failed> = Effect.suspend(() => {
    const progress: Progress = { status: null, retryAfter: undefined }
    return Effect.mapError(Effect.provideService(asked, Progress, progress), (error): Failed => {
      const { retryAfter, status } = progress
      // If a Schema error occurs before an answer, it concerns the request.
      if (Schema.isSchemaError(error) && status === null)
        return { error: badRequest("request", error), wait: undefined }
      const seconds = /^ *([0-9]{1,7}) *$/u.exec(retryAfter ?? "")?.[1]
      const isBroken = HttpClientError.isHttpClientError(error) && isCut(error.reason)
      const mayPass = status === null ? isBroken : PASSING.has(status) || (isBroken && status < 300)
      const wait = mayPass ? Number(seconds ?? 0) * 1000 : undefined
      return Schema.isSchemaError(error) || HttpClientError.isHttpClientError(error)
        ? { error: new NoAnswer({ problem: status === null ? unanswered(error) : "NotUnderstood", status }), wait }
        : { error, wait }
    })
  })
  const tried = (failed: number, since: number): Effect.Effect<unknown, unknown> =>
    Effect.catch(attempt, ({ error, wait }) => {
      if (wait === undefined || failed >= retries) return Effect.fail(error)
      return Effect.flatMap(Effect.zip(Random.next, Clock.currentTimeMillis), ([part, now]) => {
        const millis = Math.ceil(wait + part * FIRST_WAIT * 2 ** failed)
        if (now - since + millis > Duration.toMillis(timeout)) return Effect.fail(error)
        const duration = Duration.millis(millis)
        const why = error instanceof Error ? error.message : "the service has not answered"
        const told = onWait?.({ why, tried: failed + 1, left: retries - failed, duration }) ?? Effect.void
        return told.pipe(Effect.andThen(Effect.sleep(duration)), Effect.andThen(tried(failed + 1, since)))
      })
    })
  return Effect.flatMap(Clock.currentTimeMillis, (since) => tried(0, since)).pipe(
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.fail(new NoAnswer({ problem: "TimedOut", status: null }))
    })
  )
}

/**
 * True if the connection failed, or broke before the end of the body. False for a whole answer that is not JSON, which
 * is not retried.
 */
const isCut = (reason: HttpClientError.HttpClientErrorReason): boolean =>
  reason._tag === "TransportError" || (reason._tag === "DecodeError" && !(reason.cause instanceof SyntaxError))

/** Returns the problem of a request without an answer. Node gives a code to a certificate that it does not accept. */
const unanswered = (error: unknown): "BadCertificate" | "Unreachable" => {
  let at = HttpClientError.isHttpClientError(error) ? error.reason.cause : undefined
  for (let depth = 0; at instanceof Error && depth < 4; depth++) {
    if ("code" in at && /CERT|SIGNED|UNABLE_TO_VERIFY/u.test(String(at.code))) return "BadCertificate"
    at = at.cause
  }
  return "Unreachable"
}

/** HTTP statuses of temporary failures. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Maximum random part of the first wait, in milliseconds. The maximum doubles with each further wait. */
const FIRST_WAIT = 250
