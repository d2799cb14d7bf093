/**
 * Runs the work of a command on blocks: reading their links and values.
 *
 * The work shares the turns of all projects, and costs the project as much as commands do. Otherwise one command that
 * reads a block with very many links would cost a hundred times as much as the rate limit assumes.
 */
import * as Turns from "@plumbline/ipfs-client/work/Turns"
import * as Effect from "effect/Effect"

import type { Project } from "../../accounts/Account.ts"
import type { Settlement } from "../../pipeline/settlement.ts"
import type { Turns as ProjectTurns } from "../../pipeline/turns.ts"

/** Number of steps that are paid together. Fewer are part of the command itself. */
const PAID_TOGETHER = 8

/** The turns of all projects, and the way to charge a project. */
export interface Shared {
  readonly turns: ProjectTurns
  readonly more: Settlement["more"]
}

/**
 * Runs an effect, and all work on blocks in it, as one command of a project. `limited` is the project as the limiter
 * sees it for this command. Each step of work on blocks, which passes about 1024 links or values, takes one more command
 * from the rate of the project. Above the rate the work waits.
 */
export const paid = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  project: string,
  limited: Project,
  { more, turns }: Shared
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let steps = 0
    const most = Math.min(PAID_TOGETHER, limited.limits.burst ?? PAID_TOGETHER)
    const run = <B>(job: Turns.Job<B>): Effect.Effect<B> =>
      Effect.suspend(() => {
        const step = (): Stepped<B> | undefined => {
          const value = job.step()
          if (value !== undefined) return { _tag: "Done", value }
          return ++steps % most === 0 ? { _tag: "Due" } : undefined
        }
        // A queue of its own, so that the project's JSON-RPC packets do not wait for its blocks.
        return Effect.flatMap(turns.run(`${project}:ipfs`, { step }), (stepped) =>
          stepped._tag === "Done" ? Effect.succeed(stepped.value) : Effect.andThen(more(limited, most), run(job))
        )
      })
    return Effect.provideService(work, Turns.Scheduler, { run })
  })

type Stepped<A> = { readonly _tag: "Done"; readonly value: A } | { readonly _tag: "Due" }
