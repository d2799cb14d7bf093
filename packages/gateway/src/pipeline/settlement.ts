/**
 * Steps 5, 6, 8 and 9 of the pipeline. They run a project's work: the limits are checked first. Afterwards usage is
 * recorded and charged, whatever the outcome.
 */
import * as Effect from "effect/Effect"

import type { Project } from "../accounts/Account.ts"
import type { RequestWork } from "../http/callDoor.ts"
import { InFlight } from "../http/inFlight.ts"
import { type SpawnFiber, WHOLE } from "../http/requestFibers.ts"
import { observe, type WorkEnd } from "../http/workEnd.ts"
import type { LimiterAdmission, Limiter } from "../limits/Limiter.ts"
import type { Metering } from "../metering/Metering.ts"
import type { MeteringError } from "../metering/MeteringError.ts"
import type { Usage } from "../metering/Usage.ts"
import { ServiceMeters } from "../meters/serviceMeters.ts"
import { PlainRun } from "./plainRun.ts"
import type { ProjectWork, WorkOutcome } from "./projectWork.ts"

export type { ProjectWork, WorkOutcome } from "./projectWork.ts"

export interface Settlement {
  /** Runs a job uninterruptibly. So a caller in an uninterruptible fiber always gets the recorded outcome. */
  readonly run: <A>(job: ProjectWork<A>) => Effect.Effect<A>
  /**
   * Runs a job as `run` does, and tells `end`, perhaps before `begin` returns. If the stores of limits and of usage are
   * in this process, only the parts of the job that wait use a fiber.
   */
  readonly begin: <A>(job: ProjectWork<A>, fork: SpawnFiber, end: WorkEnd<A>) => RequestWork
  /**
   * Takes more credits for work that is under way. If a limit is exceeded, it waits until the limit permits them, because
   * the work has already begun. If limits cannot be counted, or never permit so many, it takes none.
   */
  readonly more: (project: Project, credits: number) => Effect.Effect<void>
  /** Completes when no settlement is running. */
  readonly idle: Effect.Effect<void>
}

export const make = (
  limiter: Limiter["Service"],
  metering: Metering["Service"],
  meters: ServiceMeters = new ServiceMeters()
): Settlement => {
  const underWay = new InFlight<object>()
  let down = false

  /** Logs a failure of metering. The log has one entry when metering fails, and one when it is back. */
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

  const counted = ({ usages }: WorkOutcome<unknown>) => {
    for (const usage of usages) meters.used(usage)
    return { credits: creditsOf(usages), logged: recorded() }
  }

  /** Counts calls that are refused because usage cannot be recorded. Alerts on failing calls must see them. */
  const refused = <A>(job: ProjectWork<A>): A => {
    const { answer, usages } = job.unmetered()
    for (const usage of usages) meters.used({ ...usage, credits: 0 })
    return answer
  }

  const unrecorded = <A>(
    job: ProjectWork<A>,
    error: MeteringError,
    admission: LimiterAdmission | undefined
  ): Effect.Effect<A> =>
    Effect.andThen(
      failed(error),
      Effect.map(settle(admission, 0), () => refused(job))
    )

  const finish = <A>(
    job: ProjectWork<A>,
    outcome: WorkOutcome<A>,
    admission: LimiterAdmission | undefined
  ): Effect.Effect<A> =>
    Effect.matchEffect(metering.recordAll(outcome.usages), {
      onFailure: (error) => unrecorded(job, error, admission),
      onSuccess: () => {
        const { credits, logged } = counted(outcome)
        return Effect.andThen(logged, Effect.as(settle(admission, credits), outcome.answer))
      }
    })

  const settle = (admission: LimiterAdmission | undefined, charged: number): Effect.Effect<void> =>
    admission === undefined ? Effect.void : limiter.settle(admission, charged)

  const run = <A>(job: ProjectWork<A>): Effect.Effect<A> =>
    Effect.suspend(() => {
      const token = {}
      const { project, users } = job
      underWay.add(token)
      users?.add(token)
      return Effect.matchEffect(metering.ready, {
        onFailure: (error) => Effect.map(failed(error), () => refused(job)),
        onSuccess: () =>
          Effect.matchEffect(limiter.admit(project.id, project.limits, job.credits, job.members), {
            onFailure: (error) => {
              const isExceeded = error._tag === "LimitExceeded"
              meters.limited(isExceeded ? error.limit : "unavailable")
              return finish(job, isExceeded ? job.exceeded(error) : job.closed(), undefined)
            },
            onSuccess: (admission) =>
              Effect.onError(
                Effect.flatMap(
                  Effect.suspend(() => job.work()),
                  (outcome) => finish(job, outcome, admission)
                ),
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

  const more = (project: Project, credits: number): Effect.Effect<void> =>
    Effect.matchEffect(limiter.admit(project.id, project.limits, credits), {
      onFailure: (error) =>
        error._tag === "LimitExceeded" && error.retryAfter !== undefined
          ? Effect.andThen(Effect.sleep(Math.max(1, error.retryAfter)), more(project, credits))
          : Effect.void,
      onSuccess: (admission) => settle(admission, credits)
    })

  const { plain: limiting } = limiter
  const { plain: recording } = metering
  const parts = limiting && recording && { underWay, limiting, recording, recorded: counted, unrecorded }

  const begin: Settlement["begin"] = (job, fork, end) => {
    const { credits, members, project } = job
    const isPlain = parts !== undefined && parts.recording.obstacle() === undefined
    const admitted = isPlain ? parts.limiting.admit(project.id, project.limits, credits, members) : undefined
    if (parts === undefined || admitted === undefined) return observe(fork(run(job), WHOLE), end)
    const admission = admitted._tag === "Admission" ? admitted : undefined
    const running = new PlainRun(parts, fork, job, admission, end)
    if (admitted._tag === "Admission") running.work()
    else {
      meters.limited(admitted.limit)
      running.exceeded(admitted)
    }
    return running
  }

  return { idle: underWay.idle, run, begin, more }
}

const creditsOf = (usages: ReadonlyArray<Usage>): number => {
  let sum = 0
  for (const { credits } of usages) sum += credits
  return sum
}
