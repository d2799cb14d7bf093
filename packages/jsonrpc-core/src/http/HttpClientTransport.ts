/**
 * A transport over the Effect `HttpClient` that a program already has, such as one with a proxy, with its own
 * credentials, or a test double.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

import { type Reason, TimeoutError } from "../error/JsonRpcError.ts"
import type * as Envelope from "../transport/envelope.ts"
import * as Traceparent from "../transport/Traceparent.ts"
import { Transport } from "../transport/Transport.ts"
import * as HttpConnectFailure from "./connectFailure.ts"
import * as HttpEndpoint from "./httpEndpoint.ts"
import * as HttpPackets from "./httpPackets.ts"
import * as HttpReply from "./httpReply.ts"

export { defaults } from "./httpEndpoint.ts"

/** The URL, the headers, and the bounds of time and size. */
export type HttpClientTransportOptions = HttpEndpoint.HttpEndpoint

/**
 * Provides a transport to one URL, by the rules of `HttpTransport`.
 *
 * The client's tracing is switched off for these requests, because its spans contain the URL. The transport sends the
 * `traceparent` of the call itself, unless the client sets another. Errors of the client contain the URL too, and are
 * replaced.
 *
 * A client on `fetch` follows redirects before the transport can refuse, unless its `RequestInit` says
 * `redirect: "manual"`. The transport refuses an answer that came through such a redirect, so the mistake shows at the
 * first call. It accepts redirects from a client made with `HttpClient.followRedirects`.
 *
 * ```ts import.meta.vitest
 * import { HttpClientTransport, JsonRpcClient, Method, MethodGroup } from "@plumbline/jsonrpc-core"
 * import { Effect, Layer, Schema } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * const group = MethodGroup.make(Method.make("eth_chainId", { params: [], result: Schema.String }))
 * const node = HttpClient.make((request) =>
 *   Effect.succeed(
 *     HttpClientResponse.fromWeb(request, Response.json({ jsonrpc: "2.0", id: 1, result: "0x1" }))
 *   )
 * )
 *
 * const program = Effect.flatMap(JsonRpcClient.make(group), (client) => client.eth_chainId())
 * const transport = HttpClientTransport.layer({ url: "https://node.example/v3/key" }).pipe(
 *   Layer.provide(Layer.succeed(HttpClient.HttpClient, node))
 * )
 * await Effect.runPromise(Effect.provide(program, transport)) // => "0x1"
 * ```
 */
export const layer = (options: HttpClientTransportOptions): Layer.Layer<Transport, never, HttpClient.HttpClient> =>
  Layer.effect(Transport, make(options))

/** Returns the transport as a value, for a program with several transports. */
export const make = (
  options: HttpClientTransportOptions
): Effect.Effect<Transport["Service"], never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (client) =>
    HttpPackets.make(options, ({ url, headers, timeout, maxBytes }) => {
      // Closing the scope ends the request, even if the answer was not read to its end.
      const { execute } = HttpClient.withScope(client)
      const request = HttpClientRequest.setHeaders(HttpClientRequest.post(url), headers)
      const contentType = request.headers["content-type"]
      return (body, isRepeatable) =>
        Effect.withFiber((fiber) => {
          const traceparent = Traceparent.of(fiber)
          const sent = HttpClientRequest.bodyText(request, body, contentType)
          return execute(
            traceparent === undefined ? sent : HttpClientRequest.setHeader(sent, "traceparent", traceparent)
          )
        }).pipe(
          Effect.catch(unanswered),
          Effect.flatMap((response) => read(response, maxBytes)),
          Effect.scoped,
          Effect.retry({ while: (reason) => isRepeatable && HttpConnectFailure.isClosed(reason), times: 1 }),
          Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
          Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(new TimeoutError({ after: timeout })) })
        )
    })
  )

/**
 * Handles a failed request. Some clients fail on a failing status. The error then contains the answer, which still
 * counts.
 */
const unanswered = ({
  reason
}: HttpClientError.HttpClientError): Effect.Effect<HttpClientResponse.HttpClientResponse, Reason> => {
  switch (reason._tag) {
    case "StatusCodeError":
      return Effect.succeed(reason.response)
    case "InvalidUrlError":
      return Effect.fail(HttpEndpoint.invalidUrl())
    default:
      return Effect.fail(HttpConnectFailure.unanswered(reason))
  }
}

const read = (
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.Effect<Envelope.EnvelopeAnswer, Reason> => {
  const reply = new HttpReply.HttpReply(head(response), maxBytes)
  const body = reply.isDecided
    ? Effect.void
    : Stream.runForEachWhile(response.stream, (bytes) =>
        Effect.sync(() => {
          reply.push(bytes)
          return !reply.isDecided
        })
      )
  return Clock.clockWith((clock) =>
    Effect.matchEffect(body, {
      onFailure: ({ reason }) =>
        Effect.fromResult(reason._tag === "EmptyBodyError" ? reply.end(clock) : reply.breakOff(reason, clock)),
      onSuccess: () => Effect.fromResult(reply.end(clock))
    })
  )
}

const head = (response: HttpClientResponse.HttpClientResponse): HttpReply.HttpReplyHead => ({
  status: cameByRedirect(response) ? 0 : response.status,
  contentLength: response.headers["content-length"],
  contentType: response.headers["content-type"],
  contentEncoding: response.headers["content-encoding"],
  retryAfter: response.headers["retry-after"]
})

/** True if a layer below the client followed a redirect: the answer did not come from the URL of the request. */
const cameByRedirect = ({ url, request }: HttpClientResponse.HttpClientResponse): boolean => {
  const asked = Option.getOrUndefined(HttpClientRequest.toUrl(request))
  return url !== "" && asked !== undefined && url.split("#")[0] !== asked.href.split("#")[0]
}
