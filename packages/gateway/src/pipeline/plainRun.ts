/**
 * Runs a project's work as `settlement.ts` does, by plain function calls. A fiber runs only the parts that have to
 * wait. A request that the cache answers needs no fiber; a request to a node needs one for the node.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"

import type { RequestWork } from "../http/callDoor.ts"
import * as Exits from "../http/exits.ts"
import { type SpawnFiber, WHOLE } from "../http/requestFibers.ts"
import type { LimiterAdmission, PlainLimiter } from "../limits/Limiter.ts"
import type { PlainMetering } from "../metering/Metering.ts"
import type { MeteringError } from "../metering/MeteringError.ts"
import type { ProjectWork, WorkOutcome } from "./projectWork.ts"

/** The functions of a settlement that a run uses. */
export interface SettlementParts {
  readonly limiting: PlainLimiter
  readonly recording: PlainMetering
  /** Records an outcome and settles the admission. It is used if metering has no room at the moment. */
  readonly finish: <A>(
    job: ProjectWork<A>,
    outcome: WorkOutcome<A>,
    admission: LimiterAdmission | undefined
  ) => Effect.Effect<A>
  /** Counts a recorded outcome. Returns the credits, and an effect that logs the recovery of metering. */
  readonly recorded: (outcome: WorkOutcome<unknown>) => {
    readonly credits: number
    readonly logged: Effect.Effect<void>
  }
  /** Settles the admission of an outcome that could not be recorded, and returns the answer. */
  readonly unrecorded: <A>(
    job: ProjectWork<A>,
    error: MeteringError,
    admission: LimiterAdmission | undefined
  ) => Effect.Effect<A>
}

/** One job, from its admission to its recorded outcome. It calls `onExit` once. */
export class PlainRun<A> implements RequestWork {
  readonly #parts: SettlementParts
  readonly #fork: SpawnFiber
  readonly #job: ProjectWork<A>
  readonly #admission: LimiterAdmission | undefined
  readonly #onExit: (exit: Exit.Exit<A>) => void
  /** The call or the fiber that the run waits for. */
  #waited: RequestWork | undefined
  #isWorked = false
  #isOver = false

  constructor(
    parts: SettlementParts,
    fork: SpawnFiber,
    job: ProjectWork<A>,
    admission: LimiterAdmission | undefined,
    onExit: (exit: Exit.Exit<A>) => void
  ) {
    this.#parts = parts
    this.#fork = fork
    this.#job = job
    this.#admission = admission
    this.#onExit = onExit
  }

  /** Runs the work of the job. */
  work(): void {
    try {
      const begun = this.#job.begin?.((outcome) => this.#continue(outcome))
      if (this.#isWorked) return
      if (begun === undefined) this.#wait(this.#job.work(), (exit) => this.#worked(exit))
      else this.#waited = begun
    } catch (defect) {
      this.#died(defect)
    }
  }

  #continue(outcome: Effect.Effect<WorkOutcome<A>>): void {
    this.#isWorked = true
    this.#waited = undefined
    try {
      this.#wait(outcome, (exit) => this.#worked(exit))
    } catch (defect) {
      this.#died(defect)
    }
  }

  /** Records an outcome without running the work. */
  finish(outcome: () => WorkOutcome<A>): void {
    this.#guarded(() => this.#finish(outcome()))
  }

  interruptUnsafe(): void {
    this.#waited?.interruptUnsafe()
  }

  #worked(exit: Exit.Exit<WorkOutcome<A>>): void {
    if (exit._tag === "Success") this.#finish(exit.value)
    else this.#failed(Exit.failCause(exit.cause))
  }

  #finish(outcome: WorkOutcome<A>): void {
    const { finish, recording } = this.#parts
    const isTaken = recording.record(outcome.usages, (exit) => this.#guarded(() => this.#told(outcome, exit)))
    if (!isTaken) this.#wait(finish(this.#job, outcome, this.#admission), (exit) => this.#end(exit))
  }

  /** Continues when the usage is on the disk, or when recording it failed. */
  #told(outcome: WorkOutcome<A>, exit: Exit.Exit<void, MeteringError>): void {
    const { limiting, recorded, unrecorded } = this.#parts
    if (exit._tag === "Failure") {
      const error = Option.getOrThrow(Cause.findErrorOption(exit.cause))
      return this.#wait(unrecorded(this.#job, error, this.#admission), (exit) => this.#end(exit))
    }
    const { credits, logged } = recorded(outcome)
    if (logged !== Effect.void) this.#fork(logged)
    if (this.#admission !== undefined) limiting.settle(this.#admission, credits)
    this.#end(Exit.succeed(outcome.answer))
    return undefined
  }

  /** If the gateway itself fails, the project is not charged. */
  #failed(exit: Exit.Exit<never>): void {
    if (this.#admission !== undefined) this.#parts.limiting.settle(this.#admission, 0)
    this.#end(exit)
  }

  /** Continues with the exit of an effect: at once if it is already known, otherwise when the fiber ends. */
  #wait<B>(effect: Effect.Effect<B>, next: (exit: Exit.Exit<B>) => void): void {
    const known = Exits.exitOf(effect)
    if (known !== undefined) return next(known)
    const fiber = this.#fork(effect, WHOLE)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return next(exit)
    this.#waited = fiber
    fiber.addObserver((exit) => {
      this.#waited = undefined
      this.#guarded(() => next(exit))
    })
    return undefined
  }

  #end(exit: Exit.Exit<A>): void {
    this.#isOver = true
    this.#onExit(exit)
  }

  /** Turns a defect into the exit of the run, as a fiber would. */
  #guarded(step: () => void): void {
    try {
      step()
    } catch (defect) {
      this.#died(defect)
    }
  }

  #died(defect: unknown): void {
    if (this.#isOver) throw defect
    this.#failed(Exit.die(defect))
  }
}
