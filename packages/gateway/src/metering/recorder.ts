/**
 * Records usages in batches: one batch is open, and at most one is on its way to the store.
 *
 * `record` is on the path of every call. `write` runs in a fiber of its own: it waits for usages, takes the open batch and
 * delivers it.
 *
 * A store in this process takes batches from `record` itself (`atOnce.ts`), as long as nothing goes wrong. The fiber
 * then delivers only the batches that the store could not take directly.
 */
import { randomUUID } from "node:crypto"

import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"

import type { StateError } from "../state/StateError.ts"
import { AtOnce } from "./atOnce.ts"
import type { Batch } from "./batch.ts"
import * as Commit from "./commit.ts"
import * as Delivery from "./delivery.ts"
import { Doubt } from "./doubt.ts"
import { MeteringError } from "./MeteringError.ts"
import type { Store } from "./MeteringStore.ts"
import { OpenBatch } from "./openBatch.ts"
import type { Usage } from "./Usage.ts"

/** The options of `Metering`, with all defaults filled in. */
export interface Settings {
  /** Rows of one batch. */
  readonly rows: number
  /** Calls that wait. */
  readonly waiting: number
  readonly gather: Duration.Duration
  readonly attempt: Duration.Duration
  readonly patience: Duration.Duration
  /** True if calls stay in memory while the store is down, instead of failing. */
  readonly buffers: boolean
}

export class Recorder {
  readonly #store: Store
  readonly #settings: Settings
  readonly #delivery: Delivery.Delivery
  readonly #writer = randomUUID()
  /** Open when the open batch is not empty. */
  readonly #work = Latch.makeUnsafe()
  /** Open when as many calls wait as for the previous batch. */
  readonly #enough = Latch.makeUnsafe()
  #open: OpenBatch
  #sent: OpenBatch | undefined
  #callsBefore = 1
  /** The number of the last batch. */
  #number = 0
  /** Calls that wait for room in a batch. */
  #forRoom = 0
  #down: MeteringError | undefined
  readonly #doubt: Doubt
  #isClosed = false
  readonly #clock: Clock.Clock
  /** The direct way to write a batch without a fiber, if the store offers it. */
  readonly #atOnce: AtOnce | undefined
  /** True while the fiber writes all batches, because the other way failed. */
  #isFibers = false
  /** The batch that the fiber has to deliver first. */
  #handed: Sent | undefined
  #gathering: NodeJS.Timeout | undefined

  constructor(store: Store, settings: Settings, clock: Clock.Clock) {
    this.#clock = clock
    const atOnce = Commit.atOnceOf(store.commit)
    this.#atOnce = atOnce === undefined ? undefined : new AtOnce(atOnce, settings.attempt)
    this.#isFibers = this.#atOnce === undefined
    this.#store = store
    this.#settings = settings
    this.#delivery = Delivery.make(settings.attempt)
    this.#doubt = new Doubt(clock, settings.patience)
    this.#open = new OpenBatch(settings.rows)
  }

  /** True while nothing can be recorded, and behind that until a batch is written. */
  get isDown(): boolean {
    return this.#down !== undefined || this.#doubt.holds(this.#sent !== undefined)
  }

  /** Calls that wait until their usage is durable. */
  get waiting(): number {
    return this.#open.calls + (this.#sent?.calls ?? 0) + this.#forRoom
  }

  /** Rows that are in memory only. */
  get rows(): number {
    return this.#open.fold.size() + (this.#sent?.fold.size() ?? 0)
  }

  /** Returns the reason why nothing can be recorded now, or undefined. */
  obstacle(): MeteringError | undefined {
    const { buffers, waiting } = this.#settings
    if (this.#isClosed) return closed()
    if (this.#down !== undefined && !buffers) return this.#down
    if (this.waiting >= waiting) return new MeteringError({ problem: "Full", detail: `${waiting} wait` })
    return undefined
  }

  /** Records usages of a minute, all or none. Ends when they are on the store's disk. */
  record(usages: ReadonlyArray<Usage>, minute: number): Effect.Effect<void, MeteringError> {
    const why = this.obstacle()
    if (why !== undefined) return Exit.fail(why)
    const batch = this.#open
    if (!batch.hasRoom(minute, usages)) return this.#recordLater(batch, usages, minute)
    if (!this.#add(batch, usages, minute)) return Exit.void
    const told = batch.join()
    this.#joined(batch)
    return told
  }

  /**
   * Records usages as `record` does, without an Effect. Calls back once, perhaps before it returns. Returns false, and
   * records nothing, if the open batch has no room.
   */
  recordThen(
    usages: ReadonlyArray<Usage>,
    minute: number,
    told: (exit: Exit.Exit<void, MeteringError>) => void
  ): boolean {
    const why = this.obstacle()
    const batch = this.#open
    if (why !== undefined) told(Exit.fail(why))
    else if (!batch.hasRoom(minute, usages)) return false
    else if (!this.#add(batch, usages, minute)) told(Exit.void)
    else {
      batch.joinThen(told)
      this.#joined(batch)
    }
    return true
  }

  /** Adds usages to a batch. Returns false if no call waits for it: with a buffer, while the store is down. */
  #add(batch: OpenBatch, usages: ReadonlyArray<Usage>, minute: number): boolean {
    batch.add(minute, usages)
    if (this.#isFibers) Latch.openUnsafe(this.#work)
    return this.#down === undefined
  }

  /** One call more waits for the batch. */
  #joined(batch: OpenBatch): void {
    if (!this.#isFibers) this.#gather()
    else if (batch.calls >= this.#callsBefore) Latch.openUnsafe(this.#enough)
  }

  /** Sends the open batch, if none is under way, when as many calls wait as for the previous one, or after a while. */
  #gather(): void {
    if (this.#sent !== undefined) return
    const { gather } = this.#settings
    if (this.#open.calls >= this.#callsBefore || Duration.isZero(gather)) this.#send()
    else if (Duration.isFinite(gather)) {
      this.#gathering ??= setTimeout(() => {
        this.#gathering = undefined
        if (!this.#isFibers && this.#sent === undefined && this.#open.fold.size() > 0) this.#send()
      }, Duration.toMillis(gather))
    }
  }

  /**
   * Sends the open batch without a fiber. If that is impossible, the fiber sends this batch and all later ones until it
   * has caught up.
   */
  #send(): void {
    clearTimeout(this.#gathering)
    this.#gathering = undefined
    const open = this.#take()
    this.#sent = open
    const batch = this.#batchOf(open, this.#clock.currentTimeMillisUnsafe())
    const began = performance.now()
    this.#atOnce!.send(batch, (isDurable) => {
      if (!isDurable) {
        this.#handed = { open, batch, waited: performance.now() - began }
        this.#isFibers = true
        Latch.openUnsafe(this.#work)
        return
      }
      this.#doubt.end()
      this.#sent = undefined
      open.tell(Exit.void)
      if (this.#isClosed || this.#open.fold.size() === 0) return
      this.#gather()
    })
  }

  #batchOf({ fold }: OpenBatch, at: number): Batch {
    this.#number++
    return { writer: this.#writer, number: this.#number, at, rows: fold.rows(), levels: fold.levels() }
  }

  #recordLater(full: OpenBatch, usages: ReadonlyArray<Usage>, minute: number): Effect.Effect<void, MeteringError> {
    // While the store is down, it is unknown when there will be room.
    if (this.#down !== undefined) return Exit.fail(this.#down)
    this.#forRoom++
    return full.taken.pipe(
      Effect.ensuring(Effect.sync(() => this.#forRoom--)),
      Effect.andThen(Effect.suspend(() => this.record(usages, minute)))
    )
  }

  /** Writes batches. Ends when the recorder is closed and everything is written. */
  readonly write: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const { gather } = this.#settings
    for (;;) {
      yield* this.#work.await
      // The service ends while a batch is under way without this fiber.
      if (this.#atOnce !== undefined) yield* this.#atOnce.ended
      const handed = this.#handed
      if (handed !== undefined) {
        this.#handed = undefined
        yield* this.#deliver(handed)
      } else {
        if (!this.#enough.isOpen() && !Duration.isZero(gather)) yield* Effect.timeoutOption(this.#enough.await, gather)
        if (this.#open.fold.size() === 0) return
        const open = this.#take()
        this.#sent = open
        yield* this.#deliver({ open, batch: this.#batchOf(open, yield* Clock.currentTimeMillis), waited: 0 })
      }
      this.#giveBack()
    }
  })

  /** After a delivery by the fiber, allows direct writes again. */
  #giveBack(): void {
    if (this.#atOnce === undefined || this.#isClosed) return
    this.#isFibers = false
    Latch.closeUnsafe(this.#work)
    Latch.closeUnsafe(this.#enough)
    if (this.#open.fold.size() > 0) this.#send()
  }

  /** Takes the open batch, and opens the next one. */
  #take(): OpenBatch {
    const batch = this.#open
    this.#open = new OpenBatch(this.#settings.rows)
    this.#callsBefore = batch.calls
    if (!this.#isClosed) {
      Latch.closeUnsafe(this.#work)
      Latch.closeUnsafe(this.#enough)
    }
    batch.take()
    return batch
  }

  /**
   * Writes a batch. If that takes longer than `patience`, the store counts as down until it takes changes again. The
   * first batch after that has one try, so that callers of a store that takes no batch do not wait for `patience` again.
   */
  #deliver({ batch, open, waited }: Sent): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const commit = this.#store.commit(batch)
      const isWritten = this.#doubt.holds(true)
        ? yield* this.#delivery.once(commit)
        : yield* this.#written(commit, open, waited)
      if (isWritten) this.#doubt.end()
      else {
        if (this.#down === undefined) this.#goDown(open)
        yield* Fiber.await(yield* this.#delivery.start(this.#store.ping))
        this.#doubt.begin()
      }
      this.#down = undefined
      this.#sent = undefined
      open.tell(Exit.void)
    })
  }

  /** Returns true when the batch is written, and false if it is given up. With a buffer it is never given up. */
  #written(commit: Effect.Effect<void, StateError>, open: OpenBatch, waited: number): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function* () {
      const { buffers, patience } = this.#settings
      const committing = yield* this.#delivery.start(commit)
      const left = Duration.millis(Math.max(0, Duration.toMillis(patience) - waited))
      if (yield* Delivery.within(committing, left)) return true
      this.#goDown(open)
      if (buffers) yield* Fiber.await(committing)
      else yield* Delivery.abandon(committing)
      return buffers
    })
  }

  #goDown(batch: OpenBatch): void {
    this.#down = new MeteringError({ problem: "Unavailable", detail: this.#delivery.why() })
    const { buffers } = this.#settings
    const told = buffers ? Exit.void : Exit.fail(this.#down)
    batch.tell(told)
    this.#open.tell(told)
    // With a buffer the batch stays in memory, and the open one takes further calls, which do not wait.
    if (buffers) return
    this.#take()
    this.#sent = undefined
  }

  /** Refuses further calls, and gives the writing fiber `patience` to end. Calls that still wait then fail. */
  close(writing: Fiber.Fiber<void>): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      this.#isClosed = true
      clearTimeout(this.#gathering)
      this.#isFibers = true
      Latch.openUnsafe(this.#enough)
      Latch.openUnsafe(this.#work)
      // If the store is down and nothing is buffered, there is nothing to write.
      if (this.#down === undefined || this.#settings.buffers) {
        yield* Delivery.within(writing, this.#settings.patience)
      }
      this.#atOnce?.close()
      const lost = Exit.fail(closed())
      this.#sent?.tell(lost)
      this.#open.tell(lost)
      this.#open.take()
    })
  }
}

/** A batch on its way to the store. */
interface Sent {
  readonly open: OpenBatch
  readonly batch: Batch
  /** Milliseconds for which callers have waited for it already. */
  readonly waited: number
}

const closed = (): MeteringError => new MeteringError({ problem: "Closed", detail: "" })
