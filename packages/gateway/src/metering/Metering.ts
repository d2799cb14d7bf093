/**
 * Metering for billing: every acknowledged call is counted exactly once, even if the process is killed.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import { Latencies } from "./latency/recorder.ts"
import * as Writing from "./latency/writing.ts"
import type { MeteringError } from "./MeteringError.ts"
import * as MeteringStore from "./MeteringStore.ts"
import * as Plain from "./plain.ts"
import { Recorder } from "./recorder.ts"
import { keep, keptFor, type Retention } from "./retention.ts"
import * as Usage from "./Usage.ts"

export { MeteringError } from "./MeteringError.ts"
export type { Latencies, LatencyRow, NetworkTimes, Times } from "./latency/recorder.ts"

/**
 * Options for writing usage to the store.
 *
 * Usages that arrive at the same time are summed into rows and written together. Usages that arrive during a write go
 * into the next batch. So several calls share the cost of a transaction, and no usage waits longer than two
 * transactions.
 */
export interface Options {
  /**
   * The maximum time for which a batch is held back while it is smaller than the previous batch (default: 2
   * milliseconds). The time starts with its first usage. So a single call does not wait, and many simultaneous calls
   * share few transactions.
   */
  readonly gather?: Duration.Input | undefined
  /** The maximum time for one try to write a batch (default: 2 seconds). */
  readonly attempt?: Duration.Input | undefined
  /** The store counts as down after tries have failed for this time (default: 5 seconds). */
  readonly patience?: Duration.Input | undefined
  /**
   * The treatment of calls while the store is down:
   *
   * - `refuse`, the default: waiting calls fail, and new calls fail at once, until the store takes changes again.
   * - `buffer`: calls are acknowledged as soon as their usage is in memory. The usage is written when the store is
   *   back. When the memory is full, further calls fail. A killed process loses the usage in memory. Choose `buffer`
   *   if an unbilled call is better than a refused call.
   */
  readonly whenDown?: "refuse" | "buffer" | undefined
  readonly limits?: Limits | undefined
  readonly retention?: Retention | undefined
}

/**
 * Limits of the memory that metering uses.
 */
export interface Limits {
  /**
   * The maximum number of rows of one batch (default: 10,000). Calls with equal dimensions share a row. Further calls
   * wait.
   */
  readonly rows?: number | undefined
  /** The maximum number of waiting calls (default: 100,000). Further calls fail. */
  readonly waiting?: number | undefined
}

export type { Retention } from "./retention.ts"

/**
 * The defaults of the options. Times are in milliseconds. Daily usage is kept for ever.
 */
export const defaults: {
  readonly gather: number
  readonly attempt: number
  readonly patience: number
  readonly whenDown: "refuse" | "buffer"
  readonly limits: { readonly rows: number; readonly waiting: number }
  readonly retention: { readonly minutes: number; readonly hours: number }
} = {
  gather: 2,
  attempt: 2000,
  patience: 5000,
  whenDown: "refuse",
  limits: { rows: 10_000, waiting: 100_000 },
  retention: keptFor
}

/**
 * The state of metering, for health and metrics.
 */
export interface Status {
  readonly store: "up" | "down"
  /** Number of calls that wait until their usage is durable. */
  readonly waiting: number
  /** Number of rows that are in memory and not yet written. */
  readonly rows: number
}

/**
 * Records the usage of calls.
 *
 * `record` ends when the usage is on the store's disk. The usage belongs to the minute of the `Clock` at which `record`
 * was called. If `record` fails, the call must be refused. An interrupted `record` still counts its usage, because the
 * call was made even if the client has left. `recordAll` records several usages, such as the items of a batch: all of
 * them, or none.
 *
 * `ready` fails with the error of `record` while nothing can be recorded. Run it before a call is sent to a node, so
 * that the node does no work for a call that will be refused.
 */
export class Metering extends Context.Service<
  Metering,
  {
    readonly record: (usage: Usage.Usage) => Effect.Effect<void, MeteringError>
    readonly recordAll: (usages: ReadonlyArray<Usage.Usage>) => Effect.Effect<void, MeteringError>
    readonly ready: Effect.Effect<void, MeteringError>
    readonly status: Effect.Effect<Status>
    /** Collects the response times of calls, and writes them every ten seconds. */
    readonly latencies: Latencies
  }
>()("@plumbline/gateway/Metering") {}

/**
 * Makes a collector of response times, for your own implementation of `Metering`.
 */
export const latencies = (): Latencies => new Latencies()

/**
 * Metering over a `MeteringStore`. When its scope closes, the usage in memory is written within `patience`.
 *
 * ```ts import.meta.vitest
 * import { Metering, MeteringStore, Sqlite, UsageFigures } from "@plumbline/gateway"
 * import { Clock, Effect, Layer } from "effect"
 *
 * const state = Sqlite.layer({ file: ":memory:" })
 * const layer = Layer.merge(Metering.layer(), UsageFigures.layer()).pipe(
 *   Layer.provide(MeteringStore.layer()),
 *   Layer.provide(state)
 * )
 * const program = Effect.gen(function* () {
 *   const metering = yield* Metering.Metering
 *   const call = { project: "p1", product: "rpc", network: "live", method: "eth_getProof", status: 200, key: "k1" } as const
 *   yield* metering.record({ ...call, calls: 1, credits: 150, bytesIn: 180, bytesOut: 4096 })
 *   yield* metering.record({ ...call, calls: 1, credits: 150, bytesIn: 181, bytesOut: 4000 })
 *   const figures = yield* UsageFigures.UsageFigures
 *   const { totals } = yield* figures.totals(UsageFigures.last("15m", yield* Clock.currentTimeMillis))
 *   return totals.credits
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(layer))) // => 300n
 * ```
 */
export const layer = (options: Options = {}): Layer.Layer<Metering, never, MeteringStore.MeteringStore> =>
  Layer.effect(Metering, make(options))

const make = Effect.fnUntraced(function* (options: Options) {
  const store = yield* MeteringStore.MeteringStore
  const settings = {
    rows: options.limits?.rows ?? defaults.limits.rows,
    waiting: options.limits?.waiting ?? defaults.limits.waiting,
    gather: Duration.fromInputUnsafe(options.gather ?? defaults.gather),
    attempt: Duration.fromInputUnsafe(options.attempt ?? defaults.attempt),
    patience: Duration.fromInputUnsafe(options.patience ?? defaults.patience),
    buffers: (options.whenDown ?? defaults.whenDown) === "buffer"
  }
  const clock = yield* Clock.Clock
  const recorder = new Recorder(store, settings, clock)
  const writing = yield* Effect.forkScoped(recorder.write)
  yield* Effect.forkScoped(keep(store, options.retention))
  yield* Effect.addFinalizer(() => recorder.close(writing))
  const times = new Latencies()
  const writeTimes = Writing.of(store, times)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(Writing.EVERY), writeTimes)))
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(writeTimes, settings.attempt)))

  /** Returns the exit of `record` if it is known at once: there are no usages, or one of them is invalid. */
  const decided = (usages: ReadonlyArray<Usage.Usage>): Exit.Exit<void, MeteringError> | undefined => {
    if (usages.length === 0) return Exit.void
    for (const usage of usages) {
      const checked = Usage.check(usage)
      if (Result.isFailure(checked)) return Exit.fail(checked.failure)
    }
    return undefined
  }

  const recordAll = (given: ReadonlyArray<Usage.Usage>): Effect.Effect<void, MeteringError> => {
    const usages = Usage.parts(given)
    return decided(usages) ?? Clock.clockWith((clock) => recorder.record(usages, minuteOf(clock)))
  }

  const metering = Metering.of({
    latencies: times,
    record: (usage) => recordAll([usage]),
    recordAll,
    ready: Effect.suspend(() => {
      const why = recorder.obstacle()
      return why === undefined ? Effect.void : Effect.fail(why)
    }),
    status: Effect.sync(() => {
      const { isDown, rows, waiting } = recorder
      return { store: isDown ? "down" : "up", waiting, rows }
    })
  })
  Plain.set(metering, {
    obstacle: () => recorder.obstacle(),
    record: (given, told) => {
      const usages = Usage.parts(given)
      const exit = decided(usages)
      if (exit === undefined) return recorder.recordThen(usages, minuteOf(clock), told)
      told(exit)
      return true
    }
  })
  return metering
})

/** Returns the start of the current minute. */
const minuteOf = (clock: Clock.Clock): number => {
  const now = clock.currentTimeMillisUnsafe()
  return now - (now % MINUTE)
}

const MINUTE = 60_000
