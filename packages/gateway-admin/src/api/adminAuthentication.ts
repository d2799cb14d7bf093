/**
 * Admits or refuses a request to the admin API from its head alone. The request must carry the admin token, or the
 * cookie of a session and its CSRF token. A request that begins a session can carry a project's key and secret instead.
 */
import type { IncomingMessage } from "node:http"

import type * as Accounts from "@plumbline/gateway/accounts/Accounts"
import * as Authentication from "@plumbline/gateway/pipeline/Authentication"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import * as AdminError from "./AdminError.ts"
import { type AdminAnswer, refuse } from "./adminExchange.ts"
import type { AdminIdentity } from "./adminIdentity.ts"
import type { AdminTokenCheck, RejectedCredential } from "./adminTokenCheck.ts"
import * as Cookies from "./cookies.ts"
import type { AcceptedToken, OperatorTokens } from "./operatorTokens.ts"
import * as Sessions from "./sessions.ts"

export interface AdminAuthentication {
  /**
   * Returns the caller of a request, or fails with the answer that refuses it. The effect is an `Exit` if no query is
   * needed.
   */
  readonly admit: (request: IncomingMessage, address: string) => Effect.Effect<AdminIdentity, AdminAnswer>
}

export const make = ({
  accounts,
  checks: tokens,
  clock,
  run,
  sessions,
  tokens: known
}: {
  readonly accounts: Accounts.AccountsService
  readonly clock: Clock.Clock
  /** Runs an effect in the background. */
  readonly run: (effect: Effect.Effect<void>) => void
  readonly sessions: Sessions.AdminSessions
  /** Checks the tokens of the configuration, and counts wrong credentials. */
  readonly checks: AdminTokenCheck
  readonly tokens: Pick<OperatorTokens, "configured" | "find">
}): AdminAuthentication => {
  const warn = (message: string, address: string): void =>
    run(Effect.annotateLogs(Effect.logWarning(message), { address }))

  /** Refuses a wrong credential, and logs it unless there are too many. */
  const rejected = (verdict: RejectedCredential, address: string, message: string, refusal: typeof wrongToken) => {
    if (verdict._tag === "TooMany") return tooMany(verdict.retryAfter)
    warn(message, address)
    return refusal
  }

  // The clock must be monotonic: if it went back by a minute, an address would be blocked for a minute longer.
  const now = () => Monotonic.millis(clock)

  /** Finds the caller of a session. Secrets cannot be guessed, so a request with an unknown secret is not counted. */
  const bySession = (request: IncomingMessage, secret: string): Effect.Effect<AdminIdentity, AdminAnswer> => {
    const isFirst = request.method === "GET" && pathOf(request) === SESSION
    if (!isOwnOrigin(request)) return otherOrigin
    if (!isFirst && !Sessions.isCsrf(secret, csrfOf(request))) return noCsrf
    return Effect.matchEffect(sessions.find(secret), {
      onFailure: ({ message }) => Effect.fail(refuse(new AdminError.Unavailable({ message }))),
      onSuccess: (identity) =>
        identity === undefined
          ? Effect.fail(
              refuse(new AdminError.Unauthorized({ message: "the session has ended: sign in again" }), {
                ...CHALLENGE,
                "set-cookie": Cookies.clear(request)
              })
            )
          : Effect.succeed(identity)
    })
  }

  /** Finds the project of a key and a secret. This pair can only begin a session. */
  const byPair = (request: IncomingMessage, address: string): Effect.Effect<AdminIdentity, AdminAnswer> =>
    Effect.matchEffect(Authentication.authenticateBasic(accounts, request.headers.authorization), {
      onFailure: ({ status, text }) => {
        if (status !== 401) return Effect.fail(refuse(new AdminError.Unavailable({ message: text })))
        return rejected(tokens.failed(address, now()), address, "wrong project key or secret", wrongPair)
      },
      onSuccess: ({ key, project }) =>
        Effect.succeed<AdminIdentity>({ _tag: "Project", project: project.id, key: key.id, session: undefined })
    })

  /** Finds the holder of a token that the configuration does not have. */
  const byToken = (digest: string, address: string): Effect.Effect<AdminIdentity, AdminAnswer> =>
    Effect.matchEffect(known.find(digest), {
      onFailure: ({ message }) => Effect.fail(refuse(new AdminError.Unavailable({ message }))),
      onSuccess: (token) =>
        token === undefined
          ? rejected(tokens.failed(address, now()), address, "wrong admin token", wrongToken)
          : Effect.succeed(operatorOf(token))
    })

  const identify = (request: IncomingMessage, address: string): Effect.Effect<AdminIdentity, AdminAnswer> => {
    const { authorization } = request.headers
    const secret = authorization === undefined ? Cookies.secretOf(request) : undefined
    if (secret !== undefined) return bySession(request, secret)
    const isPair = /^basic /iu.test(authorization ?? "") && request.method === "POST" && pathOf(request) === SESSION
    if (isPair) return byPair(request, address)
    const given = tokens.read(authorization)
    if (given === undefined) return missing
    const token = given.label === undefined ? undefined : known.configured(given.label)
    return token === undefined ? byToken(given.digest, address) : Exit.succeed(operatorOf(token))
  }

  return { admit: identify }
}

const operatorOf = ({ credential, grant, label }: AcceptedToken): AdminIdentity => ({
  _tag: "Operator",
  label,
  credential,
  grants: [grant],
  session: undefined
})

const SESSION = "/admin/v1/session"

const pathOf = ({ url = "" }: IncomingMessage): string => url.replace(/[?#].*$/su, "")

const csrfOf = ({ headers }: IncomingMessage): string | undefined => {
  const text = headers["x-csrf-token"]
  return typeof text === "string" ? text : undefined
}

/**
 * True unless the request comes from a page of another origin. Browsers report this in `sec-fetch-site`. Older browsers
 * send only Origin. Its host must be the host of the request.
 */
const isOwnOrigin = ({ headers }: IncomingMessage): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin"
  const { host, origin } = headers
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase())
}

const CHALLENGE = { "www-authenticate": 'Bearer realm="plumbline admin"' }

const unauthorized = (message: string) => Exit.fail(refuse(new AdminError.Unauthorized({ message }), CHALLENGE))

const missing = unauthorized("an admin token is needed")

const wrongToken = unauthorized("this is not an admin token")

const tooMany = (retryAfter: number) =>
  Exit.fail(
    refuse(new AdminError.TooManyAttempts({ message: "too many wrong tokens from this address", retryAfter }), {
      "retry-after": String(retryAfter)
    })
  )

const wrongPair = unauthorized("this is not a project's key and secret")

const forbidden = (reason: AdminError.Forbidden["reason"], message: string) =>
  Exit.fail(refuse(new AdminError.Forbidden({ reason, needs: null, message })))

const otherOrigin = forbidden("OtherOrigin", "a session belongs to pages of the service's own origin")

const noCsrf = forbidden("NoCsrfToken", "a session needs its csrf token in the header x-csrf-token")
