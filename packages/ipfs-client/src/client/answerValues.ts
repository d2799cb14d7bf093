/** Reads the values in the body of an answer, within the bounds of the target. */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import type * as Command from "../commands/Command.ts"
import * as AnswerDecoders from "./answerDecoders.ts"
import * as AnswerJson from "./answerJson.ts"
import * as FailureReason from "./failureReason.ts"
import { DecodeError, type IpfsError, ProtocolError, type Reason, StreamError } from "./IpfsError.ts"
import type * as IpfsTarget from "./ipfsTarget.ts"
import * as Ndjson from "./ndjson.ts"

/** An answer that has begun. */
export interface OpenedAnswer<E> {
  readonly body: Stream.Stream<Uint8Array, E | IpfsError>
  readonly failed: (reason: Reason) => IpfsError
}

/** Returns all bytes of an answer. */
export const bytes = <E>(
  { maxBytes }: IpfsTarget.IpfsTarget,
  { body, failed }: OpenedAnswer<E>
): Effect.Effect<Uint8Array, E | IpfsError> =>
  Effect.suspend(() => {
    const pieces: Array<Uint8Array> = []
    let size = 0
    return Effect.map(
      Stream.runForEach(body, (bytes) => {
        size += bytes.length
        if (size > maxBytes) {
          return Effect.fail(failed(tooLarge("the answer", maxBytes)))
        }
        pieces.push(bytes)
        return Effect.void
      }),
      () => Bytes.join(pieces)
    )
  })

/** Returns the only value of an answer. */
export const value = <S extends Command.CommandCodec, E>(
  target: IpfsTarget.IpfsTarget,
  schema: S,
  opened: OpenedAnswer<E>
): Effect.Effect<S["Type"], E | IpfsError> =>
  Effect.flatMap(bytes(target, opened), (bytes) => {
    const value = Result.flatMap(AnswerJson.ofBytes(bytes), (value) => decoded(target, schema, value))
    return Effect.fromResult(Result.mapError(value, opened.failed))
  })

/** Streams the values of an answer, one a line. */
export const lines = <S extends Command.CommandCodec, E>(
  target: IpfsTarget.IpfsTarget,
  { quick, schema }: { readonly schema: S; readonly quick?: Command.QuickDecoder<S["Type"]> | undefined },
  { body, failed }: OpenedAnswer<E>
): Stream.Stream<S["Type"], E | IpfsError> => {
  const splitter = new Ndjson.LineSplitter(target.maxBytes)
  const values = (cut: Ndjson.CompleteLines): Stream.Stream<S["Type"], IpfsError> => {
    const good: Array<S["Type"]> = []
    for (const line of cut.lines) {
      const value = Result.flatMap(AnswerJson.ofText(line), (value) => decoded(target, schema, value, quick))
      if (Result.isFailure(value)) {
        return Stream.concat(Stream.fromArray(good), Stream.fail(failed(value.failure)))
      }
      good.push(value.success)
    }
    return cut.fault === undefined
      ? Stream.fromArray(good)
      : Stream.concat(
          Stream.fromArray(good),
          Stream.fail(
            failed(
              cut.fault === "too long"
                ? tooLarge("a line of the answer", target.maxBytes)
                : new ProtocolError({ detail: "the answer is not UTF-8" })
            )
          )
        )
  }
  return Stream.concat(
    Stream.flatMap(body, (bytes) => values(splitter.push(bytes))),
    Stream.suspend(() => values(splitter.end()))
  )
}

const decoded = <S extends Command.CommandCodec>(
  target: IpfsTarget.IpfsTarget,
  schema: S,
  value: unknown,
  quick?: Command.QuickDecoder<S["Type"]>
): Result.Result<S["Type"], Reason> => {
  const error = FailureReason.errorValue(value)
  if (error !== undefined) {
    return Result.fail(new StreamError({ ...error, message: target.redact(error.message), where: "value" }))
  }
  const known = quick?.(value)
  if (known !== undefined) return Result.succeed(known)
  return Result.mapError(
    AnswerDecoders.of(schema)(value),
    ({ detail, path }) =>
      new DecodeError({
        path: path.map((key) => (typeof key === "string" ? target.redact(key) : key)),
        detail: target.redact(detail)
      })
  )
}

const tooLarge = (what: string, maxBytes: number): ProtocolError =>
  new ProtocolError({ detail: `${what} is larger than ${maxBytes} bytes` })
