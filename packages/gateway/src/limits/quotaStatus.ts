/** Reads the counts of a project without changing them. The decision about the next call uses the same counts. */
import type { LimitCounts } from "./limitCounts.ts"
import type { ProjectLimits } from "./ProjectLimits.ts"

/** A project's use of its limits. A member is undefined if the project does not have the limit. */
export interface QuotaStatus {
  /** Time of the reading by the store's clock, in milliseconds since 1970 UTC. */
  readonly at: number
  readonly day:
    | {
        /** Number of credits taken today. A call under way counts with its maximum cost. */
        readonly used: number
        /** Time at which the next day begins, in milliseconds since 1970 UTC. */
        readonly endsAt: number
      }
    | undefined
  readonly rate:
    | {
        /** Number of credits requested in the last second, including refused calls. */
        readonly current: number
        /** Number of credits that can be taken at once. */
        readonly available: number
      }
    | undefined
  /** Number of calls under way. A batch counts as one call. */
  readonly underWay: number | undefined
}

const DAY = 86_400_000

/** The counts from which a standing is computed. The bucket is undefined before its first use. */
export type QuotaCounts = Pick<
  LimitCounts,
  "filledAt" | "day" | "used" | "second" | "asked" | "askedBefore" | "underWay"
> & {
  readonly bucket: number | undefined
}

/** Returns the standing of a project. `counts` is undefined before the project's first call. */
export const of = (counts: QuotaCounts | undefined, limits: ProjectLimits, now: number): QuotaStatus => {
  const { concurrency, creditsPerDay, creditsPerSecond: rate } = limits
  const today = Math.floor(now / DAY)
  // If the clock was set back, the current day stays.
  const day = Math.max(today, counts?.day ?? 0)
  return {
    at: now,
    day:
      creditsPerDay === undefined
        ? undefined
        : { used: counts?.day === day ? counts.used : 0, endsAt: (day + 1) * DAY },
    rate: rate === undefined ? undefined : rateOf(counts, rate, (limits.burst ?? rate) * 1000, now),
    underWay: concurrency === undefined ? undefined : (counts?.underWay ?? 0)
  }
}

const rateOf = (counts: QuotaCounts | undefined, rate: number, capacity: number, now: number): QuotaStatus["rate"] => {
  const bucket = counts?.bucket ?? capacity
  const filled = bucket + rate * Math.max(0, now - (counts?.filledAt ?? now))
  return { current: askedOf(counts, now), available: Math.floor(Math.min(capacity, filled) / 1000) }
}

/**
 * Returns the credits requested in the last 1000 ms: all of this second, and a proportional part of the second before.
 */
const askedOf = (counts: QuotaCounts | undefined, now: number): number => {
  const second = Math.floor(now / 1000)
  const [asked, before] =
    counts?.second === second
      ? [counts.asked, counts.askedBefore]
      : counts?.second === second - 1
        ? [0, counts.asked]
        : [0, 0]
  return (asked * 1000 + before * (1000 - (now % 1000))) / 1000
}
