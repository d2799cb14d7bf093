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
import type { Member, Members } from "./KeyLimits.ts"
import type { LimiterError } from "./LimiterError.ts"
import type { LimitExceeded } from "./LimitExceeded.ts"
import type { Limits } from "./Limits.ts"
import { boundsOf } from "./members.ts"
import * as Standing from "./standing.ts"
import { LimitTable } from "./table.ts"

export type { Standing } from "./standing.ts"

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
  /** The members of the project whose credits of the day were taken too. */
  readonly members?: ReadonlyArray<Taken> | undefined
}

/**
 * The credits of a day that a call has taken of a member of its project.
 */
export interface Taken {
  readonly kind: Member["kind"]
  readonly id: string
  readonly day: number
}

/**
 * A store.
 *
 * `take` takes all or nothing, in one step, of a project and of its `members`. Whatever the number of simultaneous calls and processes, admitted calls
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
      credits: number,
      members?: Members
    ) => Effect.Effect<Reservation, LimitExceeded | LimiterError>
    readonly settle: (reservation: Reservation, charged: number) => Effect.Effect<void, LimiterError>
    /** Reads the counts without changing them. Absent if the store cannot tell. */
    readonly look?:
      | ((kind: Kind, id: string, limits: Limits) => Effect.Effect<Standing.Standing, LimiterError>)
      | undefined
  }
>()("@plumbline/gateway/LimiterStore") {}

/**
 * A store in this process.
 */
export interface Local {
  readonly take: (
    kind: Kind,
    id: string,
    limits: Limits,
    credits: number,
    members?: Members
  ) => Reservation | LimitExceeded
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
      const memberTable = new LimitTable(Infinity)

      /** Takes credits from a project and its members, all or nothing. */
      const takeAll = (
        own: Counts.Claim,
        id: string,
        { all, requests }: Members,
        now: number
      ): LimitExceeded | ReadonlyArray<Taken> => {
        const claims = all.map((member): Counts.Claim => ({
          counts: memberTable.at(nameOf(id, member), now),
          limits: boundsOf(member.limits),
          amount: requests,
          credits: own.credits,
          of: member.kind
        }))
        const exceeded = Counts.takeAll([own, ...claims], now)
        if (exceeded !== undefined) return exceeded
        return all.flatMap(({ id, kind, limits }, index) =>
          limits.creditsPerDay === undefined ? [] : [{ kind, id, day: claims[index]!.counts.day }]
        )
      }

      const local: Local = {
        take: (kind, id, limits, credits, members) => {
          const now = clock.currentTimeMillisUnsafe()
          const counts = tables[kind].at(id, now)
          const taken =
            members === undefined
              ? Counts.take(counts, limits, credits, now)
              : takeAll({ counts, limits, amount: credits, credits }, id, members, now)
          if (taken !== undefined && "_tag" in taken) return taken
          const day = limits.creditsPerDay === undefined ? undefined : counts.day
          const slot = limits.concurrency === undefined ? undefined : ""
          const reservation: Reservation = { _tag: "Reservation", kind, id, credits, day, at: now, slot }
          return taken === undefined || taken.length === 0 ? reservation : { ...reservation, members: taken }
        },
        settle: ({ credits, day, id, kind, members, slot }, charged) => {
          const counts = tables[kind].find(id)
          if (counts !== undefined) Counts.settle(counts, day, charged - credits, slot !== undefined)
          for (const member of members ?? []) {
            const own = memberTable.find(nameOf(id, member))
            if (own !== undefined) Counts.settle(own, member.day, charged - credits, false)
          }
        }
      }
      return LimiterStore.of({
        local,
        take: (kind, id, limits, credits, members) =>
          Effect.suspend(() => {
            const taken = local.take(kind, id, limits, credits, members)
            return taken._tag === "Reservation" ? Exit.succeed(taken) : Exit.fail(taken)
          }),
        settle: (reservation, charged) => Effect.sync(() => local.settle(reservation, charged)),
        look: (kind, id, limits) =>
          Effect.sync(() => Standing.of(tables[kind].find(id), limits, clock.currentTimeMillisUnsafe()))
      })
    })
  )

/** Names the counts of a member. Ids are text of any kind, so their border must be clear. */
const nameOf = (project: string, { id, kind }: Pick<Member, "id" | "kind">): string =>
  JSON.stringify([project, kind, id])
