/** Calls commands over an `HttpClient`: sends one request, and reads the answer in the form of the command. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import type * as Command from "../commands/Command.ts"
import type * as Upload from "../commands/Upload.ts"
import * as AnswerValues from "./answerValues.ts"
import * as CommandQuery from "./commandQuery.ts"
import * as CommandRetry from "./commandRetry.ts"
import * as CommandSpan from "./commandSpan.ts"
import * as FailureReason from "./failureReason.ts"
import { IdleTimeout } from "./idleTimeout.ts"
import { IpfsError, type Reason, TimeoutError } from "./IpfsError.ts"
import type * as IpfsTarget from "./ipfsTarget.ts"
import * as Multipart from "./multipart.ts"
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

export const make = (
  target: IpfsTarget.IpfsTarget,
  client: HttpClient.HttpClient,
  trailers: ReplyReader.ReadTrailers
): CommandCaller => {
  // The request ends with its scope, even if the answer is not read to its end.
  const { execute } = HttpClient.withScope(client)

  /** Returns an answer that has begun, with a body that is checked up to its end. */
  const open = Effect.fnUntraced(function* <E>(
    command: Command.AnyCommand,
    given: CallInput<E>,
    tries?: CommandRetry.Tries
  ) {
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
      return yield* accepted(response, target, failed, silence)
    })

    /** Closes the scope of a failed request at once, not at the end of the call. */
    const inOwnScope = Effect.flatMap(Scope.fork(scope), (own) =>
      Effect.onExit(Scope.provide(attempt, own), (exit) =>
        Exit.isFailure(exit) ? Scope.close(own, exit) : Effect.void
      )
    )

    const isRepeatable = command.idempotent && upload.success?._tag !== "Stream"

    const answered = isRepeatable
      ? CommandRetry.repeated(target, tries ?? (yield* CommandRetry.begin), inOwnScope)
      : inOwnScope
    const response = yield* answered.pipe(Effect.catch((error) => ofSource(source, error)))
    const body = ReplyReader.complete(response, { failed, redact: target.redact, silence, trailers }).pipe(
      Stream.catch((error) => Stream.fromEffect(ofSource(source, error)))
    )
    return { body, failed }
  })

  /** Reads an answer to its end. If the answer breaks off, the client requests the whole answer again. */
  const wholly = <A, E>(
    command: Command.AnyCommand,
    given: CallInput<E>,
    read: (opened: AnswerValues.OpenedAnswer<E>) => Effect.Effect<A, E | IpfsError>
  ): Effect.Effect<A, E | IpfsError> =>
    command.idempotent && given.upload === undefined
      ? Effect.flatMap(CommandRetry.begin, (tries) =>
          CommandRetry.repeated(target, tries, Effect.scoped(Effect.flatMap(open(command, given, tries), read)))
        )
      : Effect.scoped(Effect.flatMap(open(command, given), read))

  const bytes: CommandCaller["bytes"] = (command, given) =>
    Stream.unwrap(Effect.map(open(command, given), ({ body }) => body))

  const whole: CommandCaller["whole"] = (command, given) =>
    wholly(command, given, (opened) => AnswerValues.bytes(target, opened))

  const json: CommandCaller["json"] = (command, given) =>
    wholly(command, given, (opened) => AnswerValues.value(target, command.answer.schema, opened))

  const lines: CommandCaller["lines"] = (command, given) =>
    Stream.unwrap(Effect.map(open(command, given), (opened) => AnswerValues.lines(target, command.answer, opened)))

  return {
    bytes: (command, given) => CommandSpan.ofStream(command.name, bytes(command, given)),
    whole: (command, given) => CommandSpan.of(command.name, whole(command, given)),
    json: (command, given) => CommandSpan.of(command.name, json(command, given)),
    lines: (command, given) => CommandSpan.ofStream(command.name, lines(command, given)),
    redact: target.redact
  }
}

/** Returns the response if its status is that of an answer. Otherwise fails with the reason that the node gives. */
const accepted = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  { redact }: IpfsTarget.IpfsTarget,
  failed: (reason: Reason) => IpfsError,
  silence: IdleTimeout<IpfsError>
) {
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
        redact
      )
    )
  )
})

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
