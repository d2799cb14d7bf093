/** Decides which web pages may send IPFS commands. The rules are Kubo's, against cross-site request forgery (CSRF). */
import type { IncomingMessage } from "node:http"

/** The two browser extensions of IPFS Companion, which Kubo allows too. */
const COMPANIONS: ReadonlySet<string> = new Set([
  "chrome-extension://nibjojkomfdiaoajekhjakgkdhaomnch",
  "chrome-extension://hjoieblefckbooibpepigmacodalfndh"
])

const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"]

/** True if pages of an origin may send commands to a service on this port. */
export const isAllowed = (origin: string, allowed: ReadonlySet<string>, port: number | undefined): boolean =>
  allowed.has("*") ||
  allowed.has(origin) ||
  COMPANIONS.has(origin) ||
  LOOPBACK.some((host) => origin === `http://${host}:${port}` || origin === `https://${host}:${port}`)

/**
 * True if a request is permitted. A browser names the origin of the page in `Origin` or in `Referer`. A request without
 * these headers counts as a browser's if `User-Agent` names a browser.
 */
export const permits = (request: IncomingMessage, allowed: ReadonlySet<string>): boolean => {
  const { origin, referer, "user-agent": agent = "" } = request.headers
  const port = request.socket.localPort
  if (origin !== undefined && !isAllowed(origin, allowed, port)) return false
  if (referer !== undefined && !isAllowed(originOf(referer), allowed, port)) return false
  return origin !== undefined || referer !== undefined || !agent.startsWith("Mozilla") || agent.includes("Electron")
}

/** Returns the scheme and the host with its port, as Go's URL parser reads them; empty if there are none. */
const originOf = (referer: string): string =>
  /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#@]*@)?([^/?#@]*)/iu.exec(referer)?.slice(1).join("") ?? ""
