/**
 * Converts the platform's errors. Their texts contain the URL and parts of the answer, so only a code such as
 * ECONNREFUSED is kept.
 *
 * Sources of the codes: Node's `errors` and `tls`, libuv, undici `lib/core/errors.js`.
 */
import { TransportError } from "../error/JsonRpcError.ts"
import * as HttpEndpoint from "./httpEndpoint.ts"

/** Returns the error of a request that got no answer. */
export const unanswered = (error: unknown): TransportError => failure("connection failed", error)

/** Returns the error of an answer that began but did not end. */
export const cutOff = (error: unknown): TransportError => failure("the answer was cut off", error)

const failure = (what: string, error: unknown): TransportError => {
  for (const cause of causes(error)) {
    const { code } = cause
    if (code === "ERR_INVALID_URL") {
      return HttpEndpoint.invalidUrl()
    }
    if (isNotHttp(cause)) {
      return new TransportError({ detail: "the answer is not HTTP", retryable: false })
    }
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]{2,47}$/.test(code)) {
      return new TransportError({ detail: `${what} (${code})`, retryable: !PERMANENT.test(code) })
    }
  }
  return new TransportError({ detail: what, retryable: true })
}

/** True for an error of the HTTP parser, unless it says that the answer ended too early. */
const isNotHttp = ({ code, name, message }: Cause): boolean =>
  typeof code === "string"
    ? /^HPE_(?!HEADER_OVERFLOW|.*EOF)/.test(code)
    : name === "HTTPParserError" && typeof message === "string" && !message.includes("EOF")

/** Codes of permanent faults: an invalid certificate, a request that undici refuses, a closed pool. */
const PERMANENT =
  /CERT|SIGNED|TLS_(?!HANDSHAKE_TIMEOUT)|SSL|VERIFY|^HPE_HEADER_OVERFLOW$|^UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED|HEADERS_OVERFLOW|RES_EXCEEDED_MAX_SIZE|CLOSED|DESTROYED)$/

interface Cause {
  readonly code?: unknown
  readonly name?: unknown
  readonly message?: unknown
  readonly cause?: unknown
}

/** Returns an error and its causes. `fetch` and HTTP clients wrap the original error once or twice. */
const causes = (error: unknown): ReadonlyArray<Cause> => {
  const found: Array<Cause> = []
  let at = error
  while (typeof at === "object" && at !== null && found.length < MAX_CAUSES) {
    const cause: Cause = at
    found.push(cause)
    at = cause.cause
  }
  return found
}

const MAX_CAUSES = 4
