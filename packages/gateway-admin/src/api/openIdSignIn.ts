/**
 * Sign-on with OpenID Connect: the authorization code flow with PKCE, state and nonce.
 *
 * Three navigations of the browser, outside the API:
 *
 * - `/admin/sign-in?to=/console/...` goes to the identity provider.
 * - `/admin/sign-in/callback` checks the provider's answer, begins a session and goes to the page.
 * - `/admin/sign-in/out` goes to the provider's page to sign out.
 *
 * The browser gets no token. A cookie holds one random secret, from which state, nonce and code verifier are derived, so
 * the answer can reach any process. The cookie is signed with the key of `signInKey.ts`, and the provider is asked only
 * about an answer with the state of a signed cookie: a forged callback causes no request. The provider refuses a code
 * that comes twice.
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"

import * as Redaction from "@plumbline/gateway/errors/Redaction"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as OpenIdClient from "openid-client"

import type { AdminAnswer } from "./adminExchange.ts"
import type { OperatorIdentity } from "./adminIdentity.ts"
import type { AdminGrant } from "./AdminRole.ts"
import { CALLBACK } from "./AdminSettings.ts"
import { AdminTokenCheck } from "./adminTokenCheck.ts"
import { Actor, type AuditedChanges } from "./auditedChanges.ts"
import * as Cookies from "./cookies.ts"
import type { AdminSessions, MemberGrants } from "./sessions.ts"
import { SignInError } from "./signInError.ts"

export interface OpenIdSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret?: Redacted.Redacted | undefined
  readonly redirectUrl: string
  readonly scopes: ReadonlyArray<string>
  readonly groupsClaim: string
  readonly groups: Readonly<Record<string, AdminGrant>>
  /** In milliseconds. */
  readonly clockTolerance: number
}

/** Returns the grants of the groups at a provider. */
export const members = ({ clientId, groups, issuer }: OpenIdSettings): MemberGrants => {
  const table = new Map(Object.entries(groups))
  return {
    credential: hash("sha256", JSON.stringify(["oidc", issuer, clientId]), "hex"),
    of: (names) => names.flatMap((name) => table.get(name) ?? [])
  }
}

/** Answers the navigations. Returns undefined for every other path. */
export type OpenIdSignIn = (request: IncomingMessage, address: string) => Effect.Effect<AdminAnswer> | undefined

export const SIGN_IN = "/admin/sign-in"

/** The path that signs the browser out at the provider. */
export const SIGN_OUT = "/admin/sign-in/out"

export const make = Effect.fnUntraced(function* ({
  changes,
  key,
  lifetime,
  sessions,
  settings
}: {
  readonly changes: AuditedChanges
  /** The key that signs the cookies of sign-ins. */
  readonly key: Buffer
  /** The length of a session, in milliseconds. */
  readonly lifetime: number
  readonly sessions: AdminSessions
  readonly settings: OpenIdSettings
}): Effect.fn.Return<OpenIdSignIn> {
  const { clientId, groupsClaim, redirectUrl, scopes } = settings
  const { credential, of: grantsOf } = members(settings)
  const isSecure = redirectUrl.startsWith("https:")
  const clock = yield* Clock.Clock
  const failures = new AdminTokenCheck([])

  /** Anybody can let a sign-in fail, so the log has only some failures of an address. */
  const log = (error: SignInError, address: string) =>
    failures.failed(address, Monotonic.millis(clock))._tag === "TooMany"
      ? Effect.void
      : Effect.annotateLogs(Effect.logWarning(`sign-in failed: ${error.message}`), { address, code: error.code })

  // A failure is not kept, so that a sign-in succeeds as soon as the provider is back.
  const [found, forget] = yield* Effect.cachedInvalidateWithTTL(discover(settings), "1 minute")
  /** The keys of the provider are read for each sign-in, because a new configuration has none: rotated keys work at once. */
  const configuration = Effect.flatMap(
    Effect.tapError(found, () => forget),
    (metadata) => attempt((library) => configured(library, metadata, settings))
  )

  const begin = Effect.fnUntraced(function* (target: string) {
    const to = targetOf(target)
    if (to === undefined) return yield* new SignInError({ reason: "BadTarget", code: "" })
    const secret = randomBytes(32).toString("base64url")
    const config = yield* configuration
    const { nonce, state, verifier } = derived(secret)
    const url = yield* attempt(async (library) =>
      library.buildAuthorizationUrl(config, {
        redirect_uri: redirectUrl,
        scope: [...new Set(["openid", ...scopes])].join(" "),
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256"
      })
    )
    const ends = Math.floor((yield* Clock.currentTimeMillis) / 1000) + ATTEMPT
    const value = `${secret}.${Buffer.from(to).toString("base64url")}.${ends}`
    return redirect(url.href, [Cookies.attempt(isSecure, `${value}.${signatureOf(value, key)}`, ATTEMPT)])
  })

  const finish = Effect.fnUntraced(function* (request: IncomingMessage, search: string, address: string) {
    const [, value = "", secret = "", encoded = "", ends = "", signature = ""] =
      SIGNED.exec(Cookies.attemptOf(request, isSecure) ?? "") ?? []
    const to = targetOf(Buffer.from(encoded, "base64url").toString("utf8"))
    const now = yield* Clock.currentTimeMillis
    if (to === undefined || Number(ends) * 1000 <= now || !isEqual(signature, signatureOf(value, key))) {
      return yield* new SignInError({ reason: "NoAttempt", code: "" })
    }
    const { nonce, state, verifier } = derived(secret)
    const states = new URLSearchParams(search).getAll("state")
    if (states.length !== 1 || !isEqual(states[0]!, state)) {
      return yield* new SignInError({ reason: "Invalid", code: "state" })
    }
    const config = yield* configuration
    const claims = yield* attempt(async (library) => {
      const tokens = await library.authorizationCodeGrant(config, new URL(`${redirectUrl}${search}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true
      })
      return tokens.claims()!
    })
    const groups = listOf(claims[groupsClaim]).filter((name) => grantsOf([name]).length > 0)
    if (groups.length === 0) return yield* new SignInError({ reason: "NoGroup", code: "" })
    const label = labelOf(claims)
    const identity: OperatorIdentity = {
      _tag: "Operator",
      label,
      credential,
      grants: grantsOf(groups),
      groups,
      session: undefined
    }
    const begun = yield* changes
      .make({ action: "session.create", work: sessions.begin(identity, address), target: "" })
      .pipe(
        Effect.provideService(Actor, { label, address }),
        Effect.mapError(() => new SignInError({ reason: "Unreachable", code: "state" }))
      )
    return redirect(to, [Cookies.ofSession(isSecure, begun.secret, lifetime / 1000), Cookies.attempt(isSecure, "", 0)])
  })

  const leave = Effect.map(
    Effect.flatMap(configuration, (config) =>
      attempt((library) =>
        config.serverMetadata().end_session_endpoint === undefined
          ? HOME
          : library.buildEndSessionUrl(config, { client_id: clientId }).href
      )
    ),
    (url) => redirect(url, [])
  )

  return (request, address) => {
    const [path, ...query] = (request.url ?? "").replace(/#.*$/su, "").split("?")
    const search = query.length === 0 ? "" : `?${query.join("?")}`
    const answer =
      path === SIGN_IN
        ? begin(new URLSearchParams(search).get("to") ?? HOME)
        : path === CALLBACK
          ? finish(request, search, address)
          : path === SIGN_OUT
            ? leave
            : undefined
    if (answer === undefined || request.method !== "GET") return undefined
    return Effect.catch(answer, (error) =>
      Effect.as(log(error, address), refusal(error, Cookies.attempt(isSecure, "", 0)))
    )
  }
})

// Private: the library. It is loaded at the first sign-in.

const load = (): Promise<typeof OpenIdClient> => import("openid-client")

const attempt = <A>(work: (library: typeof OpenIdClient) => A | Promise<A>): Effect.Effect<A, SignInError> =>
  Effect.tryPromise({
    try: async () => work(await load()),
    catch: (error) => errorOf(error)
  })

const discover = ({ clientId, issuer }: OpenIdSettings) =>
  attempt(async (library) => {
    const execute = issuer.startsWith("http:") ? [library.allowInsecureRequests] : []
    const config = await library.discovery(new URL(issuer), clientId, undefined, library.None(), {
      execute,
      timeout: TIMEOUT
    })
    // a copy without the functions that the library adds
    return JSON.parse(JSON.stringify(config.serverMetadata())) as OpenIdClient.ServerMetadata
  })

const configured = (
  library: typeof OpenIdClient,
  metadata: OpenIdClient.ServerMetadata,
  { clientId, clientSecret, clockTolerance, issuer }: OpenIdSettings
): OpenIdClient.Configuration => {
  const config = new library.Configuration(
    metadata,
    clientId,
    { [library.clockTolerance]: clockTolerance / 1000 },
    clientSecret === undefined ? library.None() : library.ClientSecretBasic(Redacted.value(clientSecret))
  )
  config.timeout = TIMEOUT
  // Without this, the library trusts TLS to the provider in place of the signature.
  library.enableNonRepudiationChecks(config)
  if (issuer.startsWith("http:")) library.allowInsecureRequests(config)
  return config
}

/** Maximum time of a request to the provider, in seconds. */
const TIMEOUT = 10

/** Returns the error for one of the library. Its messages and causes can hold codes and tokens, so only the code stays. */
const errorOf = (error: unknown): SignInError => {
  const { code, error: denied } = error as { readonly code?: unknown; readonly error?: unknown }
  const shown = (text: unknown): string => (typeof text === "string" ? Redaction.id(text) : "")
  if (code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR") return new SignInError({ reason: "Denied", code: shown(denied) })
  if (code === "OAUTH_RESPONSE_BODY_ERROR") return new SignInError({ reason: "Invalid", code: shown(denied) })
  const isUnreachable =
    code === "OAUTH_TIMEOUT" ||
    code === "OAUTH_ABORT" ||
    code === "OAUTH_RESPONSE_IS_NOT_CONFORM" ||
    // `fetch` fails with this error if it cannot connect
    (error instanceof TypeError && error.message === "fetch failed")
  return new SignInError({ reason: isUnreachable ? "Unreachable" : "Invalid", code: shown(code) })
}

// Private: the attempt and its answers.

const derived = (secret: string) => {
  const of = (name: string) => hash("sha256", `sign-in ${name} ${secret}`, "base64url")
  return { state: of("state"), nonce: of("nonce"), verifier: of("verifier") }
}

/** The form of a cookie: a secret of 256 random bits, the page, the end in seconds since 1970 UTC, and the signature. */
const SIGNED = /^(([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]+)\.(\d{10,12}))\.([A-Za-z0-9_-]{43})$/u

const signatureOf = (value: string, key: Buffer): string =>
  createHmac("sha256", key).update(`sign-in cookie ${value}`).digest("base64url")

const isEqual = (given: string, expected: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Time in which a person must sign in at the provider, in seconds. */
const ATTEMPT = 600

const HOME = "/console/"

/** Returns the path of a page of the console, with its query; undefined for every other address. */
const targetOf = (text: string): string | undefined => {
  const base = "http://console.invalid"
  if (text.length > 1000 || !/^\/console(?:[/?][\x21-\x7e]*)?$/u.test(text) || !URL.canParse(text, base))
    return undefined
  const { origin, pathname, search } = new URL(text, base)
  const isPage = origin === base && (pathname === "/console" || pathname.startsWith("/console/"))
  return isPage ? `${pathname}${search}` : undefined
}

const listOf = (claim: unknown): ReadonlyArray<string> =>
  (Array.isArray(claim) ? claim : [claim]).filter((name) => typeof name === "string")

/**
 * Returns the name of a person in the audit log, a different one for each. An address that the provider has not verified
 * can be anyone's, and so can a subject in the form of an address: there `@` is written as `%40`.
 */
const labelOf = ({ email, email_verified, sub }: OpenIdClient.IDToken): string => {
  const isAddress = email_verified === true && typeof email === "string"
  const name = (isAddress ? email : sub).toWellFormed().replaceAll(/[^\x20-\x7e]|%/gu, encodeURIComponent)
  return `oidc:${isAddress ? name : name.replaceAll("@", "%40")}`.slice(0, 400)
}

const redirect = (location: string, cookies: ReadonlyArray<string>): AdminAnswer => ({
  status: 303,
  headers: { location, ...(cookies.length === 0 ? {} : { "set-cookie": cookies }) },
  body: ""
})

const STATUS: { readonly [Reason in SignInError["reason"]]: number } = {
  BadTarget: 400,
  NoAttempt: 400,
  Denied: 403,
  Invalid: 401,
  NoGroup: 403,
  Unreachable: 502
}

const refusal = ({ message, reason }: SignInError, cookie: string): AdminAnswer => ({
  status: STATUS[reason],
  headers: {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "set-cookie": cookie
  },
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign-in failed</title><h1>Sign-in failed</h1><p>Reason: ${message}.</p><p><a href="${HOME}overview">Back to the console</a></p></html>`
})
