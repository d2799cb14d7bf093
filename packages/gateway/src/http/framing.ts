/**
 * Detects requests that two servers could read differently. A proxy that reads one differently from this service lets a
 * caller smuggle a request past its rules.
 *
 * Node's parser refuses more by itself: a `Content-Length` beside `Transfer-Encoding`, two lengths, folded headers, bare line
 * feeds, spaces before a colon.
 */
import type { IncomingMessage } from "node:http"

import * as Refusal from "./Refusal.ts"

/** Returns the refusal of a request whose host or framing is ambiguous: 400, or 501 for an unknown coding. */
export const flawOf = ({ headers, httpVersion, rawHeaders }: IncomingMessage): Refusal.Refusal | undefined => {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    // Among names with four letters nearly all are this one.
    if (name.length === 4 && name.toLowerCase() === "host") hosts++
  }
  // RFC 9112, section 3.2: no host, more than one, or an invalid one is 400.
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1") || (headers.host !== undefined && !HOST.test(headers.host)))
    return Refusal.badRequest
  const coding = headers["transfer-encoding"]
  if (coding === undefined || coding.toLowerCase() === "chunked") return undefined
  // RFC 9112, section 6.1: an unknown coding is 501. Without `chunked` at its end there is no length.
  return CODINGS.test(coding) ? notImplemented : Refusal.badRequest
}

/** A name or an address with a port, or nothing; no spaces, commas, paths or user names. */
const HOST = /^[^\s,/?#@\\]*$/u

const CODINGS = /^[a-z-]+(?:\s*,\s*[a-z-]+)*\s*,\s*chunked$/iu

const notImplemented = Refusal.make(501, "transfer encoding is not supported")
