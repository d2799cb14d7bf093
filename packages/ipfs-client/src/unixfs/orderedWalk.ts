/** Reads trees in order, and loads the next blocks in advance. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"

import { STEP } from "../work/steps.ts"

/** The content of a place, in order: a value to emit, or a place below. */
export type OrderedStep<Place, Out> =
  | { readonly _tag: "Out"; readonly out: Out }
  | { readonly _tag: "Below"; readonly place: Place }

export const out = <Out>(out: Out): OrderedStep<never, Out> => ({ _tag: "Out", out })

export const below = <Place>(place: Place): OrderedStep<Place, never> => ({ _tag: "Below", place })

/**
 * Emits the output of a tree, depth first, in order.
 *
 * The next `concurrency` places in order are loaded at once. If a place has places below it, those come first, and the
 * later places stay loaded. So at most `concurrency` places are held for each level of the tree. An error is emitted at
 * the turn of its place. Ending the stream early interrupts the running loads.
 */
export const walk = <Place, Out, E, R>(
  first: Place,
  load: (place: Place) => Effect.Effect<ReadonlyArray<OrderedStep<Place, Out>>, E, R>,
  concurrency: number
): Stream.Stream<Out, E, R> =>
  Stream.unwrap(
    Effect.map(Effect.scope, (scope) => {
      interface Pending {
        readonly step: OrderedStep<Place, Out>
        fiber: Fiber.Fiber<ReadonlyArray<OrderedStep<Place, Out>>, E> | undefined
      }
      /** The last pending place comes next. */
      const rest: Array<Pending> = [{ step: below(first), fiber: undefined }]
      const ask = Effect.fnUntraced(function* () {
        for (let i = rest.length - 1, ahead = 0; i >= 0 && ahead < Math.max(1, concurrency); i--) {
          const pending = rest[i]!
          if (pending.step._tag === "Out") continue
          ahead++
          pending.fiber ??= yield* Effect.forkIn(load(pending.step.place), scope)
        }
      })
      const pull = Effect.gen(function* () {
        for (;;) {
          const next = rest.at(-1)
          if (next === undefined) return yield* Cause.done()
          if (next.step._tag === "Out") return takeOut(next.step.out)
          yield* ask()
          rest.pop()
          const steps = yield* Fiber.join(next.fiber!)
          for (let i = steps.length - 1; i >= 0; i--) rest.push({ step: steps[i]!, fiber: undefined })
        }
      })
      /** Takes the output that comes before the next place, at most as much as readers handle in one short step. */
      const takeOut = (first: Out): [Out, ...Array<Out>] => {
        rest.pop()
        const taken: [Out, ...Array<Out>] = [first]
        for (let next = rest.at(-1); next?.step._tag === "Out" && taken.length < STEP; next = rest.at(-1)) {
          taken.push(next.step.out)
          rest.pop()
        }
        return taken
      }
      return Stream.fromPull(Effect.succeed(pull))
    })
  )
