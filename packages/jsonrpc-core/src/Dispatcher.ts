/**
 * The untyped core of a server: bytes of a packet in, bytes of its answer out.
 *
 * It knows the envelope and the rules of batches and notifications. What a method is, is the business of `call`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as ErrorObject from "./ErrorObject.ts"
import * as Message from "./Message.ts"

/** A call out of its envelope. */
export interface Call {
  readonly method: string
  readonly params: Message.Params
  /** Whether nobody waits for the answer. */
  readonly notification: boolean
}

/** Bounds of a packet, and how many calls of one batch run at the same time. */
export interface Limits extends Message.Limits {
  readonly concurrency: number
}

/** Those of `Message.defaultLimits`, and 16 calls at a time. */
export const defaultLimits: Limits = { ...Message.defaultLimits, concurrency: 16 }

/** A server core. */
export interface Dispatcher<R> {
  /**
   * Answers one packet. Never fails and never throws; `undefined` means that nothing is to be sent.
   */
  readonly handle: (input: Uint8Array | string) => Effect.Effect<Uint8Array | undefined, never, R>
}

/** How a dispatcher does its work. */
export interface Options<R, RD = never> {
  /** Missing bounds are those of `defaultLimits`. */
  readonly limits?: Partial<Limits> | undefined
  /** Does a call and gives the JSON text of its result. */
  readonly call: (call: Call) => Effect.Effect<Uint8Array, ErrorObject.ErrorObject, R>
  /** Told of each call that died, or interrupted itself, instead of failing. The default logs the cause as an error. */
  readonly onDefect?: ((cause: Cause.Cause<unknown>, call: Call) => Effect.Effect<void, never, RD>) | undefined
}

/**
 * A server core over one function.
 *
 * Calls of a batch run `limits.concurrency` at a time. JSON-RPC allows their answers in any order; ours come in the
 * order of the requests. Notifications are done before `handle` ends, but not answered, whatever becomes of them.
 * A defect becomes -32603 without any of its text. Interrupting `handle` interrupts the calls.
 *
 * ```ts import.meta.vitest
 * import { Dispatcher, ErrorObject } from "@plumbline/jsonrpc-core"
 * import { Effect } from "effect"
 *
 * const { handle } = Dispatcher.make({
 *   call: ({ method }) =>
 *     method === "ping"
 *       ? Effect.succeed(new TextEncoder().encode('"pong"'))
 *       : Effect.fail(ErrorObject.methodNotFound(method))
 * })
 * const answer = await Effect.runPromise(handle('{"jsonrpc":"2.0","id":1,"method":"ping"}'))
 * new TextDecoder().decode(answer) // => '{"jsonrpc":"2.0","id":1,"result":"pong"}'
 * ```
 */
export const make = <R = never, RD = never>(options: Options<R, RD>): Dispatcher<R | RD> => {
  const limits: Limits = { ...defaultLimits, ...options.limits }
  const onDefect = options.onDefect ?? logDefect

  const run = (call: Call, id: Message.Id | undefined): Effect.Effect<Uint8Array | undefined, never, R | RD> =>
    Effect.matchCauseEffect(
      Effect.suspend(() => options.call(call)),
      {
        onSuccess: (result) => Effect.succeed(id === undefined ? undefined : Message.successBytes(id, result)),
        onFailure: (cause) => {
          const failure = Cause.findError(cause)
          if (Result.isSuccess(failure) && !Cause.hasDies(cause)) {
            return Effect.succeed(id === undefined ? undefined : Message.failureBytes(id, failure.success))
          }
          return Effect.as(
            Effect.ignoreCause(Effect.suspend(() => onDefect(cause, call))),
            id === undefined ? undefined : Message.failureBytes(id, ErrorObject.internalError())
          )
        }
      }
    )

  const answer = (entry: Message.Entry): Effect.Effect<Uint8Array | undefined, never, R | RD> => {
    switch (entry._tag) {
      case "Request":
        return run({ method: entry.method, params: entry.params, notification: false }, entry.id)
      case "Notification":
        return run({ method: entry.method, params: entry.params, notification: true }, undefined)
      case "Invalid":
        return Effect.succeed(Message.failureBytes(entry.id, entry.error))
    }
  }

  return {
    handle: (input) =>
      Effect.suspend(() => {
        const packet = Message.parse(input, limits)
        switch (packet._tag) {
          case "Single":
            return answer(packet.entry)
          case "Batch":
            return Effect.map(Effect.forEach(packet.entries, answer, { concurrency: limits.concurrency }), joinAnswers)
          case "Refused":
            return Effect.succeed(Message.failureBytes(packet.id, packet.error))
        }
      })
  }
}

const logDefect = (cause: Cause.Cause<unknown>, call: Call): Effect.Effect<void> =>
  Effect.logError(`JSON-RPC call of ${call.method} died`, cause)

const joinAnswers = (answers: ReadonlyArray<Uint8Array | undefined>): Uint8Array | undefined => {
  const parts = answers.filter((answer) => answer !== undefined)
  return parts.length === 0 ? undefined : Message.batchBytes(parts)
}
