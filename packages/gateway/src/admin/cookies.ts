/** The cookie of a session. No script can read it, and no page of another site can send it. */
import type { IncomingMessage } from "node:http"

import * as Sessions from "./sessions.ts"

/** The cookie over TLS: browsers take this name only for the whole host, and only with `Secure`. */
const SECURE = "__Host-plumbline"

/** The cookie without TLS, as on this machine. */
const PLAIN = "plumbline"

/**
 * True if the caller's browser uses TLS: it says so itself, or the proxy in front does. A wrong statement harms only the
 * caller who makes it.
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
    // Of two cookies of one name, the browser sends the one with the longer path first.
    if ((name === SECURE || name === PLAIN) && !found.has(name)) found.set(name, pair.slice(equals + 1).trim())
  }
  // Another site below the same domain can set the plain one.
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

/** Cookies of other programs on the same host count too. */
const MAX_PAIRS = 100
