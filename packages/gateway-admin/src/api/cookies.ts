/** The cookie of a session. Scripts cannot read it, and pages of other sites cannot send it. */
import type { IncomingMessage } from "node:http"

import * as Sessions from "./sessions.ts"

/** The cookie's name over TLS. Browsers accept a cookie with this prefix only with `Secure` and for the exact host. */
const SECURE = "__Host-plumbline"

/** The cookie's name without TLS, such as on a loopback address. */
const PLAIN = "plumbline"

/**
 * True if the caller's browser uses TLS, according to its Origin header or to the `x-forwarded-proto` of a proxy. A
 * caller that forges these headers harms only itself.
 */
export const isSecure = ({ headers }: IncomingMessage): boolean =>
  headers.origin?.startsWith("https://") === true ||
  String(headers["x-forwarded-proto"] ?? "")
    .split(",")[0]!
    .trim()
    .toLowerCase() === "https"

/** Returns the secret of the session in a request's cookie, if there is one. */
export const secretOf = (request: IncomingMessage): string | undefined => {
  const found = new Map<string, string>()
  for (const pair of (request.headers.cookie ?? "").split(";", MAX_PAIRS)) {
    const equals = pair.indexOf("=")
    const name = pair.slice(0, Math.max(equals, 0)).trim()
    // If two cookies have the same name, the browser sends the one with the longer path first.
    if ((name === SECURE || name === PLAIN) && !found.has(name)) found.set(name, pair.slice(equals + 1).trim())
  }
  // Another subdomain of the same domain can set a cookie with the name `PLAIN`, which has no prefix.
  const secret = found.get(SECURE) ?? (isSecure(request) ? undefined : found.get(PLAIN))
  return secret !== undefined && Sessions.isSecret(secret) ? secret : undefined
}

/** Returns the header that sets the cookie for a number of seconds. */
export const set = (request: IncomingMessage, secret: string, seconds: number): string =>
  cookie(request, secret, Math.floor(seconds))

/** Returns the header that removes the cookie. */
export const clear = (request: IncomingMessage): string => cookie(request, "", 0)

const cookie = (request: IncomingMessage, value: string, seconds: number): string => {
  const rest = `HttpOnly; SameSite=Strict; Max-Age=${seconds}`
  return isSecure(request) ? `${SECURE}=${value}; Path=/; Secure; ${rest}` : `${PLAIN}=${value}; Path=/admin; ${rest}`
}

/** Maximum number of cookies that are searched. Other programs on the same host can have set some of them. */
const MAX_PAIRS = 100
