/**
 * The interface of the stores that count limits. `Limiter` chooses the limits, and decides what happens when the store
 * is down.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"

import * as Counts from "./counts.ts"
import type { LimiterError } from "./LimiterError.ts"
import type { LimitExceeded } from "./LimitExceeded.ts"
import type { Limits } from "./Limits.ts"
import { LimitTable } from "./table.ts"

/**
 * The kind of a counter: a project by its id, or an unknown caller by the address of its connection.
 */
export type Kind = "project" | "address"

/**
 * The credits and the place that a call has taken.
 */
export interface Reservation {
  readonly _tag: "Reservation"
  readonly kind: Kind
  readonly id: string
  /** Credits taken of the bucket and of the day. */
  readonly credits: number
  /** The day from which they were taken: days since 1970, UTC; undefined without a daily limit. */
  readonly day: number | undefined
  /** Time of the decision: milliseconds of Unix time by the store's clock. */
  readonly at: number
  /** The place among the calls under way; undefined without such a limit. */
  readonly slot: string | undefined
}

/**
 * A store.
 *
 * `take` takes all or nothing, in one step. Whatever the number of simultaneous calls and processes, admitted calls
 * never exceed the limits, and no call is refused below them. `settle` ends a call: its place is free, and the day
 * counts `charged` credits instead of those taken. The bucket gets nothing back: it measures work that was done, paid
 * or not.
 *
 * If a process ends between the two, the credits stay taken, so the limits still hold.
 */
export class LimiterStore extends Context.Service<
  LimiterStore,
  {
    /** The operations without an Effect, if the store is in this process. They answer at once and never fail. */
    readonly local: Local | undefined
    readonly take: (
      kind: Kind,
      id: string,
      limits: Limits,
      credits: number
    ) => Effect.Effect<Reservation, LimitExceeded | LimiterError>
    readonly settle: (reservation: Reservation, charged: number) => Effect.Effect<void, LimiterError>
  }
>()("@plumbline/gateway/LimiterStore") {}

/**
 * A store in this process.
 */
export interface Local {
  readonly take: (kind: Kind, id: string, limits: Limits, credits: number) => Reservation | LimitExceeded
  readonly settle: (reservation: Reservation, charged: number) => void
}

/**
 * Counts in memory, for one process. Counts start at zero with the process. The store answers at once and never fails.
 *
 * It keeps every project that has called today. Of addresses it keeps at most `addresses` (default: 100000): beyond
 * that number of limited addresses, all further ones share one bucket.
 */
export const layerMemory = (options: { readonly addresses?: number | undefined } = {}): Layer.Layer<LimiterStore> =>
  Layer.effect(
    LimiterStore,
    Effect.map(Clock.Clock, (clock) => {
      const tables = { project: new LimitTable(Infinity), address: new LimitTable(options.addresses ?? 100_000) }
      const local: Local = {
        take: (kind, id, limits, credits) => {
          const now = clock.currentTimeMillisUnsafe()
          const counts = tables[kind].at(id, now)
          const exceeded = Counts.take(counts, limits, credits, now)
          if (exceeded !== undefined) return exceeded
          const day = limits.creditsPerDay === undefined ? undefined : counts.day
          const slot = limits.concurrency === undefined ? undefined : ""
          return { _tag: "Reservation", kind, id, credits, day, at: now, slot }
        },
        settle: ({ credits, day, id, kind, slot }, charged) => {
          const counts = tables[kind].find(id)
          if (counts !== undefined) Counts.settle(counts, day, charged - credits, slot !== undefined)
        }
      }
      return LimiterStore.of({
        local,
        take: (kind, id, limits, credits) =>
          Effect.suspend(() => {
            const taken = local.take(kind, id, limits, credits)
            return taken._tag === "Reservation" ? Exit.succeed(taken) : Exit.fail(taken)
          }),
        settle: (reservation, charged) => Effect.sync(() => local.settle(reservation, charged))
      })
    })
  )
