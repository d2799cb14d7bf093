/**
 * Removes keys from the logs and answers of the gateway. It applies `@plumbline/redaction` with the known words of the
 * gateway's paths.
 *
 * An API key is part of the path (`/v3/<key>`), so it is not enough to redact queries and user names.
 */
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as FreeText from "@plumbline/redaction/FreeText"
import * as Identifier from "@plumbline/redaction/Identifier"
import * as RequestTarget from "@plumbline/redaction/RequestTarget"

const words = [
  "v3",
  "v0",
  "ws",
  "api",
  "ipfs",
  "health",
  "ready",
  "livez",
  "readyz",
  "metrics",
  ...Object.keys(IpfsApi.commands).flatMap((name) => name.split("/"))
]

/**
 * Returns a request target that may be shown. The known words of the gateway's paths stay, all other segments are
 * redacted, and the query is removed.
 *
 * ```ts import.meta.vitest
 * import { Redaction } from "@plumbline/gateway"
 *
 * Redaction.path("/v3/0123456789abcdef0123456789abcdef?x=1") // => "/v3/<redacted>"
 * Redaction.path("/ws/v3/secret") // => "/ws/v3/<redacted>"
 * Redaction.path("/v3/0123456789abcdef0123456789abcdef/ipfs/Qm") // => "/v3/<redacted>/ipfs/<redacted>"
 * Redaction.path("/health") // => "/health"
 * Redaction.path("/api/v0/pin/add?arg=Qm") // => "/api/v0/pin/add"
 * ```
 */
export const path: (target: string) => string = RequestTarget.redactor(words)

/**
 * Removes URLs and keys from a text of unknown content, such as the message of an exception.
 *
 * ```ts import.meta.vitest
 * import { Redaction } from "@plumbline/gateway"
 *
 * Redaction.text("connect to https://node.example/v3/abc failed") // => "connect to <redacted> failed"
 * Redaction.text("POST /v3/abc HTTP/1.1") // => "POST /v3/<redacted> HTTP/1.1"
 * ```
 */
export const text = (text: string): string => FreeText.withoutKeys(FreeText.withoutUrls(text))

/**
 * Returns an id from a request. If the caller sent a key, a secret or an admin token in place of the id, the text that
 * was sent is redacted.
 *
 * ```ts import.meta.vitest
 * import { Redaction } from "@plumbline/gateway"
 *
 * Redaction.id("0b74de38-7381-4d14-8220-3bcc27cbbdb1") // => "0b74de38-7381-4d14-8220-3bcc27cbbdb1"
 * Redaction.id("0123456789abcdef0123456789abcdef") // => "<redacted>"
 * ```
 */
export const id: (asked: string) => string = Identifier.redact
