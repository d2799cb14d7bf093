/** The cookies of sessions and of sign-ins. Scripts cannot read them, and pages of other sites cannot send them. */
import type { IncomingMessage } from "node:http"

import * as Sessions from "./sessions.ts"

/** The cookie's name over TLS. Browsers accept a cookie with this prefix only with `Secure` and for the exact host. */
const SECURE = "__Host-plumbline"

/** The cookie's name without TLS, such as on a loopback address. */
const PLAIN = "plumbline"

/**
 * True if the caller's browser uses TLS, according to the connection, to its Origin header or to the
 * `x-forwarded-proto` of a proxy. A caller that forges these headers harms only itself.
 */
export const isSecure = ({ headers, socket }: IncomingMessage): boolean =>
  ("encrypted" in socket && socket.encrypted === true) ||
  headers.origin?.startsWith("https://") === true ||
  String(headers["x-forwarded-proto"] ?? "")
    .split(",")[0]!
    .trim()
    .toLowerCase() === "https"

/** Returns the secret of the session in a request's cookie, if there is one. */
export const secretOf = (request: IncomingMessage): string | undefined => {
  const found = cookiesOf(request)
  // Another subdomain of the same domain can set a cookie with the name `PLAIN`, which has no prefix.
  const secret = found.get(SECURE) ?? (isSecure(request) ? undefined : found.get(PLAIN))
  return secret !== undefined && Sessions.isSecret(secret) ? secret : undefined
}

/** Returns the header that sets the cookie for a number of seconds. */
export const set = (request: IncomingMessage, secret: string, seconds: number): string =>
  ofSession(isSecure(request), secret, seconds)

/** Returns the header that removes the cookie. */
export const clear = (request: IncomingMessage): string => ofSession(isSecure(request), "", 0)

/** Returns the header that sets the cookie of a session, over TLS or not. */
export const ofSession = (isSecure: boolean, secret: string, seconds: number): string =>
  cookie(isSecure, "", "/admin", secret, `SameSite=Strict; Max-Age=${Math.floor(seconds)}`)

/**
 * Returns the header that sets the cookie of a sign-in at an identity provider. The provider's page leads back to this
 * site, and browsers would not send a strict cookie with that request.
 */
export const attempt = (isSecure: boolean, value: string, seconds: number): string =>
  cookie(isSecure, ATTEMPT, "/admin/sign-in", value, `SameSite=Lax; Max-Age=${seconds}`)

/** Returns the value of the cookie of a sign-in. */
export const attemptOf = (request: IncomingMessage, isSecure: boolean): string | undefined =>
  cookiesOf(request).get(`${isSecure ? SECURE : PLAIN}${ATTEMPT}`)

/** The end of the name of the cookie of a sign-in. */
const ATTEMPT = "-sign-in"

const cookie = (isSecure: boolean, ending: string, path: string, value: string, rest: string): string =>
  isSecure
    ? `${SECURE}${ending}=${value}; Path=/; Secure; HttpOnly; ${rest}`
    : `${PLAIN}${ending}=${value}; Path=${path}; HttpOnly; ${rest}`

const cookiesOf = (request: IncomingMessage): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const pair of (request.headers.cookie ?? "").split(";", MAX_PAIRS)) {
    const equals = pair.indexOf("=")
    const name = pair.slice(0, Math.max(equals, 0)).trim()
    // If two cookies have the same name, the browser sends the one with the longer path first.
    if (!found.has(name)) found.set(name, pair.slice(equals + 1).trim())
  }
  return found
}

/** Maximum number of cookies that are searched. Other programs on the same host can have set some of them. */
const MAX_PAIRS = 100
