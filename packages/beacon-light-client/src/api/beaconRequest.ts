/** One request to a beacon node, and its answer within bounds of time and size. */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Traceparent from "@plumbline/jsonrpc-core/transport/Traceparent"
import * as PlatformError from "@plumbline/redaction/PlatformError"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

import {
  ConnectionError,
  ProtocolError,
  type Reason,
  StatusError,
  TimeoutError,
  UnavailableError
} from "./BeaconApiError.ts"
import type { BeaconTarget } from "./beaconEndpoint.ts"

/** Maximum number of bytes of an answer in each form. */
export interface BeaconAnswerLimits {
  readonly ssz: number
  readonly json: number
}

/** The whole body of an answer. */
export interface BeaconAnswer {
  readonly form: keyof BeaconAnswerLimits
  readonly bytes: Uint8Array
  /** The fork that the node names for a body in SSZ. */
  readonly version: string | undefined
}

/**
 * Requests a path below `/eth/v1/`. Interruption and the timeout abort the request.
 *
 * If the server closed the connection before its answer began, as servers do with connections that were kept too long,
 * the request is sent once more within the same time.
 */
export const get = (
  client: HttpClient.HttpClient,
  target: BeaconTarget,
  path: string,
  limits: BeaconAnswerLimits
): Effect.Effect<BeaconAnswer, Reason> =>
  Effect.withFiber((fiber) => {
    const traceparent = Traceparent.of(fiber)
    const request = target.request(path)
    // the scope ends the request, even if the answer was not read to its end
    return HttpClient.withScope(client).execute(
      traceparent === undefined ? request : HttpClientRequest.setHeader(request, "traceparent", traceparent)
    )
  }).pipe(
    Effect.retry({ while: ({ reason }) => PlatformError.isClosed(reason), times: 1 }),
    Effect.catch(unanswered),
    Effect.flatMap((response) => read(response, limits)),
    Effect.scoped,
    // the client's spans hold the URL
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.timeoutOrElse({
      duration: target.timeout,
      orElse: () => Effect.fail(new TimeoutError({ after: target.timeout }))
    })
  )

/**
 * A client that treats failing statuses as errors keeps the response in its error. The response still counts as an
 * answer.
 */
const unanswered = ({
  reason
}: HttpClientError.HttpClientError): Effect.Effect<HttpClientResponse.HttpClientResponse, Reason> =>
  reason._tag === "StatusCodeError"
    ? Effect.succeed(reason.response)
    : Effect.fail(new ConnectionError({ detail: `connection failed${codeOf(reason)}` }))

/** Returns the code of a platform's error in parentheses. The error's other texts contain the URL. */
const codeOf = (error: unknown): string => {
  const code = PlatformError.codeOf(error)
  return code === undefined ? "" : ` (${code})`
}

const read = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  limits: BeaconAnswerLimits
): Effect.fn.Return<BeaconAnswer, Reason> {
  const status = cameByRedirect(response) ? REDIRECTED : response.status
  if (status >= 300 && status < 400) {
    // following the redirect would send a key to another host
    return yield* Effect.fail(new ConnectionError({ detail: "redirected: give the final URL" }))
  }
  if (status === 404) return yield* Effect.fail(new UnavailableError())
  if (status < 200 || status >= 300) return yield* Effect.fail(new StatusError({ status }))
  const form = formOf(response.headers["content-type"])
  if (form === undefined) {
    return yield* Effect.fail(new ProtocolError({ detail: "the answer is neither SSZ nor JSON" }))
  }
  const bytes = yield* collect(response, limits[form])
  return { form, bytes, version: response.headers["eth-consensus-version"] }
})

/** Stands for the status of a redirect that the platform followed, because some platforms hide that status. */
const REDIRECTED = 302

const cameByRedirect = ({ request, url }: HttpClientResponse.HttpClientResponse): boolean => {
  const asked = Option.getOrUndefined(HttpClientRequest.toUrl(request))
  return url !== "" && asked !== undefined && url.split("#")[0] !== asked.href.split("#")[0]
}

const formOf = (contentType: string | undefined): keyof BeaconAnswerLimits | undefined => {
  const type = contentType?.split(";")[0]?.trim().toLowerCase()
  return type === "application/octet-stream" ? "ssz" : type === "application/json" ? "json" : undefined
}

/** Returns the body, unless it is longer than `max` bytes. A longer body is not read to its end. */
const collect = (
  { headers, stream }: HttpClientResponse.HttpClientResponse,
  max: number
): Effect.Effect<Uint8Array, Reason> =>
  Effect.suspend(() => {
    const tooLong = new ProtocolError({ detail: `the answer is longer than ${max} bytes` })
    if (Number(headers["content-length"]) > max) return Effect.fail(tooLong)
    const pieces: Array<Uint8Array> = []
    let size = 0
    return stream.pipe(
      Stream.mapError(({ reason }) =>
        reason._tag === "EmptyBodyError"
          ? new ProtocolError({ detail: "the answer is empty" })
          : new ConnectionError({ detail: `the answer was cut off${codeOf(reason)}` })
      ),
      Stream.runForEach((bytes) => {
        size += bytes.length
        pieces.push(bytes)
        return size > max ? Effect.fail(tooLong) : Effect.void
      }),
      Effect.map(() => Bytes.join(pieces))
    )
  })
