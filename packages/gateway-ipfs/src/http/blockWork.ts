/**
 * Runs the work of a command on blocks: reading their links and values.
 *
 * The work shares the turns of all projects, and costs the project as much as commands do. Otherwise one command that
 * reads a block with very many links would cost a hundred times as much as the rate limit assumes.
 */
import type { Project } from "@plumbline/gateway/accounts/Account"
import type { Settlement, StepScheduler as ProjectTurns } from "@plumbline/gateway/GatewayInternals"
import * as WorkScheduler from "@plumbline/ipfs-client/work/WorkScheduler"
import * as Effect from "effect/Effect"

import * as CommandRateLimit from "./commandRateLimit.ts"

/** Number of steps that a command may do before it pays for them. A command that reads small blocks never pays. */
const FREE = 8

/** The turns of all projects, and the way to charge a project. */
export interface SharedTurns {
  readonly turns: ProjectTurns
  readonly more: Settlement["more"]
}

/**
 * Runs an effect, and all work on blocks in it, as one command of a project. Each step of work on blocks, which passes
 * about 1024 links or values, takes one more reading command from the rate of the project. Above the rate the work waits.
 */
export const paid = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  project: Project,
  { more, turns }: SharedTurns
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const limited = CommandRateLimit.reading(project)
    const { burst = Number.POSITIVE_INFINITY } = limited.limits
    let owed = 0
    /** Pays for the steps that were done, as many at once as the limit permits. */
    const pay: Effect.Effect<void> = Effect.suspend(() => {
      const part = Math.min(owed, burst)
      owed -= part
      return part === 0 ? Effect.void : Effect.andThen(more(limited, part), pay)
    })
    // A job is paid for after its end. If it paid in the middle, other jobs of the project would begin meanwhile, and the
    // values of all of their blocks would be in memory.
    const run = <B>(job: WorkScheduler.SteppedJob<B>): Effect.Effect<B> =>
      Effect.suspend(() => {
        let steps = 0
        const step = (): B | undefined => {
          steps++
          return job.step()
        }
        // A queue of its own, so that the project's JSON-RPC packets do not wait for its blocks.
        return Effect.flatMap(turns.run(`${project.id}:ipfs`, { step }), (value) => {
          owed += steps - 1
          return owed < FREE ? Effect.succeed(value) : Effect.as(pay, value)
        })
      })
    return Effect.provideService(work, WorkScheduler.Scheduler, { run })
  })
