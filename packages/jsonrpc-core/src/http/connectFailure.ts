/** Converts the platform's errors. Their texts contain the URL and parts of the answer, so only a code is kept. */
import * as PlatformError from "@plumbline/redaction/PlatformError"

import { type Reason, TransportError } from "../error/JsonRpcError.ts"
import * as HttpEndpoint from "./httpEndpoint.ts"

/** Returns the error of a request that got no answer. */
export const unanswered = (error: unknown): TransportError =>
  failure("connection failed", error, PlatformError.isClosed(error))

/** Returns the error of an answer that began but did not end. */
export const cutOff = (error: unknown): TransportError => failure("the answer was cut off", error, false)

/** True if the server closed the connection before its answer began. */
export const isClosed = (reason: Reason): boolean => reason._tag === "TransportError" && reason.closed === true

const failure = (what: string, error: unknown, isClosed: boolean): TransportError => {
  for (const cause of PlatformError.causes(error)) {
    const { code } = cause
    if (code === "ERR_INVALID_URL") {
      return HttpEndpoint.invalidUrl()
    }
    if (isNotHttp(cause)) {
      return new TransportError({ detail: "the answer is not HTTP", retryable: false })
    }
    if (PlatformError.isCode(code)) {
      return new TransportError({
        detail: `${what} (${code})`,
        retryable: !PERMANENT.test(code),
        ...(isClosed ? { closed: true } : {})
      })
    }
  }
  return new TransportError({ detail: what, retryable: true })
}

/** True for an error of the HTTP parser, unless it says that the answer ended too early. */
const isNotHttp = ({ code, name, message }: PlatformError.PlatformCause): boolean =>
  typeof code === "string"
    ? /^HPE_(?!HEADER_OVERFLOW|.*EOF)/.test(code)
    : name === "HTTPParserError" && typeof message === "string" && !message.includes("EOF")

/** Codes of permanent faults: an invalid certificate, a request that undici refuses, a closed pool. */
const PERMANENT =
  /CERT|SIGNED|TLS_(?!HANDSHAKE_TIMEOUT)|SSL|VERIFY|^HPE_HEADER_OVERFLOW$|^UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED|HEADERS_OVERFLOW|RES_EXCEEDED_MAX_SIZE|CLOSED|DESTROYED)$/
