/**
 * Records usages in batches: one batch is open, and at most one is on its way to the store.
 *
 * `record` is on the path of every call. `write` runs in a fiber of its own: it waits for usages, takes the open batch and
 * delivers it.
 */
import { randomUUID } from "node:crypto"

import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"

import * as Delivery from "./delivery.ts"
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
  #isClosed = false

  constructor(store: Store, settings: Settings) {
    this.#store = store
    this.#settings = settings
    this.#delivery = Delivery.make(settings.attempt)
    this.#open = new OpenBatch(settings.rows)
  }

  get isDown(): boolean {
    return this.#down !== undefined
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
    batch.add(minute, usages)
    Latch.openUnsafe(this.#work)
    // With a buffer, no call waits for the batch.
    if (this.#down !== undefined) return Exit.void
    const told = batch.join()
    if (batch.calls >= this.#callsBefore) Latch.openUnsafe(this.#enough)
    return told
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
      if (!this.#enough.isOpen() && !Duration.isZero(gather)) yield* Effect.timeoutOption(this.#enough.await, gather)
      if (this.#open.fold.size() === 0) return
      this.#sent = this.#take()
      yield* this.#deliver(this.#sent)
    }
  })

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

  /** Writes a batch. If that takes longer than `patience`, the store counts as down until it takes changes again. */
  #deliver(batch: OpenBatch): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      this.#number++
      const at = yield* Clock.currentTimeMillis
      const { fold } = batch
      const committing = yield* this.#delivery.start(
        this.#store.commit({
          writer: this.#writer,
          number: this.#number,
          at,
          rows: fold.rows(),
          levels: fold.levels()
        })
      )
      if (!(yield* Delivery.within(committing, this.#settings.patience))) {
        this.#goDown(batch)
        if (this.#settings.buffers) yield* Fiber.await(committing)
        else {
          yield* Delivery.abandon(committing)
          yield* Fiber.await(yield* this.#delivery.start(this.#store.ping))
        }
        this.#down = undefined
      }
      this.#sent = undefined
      batch.tell(Exit.void)
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
      Latch.openUnsafe(this.#enough)
      Latch.openUnsafe(this.#work)
      // If the store is down and nothing is buffered, there is nothing to write.
      if (this.#down === undefined || this.#settings.buffers) {
        yield* Delivery.within(writing, this.#settings.patience)
      }
      const lost = Exit.fail(closed())
      this.#sent?.tell(lost)
      this.#open.tell(lost)
      this.#open.take()
    })
  }
}

const closed = (): MeteringError => new MeteringError({ problem: "Closed", detail: "" })
