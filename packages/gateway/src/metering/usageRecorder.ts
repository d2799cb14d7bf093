/**
 * Records usages in batches: one batch is open, and at most one is being written.
 *
 * Every call runs `record`. `write` runs in a separate fiber: it waits for usages, takes the open batch and delivers
 * it.
 *
 * If the store is in this process, `record` writes batches directly (`atOnce.ts`). The fiber then delivers only the
 * batches that could not be written directly.
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
import { MeteringError } from "./MeteringError.ts"
import type { UsageStore } from "./MeteringStore.ts"
import { OpenBatch } from "./openBatch.ts"
import * as StoreDelivery from "./storeDelivery.ts"
import { UnconfirmedRecovery } from "./unconfirmedRecovery.ts"
import type { Usage } from "./Usage.ts"
import type { UsageBatch, UsageDurability } from "./usageBatch.ts"

/** The options of `Metering`, with all defaults filled in. */
export interface UsageRecorderSettings {
  /** Maximum number of rows of one batch. */
  readonly rows: number
  /** Maximum number of waiting calls. */
  readonly waiting: number
  readonly gather: Duration.Duration
  readonly attempt: Duration.Duration
  readonly timeout: Duration.Duration
  /** True if usage stays in memory while the store is down. False if calls fail then. */
  readonly buffers: boolean
  /** The durability of acknowledged usage; undefined for the usual one of the store. */
  readonly durability: UsageDurability | undefined
}

export class UsageRecorder {
  readonly #store: UsageStore
  readonly #settings: UsageRecorderSettings
  readonly #delivery: StoreDelivery.StoreDelivery
  readonly #writer = randomUUID()
  /** A latch that is open while the open batch has usages. */
  readonly #work = Latch.makeUnsafe()
  /** A latch that opens when as many calls wait as waited for the previous batch. */
  readonly #enough = Latch.makeUnsafe()
  #open: OpenBatch
  #sent: OpenBatch | undefined
  #callsBefore = 1
  /** The number of the last batch taken for writing. */
  #number = 0
  /** The number of calls that wait for room in a batch. */
  #forRoom = 0
  #down: MeteringError | undefined
  readonly #doubt: UnconfirmedRecovery
  #isClosed = false
  readonly #clock: Clock.Clock
  /** Writes batches directly, without a fiber. Undefined if the store does not support this. */
  readonly #atOnce: AtOnce | undefined
  /** True while the fiber writes all batches: the store has no direct way, or a direct write failed. */
  #isFibers: boolean
  /** The batch whose direct write failed. The fiber delivers it first. */
  #handed: Sent | undefined
  #gathering: NodeJS.Timeout | undefined
  /** Sends the open batch at the end of this turn of the event loop. */
  #sending: NodeJS.Immediate | undefined

  constructor(store: UsageStore, settings: UsageRecorderSettings, clock: Clock.Clock) {
    this.#clock = clock
    const { commitNow } = store
    const { attempt, durability } = settings
    this.#atOnce =
      commitNow === undefined ? undefined : new AtOnce((batch, done) => commitNow(batch, done, durability), attempt)
    this.#isFibers = this.#atOnce === undefined
    this.#store = store
    this.#settings = settings
    this.#delivery = StoreDelivery.make(settings.attempt)
    this.#doubt = new UnconfirmedRecovery(clock, settings.timeout)
    this.#open = new OpenBatch(settings.rows)
  }

  /** True while nothing can be recorded, and afterwards until a batch is written. */
  get isDown(): boolean {
    return this.#down !== undefined || this.#doubt.holds(this.#sent !== undefined) || this.#hasDiskFailed()
  }

  /** Milliseconds for which acknowledged usage has been waiting for the disk; undefined if the store does not know. */
  get behind(): number | undefined {
    const disk = this.#store.disk?.()
    return disk === undefined ? undefined : Math.round(disk.behind)
  }

  #hasDiskFailed(): boolean {
    return this.#store.disk?.().hasFailed === true
  }

  /** The number of calls that wait until their usage is durable. */
  get waiting(): number {
    return this.#open.calls + (this.#sent?.calls ?? 0) + this.#forRoom
  }

  /** The number of rows that are in memory and not yet written. */
  get rows(): number {
    return this.#open.fold.size() + (this.#sent?.fold.size() ?? 0)
  }

  /** Returns the reason why nothing can be recorded now; undefined if usages are accepted. */
  obstacle(): MeteringError | undefined {
    const { buffers, waiting } = this.#settings
    if (this.#isClosed) return closed()
    if (this.#down !== undefined && !buffers) return this.#down
    if (!buffers && this.#hasDiskFailed()) return new MeteringError({ problem: "Unavailable", detail: DISK_FAILED })
    if (this.waiting >= waiting) return new MeteringError({ problem: "Full", detail: `${waiting} wait` })
    return undefined
  }

  /**
   * Records usages in a minute, all or none. Calls `told` once, perhaps before it returns: when the usages are as durable
   * as the settings say, or when they cannot be recorded. Usages for which the open batch has no room wait for the next
   * one.
   */
  record(usages: ReadonlyArray<Usage>, minute: number, told: (exit: Exit.Exit<void, MeteringError>) => void): void {
    const why = this.obstacle()
    const batch = this.#open
    if (why !== undefined) told(Exit.fail(why))
    else if (!batch.hasRoom(minute, usages)) this.#recordLater(batch, usages, minute, told)
    else if (!this.#add(batch, usages, minute)) told(Exit.void)
    else {
      batch.join(told)
      this.#joined(batch)
    }
  }

  /** Adds usages to a batch. Returns false if the call need not wait: the store is down and usage is buffered. */
  #add(batch: OpenBatch, usages: ReadonlyArray<Usage>, minute: number): boolean {
    batch.add(minute, usages)
    if (this.#isFibers) Latch.openUnsafe(this.#work)
    return this.#down === undefined
  }

  /** Starts a write if enough calls wait for the batch. */
  #joined(batch: OpenBatch): void {
    if (!this.#isFibers) this.#gather()
    else if (batch.calls >= this.#callsBefore) Latch.openUnsafe(this.#enough)
  }

  /**
   * Sends the open batch unless another batch is being written. Sends in this turn of the event loop if as many calls
   * wait as waited for the previous batch, and otherwise after `gather`.
   */
  #gather(): void {
    if (this.#sent !== undefined || this.#sending !== undefined) return
    const { gather } = this.#settings
    if (this.#open.calls >= this.#callsBefore || Duration.isZero(gather)) {
      // All input of this turn was read by then: calls that arrived together are written together.
      this.#sending = setImmediate(() => this.#sendGathered())
    } else if (Duration.isFinite(gather)) {
      this.#gathering ??= setTimeout(() => this.#sendGathered(), Duration.toMillis(gather))
    }
  }

  #sendGathered(): void {
    this.#forgetTimers()
    if (!this.#isFibers && this.#sent === undefined && this.#open.fold.size() > 0) this.#send()
  }

  #forgetTimers(): void {
    clearTimeout(this.#gathering)
    clearImmediate(this.#sending)
    this.#gathering = undefined
    this.#sending = undefined
  }

  /**
   * Sends the open batch directly, without a fiber. If that fails, the fiber sends this batch and all later ones until
   * none is left.
   */
  #send(): void {
    this.#forgetTimers()
    const open = this.#take()
    const batch = this.#batchOf(open, this.#clock.currentTimeMillisUnsafe())
    const began = performance.now()
    this.#atOnce!.send(batch, (isDurable) => {
      if (!isDurable) {
        // A batch waits at most for the limit of one try; more is time in which this process did not run.
        const waited = Math.min(performance.now() - began, Duration.toMillis(this.#settings.attempt))
        this.#handed = { open, batch, waited }
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

  #batchOf({ fold }: OpenBatch, at: number): UsageBatch {
    this.#number++
    return { writer: this.#writer, number: this.#number, at, rows: fold.rows(), levels: fold.levels() }
  }

  #recordLater(
    full: OpenBatch,
    usages: ReadonlyArray<Usage>,
    minute: number,
    told: (exit: Exit.Exit<void, MeteringError>) => void
  ): void {
    // While the store is down, the time until there is room is unknown.
    if (this.#down !== undefined) return told(Exit.fail(this.#down))
    this.#forRoom++
    return full.onWoken(() => {
      this.#forRoom--
      this.record(usages, minute, told)
    })
  }

  /** Writes batches. Ends when the recorder is closed and everything is written. */
  readonly write: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const { gather } = this.#settings
    for (;;) {
      yield* this.#work.await
      // When the service closes, a direct write may still be running.
      if (this.#atOnce !== undefined) yield* this.#atOnce.ended
      const handed = this.#handed
      if (handed !== undefined) {
        this.#handed = undefined
        yield* this.#deliver(handed)
      } else {
        if (!this.#enough.isOpen() && !Duration.isZero(gather)) yield* Effect.timeoutOption(this.#enough.await, gather)
        if (this.#open.fold.size() === 0) return
        const open = this.#take()
        yield* this.#deliver({ open, batch: this.#batchOf(open, yield* Clock.currentTimeMillis), waited: 0 })
      }
      this.#giveBack()
    }
  })

  /** Allows direct writes again, after the fiber has delivered a batch. */
  #giveBack(): void {
    if (this.#atOnce === undefined || this.#isClosed) return
    this.#isFibers = false
    Latch.closeUnsafe(this.#work)
    Latch.closeUnsafe(this.#enough)
    if (this.#open.fold.size() > 0) this.#send()
  }

  /** Takes the open batch for writing, and opens a new one. */
  #take(): OpenBatch {
    const batch = this.#open
    this.#open = new OpenBatch(this.#settings.rows)
    this.#callsBefore = batch.calls
    // The calls that get room now must find that this batch is being written.
    this.#sent = batch
    // Direct writes leave both latches closed.
    if (this.#isFibers && !this.#isClosed) {
      Latch.closeUnsafe(this.#work)
      Latch.closeUnsafe(this.#enough)
    }
    batch.wake()
    return batch
  }

  /**
   * Writes a batch. If that takes longer than `timeout`, the store counts as down until it accepts changes again. The
   * first batch after an outage has a single try. So callers do not wait for `timeout` again if the store still
   * accepts no batch.
   */
  #deliver({ batch, open, waited }: Sent): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const commit = this.#store.commit(batch, this.#settings.durability)
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

  /** Returns true when the batch is written, and false if it is given up. A buffered batch is never given up. */
  #written(commit: Effect.Effect<void, StateError>, open: OpenBatch, waited: number): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function* () {
      const { buffers, timeout } = this.#settings
      const committing = yield* this.#delivery.start(commit)
      const left = Duration.millis(Math.max(0, Duration.toMillis(timeout) - waited))
      if (yield* StoreDelivery.within(committing, left)) return true
      this.#goDown(open)
      if (buffers) yield* Fiber.await(committing)
      else yield* StoreDelivery.abandon(committing)
      return buffers
    })
  }

  #goDown(batch: OpenBatch): void {
    this.#down = new MeteringError({ problem: "Unavailable", detail: this.#delivery.why() })
    const { buffers } = this.#settings
    const told = buffers ? Exit.void : Exit.fail(this.#down)
    batch.tell(told)
    this.#open.tell(told)
    // With a buffer, this batch stays in memory. The open batch accepts further calls, which do not wait, not for room
    // either.
    if (buffers) return this.#open.wake()
    this.#take()
    this.#sent = undefined
    return undefined
  }

  /**
   * Refuses further calls, and waits up to `timeout` until the writing fiber has ended. Calls that still wait then
   * fail.
   */
  close(writing: Fiber.Fiber<void>): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      this.#isClosed = true
      this.#forgetTimers()
      this.#isFibers = true
      Latch.openUnsafe(this.#enough)
      Latch.openUnsafe(this.#work)
      // If the store is down and nothing is buffered, there is nothing to write.
      if (this.#down === undefined || this.#settings.buffers) {
        yield* StoreDelivery.within(writing, this.#settings.timeout)
      }
      this.#atOnce?.close()
      const lost = Exit.fail(closed())
      this.#sent?.tell(lost)
      this.#open.tell(lost)
      this.#open.wake()
    })
  }
}

/** A batch that is being written. */
interface Sent {
  readonly open: OpenBatch
  readonly batch: UsageBatch
  /** Milliseconds for which callers have already waited for the batch. */
  readonly waited: number
}

const DISK_FAILED = "the disk has failed, restart the service"

const closed = (): MeteringError => new MeteringError({ problem: "Closed", detail: "" })
