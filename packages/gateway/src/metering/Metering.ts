/**
 * Metering that is billing: a call that was acknowledged is never lost, and never counted twice.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import type { MeteringError } from "./MeteringError.ts"
import * as MeteringStore from "./MeteringStore.ts"
import { Recorder } from "./recorder.ts"
import { keep, type Retention } from "./retention.ts"
import * as Usage from "./Usage.ts"

/**
 * How usage reaches the store.
 *
 * Usages that come at the same time are folded into rows and written together: whoever comes while a batch is on its way
 * is in the next one. So the cost of a transaction is shared, and no usage waits longer than two of them take.
 *
 * @since 0.1.0
 */
export interface Options {
  /**
   * How long the first usage of a batch waits at most until as many are there as in the batch before, 2 milliseconds if
   * not said. A call that is alone does not wait; of many at a time, few transactions are made.
   */
  readonly gather?: Duration.Input | undefined
  /** How long one try to write a batch may take, 2 seconds if not said. */
  readonly attempt?: Duration.Input | undefined
  /** How long a batch is tried again before the store is said to be down, 5 seconds if not said. */
  readonly patience?: Duration.Input | undefined
  /**
   * What becomes of calls while the store is down.
   *
   * - `refuse`, if not said: those that wait fail, and others fail at once, until the store takes changes again.
   * - `buffer`: they are acknowledged from memory, and written when the store is back; when the memory is full, others
   *   fail. What is in memory is lost with the process: for those who rather give a call away than refuse it.
   */
  readonly whenDown?: "refuse" | "buffer" | undefined
  readonly limits?: Limits | undefined
  readonly retention?: Retention | undefined
}

/**
 * Bounds of what is in memory.
 *
 * @since 0.1.0
 */
export interface Limits {
  /** Rows of one batch, 10,000 if not said: calls that are alike in all but their sums share one. Then others wait. */
  readonly rows?: number | undefined
  /** Calls that wait, 100,000 if not said. Then others fail. */
  readonly waiting?: number | undefined
}

export type { Retention } from "./retention.ts"

/**
 * How metering is, for health and metrics.
 *
 * @since 0.1.0
 */
export interface Status {
  readonly store: "up" | "down"
  /** Calls that wait until they are durable. */
  readonly waiting: number
  /** Rows that are in memory only. */
  readonly rows: number
}

/**
 * Records what calls have used.
 *
 * `record` ends when the usage is on the store's disk, at the minute of the `Clock` at which it was called; a failure
 * means that the call is to be refused. Whoever is interrupted while it waits has been counted all the same: a client
 * that leaves does not take its call back. `recordAll` records several, such as the items of a batch: all of them, or none.
 *
 * `ready` fails as `record` would while nothing can be recorded: asked before a call goes to a node, it spares the node.
 *
 * @since 0.1.0
 */
export class Metering extends Context.Service<
  Metering,
  {
    readonly record: (usage: Usage.Usage) => Effect.Effect<void, MeteringError>
    readonly recordAll: (usages: ReadonlyArray<Usage.Usage>) => Effect.Effect<void, MeteringError>
    readonly ready: Effect.Effect<void, MeteringError>
    readonly status: Effect.Effect<Status>
  }
>()("@plumbline/gateway/Metering") {}

/**
 * Metering over a `MeteringStore`. When its scope closes, what is still in memory is written, within `patience`.
 *
 * ```ts import.meta.vitest
 * import { Metering, MeteringStore, Sqlite, UsageFigures } from "@plumbline/gateway"
 * import { Clock, Effect, Layer } from "effect"
 *
 * const state = Sqlite.layer({ file: ":memory:" })
 * const layer = Layer.merge(Metering.layer(), UsageFigures.layer).pipe(
 *   Layer.provide(MeteringStore.layer),
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
 *
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<Metering, never, MeteringStore.MeteringStore> =>
  Layer.effect(Metering, make(options))

const make = Effect.fnUntraced(function* (options: Options) {
  const store = yield* MeteringStore.MeteringStore
  const recorder = new Recorder(store, {
    rows: options.limits?.rows ?? 10_000,
    waiting: options.limits?.waiting ?? 100_000,
    gather: Duration.fromInputUnsafe(options.gather ?? "2 millis"),
    attempt: Duration.fromInputUnsafe(options.attempt ?? "2 seconds"),
    patience: Duration.fromInputUnsafe(options.patience ?? "5 seconds"),
    buffers: options.whenDown === "buffer"
  })
  const writing = yield* Effect.forkScoped(recorder.write)
  yield* Effect.forkScoped(keep(store, options.retention))
  yield* Effect.addFinalizer(() => recorder.close(writing))

  const recordAll = (usages: ReadonlyArray<Usage.Usage>): Effect.Effect<void, MeteringError> => {
    if (usages.length === 0) return Exit.void
    for (const usage of usages) {
      const checked = Usage.check(usage)
      if (Result.isFailure(checked)) return Exit.fail(checked.failure)
    }
    return Clock.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      return recorder.record(usages, now - (now % MINUTE))
    })
  }

  return Metering.of({
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
})

const MINUTE = 60_000
