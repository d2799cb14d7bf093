/** Decides which pages may call: Kubo's rules against requests that a foreign page makes a browser send. */
import type { IncomingMessage } from "node:http"

/** The two extensions of IPFS Companion, which Kubo allows too. */
const COMPANIONS: ReadonlySet<string> = new Set([
  "chrome-extension://nibjojkomfdiaoajekhjakgkdhaomnch",
  "chrome-extension://hjoieblefckbooibpepigmacodalfndh"
])

const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"]

/** True if pages of an origin may call a service on this port. */
export const isAllowed = (origin: string, allowed: ReadonlySet<string>, port: number | undefined): boolean =>
  allowed.has("*") ||
  allowed.has(origin) ||
  COMPANIONS.has(origin) ||
  LOOPBACK.some((host) => origin === `http://${host}:${port}` || origin === `https://${host}:${port}`)

/**
 * True if a request may proceed. A browser names its page in `Origin`, or at least in `Referer`. A request with neither
 * still counts as a browser's if its `User-Agent` says so.
 */
export const permits = (request: IncomingMessage, allowed: ReadonlySet<string>): boolean => {
  const { origin, referer, "user-agent": agent = "" } = request.headers
  const port = request.socket.localPort
  if (origin !== undefined && !isAllowed(origin, allowed, port)) return false
  if (referer !== undefined && !isAllowed(originOf(referer), allowed, port)) return false
  return origin !== undefined || referer !== undefined || !agent.startsWith("Mozilla") || agent.includes("Electron")
}

/** Returns scheme and host with port, as Go's parser of URLs reads them; empty if there are none. */
const originOf = (referer: string): string =>
  /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#@]*@)?([^/?#@]*)/iu.exec(referer)?.slice(1).join("") ?? ""
