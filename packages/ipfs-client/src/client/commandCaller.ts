/** Calls commands over an `HttpClient`: sends one request, and reads the answer in the form of the command. */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import type * as Command from "../commands/Command.ts"
import type * as Upload from "../commands/Upload.ts"
import * as AnswerDecoders from "./answerDecoders.ts"
import * as AnswerJson from "./answerJson.ts"
import * as CommandQuery from "./commandQuery.ts"
import * as CommandSpan from "./commandSpan.ts"
import * as FailureReason from "./failureReason.ts"
import { IdleTimeout } from "./idleTimeout.ts"
import { DecodeError, IpfsError, ProtocolError, type Reason, StreamError, TimeoutError } from "./IpfsError.ts"
import type * as IpfsTarget from "./ipfsTarget.ts"
import * as Multipart from "./multipart.ts"
import * as Ndjson from "./ndjson.ts"
import * as ReplyReader from "./replyReader.ts"

/** The arguments, options and upload of a call. */
export interface CallInput<E> {
  readonly args?: ReadonlyArray<string> | undefined
  readonly options?: CommandQuery.GivenOptions | undefined
  readonly upload?: Upload.UploadEntries<E> | undefined
}

/** Calls commands. */
export interface CommandCaller {
  /** Streams the bytes of the answer as they arrive. */
  readonly bytes: <E = never>(
    command: Command.AnsweringCommand<"bytes">,
    given: CallInput<E>
  ) => Stream.Stream<Uint8Array, IpfsError | E>
  /** Returns all bytes of the answer. */
  readonly whole: <E = never>(
    command: Command.AnsweringCommand<"bytes">,
    given: CallInput<E>
  ) => Effect.Effect<Uint8Array, IpfsError | E>
  /** Returns the only value of the answer. */
  readonly json: <C extends Command.AnsweringCommand<"json">, E = never>(
    command: C,
    given: CallInput<E>
  ) => Effect.Effect<Command.AnswerOf<C>, IpfsError | E>
  /** Streams the values of the answer as they arrive. */
  readonly lines: <C extends Command.AnsweringCommand<"lines">, E = never>(
    command: C,
    given: CallInput<E>
  ) => Stream.Stream<Command.AnswerOf<C>, IpfsError | E>
  /** Shortens a sentence of the server, and removes the secrets of the URL and the credentials from it. */
  readonly redact: (sentence: string) => string
}

/** Uploads in memory up to this size, in bytes, are sent in one piece, so that they can be sent again. */
const MAX_IN_ONE_PIECE = 4 * 1024 * 1024

/** Maximum number of bytes to read from a server's error. */
const MAX_REFUSAL = 64 * 1024

const FIRST_WAIT = 100
const LONGEST_WAIT = 10_000

/** The tries of one call: the number of failed tries, and the start time of the first try. */
interface Tries {
  failed: number
  readonly since: number
}

/** An answer that has begun. */
interface Opened<E> {
  readonly body: Stream.Stream<Uint8Array, E | IpfsError>
  readonly failed: (reason: Reason) => IpfsError
}

/** The time in milliseconds, by a monotonic clock. */
const now: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.succeed(Number(clock.monotonicTimeNanosUnsafe()) / 1e6)
)

export const make = (
  target: IpfsTarget.IpfsTarget,
  client: HttpClient.HttpClient,
  trailers: ReplyReader.ReadTrailers
): CommandCaller => {
  // The request ends with its scope, even if the answer is not read to its end.
  const { execute } = HttpClient.withScope(client)

  /** Returns an answer that has begun, with a body that is checked up to its end. */
  const open = Effect.fnUntraced(function* <E>(command: Command.AnyCommand, given: CallInput<E>, tries?: Tries) {
    const scope = yield* Effect.scope
    const clock = yield* Clock.clockWith(Effect.succeed)
    const failed = (reason: Reason): IpfsError => new IpfsError({ command: command.name, reason })
    const silence = new IdleTimeout(clock, target.timeout, () => failed(new TimeoutError({ after: target.timeout })))
    const query = CommandQuery.make(command, given.args ?? [], given.options ?? {})
    if (Result.isFailure(query)) {
      return yield* Effect.fail(failed(query.failure))
    }
    const source: Source<E | IpfsError> = { cause: undefined }
    const upload = bodyOf(given.upload, failed, silence, source)
    if (Result.isFailure(upload)) {
      return yield* Effect.fail(upload.failure)
    }
    const post = HttpClientRequest.post(target.url(command.name, query.success), { headers: target.headers })
    const request = upload.success === undefined ? post : HttpClientRequest.setBody(post, upload.success)

    const attempt = Effect.gen(function* () {
      silence.broken()
      const traceparent = yield* Effect.withFiber((fiber) => Effect.succeed(CommandSpan.traceparent(fiber)))
      const sent =
        traceparent === undefined ? request : HttpClientRequest.setHeader(request, "traceparent", traceparent)
      const response = yield* execute(sent).pipe(
        Effect.catch((error) => unanswered(error, failed)),
        // The client's spans contain the URL, so they are switched off, and its trace header with them.
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
        (answer) => silence.bound(answer)
      )
      silence.broken()
      const status = ReplyReader.cameByRedirect(response) ? 0 : response.status
      if (status === 0 || (status >= 300 && status < 400)) {
        return yield* Effect.fail(failed(FailureReason.redirected(status)))
      }
      if (status >= 200 && status < 300) {
        return response
      }
      const text = yield* ReplyReader.beginning(response, silence, MAX_REFUSAL)
      return yield* Effect.fail(
        failed(
          FailureReason.refused(
            {
              status,
              contentType: response.headers["content-type"],
              retryAfter: response.headers["retry-after"],
              text
            },
            target.redact
          )
        )
      )
    })

    /** Closes the scope of a failed request at once, not at the end of the call. */
    const inOwnScope = Effect.flatMap(Scope.fork(scope), (own) =>
      Effect.onExit(Scope.provide(attempt, own), (exit) =>
        Exit.isFailure(exit) ? Scope.close(own, exit) : Effect.void
      )
    )

    const isRepeatable = command.idempotent && upload.success?._tag !== "Stream"

    const answered = isRepeatable ? repeated(inOwnScope, tries ?? { failed: 0, since: yield* now }) : inOwnScope
    const response = yield* answered.pipe(Effect.catch((error) => ofSource(source, error)))
    const body = ReplyReader.complete(response, { failed, redact: target.redact, silence, trailers }).pipe(
      Stream.catch((error) => Stream.fromEffect(ofSource(source, error)))
    )
    return { body, failed }
  })

  /**
   * Tries a call again if it may succeed later. A call that timed out has used its time, and is not tried again.
   */
  const repeated = <A, E, R>(
    work: Effect.Effect<A, E | IpfsError, R>,
    tries: Tries
  ): Effect.Effect<A, E | IpfsError, R> =>
    Effect.catch(work, (error): Effect.Effect<A, E | IpfsError, R> => {
      if (!(error instanceof IpfsError) || !error.retryable || error.reason._tag === "TimeoutError") {
        return Effect.fail(error)
      }
      const asked = Duration.toMillis(error.retryAfter ?? Duration.zero)
      if (tries.failed >= target.retries || asked > LONGEST_WAIT) {
        return Effect.fail(error)
      }
      return Effect.flatMap(Effect.zip(Random.next, now), ([part, at]) => {
        const millis = Math.ceil(asked + part * FIRST_WAIT * 2 ** tries.failed)
        if (at - tries.since + millis > Duration.toMillis(target.timeout)) {
          return Effect.fail(error)
        }
        tries.failed += 1
        const { failed } = tries
        const duration = Duration.millis(millis)
        return Effect.andThen(
          target.onWait({ error, tried: failed, left: target.retries - failed + 1, duration }),
          Effect.andThen(Effect.sleep(duration), repeated(work, tries))
        )
      })
    })

  /** Reads an answer to its end. If the answer breaks off, the client requests the whole answer again. */
  const wholly = <A, E>(
    command: Command.AnyCommand,
    given: CallInput<E>,
    read: (opened: Opened<E>) => Effect.Effect<A, E | IpfsError>
  ): Effect.Effect<A, E | IpfsError> =>
    command.idempotent && given.upload === undefined
      ? Effect.flatMap(now, (since) => {
          const tries: Tries = { failed: 0, since }
          return repeated(Effect.scoped(Effect.flatMap(open(command, given, tries), read)), tries)
        })
      : Effect.scoped(Effect.flatMap(open(command, given), read))

  const decoded = <S extends Command.CommandCodec>(
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

  const collect = <E>(
    body: Stream.Stream<Uint8Array, E>,
    failed: (reason: Reason) => IpfsError
  ): Effect.Effect<Uint8Array, E | IpfsError> =>
    Effect.suspend(() => {
      const pieces: Array<Uint8Array> = []
      let size = 0
      return Effect.map(
        Stream.runForEach(body, (bytes) => {
          size += bytes.length
          if (size > target.maxBytes) {
            return Effect.fail(failed(tooLarge("the answer", target.maxBytes)))
          }
          pieces.push(bytes)
          return Effect.void
        }),
        () => Bytes.join(pieces)
      )
    })

  const bytes: CommandCaller["bytes"] = (command, given) =>
    Stream.unwrap(Effect.map(open(command, given), ({ body }) => body))

  const whole: CommandCaller["whole"] = (command, given) =>
    wholly(command, given, ({ body, failed }) => collect(body, failed))

  const json: CommandCaller["json"] = (command, given) =>
    wholly(command, given, ({ body, failed }) =>
      Effect.flatMap(collect(body, failed), (bytes) => {
        const value = Result.flatMap(AnswerJson.ofBytes(bytes), (value) => decoded(command.answer.schema, value))
        return Effect.fromResult(Result.mapError(value, failed))
      })
    )

  const lines: CommandCaller["lines"] = (command, given) =>
    Stream.unwrap(
      Effect.map(open(command, given), ({ body, failed }) => {
        const splitter = new Ndjson.LineSplitter(target.maxBytes)
        const values = (cut: Ndjson.CompleteLines): Stream.Stream<any, IpfsError> => {
          const good: Array<unknown> = []
          for (const line of cut.lines) {
            const value = Result.flatMap(AnswerJson.ofText(line), (value) =>
              decoded(command.answer.schema, value, command.answer.quick)
            )
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
      })
    )

  return {
    bytes: (command, given) => CommandSpan.ofStream(command.name, bytes(command, given)),
    whole: (command, given) => CommandSpan.of(command.name, whole(command, given)),
    json: (command, given) => CommandSpan.of(command.name, json(command, given)),
    lines: (command, given) => CommandSpan.ofStream(command.name, lines(command, given)),
    redact: target.redact
  }
}

/** Records the error of an upload's contents, which then becomes the error of the call. */
interface Source<E> {
  cause: Cause.Cause<E> | undefined
}

const ofSource = <E>(source: Source<E>, error: IpfsError): Effect.Effect<never, E | IpfsError> =>
  source.cause === undefined ? Effect.fail(error) : Effect.failCause(source.cause)

const bodyOf = <E>(
  entries: Upload.UploadEntries<E> | undefined,
  failed: (reason: Reason) => IpfsError,
  silence: IdleTimeout<IpfsError>,
  source: Source<E | IpfsError>
): Result.Result<HttpBody.Uint8Array | HttpBody.Stream | undefined, IpfsError> => {
  if (entries === undefined) {
    return Result.succeed(undefined)
  }
  const boundary = Multipart.boundary()
  const type = Multipart.contentType(boundary)
  return Result.mapBoth(Multipart.inMemory(entries, boundary, MAX_IN_ONE_PIECE), {
    onFailure: failed,
    onSuccess: (bytes) =>
      bytes !== undefined
        ? HttpBody.uint8Array(bytes, type)
        : HttpBody.stream(
            Multipart.stream(entries, boundary, failed).pipe(
              Stream.tap(() => Effect.sync(() => silence.broken())),
              Stream.tapCause((cause) =>
                Effect.sync(() => {
                  // An upload is interrupted when the request is over.
                  if (!Cause.hasInterruptsOnly(cause)) {
                    source.cause = cause
                  }
                })
              )
            ),
            type
          )
  })
}

/**
 * Returns the answer that an error contains. Some HTTP clients turn an answer with a failing status into such an error.
 */
const unanswered = (
  { reason }: HttpClientError.HttpClientError,
  failed: (reason: Reason) => IpfsError
): Effect.Effect<HttpClientResponse.HttpClientResponse, IpfsError> =>
  reason._tag === "StatusCodeError"
    ? Effect.succeed(reason.response)
    : Effect.fail(failed(FailureReason.unanswered(reason)))

const tooLarge = (what: string, maxBytes: number): ProtocolError =>
  new ProtocolError({ detail: `${what} is larger than ${maxBytes} bytes` })
