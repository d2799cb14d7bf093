/** The work of a project, and its outcome. */
import type * as Effect from "effect/Effect"

import type { Project } from "../accounts/Account.ts"
import type { RequestWork } from "../http/callDoor.ts"
import type { InFlight } from "../http/inFlight.ts"
import type { StepEnd } from "../http/workEnd.ts"
import type { LimitedMembers } from "../limits/KeyLimits.ts"
import type { LimitExceeded } from "../limits/LimitExceeded.ts"
import type { Usage } from "../metering/Usage.ts"

/** The outcome of work: the answer, and the usage. The usage is on the disk before the answer is sent. */
export interface WorkOutcome<A> {
  readonly answer: A
  readonly usages: ReadonlyArray<Usage>
}

export interface ProjectWork<A> {
  readonly project: Project
  /** The set to which the settlement is added while it runs, so that its end can be awaited. */
  readonly users?: InFlight<object> | undefined
  /** The maximum cost, which the limits must admit. */
  readonly credits: number
  /** The key and the user with limits of their own; undefined if there are none. */
  readonly members?: LimitedMembers | undefined
  /**
   * Runs the work. The work cannot be interrupted, except in parts that it makes interruptible itself. So work that
   * began is recorded even if its caller has left.
   */
  readonly work: () => Effect.Effect<WorkOutcome<A>>
  /**
   * Begins the work without a fiber, and gives `end` the outcome or an effect that still has to run, perhaps before it
   * returns. Returns what an interruption ends, as that of a fiber does; undefined if nothing is under way. Absent:
   * `work` is used.
   */
  readonly begin?: ((end: StepEnd<WorkOutcome<A>>) => RequestWork | undefined) | undefined
  /** Returns the outcome if a limit is exceeded. No work began. */
  readonly exceeded: (exceeded: LimitExceeded) => WorkOutcome<A>
  /** Returns the outcome if limits cannot be counted. No work began. */
  readonly closed: () => WorkOutcome<A>
  /** Returns the outcome if usage cannot be recorded. Nothing is charged. */
  readonly unmetered: () => WorkOutcome<A>
}
