/**
 * Detects requests that two servers could read differently. If a proxy and this service read a request differently, a
 * caller can smuggle a second request past the rules of the proxy.
 *
 * Node's parser already refuses a `Content-Length` beside `Transfer-Encoding`, two lengths, folded headers, bare line
 * feeds, and spaces before a colon.
 */
import type { IncomingMessage } from "node:http"

import * as HttpRefusal from "./HttpRefusal.ts"

/** Returns the refusal of a request whose host or framing is ambiguous: 400, or 501 for an unknown coding. */
export const flawOf = ({ headers, httpVersion, rawHeaders }: IncomingMessage): HttpRefusal.HttpRefusal | undefined => {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    // Nearly every header name with four letters is `host`, so the length check alone skips most names.
    if (name.length === 4 && name.toLowerCase() === "host") hosts++
  }
  // RFC 9112, section 3.2: a request without a host, with several hosts or with an invalid host gets 400.
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1") || (headers.host !== undefined && !HOST.test(headers.host)))
    return HttpRefusal.badRequest
  const coding = headers["transfer-encoding"]
  if (coding === undefined || coding.toLowerCase() === "chunked") return undefined
  // RFC 9112, section 6.1: an unknown coding gets 501. If `chunked` is not last, the length is unknown: 400.
  return CODINGS.test(coding) ? notImplemented : HttpRefusal.badRequest
}

/** Matches a host: a name or an address, with or without a port, or nothing. No spaces, commas, paths or user names. */
const HOST = /^[^\s,/?#@\\]*$/u

const CODINGS = /^[a-z-]+(?:\s*,\s*[a-z-]+)*\s*,\s*chunked$/iu

const notImplemented = HttpRefusal.make(501, "transfer encoding is not supported")
