/**
 * The untyped core of a server. It takes the bytes of a packet and returns the bytes of the answer.
 *
 * It handles the envelope and the rules of batches and notifications. Methods are dispatched by `options.call`; this
 * module does not know them.
 */
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Stream from "effect/Stream"

import * as ErrorObject from "../error/ErrorObject.ts"
import * as Message from "../message/Message.ts"
import type { SubscriptionNames } from "../method/Subscription.ts"
import { BatchAnswers } from "./batchAnswers.ts"
import { logDefect } from "./defect.ts"
import { timedOut, tooLarge } from "./gethErrors.ts"
import * as Work from "./work.ts"

/** A call without its envelope. */
export interface DispatchedCall {
  readonly method: string
  readonly params: Message.Params
  /** True for a notification: no response is sent. */
  readonly notification: boolean
  /** Index of the message in its packet, from 0. */
  readonly place: number
  /** The other end, if the call came over a connection that stays open. */
  readonly peer?: ConnectionPeer | undefined
}

/** The other end of a connection that stays open. `Connection.make` makes it. */
export interface ConnectionPeer {
  /** Sends a packet. The Effect ends when the next packet may be sent. */
  readonly send: (packet: Uint8Array) => Effect.Effect<void>
  /** Returns a subscription to give as the result of a call. */
  readonly subscribe: (feed: SubscriberFeed) => OpeningResult
  /** Ends the subscription with this id and unsubscribe method. False if it does not exist. */
  readonly unsubscribe: (method: string, id: string) => boolean
}

/** The content of a subscription for one subscriber. */
export interface SubscriberFeed {
  /** The subscription's name. It is reported if the subscription ends the connection. */
  readonly name: string
  readonly wire: SubscriptionNames
  /** The JSON texts of the items, one per notification. */
  readonly items: Stream.Stream<string>
  /** Called when the stream dies. */
  readonly onDefect: (cause: Cause.Cause<unknown>) => Effect.Effect<void>
}

/** A result that begins work. The work continues after the call has ended. */
export interface OpeningResult {
  /**
   * Begins the work. Called at most once, right before the answer is sent. After that, only the end of the connection
   * can prevent the answer.
   */
  readonly begin: () => Result.Result<Uint8Array, ErrorObject.ErrorObject>
  /** Called after the answer was sent. */
  readonly sent: () => void
}

/** Bounds of a packet and of the work for it. */
export interface DispatcherLimits extends Message.PacketLimits {
  /** Maximum number of calls of one batch that run at the same time. */
  readonly concurrency: number
  /**
   * Maximum number of bytes of the answers to a batch, counted as they arrive. The last answer may exceed the bound.
   */
  readonly maxAnswerBytes: number
  /** Time limit for all calls of a packet together. */
  readonly timeout: Duration.Input
}

/**
 * The defaults of the options: the limits of `Message.defaults`, 16 calls at a time, and geth's 25,000,000 bytes and 30
 * seconds.
 */
export const defaults: { readonly limits: DispatcherLimits } = {
  limits: { ...Message.defaults, concurrency: 16, maxAnswerBytes: 25_000_000, timeout: "30 seconds" }
}

/** A server core. */
export interface Dispatcher<R> {
  /**
   * Answers one packet that came without a connection, as over HTTP. Never fails and never throws. `undefined` means
   * that nothing is sent.
   */
  readonly handle: (input: Uint8Array | string) => Effect.Effect<Uint8Array | undefined, never, R>
  /**
   * Answers one packet that came without a connection and was already read. It does the same as `handle` but returns
   * the answers separately, for `Message.join`. Use it if the server must know all calls of a packet before it begins
   * any of them, or must know the size of each answer.
   */
  readonly answer: (packet: Message.Packet) => Effect.Effect<Message.Answers, never, R>
  /**
   * Answers one packet that came over a connection. It sends the answer, if there is one, and ends when all work has
   * ended, including abandoned calls. Responses are ignored, since the peer may be a server too. Never fails unless
   * `send` dies.
   */
  readonly exchange: (input: Uint8Array | string, peer: ConnectionPeer) => Effect.Effect<void, never, R>
}

/** The settings of a dispatcher. */
export interface DispatcherOptions<R, RD = never> {
  /** The bounds. A bound that is left out has its value from `defaults`. */
  readonly limits?: Partial<DispatcherLimits> | undefined
  /** Handles a call and returns the JSON text of its result, or an `OpeningResult`. */
  readonly call: (call: DispatchedCall) => Effect.Effect<Uint8Array | OpeningResult, ErrorObject.ErrorObject, R>
  /**
   * Called for each call that died, or interrupted itself, instead of failing. The default logs the cause as an error.
   * The hook and the call share the packet's time limit.
   */
  readonly onDefect?:
    | ((cause: Cause.Cause<unknown>, call: DispatchedCall) => Effect.Effect<void, never, RD>)
    | undefined
}

/**
 * Makes a server core over one function.
 *
 * Calls of a batch run `limits.concurrency` at a time and begin in the order of the requests. JSON-RPC allows answers
 * in any order. Here they come in the order of the requests, one for each, even if several requests have the same id.
 * Notifications are finished before `handle` ends, but never answered. A defect becomes -32603 without any of its text.
 * Interrupting `handle` interrupts the calls.
 *
 * As in geth, a packet that takes too long keeps its answers, and the remaining calls are answered with -32002 `request
 * timed out`. If the answers of a batch become larger than `limits.maxAnswerBytes`, the batch keeps them too, including
 * the answer that exceeded the limit. The remaining calls are answered with -32003 `response too large`. geth runs one
 * call after the other, so its remaining calls come later in the batch. Here the remaining calls are all calls without
 * an answer: running calls are interrupted, and the others, including notifications, are not begun. The answer does not
 * wait for calls that cannot be interrupted.
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
export const make = <R = never, RD = never>(options: DispatcherOptions<R, RD>): Dispatcher<R | RD> => {
  const limits: DispatcherLimits = { ...defaults.limits, ...options.limits }
  const millis = Duration.toMillis(Duration.fromInputUnsafe(limits.timeout))
  const onDefect = options.onDefect ?? logDefect

  const died = (cause: Cause.Cause<unknown>, call: DispatchedCall): Effect.Effect<Outcome, never, RD> =>
    Effect.as(Effect.ignoreCause(Effect.suspend(() => onDefect(cause, call))), Result.fail(ErrorObject.internalError()))

  const refused = (
    cause: Cause.Cause<ErrorObject.ErrorObject>,
    call: DispatchedCall
  ): Effect.Effect<Outcome, never, RD> => {
    const error = Cause.findError(cause)
    return Result.isSuccess(error) && !Cause.hasDies(cause)
      ? Effect.succeed(Result.fail(error.success))
      : died(cause, call)
  }

  const perform = (call: DispatchedCall): Effect.Effect<Outcome, never, R | RD> => {
    let effect: ReturnType<typeof options.call>
    try {
      effect = options.call(call)
    } catch (defect) {
      return died(Cause.die(defect), call)
    }
    const exit = Work.exitOf(effect)
    if (exit !== undefined) {
      return Exit.isSuccess(exit) ? Effect.succeed(Result.succeed(exit.value)) : refused(exit.cause, call)
    }
    return Effect.matchCauseEffect(effect, {
      onSuccess: (result) => Effect.succeed(Result.succeed(result)),
      onFailure: (cause) => refused(cause, call)
    })
  }

  const single = (
    entry: Message.PacketEntry,
    exchange: Exchange | undefined
  ): Effect.Effect<Uint8Array | undefined, never, R | RD> => {
    if (entry._tag !== "Request" && entry._tag !== "Notification") {
      return Effect.succeed(answerOther(entry, exchange))
    }
    const outcome = perform(toCall(entry, 0, exchange))
    const exit = Work.exitOf(outcome)
    if (exit !== undefined && Exit.isSuccess(exit)) {
      return Effect.succeed(write(entry, exit.value, exchange))
    }
    return Effect.map(
      Work.run<Outcome, R | RD>(outcome, {
        millis,
        otherwise: () => Result.fail(timedOut),
        onLeft: (fiber) => exchange?.leave(fiber)
      }),
      (outcome) => write(entry, outcome, exchange)
    )
  }

  const batch = (
    entries: ReadonlyArray<Message.PacketEntry>,
    exchange: Exchange | undefined
  ): Effect.Effect<Message.Answers, never, R | RD> =>
    Effect.clockWith((clock) => {
      const places = new BatchAnswers(entries)
      const isLate = deadline(clock, millis)

      const put = (index: number, entry: AnswerableMessage, outcome: Outcome): void => {
        places.put(index, write(entry, outcome, exchange))
        if (places.bytes > limits.maxAnswerBytes) {
          places.close(tooLarge)
        }
      }

      const one = (entry: Message.PacketEntry, index: number): Effect.Effect<void, never, R | RD> => {
        if (places.isClosed || (entry._tag !== "Request" && entry._tag !== "Notification")) {
          return Effect.void
        }
        // If calls never yield, a timer cannot fire, so the time is checked here.
        if (isLate()) {
          places.close(timedOut)
          return Effect.void
        }
        const outcome = perform(toCall(entry, index, exchange))
        const exit = Work.exitOf(outcome)
        if (exit !== undefined && Exit.isSuccess(exit)) {
          put(index, entry, exit.value)
          return Effect.void
        }
        return Effect.map(outcome, (outcome) => put(index, entry, outcome))
      }

      return Effect.map(
        Work.run(Effect.forEach(entries, one, { concurrency: limits.concurrency, discard: true }), {
          millis,
          otherwise: () => places.close(timedOut),
          arm: (giveUp) => places.onClose(giveUp),
          onLeft: (fiber) => exchange?.leave(fiber)
        }),
        () => places.answers((entry) => answerOther(entry, exchange))
      )
    })

  const serve = (
    input: Uint8Array | string,
    exchange: Exchange | undefined
  ): Effect.Effect<Uint8Array | undefined, never, R | RD> => {
    const { step } = Message.reader(input, limits)
    const packet = step()
    return packet === undefined
      ? Effect.flatMap(readOn(step), (packet) => serveRead(packet, exchange))
      : serveRead(packet, exchange)
  }

  const serveRead = (
    packet: Message.Packet,
    exchange: Exchange | undefined
  ): Effect.Effect<Uint8Array | undefined, never, R | RD> => {
    switch (packet._tag) {
      case "Single":
        return single(packet.entry, exchange)
      case "Batch":
        return Effect.map(batch(packet.entries, exchange), (answers) => Message.join(packet, answers))
      case "Refused":
        return Effect.succeed(Message.failureBytes(packet.id, packet.error))
    }
  }

  return {
    handle: (input) => Effect.suspend(() => serve(input, undefined)),
    answer: (packet) =>
      Effect.suspend(() => {
        switch (packet._tag) {
          case "Single":
            return Effect.map(single(packet.entry, undefined), (answer) => [answer])
          case "Batch":
            return batch(packet.entries, undefined)
          case "Refused":
            return Effect.succeed([Message.failureBytes(packet.id, packet.error)])
        }
      }),
    exchange: (input, peer) =>
      Effect.suspend(() => {
        const exchange = new Exchange(peer)
        return Effect.flatMap(serve(input, exchange), (answer) =>
          answer === undefined ? exchange.end : Effect.andThen(peer.send(answer), exchange.end)
        )
      })
  }
}

/** Reads the rest of a large packet. Other fibers and the event loop run before each step. */
const readOn = (step: Message.PacketSteps["step"]): Effect.Effect<Message.Packet> =>
  Effect.andThen(
    Effect.yieldNow,
    Effect.suspend(() => {
      const packet = step()
      return packet === undefined ? readOn(step) : Effect.succeed(packet)
    })
  )

/** The outcome of a call. */
type Outcome = Result.Result<Uint8Array | OpeningResult, ErrorObject.ErrorObject>

/** A request or a notification. */
type AnswerableMessage = Extract<Message.PacketEntry, { readonly _tag: "Request" | "Notification" }>

/** One packet of a connection. */
class Exchange {
  readonly peer: ConnectionPeer
  readonly #opened: Array<OpeningResult> = []
  #left: Fiber.Fiber<unknown> | undefined

  constructor(peer: ConnectionPeer) {
    this.peer = peer
  }

  open(opening: OpeningResult): Result.Result<Uint8Array, ErrorObject.ErrorObject> {
    const begun = opening.begin()
    if (Result.isSuccess(begun)) {
      this.#opened.push(opening)
    }
    return begun
  }

  leave(fiber: Fiber.Fiber<unknown>): void {
    this.#left = fiber
  }

  /** Completes the exchange after the answer was sent, and waits for abandoned calls. */
  readonly end: Effect.Effect<void> = Effect.suspend(() => {
    for (const opening of this.#opened) {
      opening.sent()
    }
    return this.#left === undefined ? Effect.void : Effect.asVoid(Fiber.await(this.#left))
  })
}

const toCall = (entry: AnswerableMessage, place: number, exchange: Exchange | undefined): DispatchedCall => ({
  method: entry.method,
  params: entry.params,
  notification: entry._tag === "Notification",
  place,
  peer: exchange?.peer
})

/** Returns the answer to a call. A notification has no answer, and a subscription that it opened does not begin. */
const write = (entry: AnswerableMessage, outcome: Outcome, exchange: Exchange | undefined): Uint8Array | undefined => {
  if (entry._tag === "Notification") {
    return undefined
  }
  const result = Result.isSuccess(outcome) && "begin" in outcome.success ? open(outcome.success, exchange) : outcome
  return Result.isSuccess(result)
    ? Message.successBytes(entry.id, result.success as Uint8Array)
    : Message.failureBytes(entry.id, result.failure)
}

const open = (opening: OpeningResult, exchange: Exchange | undefined): Outcome =>
  exchange === undefined ? Result.fail(ErrorObject.internalError()) : exchange.open(opening)

/** Returns the answer to a message that is not a call. */
const answerOther = (entry: Message.PacketEntry, exchange: Exchange | undefined): Uint8Array | undefined => {
  switch (entry._tag) {
    case "Invalid":
      return Message.failureBytes(entry.id, entry.error)
    case "Response":
      return exchange === undefined ? Message.failureBytes(entry.id, ErrorObject.invalidRequest()) : undefined
    default:
      return undefined
  }
}

const deadline = (clock: Clock.Clock, millis: number): (() => boolean) => {
  if (!Number.isFinite(millis)) {
    return () => false
  }
  const end = clock.monotonicTimeNanosUnsafe() + BigInt(Math.ceil(millis)) * 1_000_000n
  return () => clock.monotonicTimeNanosUnsafe() > end
}
