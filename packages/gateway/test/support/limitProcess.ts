/**
 * A process that receives orders. For each order it makes the given number of calls, and reports the decision about
 * each call. The process runs until it is killed.
 */
import { type KeyLimits, LimiterStore, type ProjectLimits, RedisLimiterStore } from "@plumbline/gateway"
import { Context, Effect, Layer, Redacted, Scope } from "effect"

export interface Order {
  readonly url: string
  readonly id: string
  readonly limits: ProjectLimits.ProjectLimits
  readonly members?: KeyLimits.LimitedMembers
  readonly calls: number
  readonly credits: number
  /** The lease of the store, in milliseconds. */
  readonly lease?: number
}

/** The times of admissions and refusals, by Redis's clock. */
export interface Counted {
  readonly passed: ReadonlyArray<number>
  readonly refused: ReadonlyArray<number>
}

const scope = Scope.makeUnsafe()

const run = ({ calls, credits, id, lease = 30_000, limits, members, url }: Order): Effect.Effect<Counted> =>
  Effect.gen(function* () {
    const layer = RedisLimiterStore.layer({ url: Redacted.make(url), lease })
    const store = Context.get(yield* Layer.buildWithScope(layer, scope), LimiterStore.LimiterStore)
    const passed: Array<number> = []
    const refused: Array<number> = []
    const call = Effect.match(store.take("project", id, limits, credits, members), {
      onSuccess: ({ at }) => passed.push(at),
      onFailure: (error) => (error._tag === "LimitExceeded" ? refused.push(error.at) : process.exit(1))
    })
    yield* Effect.forEach(Array.from({ length: calls }), () => call, { concurrency: 20, discard: true })
    return { passed, refused }
  }).pipe(Effect.orDie)

process.on("message", (order: Order) => {
  void Effect.runPromise(run(order)).then((counted) => process.send?.(counted))
})
// This process ends with its parent.
process.on("disconnect", () => process.exit())
process.send?.("ready")
