/**
 * Keeps keys out of what people read: everything that shows a URL or a text of foreign origin goes through here.
 *
 * An API key is part of the path (`/v3/<key>`), which the usual redaction of queries and user names lets through.
 *
 * @since 0.1.0
 */
import * as IpfsApi from "@plumbline/ipfs-client/IpfsApi"

const REDACTED = "<redacted>"
const known = new Set([
  "",
  "v3",
  "v0",
  "ws",
  "api",
  "health",
  "ready",
  ...Object.keys(IpfsApi.commands).flatMap((name) => name.split("/"))
])

/**
 * A request target as it may be shown: the words of the interface stay, every other segment and the query go.
 *
 * It does not look for keys, which may stand in unexpected places (`/v2/<key>`, `/V3/<key>`): it keeps only what it knows.
 *
 * ```ts import.meta.vitest
 * import { Redaction } from "@plumbline/gateway"
 *
 * Redaction.path("/v3/0123456789abcdef0123456789abcdef?x=1") // => "/v3/<redacted>"
 * Redaction.path("/ws/v3/secret") // => "/ws/v3/<redacted>"
 * Redaction.path("/health") // => "/health"
 * Redaction.path("/api/v0/pin/add?arg=Qm") // => "/api/v0/pin/add"
 * ```
 *
 * @since 0.1.0
 */
export const path = (target: string): string => {
  const end = target.search(/[?#]/u)
  const segments = (end === -1 ? target : target.slice(0, end)).split("/", MAX_SEGMENTS)
  return segments.map((segment) => (known.has(segment) ? segment : REDACTED)).join("/")
}

/**
 * Text of foreign origin (the message of an exception) without the URLs and keyed paths in it.
 *
 * ```ts import.meta.vitest
 * import { Redaction } from "@plumbline/gateway"
 *
 * Redaction.text("connect to https://node.example/v3/abc failed") // => "connect to <redacted> failed"
 * Redaction.text("POST /v3/abc HTTP/1.1") // => "POST /v3/<redacted> HTTP/1.1"
 * ```
 *
 * @since 0.1.0
 */
export const text = (text: string): string =>
  text
    // the bound is not one of schemes: it keeps the work in proportion to a text that has none
    .replaceAll(/[a-z0-9+.-]{0,32}:\/\/[^\s"'<>`]+/giu, REDACTED)
    .replaceAll(/\/v3\/[^\s"'<>`/?#]+/giu, `/v3/${REDACTED}`)

/**
 * An id that somebody asked for, as it may be shown. A key, a secret or an admin token in its place is a mistake that
 * people make.
 *
 * ```ts import.meta.vitest
 * import { Redaction } from "@plumbline/gateway"
 *
 * Redaction.id("0b74de38-7381-4d14-8220-3bcc27cbbdb1") // => "0b74de38-7381-4d14-8220-3bcc27cbbdb1"
 * Redaction.id("0123456789abcdef0123456789abcdef") // => "<redacted>"
 * ```
 *
 * @since 0.1.0
 */
export const id = (asked: string): string => (/[0-9a-f]{32}/iu.test(asked) ? REDACTED : asked)

// Enough for every path of the interface; a longer one is not worth a line of log.
const MAX_SEGMENTS = 8
