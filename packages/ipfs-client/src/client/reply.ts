/** The bytes of an answer: to their end, in time, and as many as the server said. */
import * as Effect from "effect/Effect"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

import * as Failure from "./failure.ts"
import { IpfsError, LengthError, type Reason, StreamError } from "./IpfsError.ts"
import type { Silence } from "./silence.ts"

/** The trailers of an answer that was read to its end, by lower-case names; undefined where the platform hides them. */
export type Trailers = (
  response: HttpClientResponse.HttpClientResponse
) => Readonly<Record<string, unknown>> | undefined

/** The parts of the call that are needed to read its answer. */
export interface Surroundings {
  readonly failed: (reason: Reason) => IpfsError
  readonly redact: (text: string) => string
  readonly silence: Silence<IpfsError>
  readonly trailers: Trailers
}

/** The body to its end, and whether it is all that the server said it is. */
export const complete = (
  response: HttpClientResponse.HttpClientResponse,
  { failed, redact, silence, trailers }: Surroundings
): Stream.Stream<Uint8Array, IpfsError> => {
  const expected = lengthOf(response.headers["x-content-length"])
  const inTrailer = (): IpfsError | undefined => {
    const message = trailers(response)?.["x-stream-error"]
    return typeof message === "string" && message !== ""
      ? failed(new StreamError({ message: redact(message), where: "trailer" }))
      : undefined
  }
  const inHeader = response.headers["x-stream-error"]
  if (inHeader !== undefined && inHeader !== "") {
    return Stream.fail(failed(new StreamError({ message: redact(inHeader), where: "header" })))
  }
  return Stream.suspend(() => {
    let got = 0
    const counted = Stream.mapEffect(silenced(response, silence), (bytes) => {
      got += bytes.length
      return expected !== undefined && got > expected
        ? Effect.fail(failed(new LengthError({ expected, got })))
        : Effect.succeed(bytes)
    })
    const end = Effect.suspend(() => {
      const error =
        inTrailer() ??
        (expected !== undefined && got < expected ? failed(new LengthError({ expected, got })) : undefined)
      return error === undefined ? Effect.void : Effect.fail(error)
    })
    return counted.pipe(
      Stream.mapError((error) =>
        error instanceof IpfsError ? error : (inTrailer() ?? failed(Failure.cutOff(error.reason)))
      ),
      Stream.concat(Stream.fromEffectDrain(end))
    )
  })
}

/** The body, and an end to silence in it. */
const silenced = (
  response: HttpClientResponse.HttpClientResponse,
  silence: Silence<IpfsError>
): Stream.Stream<Uint8Array, IpfsError | HttpClientError.HttpClientError> => {
  const watched = Stream.transformPull(response.stream, (pull) =>
    Effect.succeed(
      Effect.suspend(() => {
        // The reader's own time is no silence.
        silence.broken()
        return silence.bound(pull)
      })
    )
  )
  return Stream.catch(watched, (error) =>
    error._tag === "HttpClientError" && error.reason._tag === "EmptyBodyError" ? Stream.empty : Stream.fail(error)
  )
}

/** Returns the start of a failing answer's text, as far as it can be read. */
export const beginning = (
  response: HttpClientResponse.HttpClientResponse,
  silence: Silence<IpfsError>,
  maxBytes: number
): Effect.Effect<string> => {
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  return silenced(response, silence).pipe(
    Stream.runForEachWhile((bytes) =>
      Effect.sync(() => {
        text += decoder.decode(bytes.subarray(0, maxBytes - size), { stream: true })
        size += bytes.length
        return size < maxBytes
      })
    ),
    Effect.ignore,
    Effect.map(() => text)
  )
}

/** True if a layer below the client followed a redirect: the answer comes from another URL than the requested one. */
export const cameByRedirect = ({ request, url }: HttpClientResponse.HttpClientResponse): boolean => {
  const asked = Option.getOrUndefined(HttpClientRequest.toUrl(request))
  return url !== "" && asked !== undefined && url.split("#")[0] !== asked.href.split("#")[0]
}

const lengthOf = (header: string | undefined): number | undefined =>
  header !== undefined && /^[0-9]{1,15}$/.test(header) ? Number(header) : undefined
