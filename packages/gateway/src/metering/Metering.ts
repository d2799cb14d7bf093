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
import * as Schema from "effect/Schema"

import type { SettingError } from "../errors/SettingError.ts"
import * as Setting from "../schema/Setting.ts"
import { LatencyRecorder } from "./latency/latencyRecorder.ts"
import * as LatencyWriting from "./latency/latencyWriting.ts"
import type { MeteringError } from "./MeteringError.ts"
import * as MeteringStore from "./MeteringStore.ts"
import * as Usage from "./Usage.ts"
import { UsageRecorder } from "./usageRecorder.ts"
import { keep } from "./usageRetention.ts"

export { MeteringError } from "./MeteringError.ts"
export type { LatencyRecorder, LatencyRow, NetworkTimes, LatencyTimes } from "./latency/latencyRecorder.ts"

const { count, defaulted, duration, group, literal, optional } = Setting

/** The settings of metering. */
export const fields = {
  durability: optional(
    literal(["process", "disk"], {
      description:
        "What acknowledged usage survives: process survives the end of the process, disk also a power cut. Left out: process with SQLite, disk with Postgres."
    })
  ),
  gather: defaulted(
    duration({
      description:
        "Maximum time for which a batch waits for calls. It waits until it has as many calls as the previous batch.",
      default: "2ms",
      least: 0,
      most: 60_000
    })
  ),
  attempt: defaulted(duration({ description: "Maximum time of one try to write.", default: "2s" })),
  timeout: defaulted(
    duration({ description: "Time for which writing is tried before the store counts as down.", default: "5s" })
  ),
  whenDown: defaulted(
    literal(["refuse", "buffer"], {
      description:
        "While usage cannot be written: refuse calls, or buffer it in memory, which is lost with the process.",
      default: "refuse"
    })
  ),
  limits: group(
    {
      rows: defaulted(
        count({ description: "Rows of one batch. Calls with equal dimensions share a row.", default: 10_000 })
      ),
      waiting: defaulted(count({ description: "Calls that wait to be written. Further ones fail.", default: 100_000 }))
    },
    "Bounds of the usage in memory."
  ),
  retention: group(
    {
      minutes: defaulted(
        duration({ description: "Time for which usage is kept by the minute.", default: "8d", most: Infinity })
      ),
      hours: defaulted(
        duration({ description: "Time for which usage is kept by the hour.", default: "100d", most: Infinity })
      ),
      days: optional(
        duration({ description: "Time for which usage is kept by the day. Left out: for ever.", most: Infinity })
      )
    },
    "Times for which usage is kept."
  )
}

const settings = Schema.Struct(fields)

/**
 * Options for writing usage to the store.
 *
 * Usages that arrive at the same time are summed into rows and written together. Usages that arrive during a write go
 * into the next batch. So several calls share the cost of a transaction, and no usage waits longer than two
 * transactions.
 *
 * While the store is down, `refuse` fails waiting calls, and new calls at once, until the store takes changes again.
 * `buffer` acknowledges calls as soon as their usage is in memory, and writes it when the store is back. When the memory
 * is full, further calls fail. A killed process loses the usage in memory. Choose `buffer` if an unbilled call is better
 * than a refused call.
 */
export type MeteringOptions = Setting.OptionsOf<typeof settings.Type>

/** The time for which usage is kept by the minute, by the hour and by the day. */
export type UsageRetention = (typeof settings.Type)["retention"]

/**
 * The defaults of the options. Times are in milliseconds. Daily usage is kept for ever.
 */
export const defaults = Setting.defaultsOf(settings)

/**
 * The state of metering, for health and metrics.
 */
export interface MeteringStatus {
  readonly store: "up" | "down"
  /** Number of calls that wait until their usage is durable. */
  readonly waiting: number
  /** Number of rows that are in memory and not yet written. */
  readonly rows: number
  /**
   * Milliseconds for which acknowledged usage has been waiting for the disk; 0 if all of it is there. Undefined if the
   * service does not know it.
   */
  readonly behind?: number | undefined
}

/**
 * The functions of metering without Effects, for requests that have no fiber. An Effect around each call would cost more
 * than the recording.
 */
export interface PlainMetering {
  /** Returns the reason why nothing can be recorded now; undefined if usages are accepted. */
  readonly obstacle: () => MeteringError | undefined
  /**
   * Records usages as `recordAll` does. Calls `told` once, perhaps before `record` returns.
   */
  readonly record: (usages: ReadonlyArray<Usage.Usage>, told: (exit: Exit.Exit<void, MeteringError>) => void) => void
}

/**
 * Records the usage of calls.
 *
 * `record` ends when the usage is as durable as `durability` says. The usage belongs to the minute of the `Clock` at which `record`
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
    /**
     * `ready` and `recordAll` without Effects, which the gateway calls instead. A spread does not copy them, so that a
     * service that replaces one of the two is not bypassed.
     */
    readonly plain?: PlainMetering | undefined
    readonly status: Effect.Effect<MeteringStatus>
    /** Collects the response times of calls, and writes them every ten seconds. */
    readonly latencies: LatencyRecorder
  }
>()("@plumbline/gateway/Metering") {}

/**
 * Makes a collector of response times, for your own implementation of `Metering`.
 */
export const latencies = (): LatencyRecorder => new LatencyRecorder()

/**
 * Metering over a `MeteringStore`. When its scope closes, the usage in memory is written within `timeout`.
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
export const layer = (
  options: MeteringOptions = {}
): Layer.Layer<Metering, SettingError, MeteringStore.MeteringStore> => Layer.effect(Metering, make(options))

const make = Effect.fnUntraced(function* (options: MeteringOptions) {
  const store = yield* MeteringStore.MeteringStore
  const { attempt, durability, gather, limits, timeout, retention, whenDown } = yield* Effect.fromResult(
    Result.mapError(Setting.checkOptions(settings, options), Setting.settingError)
  )
  const clock = yield* Clock.Clock
  const recorder = new UsageRecorder(
    store,
    {
      ...limits,
      gather: Duration.millis(gather),
      attempt: Duration.millis(attempt),
      timeout: Duration.millis(timeout),
      buffers: whenDown === "buffer",
      durability
    },
    clock
  )
  const writing = yield* Effect.forkScoped(recorder.write)
  yield* Effect.forkScoped(keep(store, retention))
  yield* Effect.addFinalizer(() => recorder.close(writing))
  const times = new LatencyRecorder()
  const writeTimes = LatencyWriting.of(store, times)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(LatencyWriting.EVERY), writeTimes)))
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(writeTimes, attempt)))

  const recordIn = (
    minute: number,
    given: ReadonlyArray<Usage.Usage>,
    told: (exit: Exit.Exit<void, MeteringError>) => void
  ): void => {
    const usages = Usage.parts(given)
    for (const usage of usages) {
      const wrong = Usage.problemOf(usage)
      if (wrong !== undefined) return told(Exit.fail(Usage.invalid(wrong)))
    }
    return usages.length === 0 ? told(Exit.void) : recorder.record(usages, minute, told)
  }

  const recordAll = (usages: ReadonlyArray<Usage.Usage>): Effect.Effect<void, MeteringError> =>
    Clock.clockWith((clock) => Effect.callback((resume) => recordIn(minuteOf(clock), usages, resume)))

  const service = Metering.of({
    latencies: times,
    record: (usage) => recordAll([usage]),
    recordAll,
    ready: Effect.suspend(() => {
      const why = recorder.obstacle()
      return why === undefined ? Effect.void : Effect.fail(why)
    }),
    status: Effect.sync(() => {
      const { behind, isDown, rows, waiting } = recorder
      return { store: isDown ? "down" : "up", waiting, rows, ...(behind === undefined ? {} : { behind }) }
    })
  })
  const plain: PlainMetering = {
    obstacle: () => recorder.obstacle(),
    record: (usages, told) => recordIn(minuteOf(clock), usages, told)
  }
  // a service that spreads this one and replaces a function must not keep the plain form of the old function
  return Object.defineProperty(service, "plain", { value: plain })
})

/** Returns the start of the current minute. */
const minuteOf = (clock: Clock.Clock): number => {
  const now = clock.currentTimeMillisUnsafe()
  return now - (now % MINUTE)
}

const MINUTE = 60_000
