/** Reads the bytes of an answer to the end, and checks the time limit and the announced length. */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"

import * as FailureReason from "./failureReason.ts"
import type { IdleTimeout } from "./idleTimeout.ts"
import { IpfsError, LengthError, type Reason, StreamError } from "./IpfsError.ts"

/**
 * Returns the trailers of an answer that was read to its end, by lower-case names; undefined if the platform hides
 * them.
 */
export type ReadTrailers = (
  response: HttpClientResponse.HttpClientResponse
) => Readonly<Record<string, unknown>> | undefined

/** The parts of the call that are needed to read its answer. */
export interface ReplyContext {
  readonly failed: (reason: Reason) => IpfsError
  readonly redact: (text: string) => string
  readonly silence: IdleTimeout<IpfsError>
  readonly trailers: ReadTrailers
}

/** Streams the body to its end, and fails if the body is not as long as the server announced. */
export const complete = (
  response: HttpClientResponse.HttpClientResponse,
  { failed, redact, silence, trailers }: ReplyContext
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
  const atEnd = (got: number): IpfsError | undefined =>
    inTrailer() ?? (expected !== undefined && got < expected ? failed(new LengthError({ expected, got })) : undefined)
  return Stream.transformPull(silenced(response, silence), (pull) =>
    Effect.sync(() => {
      let got = 0
      let tooLong: LengthError | undefined
      const taken = (pieces: Pieces): Pull.Pull<Pieces, IpfsError> => {
        if (expected === undefined) return Effect.succeed(pieces)
        for (let i = 0; i < pieces.length; i++) {
          got += pieces[i]!.length
          if (got <= expected) continue
          tooLong = new LengthError({ expected, got })
          // The pieces before this one were valid.
          const [first, ...others] = pieces.slice(0, i)
          return first === undefined ? Effect.fail(failed(tooLong)) : Effect.succeed([first, ...others])
        }
        return Effect.succeed(pieces)
      }
      const next: Pull.Pull<Pieces, IpfsError> = Effect.matchEffect(pull, {
        onSuccess: taken,
        onFailure: (error): Pull.Pull<never, IpfsError> => {
          if (Cause.isDone(error)) {
            const flaw = atEnd(got)
            return flaw === undefined ? Cause.done() : Effect.fail(flaw)
          }
          return Effect.fail(
            error instanceof IpfsError ? error : (inTrailer() ?? failed(FailureReason.cutOff(error.reason)))
          )
        }
      })
      return Effect.suspend(() => (tooLong === undefined ? next : Effect.fail(failed(tooLong))))
    })
  )
}

/** Consecutive pieces of a body, as the transport delivers them together. */
type Pieces = Arr.NonEmptyReadonlyArray<Uint8Array>

/** Streams the body, and fails if no bytes arrive for too long. */
const silenced = (
  response: HttpClientResponse.HttpClientResponse,
  silence: IdleTimeout<IpfsError>
): Stream.Stream<Uint8Array, IpfsError | HttpClientError.HttpClientError> => {
  const watched = Stream.transformPull(response.stream, (pull) =>
    Effect.succeed(
      Effect.suspend(() => {
        // The time that the reader takes does not count as silence.
        silence.broken()
        return silence.bound(pull)
      })
    )
  )
  return Stream.catch(watched, (error) =>
    error._tag === "HttpClientError" && error.reason._tag === "EmptyBodyError" ? Stream.empty : Stream.fail(error)
  )
}

/** Returns the start of a failing answer's text, as far as it is readable. */
export const beginning = (
  response: HttpClientResponse.HttpClientResponse,
  silence: IdleTimeout<IpfsError>,
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
