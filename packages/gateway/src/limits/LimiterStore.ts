/**
 * The interface of the stores that count the use of limits. `Limiter` decides what happens while the store is down.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"

import type { LimitedMember, LimitedMembers } from "./KeyLimits.ts"
import * as LimitCounts from "./limitCounts.ts"
import type { LimiterError } from "./LimiterError.ts"
import type { LimitExceeded } from "./LimitExceeded.ts"
import { LimitTable } from "./limitTable.ts"
import { boundsOf } from "./memberBounds.ts"
import type { ProjectLimits } from "./ProjectLimits.ts"
import * as QuotaStatus from "./quotaStatus.ts"

export type { QuotaStatus } from "./quotaStatus.ts"

/**
 * The kind of a counter. The counter of a project has the project's id, and the counter of an account the account's. The
 * counter of a caller that is not known yet has the caller's address. Calls take from an account as a member.
 */
export type CounterKind = "project" | "address" | "account"

/**
 * The credits and the place that a call has taken.
 */
export interface Reservation {
  readonly _tag: "Reservation"
  readonly kind: CounterKind
  readonly id: string
  /** Number of credits taken from the bucket and from the day. */
  readonly credits: number
  /** The day from which the credits were taken, in days since 1970 UTC; undefined without a daily limit. */
  readonly day: number | undefined
  /** Time of the decision by the store's clock, in milliseconds since 1970 UTC. */
  readonly at: number
  /** The call's place among the calls under way; undefined without a limit on them. */
  readonly slot: string | undefined
  /** The call also took daily credits of these members. */
  readonly members?: ReadonlyArray<TakenCredits> | undefined
}

/**
 * A member. A call took some of the member's credits of `day`.
 */
export interface TakenCredits {
  readonly kind: LimitedMember["kind"]
  readonly id: string
  readonly day: number
}

/**
 * A store of the counts for limits.
 *
 * `take` takes credits from a project and its `members` in one atomic step: from all or from none. Even with many
 * simultaneous calls and processes, admitted calls never exceed the limits, and no call below the limits is refused.
 * `settle` ends a call. It frees the call's place, and the day counts `charged` credits instead of the credits taken.
 * The bucket gets nothing back, because it measures work, and the work was done.
 *
 * If a process ends between `take` and `settle`, the credits stay taken, so the limits still hold.
 */
export class LimiterStore extends Context.Service<
  LimiterStore,
  {
    /**
     * The operations as plain functions, which never wait and never fail; undefined if the store is another process.
     */
    readonly local: LocalLimiterStore | undefined
    readonly take: (
      kind: CounterKind,
      id: string,
      limits: ProjectLimits,
      credits: number,
      members?: LimitedMembers
    ) => Effect.Effect<Reservation, LimitExceeded | LimiterError>
    readonly settle: (reservation: Reservation, charged: number) => Effect.Effect<void, LimiterError>
    /**
     * Reads the counts of `id`, or of one of its members, without changing them. Absent if the store does not support it.
     */
    readonly look?:
      | ((
          kind: CounterKind,
          id: string,
          limits: ProjectLimits,
          member?: Pick<LimitedMember, "id" | "kind">
        ) => Effect.Effect<QuotaStatus.QuotaStatus, LimiterError>)
      | undefined
  }
>()("@plumbline/gateway/LimiterStore") {}

/**
 * A store in this process.
 */
export interface LocalLimiterStore {
  readonly take: (
    kind: CounterKind,
    id: string,
    limits: ProjectLimits,
    credits: number,
    members?: LimitedMembers
  ) => Reservation | LimitExceeded
  readonly settle: (reservation: Reservation, charged: number) => void
}

/**
 * A store in memory, for one process. The counts start at zero with the process. The store never waits and never fails.
 *
 * The store keeps the counts of every project that has called today. It keeps the counts of at most `addresses`
 * addresses (default: 100,000); all further addresses share one bucket.
 */
export const layerMemory = (options: { readonly addresses?: number | undefined } = {}): Layer.Layer<LimiterStore> =>
  Layer.effect(
    LimiterStore,
    Effect.map(Clock.Clock, (clock) => {
      const tables = {
        project: new LimitTable(Infinity),
        address: new LimitTable(options.addresses ?? 100_000),
        account: new LimitTable(Infinity)
      }
      const memberTable = new LimitTable(Infinity)
      const placeOf = (project: string, member: Pick<LimitedMember, "id" | "kind">) =>
        member.kind === "account"
          ? ([tables.account, member.id] as const)
          : ([memberTable, nameOf(project, member)] as const)

      /** Takes credits from a project and all its members, or from none of them. */
      const takeAll = (
        own: LimitCounts.LimitClaim,
        id: string,
        { all, requests }: LimitedMembers,
        now: number
      ): LimitExceeded | ReadonlyArray<TakenCredits> => {
        const claims = all.map((member): LimitCounts.LimitClaim => {
          const [table, name] = placeOf(id, member)
          return {
            counts: table.at(name, now),
            limits: boundsOf(member.limits),
            amount: requests,
            credits: own.credits,
            of: member.kind
          }
        })
        const exceeded = LimitCounts.takeAll([own, ...claims], now)
        if (exceeded !== undefined) return exceeded
        return all.flatMap(({ id, kind, limits }, index) =>
          limits.creditsPerDay === undefined ? [] : [{ kind, id, day: claims[index]!.counts.day }]
        )
      }

      const local: LocalLimiterStore = {
        take: (kind, id, limits, credits, members) => {
          const now = clock.currentTimeMillisUnsafe()
          const counts = tables[kind].at(id, now)
          const taken =
            members === undefined
              ? LimitCounts.take(counts, limits, credits, now)
              : takeAll({ counts, limits, amount: credits, credits }, id, members, now)
          if (taken !== undefined && "_tag" in taken) return taken
          const day = limits.creditsPerDay === undefined ? undefined : counts.day
          const slot = limits.concurrency === undefined ? undefined : ""
          const reservation: Reservation = { _tag: "Reservation", kind, id, credits, day, at: now, slot }
          return taken === undefined || taken.length === 0 ? reservation : { ...reservation, members: taken }
        },
        settle: ({ credits, day, id, kind, members, slot }, charged) => {
          const counts = tables[kind].find(id)
          if (counts !== undefined) LimitCounts.settle(counts, day, charged - credits, slot !== undefined)
          for (const member of members ?? []) {
            const [table, name] = placeOf(id, member)
            const own = table.find(name)
            if (own !== undefined) LimitCounts.settle(own, member.day, charged - credits, false)
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
        look: (kind, id, limits, member) =>
          Effect.sync(() => {
            const [table, name] = member === undefined ? ([tables[kind], id] as const) : placeOf(id, member)
            return QuotaStatus.of(table.find(name), limits, clock.currentTimeMillisUnsafe())
          })
      })
    })
  )

/** Returns the key of a member's counts. Ids may contain any character, so JSON separates them. */
const nameOf = (project: string, { id, kind }: Pick<LimitedMember, "id" | "kind">): string =>
  JSON.stringify([project, kind, id])
