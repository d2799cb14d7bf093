/** The address of a socket, and the function that opens it. */
import * as FreeText from "@plumbline/redaction/FreeText"
import * as HeaderSecrets from "@plumbline/redaction/HeaderSecrets"
import * as Result from "effect/Result"

import { TransportError } from "../error/JsonRpcError.ts"
import * as HttpEndpoint from "../http/httpEndpoint.ts"
import type * as Envelope from "../transport/envelope.ts"
import type { WebSocketClass, WebSocketLike } from "./platform.ts"

export interface WebSocketEndpoint extends HttpEndpoint.HttpEndpoint {
  readonly protocols?: string | ReadonlyArray<string> | undefined
  readonly webSocket?: WebSocketClass | undefined
}

export interface ResolvedWebSocketEndpoint {
  /** Makes a socket and begins to connect it. */
  readonly open: () => Result.Result<WebSocketLike, TransportError>
  readonly redact: Envelope.RedactText
}

export const make = (endpoint: WebSocketEndpoint): ResolvedWebSocketEndpoint => {
  const http = HttpEndpoint.make(endpoint)
  if (Result.isFailure(http)) {
    const { failure } = http
    return { open: () => Result.fail(failure), redact: (text) => text }
  }
  const { maxBytes, redact, url } = http.success
  const protocols = [endpoint.protocols ?? []].flat()
  const headers = Object.fromEntries(http.success.headers.filter(([name]) => !OF_A_POST.has(name)))
  const redactProtocols = FreeText.redactor(
    HeaderSecrets.of(protocols.map((protocol) => ["sec-websocket-protocol", protocol]))
  )
  return {
    open: () => {
      const webSocket = endpoint.webSocket ?? globalThis.WebSocket
      if (webSocket === undefined) {
        return impossible("this platform has no WebSocket")
      }
      const takesOptions = isLikeWs(webSocket)
      if (!takesOptions && Object.keys(headers).length > 0) {
        return impossible("this platform's WebSocket sends no headers and no password")
      }
      try {
        const options = takesOptions ? [{ headers, maxPayload: maxBytes }] : []
        return Result.succeed(new webSocket(url, protocols, ...options))
      } catch {
        return impossible("invalid URL or subprotocol")
      }
    },
    redact: (text) => redactProtocols(redact(text))
  }
}

/** Headers that describe a body. A handshake has no body. */
const OF_A_POST: ReadonlySet<string> = /* @__PURE__ */ new Set(["content-type", "accept"])

/**
 * True for a class like the one of `ws`: its constructor has a third parameter, with headers and a bound for messages.
 * Other classes would silently ignore that parameter.
 */
const isLikeWs = (webSocket: WebSocketClass): boolean => typeof webSocket.prototype?.ping === "function"

const impossible = (detail: string): Result.Result<never, TransportError> =>
  Result.fail(new TransportError({ detail, retryable: false }))
