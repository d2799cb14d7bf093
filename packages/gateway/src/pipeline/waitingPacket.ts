/** A packet that waits for a turn to be read, without a fiber. */
import * as Cause from "effect/Cause"
import type * as Exit from "effect/Exit"

import type { RequestWork } from "../http/callDoor.ts"
import type { InFlight } from "../http/inFlight.ts"
import type { WorkEnd } from "../http/workEnd.ts"
import type { CallPacket } from "./callPackets.ts"
import type { SteppedJob, StepScheduler } from "./stepScheduler.ts"

export interface WaitingPacketOptions<A> {
  readonly turns: StepScheduler
  readonly project: string
  /** Reads the packet. */
  readonly job: SteppedJob<CallPacket>
  /** The sets that keep the packet's nodes open, and the service running, while the packet waits. */
  readonly sets: ReadonlyArray<InFlight<object>>
  /** Runs the packet when it has been read, and tells `end`, perhaps before it returns. */
  readonly begin: (packet: CallPacket, end: WorkEnd<A>) => RequestWork
  readonly end: WorkEnd<A>
}

/** Waits, and then runs the packet. An interruption during the wait reaches the calls as soon as they have begun. */
export class WaitingPacket<A> implements RequestWork, WorkEnd<A> {
  readonly #options: WaitingPacketOptions<A>
  #begun: RequestWork | undefined
  #isInterrupted = false
  #isOver = false

  constructor(options: WaitingPacketOptions<A>) {
    this.#options = options
    const { job, project, sets, turns } = options
    for (const set of sets) set.add(this)
    turns.runLater(project, job, (exit) => this.#onRead(exit))
  }

  interruptUnsafe(): void {
    this.#isInterrupted = true
    this.#begun?.interruptUnsafe()
  }

  #onRead(exit: Exit.Exit<CallPacket>): void {
    const { begin, sets } = this.#options
    try {
      if (exit._tag === "Failure") this.failed(exit.cause)
      else this.#begun = begin(exit.value, this)
    } catch (defect) {
      if (this.#isOver) throw defect
      this.failed(Cause.die(defect))
    } finally {
      for (const set of sets) set.delete(this)
    }
    if (this.#isInterrupted) this.#begun?.interruptUnsafe()
  }

  succeeded(value: A): void {
    this.#isOver = true
    this.#options.end.succeeded(value)
  }

  failed(cause: Cause.Cause<never>): void {
    this.#isOver = true
    this.#options.end.failed(cause)
  }
}
