/**
 * Steps 5, 6, 8 and 9 of the pipeline: runs a project's work. Checks its limits first, then records usage and charges for
 * it, whatever the outcome.
 */
import * as Effect from "effect/Effect"

import type { Project } from "../accounts/Account.ts"
import { InFlight } from "../http/inFlight.ts"
import type { Members } from "../limits/KeyLimits.ts"
import type { Admission, Limiter } from "../limits/Limiter.ts"
import type { LimitExceeded } from "../limits/LimitExceeded.ts"
import type { Metering } from "../metering/Metering.ts"
import type { MeteringError } from "../metering/MeteringError.ts"
import type { Usage } from "../metering/Usage.ts"
import { Meters } from "../meters/meters.ts"

/** The outcome of work: the answer, and the usage that is on the disk before the answer leaves. */
export interface Outcome<A> {
  readonly answer: A
  readonly usages: ReadonlyArray<Usage>
}

export interface Job<A> {
  readonly project: Project
  /** A further set of work under way that it belongs to. */
  readonly users?: InFlight<object> | undefined
  /** The maximum cost. */
  readonly credits: number
  /** The key and the user that have limits of their own; undefined if there are none. */
  readonly members?: Members | undefined
  /**
   * Runs the work. The work cannot be interrupted, except in parts that it marks as interruptible itself. So work that
   * began is recorded even if its caller has left.
   */
  readonly work: () => Effect.Effect<Outcome<A>>
  /** Returns the outcome if a limit is exceeded: nothing began. */
  readonly exceeded: (exceeded: LimitExceeded) => Outcome<A>
  /** Returns the outcome if limits cannot be counted, so nothing is admitted. */
  readonly closed: () => Outcome<A>
  /** Returns the answer if usage cannot be recorded: nothing is charged. */
  readonly unmetered: () => A
}

export interface Settlement {
  /** Runs a job uninterruptibly. A caller in an uninterruptible fiber always learns the recorded outcome. */
  readonly run: <A>(job: Job<A>) => Effect.Effect<A>
  /** Completes when no settlement is under way. */
  readonly idle: Effect.Effect<void>
}

export const make = (
  limiter: Limiter["Service"],
  metering: Metering["Service"],
  meters: Meters = new Meters()
): Settlement => {
  const underWay = new InFlight<object>()
  let down = false

  /** The log reports once that metering is down, and once that it is back. */
  const failed = (error: MeteringError): Effect.Effect<void> => {
    if (down) return Effect.void
    down = true
    return Effect.logError("usage cannot be recorded", error.message)
  }
  const recorded = (): Effect.Effect<void> => {
    if (!down) return Effect.void
    down = false
    return Effect.logInfo("usage is recorded again")
  }

  const finish = <A>(
    { unmetered }: Job<A>,
    { answer, usages }: Outcome<A>,
    admission: Admission | undefined
  ): Effect.Effect<A> =>
    Effect.matchEffect(metering.recordAll(usages), {
      onFailure: (error) => Effect.andThen(failed(error), Effect.map(settle(admission, 0), unmetered)),
      onSuccess: () => {
        for (const usage of usages) meters.used(usage)
        return Effect.andThen(recorded(), Effect.as(settle(admission, creditsOf(usages)), answer))
      }
    })

  const settle = (admission: Admission | undefined, charged: number): Effect.Effect<void> =>
    admission === undefined ? Effect.void : limiter.settle(admission, charged)

  return {
    idle: underWay.idle,
    run: <A>(job: Job<A>) =>
      Effect.suspend(() => {
        const token = {}
        const { project, users } = job
        underWay.add(token)
        users?.add(token)
        return Effect.matchEffect(metering.ready, {
          onFailure: (error) => Effect.map(failed(error), job.unmetered),
          onSuccess: () =>
            Effect.matchEffect(limiter.admit(project.id, project.limits, job.credits, job.members), {
              onFailure: (error) => {
                const isExceeded = error._tag === "LimitExceeded"
                meters.limited(isExceeded ? error.limit : "unavailable")
                return finish(job, isExceeded ? job.exceeded(error) : job.closed(), undefined)
              },
              onSuccess: (admission) =>
                Effect.onError(
                  Effect.flatMap(job.work(), (outcome) => finish(job, outcome, admission)),
                  // If the gateway itself fails, the project is not charged.
                  () => settle(admission, 0)
                )
            })
        }).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              underWay.delete(token)
              users?.delete(token)
            })
          )
        )
      }).pipe(Effect.uninterruptible)
  }
}

const creditsOf = (usages: ReadonlyArray<Usage>): number => {
  let sum = 0
  for (const { credits } of usages) sum += credits
  return sum
}
