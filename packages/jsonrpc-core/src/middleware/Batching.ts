/**
 * Middleware that gathers calls of many fibers into one packet.
 *
 * One packet of a hundred calls costs client and server a small part of the cost of a hundred packets. The calls stay
 * independent: each has its own outcome, its own error and its own interruption.
 */
import type * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"

import { JsonRpcError, ProtocolError, type Reason } from "../error/JsonRpcError.ts"
import type { RemoteKind } from "../error/RemoteKind.ts"
import { MISSING_ANSWER, NO_ARRAY } from "../transport/envelope.ts"
import type { WireCall, Middleware, WireOutcome, Transport } from "../transport/Transport.ts"
import * as OptionFault from "./optionFault.ts"

/** The gathering time and the size of a packet. */
export interface BatchingOptions {
  /**
   * Time for which the first call of a packet waits for other calls. Default: zero, which gathers the calls of one turn
   * of the event loop, and sends consecutive calls without waiting.
   */
  readonly window?: Duration.Input | undefined
  /** Maximum number of calls in one packet; a full packet is sent at once. Default: 100. */
  readonly size?: number | undefined
}

/** The defaults of the options. `window` is in milliseconds. */
export const defaults: { readonly window: number; readonly size: number } = { window: 0, size: 100 }

/**
 * Gathers calls into packets.
 *
 * Calls that come through `call` wait for other calls. The calls of `callAll` already are a packet, and are only split
 * if they exceed `size`. A packet runs in the context of its first call but belongs to no caller. If a caller is
 * interrupted, its call is removed from the packet; if the packet was sent already, only its answer is ignored. A
 * packet is interrupted when all its callers are interrupted.
 *
 * With a window of zero, a call is sent without waiting if the last 8 packets held one call each and no call is in
 * flight. When calls overlap again, they are gathered again.
 *
 * A packet refused as too large (`batchTooLarge`, or HTTP status 413) is sent again in halves, down to single calls.
 * From then on packets are split at half the size. After 64 full packets in a row the size may double. If a packet of
 * that size is refused, the size returns to its previous value.
 *
 * If a packet is refused as an invalid request (-32600 or -32700 in place of all answers, an answer that is not a list,
 * or HTTP status 400), or got one error in place of all answers that a server may give to a list (-32601, -32602,
 * or HTTP status 405, 415, 422 or 501), the server may not support batches. Then these calls are sent again one by one,
 * and later calls are sent alone too. After 64 calls, a packet of two is tried again.
 *
 * If the answers together are too large (geth's "response too large", or the transport's own `maxBytes`), the calls
 * without an answer are sent again in packets of half the size. This size is not remembered, because it says nothing
 * about the next packet.
 *
 * A call that is not idempotent is never gathered: a packet that fails as a whole would hide whether the call was done.
 * In a packet of `callAll` it is sent again only if it certainly was not done (`JsonRpcError.notDone`). A call that fails
 * alone gets the server's own error.
 *
 * If `size` is not a whole number above zero, each call fails with `OptionsError`.
 *
 * ```ts import.meta.vitest
 * import { Batching, Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Result } from "effect"
 *
 * const packets: Array<number> = []
 * const node = Transport.Transport.of({
 *   call: (call) => Effect.succeed(call.params[0]),
 *   callAll: (calls) => {
 *     packets.push(calls.length)
 *     return Effect.succeed(calls.map((call) => Result.succeed(call.params[0])))
 *   }
 * })
 * const { call } = Batching.make()(node)
 * const program = Effect.forEach([1, 2, 3], (n) => call({ method: "echo", params: [n] }), { concurrency: "unbounded" })
 * await Effect.runPromise(program) // => [1, 2, 3]
 * packets // => [3]
 * ```
 */
export const make = (options?: BatchingOptions): Middleware => {
  const window = Duration.fromInputUnsafe(options?.window ?? defaults.window)
  const size = options?.size ?? defaults.size
  const fault = OptionFault.notPositive(size)
  return fault === undefined
    ? (transport) => gather(transport, window, size)
    : () => OptionFault.transport("Batching.size", fault)
}

/** A call and the hooks of its caller. */
interface BatchEntry {
  readonly call: WireCall
  readonly resume: (outcome: Exit.Exit<unknown, JsonRpcError>) => void
  packet: Packet | undefined
  /** True until the call is answered, or its caller has left. */
  isUnderWay: boolean
  /** True if its caller has left. */
  gone: boolean
}

/** The positions of a packet's calls that must be sent again, and the maximum number of calls in each new packet. */
interface ResendPlan {
  readonly again: ReadonlyArray<number>
  readonly most: number
}

/** Calls that are gathered or sent as one packet. */
interface Packet {
  readonly entries: Array<BatchEntry>
  /** The calls of the entries, once the packet is sent. */
  calls: ReadonlyArray<WireCall>
  readonly context: Context.Context<never>
  /** Opens when the packet is full. */
  readonly full: Latch.Latch
  fiber: Fiber.Fiber<ReadonlyArray<WireOutcome>> | undefined
  sent: boolean
  /** Number of the packet's callers that are still waiting. */
  waiting: number
}

const gather = (transport: Transport["Service"], window: Duration.Duration, size: number): Transport["Service"] => {
  let open: Packet | undefined
  let limit = size
  let fullInARow = 0
  /** Number of consecutive packets that held one call and met no other call. */
  let aloneInARow = 0
  /** Number of calls from `call` whose answer is still missing. */
  let underWay = 0
  const mayPass = !Duration.isPositive(window)

  /** True if a call need not wait for others, because the last calls came one after the other. */
  const isAlone = (): boolean =>
    mayPass && aloneInARow >= PASS_AFTER && underWay === 0 && open === undefined && limit === size

  /** Records a call that begins, for `isAlone`. */
  const count = (): void => {
    aloneInARow = underWay === 0 ? aloneInARow + 1 : 0
    underWay++
  }

  /** Sends a call by itself, in the fiber of its caller. */
  const pass = (call: WireCall): Effect.Effect<unknown, JsonRpcError> =>
    Effect.onExitPrimitive(transport.call(call), () => {
      underWay--
      return undefined
    })

  /**
   * Waits for the window or a full packet. A fiber that yields continues after all other work of this turn of the event
   * loop.
   */
  const wait = (full: Latch.Latch): Effect.Effect<void> =>
    Duration.isPositive(window) ? Effect.raceFirst(Effect.sleep(window), full.await) : Effect.yieldNow

  const carry = (packet: Packet): Effect.Effect<ReadonlyArray<WireOutcome>> =>
    Effect.suspend(() => {
      packet.sent = true
      if (open === packet) {
        open = undefined
      }
      packet.calls = packet.entries.map((entry) => entry.call)
      return transport.callAll(packet.calls)
    })

  /** Starts a packet in a fiber without a parent, so that the packet continues when a caller ends. */
  const start = (packet: Packet, carried: Effect.Effect<ReadonlyArray<WireOutcome>>): void => {
    packet.fiber = Effect.runForkWith(packet.context)(carried)
    packet.fiber.addObserver((exit) =>
      Exit.isSuccess(exit) ? settle(packet, exit.value) : collapse(packet, exit.cause)
    )
  }

  const join = (entry: BatchEntry): void => {
    const isFirst = open === undefined
    const packet = (open ??= makePacket(currentContext()))
    board(entry, packet)
    if (isFirst) {
      start(packet, Effect.andThen(wait(packet.full), carry(packet)))
    }
    if (open === packet && packet.entries.length >= limit) {
      open = undefined
      packet.full.openUnsafe()
    }
  }

  const send = (entries: ReadonlyArray<BatchEntry>, most: number, context: Context.Context<never>): void => {
    for (let from = 0; from < entries.length; from += most) {
      const packet = makePacket(context)
      entries.slice(from, from + most).forEach((entry) => board(entry, packet))
      start(packet, carry(packet))
    }
  }

  const settle = (packet: Packet, outcomes: ReadonlyArray<WireOutcome>): void => {
    const { calls, context, entries } = packet
    const { again, most } = judge(calls, outcomes)
    if (again.length > 0) {
      const left = again.map((index) => entries[index]!).filter((entry) => !entry.gone)
      send(left, most, context)
    }
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index]!
      if (entry.packet === packet) {
        end(entry)
        entry.resume(outcomeExit(outcomes[index] ?? withoutAnswer(entry.call)))
      }
    }
  }

  /** Ends all calls of a packet with a defect, or with an interruption from the transport below. */
  const collapse = ({ entries }: Packet, cause: Cause.Cause<never>): void => {
    for (const entry of entries) {
      end(entry)
      entry.resume(Exit.failCause(cause))
    }
  }

  /** Records the end of a call, for `isAlone`. A packet also settles the calls whose callers have left. */
  const end = (entry: BatchEntry): void => {
    if (entry.isUnderWay) {
      entry.isUnderWay = false
      underWay--
    }
  }

  /**
   * Judges the outcomes of a packet, and remembers the size that may pass. Returns the positions of the calls to send
   * again, and the size of their packets.
   */
  const judge = (calls: ReadonlyArray<WireCall>, outcomes: ReadonlyArray<WireOutcome>): ResendPlan => {
    const again: Array<number> = []
    if (calls.length === 1 || !outcomes.some(Result.isFailure)) {
      learn(calls.length, undefined, outcomes)
      return { again, most: limit }
    }
    const isUnknown = mayNotKnowBatches(calls.map((_, index) => outcomes[index]))
    let isRefused = isUnknown
    calls.forEach((call, index) => {
      const outcome = outcomes[index]
      if (outcome !== undefined && Result.isFailure(outcome)) {
        const tooLarge = whatIsTooLarge(outcome.failure)
        isRefused ||= tooLarge === "packet"
        const mayRepeat = call.idempotent !== false || outcome.failure.notDone
        if ((isUnknown || tooLarge !== undefined) && mayRepeat) {
          again.push(index)
        }
      }
    })
    const most = isUnknown ? 1 : half(calls.length)
    learn(calls.length, isRefused ? most : undefined, outcomes)
    return { again, most: Math.min(limit, most) }
  }

  /**
   * Adapts the size of packets to the outcome of a packet with `length` calls. `most` is the size to try next, if the
   * packet was refused as too large.
   */
  const learn = (length: number, most: number | undefined, outcomes: ReadonlyArray<WireOutcome>): void => {
    if (most !== undefined) {
      limit = Math.min(limit, most)
      fullInARow = 0
    } else if (limit < size && length >= limit && outcomes.some(Result.isSuccess) && ++fullInARow === GROW_AFTER) {
      limit = Math.min(size, limit * 2)
      fullInARow = 0
    }
  }

  /** Sends the calls of one caller, in its fiber. */
  const carryAll = (calls: ReadonlyArray<WireCall>, most: number): Effect.Effect<ReadonlyArray<WireOutcome>> => {
    if (calls.length > most) {
      const parts = Array.from({ length: Math.ceil(calls.length / most) }, (_, part) =>
        calls.slice(part * most, (part + 1) * most)
      )
      return Effect.map(
        Effect.forEach(parts, (part) => carryAll(part, most), { concurrency: "unbounded" }),
        (outcomes) => outcomes.flat()
      )
    }
    return Effect.flatMap(transport.callAll(calls), (given) => {
      const { again, most } = judge(calls, given)
      const outcomes = calls.map((call, index) => given[index] ?? withoutAnswer(call))
      const later = again.map((index) => calls[index]!)
      return later.length === 0
        ? Effect.succeed(outcomes)
        : Effect.map(carryAll(later, most), (better) => {
            better.forEach((outcome, place) => {
              outcomes[again[place]!] = outcome
            })
            return outcomes
          })
    })
  }

  const leave = (entry: BatchEntry): Effect.Effect<void> =>
    Effect.suspend(() => {
      const packet = entry.packet!
      end(entry)
      entry.gone = true
      if (!packet.sent) {
        packet.entries.splice(packet.entries.indexOf(entry), 1)
      }
      packet.waiting--
      if (packet.waiting > 0) {
        return Effect.void
      }
      if (open === packet) {
        open = undefined
      }
      return Fiber.interrupt(packet.fiber!)
    })

  const gathered = (call: WireCall): Effect.Effect<unknown, JsonRpcError> =>
    Effect.callback((resume) => {
      const entry: BatchEntry = { call, resume, packet: undefined, isUnderWay: true, gone: false }
      join(entry)
      return leave(entry)
    })

  return {
    call: (call) =>
      call.idempotent === false
        ? transport.call(call)
        : Effect.suspend(() => {
            const alone = isAlone()
            count()
            return alone ? pass(call) : gathered(call)
          }),
    callAll: (calls) => (calls.length === 0 ? Effect.succeed([]) : Effect.suspend(() => carryAll(calls, limit)))
  }
}

/**
 * Number of consecutive full packets that must succeed before larger ones are tried. A failed try costs one more
 * packet.
 */
const GROW_AFTER = 64

/**
 * Number of consecutive packets of one call after which a call no longer waits for others. A wrong guess costs one more
 * packet.
 */
const PASS_AFTER = 8

const outcomeExit = (outcome: WireOutcome): Exit.Exit<unknown, JsonRpcError> =>
  Result.isSuccess(outcome) ? Exit.succeed(outcome.success) : Exit.fail(outcome.failure)

const half = (length: number): number => Math.ceil(length / 2)

const makePacket = (context: Context.Context<never>): Packet => ({
  entries: [],
  calls: [],
  context,
  full: Latch.makeUnsafe(),
  fiber: undefined,
  sent: false,
  waiting: 0
})

/** Returns the context of the current fiber. Call it only in code that runs in a fiber. */
const currentContext = (): Context.Context<never> => Fiber.getCurrent()!.context

const board = (entry: BatchEntry, packet: Packet): void => {
  entry.packet = packet
  packet.entries.push(entry)
  packet.waiting++
}

/**
 * Returns "packet" or "answers" if a call failed only because its packet, or all answers together, were too large.
 *
 * An error whose text names no response and no body is about this one call, so it does not count.
 */
const whatIsTooLarge = ({ reason }: JsonRpcError): "packet" | "answers" | undefined => {
  if (reason._tag === "TransportError") {
    if (reason.status === 413) return "packet"
    return reason.tooLarge === true ? "answers" : undefined
  }
  if (reason._tag !== "RemoteError") {
    return undefined
  }
  const { kind, message, status } = reason
  if (kind === "batchTooLarge" || status === 413) {
    return "packet"
  }
  return kind === "tooLarge" && /\b(?:response|body|content)\b/i.test(message) ? "answers" : undefined
}

/**
 * True if the outcomes of a packet may mean that the server accepts only single calls. Calls that were never sent, because
 * they are not JSON, say nothing.
 */
const mayNotKnowBatches = (outcomes: ReadonlyArray<WireOutcome | undefined>): boolean => {
  const reasons = outcomes
    .map((outcome) => (outcome !== undefined && Result.isFailure(outcome) ? outcome.failure.reason : undefined))
    .filter((reason) => reason?._tag !== "EncodeError")
  // transports give the calls one and the same reason if the packet got one error in place of all answers
  const isOne = new Set(reasons).size === 1
  return reasons.length > 0 && reasons.every((reason) => reason !== undefined && mayRefuseBatches(reason, isOne))
}

const mayRefuseBatches = (reason: Reason, isOne: boolean): boolean => {
  switch (reason._tag) {
    case "ProtocolError":
      return reason.detail === NO_ARRAY
    case "RemoteError":
      return reason.kind === "invalidRequest" || (isOne && MISREAD.has(reason.kind))
    case "TransportError":
      return reason.status !== undefined && MISREAD_STATUSES.has(reason.status)
    default:
      return false
  }
}

/**
 * What a server says of a list in which it looks for the members of a call. An internal error is not among it, because it
 * may come of a packet that is too heavy, and its calls at once would be as heavy.
 */
const MISREAD: ReadonlySet<RemoteKind> = /* @__PURE__ */ new Set(["methodNotFound", "invalidParams"])
const MISREAD_STATUSES: ReadonlySet<number> = /* @__PURE__ */ new Set([400, 405, 415, 422, 501])

const withoutAnswer = (call: WireCall): WireOutcome =>
  Result.fail(
    new JsonRpcError({
      method: call.method,
      reason: new ProtocolError({ detail: MISSING_ANSWER })
    })
  )
