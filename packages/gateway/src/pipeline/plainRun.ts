/**
 * Runs a project's work as `settlement.ts` does, by plain function calls. A fiber runs only the parts that have to
 * wait. A request that the cache answers needs no fiber; a request to a node needs one for the node.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"

import type { RequestWork } from "../http/callDoor.ts"
import * as Exits from "../http/exits.ts"
import type { InFlight } from "../http/inFlight.ts"
import { type SpawnFiber, WHOLE } from "../http/requestFibers.ts"
import type { StepEnd, WorkEnd } from "../http/workEnd.ts"
import type { LimiterAdmission, PlainLimiter } from "../limits/Limiter.ts"
import type { LimitExceeded } from "../limits/LimitExceeded.ts"
import type { PlainMetering } from "../metering/Metering.ts"
import type { MeteringError } from "../metering/MeteringError.ts"
import type { ProjectWork, WorkOutcome } from "./projectWork.ts"

/** The functions of a settlement that a run uses. */
export interface SettlementParts {
  /** The runs that have not ended. */
  readonly underWay: InFlight<object>
  readonly limiting: PlainLimiter
  readonly recording: PlainMetering
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

/** One job, from its admission to its recorded outcome. It tells its end once. */
export class PlainRun<A> implements RequestWork, StepEnd<WorkOutcome<A>> {
  readonly #parts: SettlementParts
  readonly #fork: SpawnFiber
  readonly #job: ProjectWork<A>
  readonly #admission: LimiterAdmission | undefined
  readonly #end: WorkEnd<A>
  /** The call or the fiber that the run waits for. */
  #waited: RequestWork | undefined
  #isWorked = false
  #isOver = false

  constructor(
    parts: SettlementParts,
    fork: SpawnFiber,
    job: ProjectWork<A>,
    admission: LimiterAdmission | undefined,
    end: WorkEnd<A>
  ) {
    this.#parts = parts
    this.#fork = fork
    this.#job = job
    this.#admission = admission
    this.#end = end
    parts.underWay.add(this)
    job.users?.add(this)
  }

  /** Runs the work of the job. */
  work(): void {
    try {
      if (this.#job.begin === undefined) return this.continued(this.#job.work())
      const begun = this.#job.begin(this)
      if (!this.#isWorked) this.#waited = begun
    } catch (defect) {
      this.#died(defect)
    }
    return undefined
  }

  /** Records a job over a limit. Its work does not begin. */
  exceeded(exceeded: LimitExceeded): void {
    try {
      this.#finish(this.#job.exceeded(exceeded))
    } catch (defect) {
      this.#died(defect)
    }
  }

  succeeded(outcome: WorkOutcome<A>): void {
    this.#isWorked = true
    this.#waited = undefined
    try {
      this.#finish(outcome)
    } catch (defect) {
      this.#died(defect)
    }
  }

  continued(rest: Effect.Effect<WorkOutcome<A>>): void {
    this.#isWorked = true
    this.#waited = undefined
    try {
      this.#wait(rest, (outcome) => this.#finish(outcome))
    } catch (defect) {
      this.#died(defect)
    }
  }

  interruptUnsafe(): void {
    this.#waited?.interruptUnsafe()
  }

  #finish(outcome: WorkOutcome<A>): void {
    this.#parts.recording.record(outcome.usages, (exit) => this.#told(outcome, exit))
  }

  /** Continues when the usage is on the disk, or when recording it failed. */
  #told(outcome: WorkOutcome<A>, exit: Exit.Exit<void, MeteringError>): void {
    try {
      const { limiting, recorded, unrecorded } = this.#parts
      if (exit._tag === "Failure") {
        const error = Option.getOrThrow(Cause.findErrorOption(exit.cause))
        return this.#wait(unrecorded(this.#job, error, this.#admission), (answer) => this.#ended(answer))
      }
      const { credits, logged } = recorded(outcome)
      if (logged !== Effect.void) this.#fork(logged)
      if (this.#admission !== undefined) limiting.settle(this.#admission, credits)
      this.#ended(outcome.answer)
    } catch (defect) {
      this.#died(defect)
    }
    return undefined
  }

  /** Continues with the value of an effect: at once if it is already known, otherwise when the fiber ends. */
  #wait<B>(effect: Effect.Effect<B>, next: (value: B) => void): void {
    const known = Exits.exitOf(effect)
    if (known !== undefined) return this.#next(known, next)
    const fiber = this.#fork(effect, WHOLE)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return this.#next(exit, next)
    this.#waited = fiber
    fiber.addObserver((exit) => {
      this.#waited = undefined
      try {
        this.#next(exit, next)
      } catch (defect) {
        this.#died(defect)
      }
    })
    return undefined
  }

  #next<B>(exit: Exit.Exit<B>, next: (value: B) => void): void {
    if (exit._tag === "Success") next(exit.value)
    else this.#failed(exit.cause)
  }

  #ended(answer: A): void {
    this.#over()
    this.#end.succeeded(answer)
  }

  /** If the gateway itself fails, the project is not charged. */
  #failed(cause: Cause.Cause<never>): void {
    if (this.#admission !== undefined) this.#parts.limiting.settle(this.#admission, 0)
    this.#over()
    this.#end.failed(cause)
  }

  #over(): void {
    this.#isOver = true
    this.#parts.underWay.delete(this)
    this.#job.users?.delete(this)
  }

  /** Turns a defect into the end of the run, as a fiber would. */
  #died(defect: unknown): void {
    if (this.#isOver) throw defect
    this.#failed(Cause.die(defect))
  }
}
