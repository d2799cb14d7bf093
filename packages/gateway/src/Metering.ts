/**
 * Metering that is billing: a call that was acknowledged is never lost, and never counted twice.
 *
 * @since 0.1.0
 */
import { randomUUID } from "node:crypto"

import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import * as Fold from "./internal/meteringBatch.ts"
import * as Delivery from "./internal/meteringDelivery.ts"
import { keep, type Retention } from "./internal/meteringRetention.ts"
import { MeteringError } from "./MeteringError.ts"
import * as MeteringStore from "./MeteringStore.ts"
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

export type { Retention } from "./internal/meteringRetention.ts"

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

// Private: the open batch, and the fiber that writes it.

/** Usages that are written together. */
interface Open {
  readonly fold: Fold.Fold
  /** How many wait for it. */
  calls: number
  /** When it is on its way, and the next one has room. */
  readonly taken: Deferred.Deferred<void>
  settled: Deferred.Deferred<void, MeteringError>
}

const make = Effect.fnUntraced(function* (options: Options) {
  const store = yield* MeteringStore.MeteringStore
  const rowLimit = options.limits?.rows ?? 10_000
  const waitingLimit = options.limits?.waiting ?? 100_000
  const gather = Duration.fromInputUnsafe(options.gather ?? "2 millis")
  const patience = Duration.fromInputUnsafe(options.patience ?? "5 seconds")
  const buffers = options.whenDown === "buffer"
  const writer = randomUUID()
  const delivery = Delivery.make(Duration.fromInputUnsafe(options.attempt ?? "2 seconds"))

  const empty = (): Open => ({
    fold: Fold.make(rowLimit),
    calls: 0,
    taken: Deferred.makeUnsafe(),
    settled: Deferred.makeUnsafe()
  })
  const work = Latch.makeUnsafe()
  const enough = Latch.makeUnsafe()
  let open = empty()
  let before = 1
  let sent: Open | undefined
  let number = 0
  let forRoom = 0
  let down: MeteringError | undefined
  let closed = false

  const waiting = (): number => open.calls + (sent?.calls ?? 0) + forRoom

  /** Why nothing can be recorded now. */
  const obstacle = (): MeteringError | undefined => {
    if (closed) return new MeteringError({ problem: "Closed", detail: "" })
    if (down !== undefined && !buffers) return down
    if (waiting() >= waitingLimit) return new MeteringError({ problem: "Full", detail: `${waitingLimit} wait` })
    return undefined
  }

  const enter = (usages: ReadonlyArray<Usage.Usage>, minute: number): Effect.Effect<void, MeteringError> => {
    const why = obstacle()
    if (why !== undefined) return Exit.fail(why)
    const batch = open
    // A batch with nothing in it takes whatever comes: else what is larger than the limit would wait for ever.
    if (batch.fold.size() > 0 && !batch.fold.fits(minute, usages)) {
      // While the store is down nobody knows when there will be room.
      if (down !== undefined) return Exit.fail(down)
      forRoom++
      return Deferred.await(batch.taken).pipe(
        Effect.ensuring(Effect.sync(() => forRoom--)),
        Effect.andThen(Effect.suspend(() => enter(usages, minute)))
      )
    }
    for (const usage of usages) batch.fold.add(minute, usage)
    Latch.openUnsafe(work)
    if (down !== undefined) return Exit.void
    batch.calls++
    if (batch.calls >= before) Latch.openUnsafe(enough)
    return Deferred.await(batch.settled)
  }

  const recordAll = (usages: ReadonlyArray<Usage.Usage>): Effect.Effect<void, MeteringError> => {
    if (usages.length === 0) return Exit.void
    for (const usage of usages) {
      const checked = Usage.check(usage)
      if (Result.isFailure(checked)) return Exit.fail(checked.failure)
    }
    return Clock.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      return enter(usages, now - (now % MINUTE))
    })
  }

  /** Tells those who wait. Whoever comes after them waits anew. */
  const settle = (batch: Open, exit: Exit.Exit<void, MeteringError>): void => {
    const { settled } = batch
    batch.settled = Deferred.makeUnsafe()
    batch.calls = 0
    Deferred.doneUnsafe(settled, exit)
  }

  /** The batch on its way is not taken for as long as one waits. */
  const declareDown = (batch: Open): void => {
    down = new MeteringError({ problem: "Unavailable", detail: delivery.why() })
    const told = buffers ? Exit.void : Exit.fail(down)
    settle(batch, told)
    settle(open, told)
    // In a buffer they stay, and the open one is open for others, who do not wait for it.
    if (buffers) return
    take()
    sent = undefined
  }

  /** What was collected, with room for the next. */
  const take = (): Open => {
    const batch = open
    open = empty()
    before = batch.calls
    if (!closed) {
      Latch.closeUnsafe(work)
      Latch.closeUnsafe(enough)
    }
    Deferred.doneUnsafe(batch.taken, Exit.void)
    return batch
  }

  const deliver = Effect.fnUntraced(function* (batch: Open) {
    number++
    const at = yield* Clock.currentTimeMillis
    const committing = yield* delivery.start(
      store.commit({ writer, number, at, rows: batch.fold.rows(), levels: batch.fold.levels() })
    )
    if (!(yield* Delivery.within(committing, patience))) {
      declareDown(batch)
      if (buffers) yield* Fiber.await(committing)
      else {
        yield* Delivery.abandon(committing)
        yield* Fiber.await(yield* delivery.start(store.ping))
      }
      down = undefined
    }
    sent = undefined
    settle(batch, Exit.void)
  })

  const writing = yield* Effect.forkScoped(
    Effect.gen(function* () {
      for (;;) {
        yield* work.await
        if (!enough.isOpen() && !Duration.isZero(gather)) yield* Effect.timeoutOption(enough.await, gather)
        if (open.fold.size() === 0) return
        sent = take()
        yield* deliver(sent)
      }
    })
  )
  yield* Effect.forkScoped(keep(store, options.retention))

  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      closed = true
      Latch.openUnsafe(enough)
      Latch.openUnsafe(work)
      // While it is down and nothing is buffered, there is nothing to write.
      if (down === undefined || buffers) yield* Delivery.within(writing, patience)
      const lost = Exit.fail(new MeteringError({ problem: "Closed", detail: "" }))
      for (const batch of [sent, open]) if (batch !== undefined) settle(batch, lost)
      Deferred.doneUnsafe(open.taken, Exit.void)
    })
  )

  return Metering.of({
    record: (usage) => recordAll([usage]),
    recordAll,
    ready: Effect.suspend(() => {
      const why = obstacle()
      return why === undefined ? Effect.void : Effect.fail(why)
    }),
    status: Effect.sync(() => ({
      store: down === undefined ? "up" : "down",
      waiting: waiting(),
      rows: open.fold.size() + (sent?.fold.size() ?? 0)
    }))
  })
})

const MINUTE = 60_000
