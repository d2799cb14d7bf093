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

import { JsonRpcError, ProtocolError } from "../error/JsonRpcError.ts"
import { MISSING_ANSWER, NO_ARRAY } from "../transport/envelope.ts"
import type { Call, Middleware, Outcome, Transport } from "../transport/Transport.ts"

/** The time for which calls are gathered, and the size of a packet. */
export interface Options {
  /**
   * The time for which the first call of a packet waits for others. Default: zero, which gathers the calls of one turn
   * of the event loop, and lets a caller that calls one after the other pass without waiting.
   */
  readonly window?: Duration.Input | undefined
  /** Maximum number of calls in one packet; a full packet leaves at once. Default: 100. */
  readonly size?: number | undefined
}

/** The defaults of the options. `window` is in milliseconds. */
export const defaults: { readonly window: number; readonly size: number } = { window: 0, size: 100 }

/**
 * Gathers calls into packets.
 *
 * Calls that come through `call` wait for others. The calls of `callAll` are a packet already; it is only cut to size.
 * A packet runs in the context of its first call but belongs to no caller. An interrupted caller takes its call out of
 * the packet, or gives up its own answer if the packet has left. A packet is interrupted when its last caller is.
 *
 * With a window of zero, a call is sent without waiting if the last 8 packets held one call each and no call is under
 * way. The next call that finds company gathers again.
 *
 * A packet refused as too large (`batchTooLarge`, or HTTP status 413) is sent again in halves, down to single calls.
 * From then on packets are cut to half the size. After 64 full packets in a row the size may double. If a packet of
 * that size is refused, the size returns to the previous one.
 *
 * If a packet is refused as no valid request (-32600 or -32700 in place of all answers, something else than a list, or
 * HTTP status 400), the server may not know batches: the calls are sent again one by one, and so are those after them.
 * After 64 calls two are tried together again.
 *
 * If the answers together are too large (geth's "response too large"), the calls without an answer are sent again in
 * packets of half the size. This size is not remembered, because it says nothing about the next packet.
 *
 * A call that is not idempotent is sent again only if it certainly was not done (`JsonRpcError.notDone`). A call that
 * fails alone gets the server's own error.
 *
 * Throws if `size` is not a whole number above zero.
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
export const make = (options?: Options): Middleware => {
  const window = Duration.fromInputUnsafe(options?.window ?? defaults.window)
  const size = options?.size ?? defaults.size
  if (!Number.isSafeInteger(size) || size < 1) {
    throw new RangeError(`Batching: size must be a whole number above zero, not ${size}`)
  }
  return (transport) => gather(transport, window, size)
}

/** A call and its caller. */
interface Entry {
  readonly call: Call
  readonly settle: (outcome: Outcome) => void
  /** Ends the call with a defect, or with an interruption that comes from below. */
  readonly collapse: (cause: Cause.Cause<never>) => void
  packet: Packet | undefined
  gone: boolean
}

/** Calls that travel together, or are about to. */
interface Packet {
  readonly entries: Array<Entry>
  readonly context: Context.Context<never>
  /** Opens when the packet is full. */
  readonly full: Latch.Latch
  fiber: Fiber.Fiber<ReadonlyArray<Outcome>> | undefined
  sent: boolean
  /** Number of its callers that are still waiting. */
  waiting: number
}

const gather = (transport: Transport["Service"], window: Duration.Duration, size: number): Transport["Service"] => {
  let open: Packet | undefined
  let limit = size
  let fullInARow = 0
  /** Packets of one call in a row that met no other call. */
  let aloneInARow = 0
  /** Calls of `call` whose answer is still missing. */
  let underWay = 0
  const mayPass = !Duration.isPositive(window)

  /** True if a call need not wait for others, because calls have come one after the other for a while. */
  const isAlone = (): boolean =>
    mayPass && aloneInARow >= PASS_AFTER && underWay === 0 && open === undefined && limit === size

  /** Records a call that begins, for `isAlone`. */
  const count = (): void => {
    aloneInARow = underWay === 0 ? aloneInARow + 1 : 0
    underWay++
  }

  /** Sends a call by itself, in the fiber of its caller. */
  const pass = (call: Call): Effect.Effect<unknown, JsonRpcError> =>
    Effect.flatMap(
      Effect.onExitPrimitive(transport.callAll([call]), () => {
        underWay--
        return undefined
      }),
      ([outcome]) => outcomeEffect(outcome ?? withoutAnswer(call))
    )

  /**
   * Waits for the window or a full packet. A fiber that yields continues after all other work of this turn of the event
   * loop.
   */
  const wait = (full: Latch.Latch): Effect.Effect<void> =>
    Duration.isPositive(window) ? Effect.raceFirst(Effect.sleep(window), full.await) : Effect.yieldNow

  const carry = (packet: Packet): Effect.Effect<ReadonlyArray<Outcome>> =>
    Effect.suspend(() => {
      packet.sent = true
      if (open === packet) {
        open = undefined
      }
      return transport.callAll(packet.entries.map((entry) => entry.call))
    })

  /** Starts a packet in a fiber without a parent, so that the end of a caller does not end it. */
  const start = (packet: Packet, carried: Effect.Effect<ReadonlyArray<Outcome>>): void => {
    packet.fiber = Effect.runForkWith(packet.context)(carried)
    packet.fiber.addObserver((exit) =>
      Exit.isSuccess(exit) ? settle(packet, exit.value) : collapse(packet, exit.cause)
    )
  }

  const join = (entry: Entry): void => {
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

  const send = (entries: ReadonlyArray<Entry>, most: number, context: Context.Context<never>): void => {
    for (let from = 0; from < entries.length; from += most) {
      const packet = makePacket(context)
      entries.slice(from, from + most).forEach((entry) => board(entry, packet))
      start(packet, carry(packet))
    }
  }

  const settle = (packet: Packet, outcomes: ReadonlyArray<Outcome>): void => {
    const { entries, context } = packet
    const again: Array<Entry> = []
    const isUnknown = entries.length > 1 && entries.every((_, index) => mayNotKnowBatches(outcomes[index]))
    let isRefused = isUnknown
    if (entries.length > 1) {
      entries.forEach((entry, index) => {
        const outcome = outcomes[index]
        if (outcome !== undefined && Result.isFailure(outcome)) {
          const tooLarge = whatIsTooLarge(outcome.failure)
          isRefused ||= tooLarge === "packet"
          const mayRepeat = entry.call.idempotent !== false || outcome.failure.notDone
          if ((isUnknown || tooLarge !== undefined) && mayRepeat && !entry.gone) {
            again.push(entry)
          }
        }
      })
    }
    const most = isUnknown ? 1 : half(entries.length)
    learn(entries.length, isRefused ? most : undefined, outcomes)
    send(again, Math.min(limit, most), context)
    entries.forEach((entry, index) => {
      if (entry.packet === packet) {
        entry.settle(outcomes[index] ?? withoutAnswer(entry.call))
      }
    })
  }

  /** Remembers the outcome of a packet of a length. `most` is the size that may pass, if the packet was refused. */
  const learn = (length: number, most: number | undefined, outcomes: ReadonlyArray<Outcome>): void => {
    if (most !== undefined) {
      limit = Math.min(limit, most)
      fullInARow = 0
    } else if (limit < size && length >= limit && outcomes.some(Result.isSuccess) && ++fullInARow === GROW_AFTER) {
      limit = Math.min(size, limit * 2)
      fullInARow = 0
    }
  }

  const leave = (entry: Entry): Effect.Effect<void> =>
    Effect.suspend(() => {
      const packet = entry.packet!
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

  const gathered = (call: Call): Effect.Effect<unknown, JsonRpcError> =>
    Effect.callback((resume) => {
      let isUnderWay = true
      const end = (): void => {
        // A packet also settles the calls whose callers have left.
        if (isUnderWay) {
          isUnderWay = false
          underWay--
        }
      }
      const entry = makeEntry(
        call,
        (outcome) => {
          end()
          resume(outcomeEffect(outcome))
        },
        (cause) => {
          end()
          resume(Exit.failCause(cause))
        }
      )
      join(entry)
      return Effect.suspend(() => {
        end()
        return leave(entry)
      })
    })

  return {
    call: (call) =>
      Effect.suspend(() => {
        const alone = isAlone()
        count()
        return alone ? pass(call) : gathered(call)
      }),
    callAll: (calls) =>
      calls.length === 0
        ? Effect.succeed([])
        : Effect.callback((resume) => {
            const outcomes = Array.from<Outcome>({ length: calls.length })
            let missing = calls.length
            const settle = (index: number) => (outcome: Outcome) => {
              outcomes[index] = outcome
              missing--
              if (missing === 0) {
                resume(Exit.succeed(outcomes))
              }
            }
            const collapse: Entry["collapse"] = (cause) => resume(Effect.andThen(leaveAll, Exit.failCause(cause)))
            const entries = calls.map((call, index) => makeEntry(call, settle(index), collapse))
            const leaveAll = Effect.forEach(entries, leave, { concurrency: "unbounded", discard: true })
            send(entries, limit, currentContext())
            return leaveAll
          })
  }
}

/** Full packets in a row that must succeed before larger ones are tried. A try that fails costs one packet more. */
const GROW_AFTER = 64

/** Packets of one call in a row after which a call no longer waits for company. A wrong guess costs one packet more. */
const PASS_AFTER = 8

const outcomeEffect = (outcome: Outcome): Exit.Exit<unknown, JsonRpcError> =>
  Result.isSuccess(outcome) ? Exit.succeed(outcome.success) : Exit.fail(outcome.failure)

const half = (length: number): number => Math.ceil(length / 2)

const makeEntry = (call: Call, settle: Entry["settle"], collapse: Entry["collapse"]): Entry => ({
  call,
  settle,
  collapse,
  packet: undefined,
  gone: false
})

const makePacket = (context: Context.Context<never>): Packet => ({
  entries: [],
  context,
  full: Latch.makeUnsafe(),
  fiber: undefined,
  sent: false,
  waiting: 0
})

/** Returns the context of the current fiber. Call it only in code that runs in a fiber. */
const currentContext = (): Context.Context<never> => Fiber.getCurrent()!.context

const board = (entry: Entry, packet: Packet): void => {
  entry.packet = packet
  packet.entries.push(entry)
  packet.waiting++
}

const collapse = (packet: Packet, cause: Cause.Cause<never>): void => {
  for (const entry of packet.entries) {
    entry.collapse(cause)
  }
}

/**
 * Returns "packet" or "answers" if a call failed only because its packet, or all answers together, were too large.
 *
 * A text that names neither response nor body is about this one call, so it does not count.
 */
const whatIsTooLarge = ({ reason }: JsonRpcError): "packet" | "answers" | undefined => {
  if (reason._tag === "TransportError") {
    return reason.status === 413 ? "packet" : undefined
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

/** True if the outcome of each call of a packet may mean that the server takes single calls only. */
const mayNotKnowBatches = (outcome: Outcome | undefined): boolean => {
  if (outcome === undefined || Result.isSuccess(outcome)) return false
  const { reason } = outcome.failure
  switch (reason._tag) {
    case "ProtocolError":
      return reason.detail === NO_ARRAY
    case "RemoteError":
      return reason.kind === "invalidRequest"
    case "TransportError":
      return reason.status === 400
    default:
      return false
  }
}

const withoutAnswer = (call: Call): Outcome =>
  Result.fail(
    new JsonRpcError({
      method: call.method,
      reason: new ProtocolError({ detail: MISSING_ANSWER })
    })
  )
