/**
 * Runs long work on blocks in steps, so that a block with very many links or values stops nothing else.
 *
 * Reading the links or the values of a block blocks the process. The readers of this package therefore do it in steps of
 * about a millisecond, and ask the scheduler in `Scheduler` to run the steps. The default scheduler runs other work of
 * the event loop after each step. A service with many callers provides its own scheduler, which divides the time fairly
 * between the callers and can charge them for the steps.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import type { Steps } from "./steps.ts"

export { sorted, type Steps } from "./steps.ts"

/** Work in steps. `step` returns undefined until the last step. It does not throw. */
export interface SteppedJob<A> {
  readonly step: () => A | undefined
}

/** Runs jobs. A job whose fiber is interrupted need not be finished. */
export interface RunsJobs {
  readonly run: <A>(job: SteppedJob<A>) => Effect.Effect<A>
}

const alone = <A>(job: SteppedJob<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const value = job.step()
    return value === undefined ? Effect.andThen(Effect.yieldNow, alone(job)) : Effect.succeed(value)
  })

/**
 * The scheduler of the readers. By default other work runs after each step.
 *
 * ```ts import.meta.vitest
 * import { Block, WorkScheduler } from "@plumbline/ipfs-client"
 * import { Effect, Result } from "effect"
 *
 * const bytes = Uint8Array.of(0x82, 1, 2)
 * const cid = Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, bytes))
 * let steps = 0
 * const counting: WorkScheduler.RunsJobs = {
 *   run: (job) =>
 *     Effect.sync(() => {
 *       for (;;) {
 *         steps++
 *         const value = job.step()
 *         if (value !== undefined) return value
 *       }
 *     })
 * }
 * const links = Effect.provideService(Block.linksEffect({ cid, bytes }), WorkScheduler.Scheduler, counting)
 * const { count } = await Effect.runPromise(links)
 * count // => 0
 * steps // => 1
 * ```
 */
export const Scheduler: Context.Reference<RunsJobs> = /* @__PURE__ */ Context.Reference<RunsJobs>(
  "@plumbline/ipfs-client/Turns",
  { defaultValue: () => ({ run: alone }) }
)

/** Runs work with the scheduler of the fiber. */
export const run = <A>(begin: () => Steps<A>): Effect.Effect<A> =>
  Effect.flatMap(Scheduler, (scheduler) =>
    Effect.suspend(() => {
      const steps = begin()
      const step = (): Exit.Exit<A> | undefined => {
        try {
          const next = steps.next()
          return next.done === true ? Exit.succeed(next.value) : undefined
        } catch (error) {
          return Exit.die(error)
        }
      }
      return Effect.flatten(scheduler.run({ step }))
    })
  )
