/** Reads the counts of a project without changing them: the same figures that the next call is decided by. */
import type { Counts } from "./counts.ts"
import type { Limits } from "./Limits.ts"

/** A project's use of its limits. A member is undefined if the project has no such limit: nothing is counted. */
export interface Standing {
  /** Time of the reading: milliseconds of Unix time by the store's clock. */
  readonly at: number
  readonly day:
    | {
        /** Credits taken today. Calls under way count at their maximum cost. */
        readonly used: number
        /** Time at which the next day begins. */
        readonly endsAt: number
      }
    | undefined
  readonly rate:
    | {
        /** Credits asked for in the last second, admitted or not. */
        readonly current: number
        /** Credits that can be taken at once. */
        readonly available: number
      }
    | undefined
  /** Calls under way; a batch is one. */
  readonly underWay: number | undefined
}

const DAY = 86_400_000

/** The counts that a standing is made of; the bucket is undefined before its first use. */
export type Read = Pick<Counts, "filledAt" | "day" | "used" | "second" | "asked" | "askedBefore" | "underWay"> & {
  readonly bucket: number | undefined
}

/** Returns the standing of a project with these counts, which are undefined before its first call. */
export const of = (counts: Read | undefined, limits: Limits, now: number): Standing => {
  const { concurrency, creditsPerDay, creditsPerSecond: rate } = limits
  const today = Math.floor(now / DAY)
  // A clock that was set back does not bring back the previous day.
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

const rateOf = (counts: Read | undefined, rate: number, capacity: number, now: number): Standing["rate"] => {
  const bucket = counts?.bucket ?? capacity
  const filled = bucket + rate * Math.max(0, now - (counts?.filledAt ?? now))
  return { current: askedOf(counts, now), available: Math.floor(Math.min(capacity, filled) / 1000) }
}

/** The credits of this second, and the share of the previous one that is less than a second ago. */
const askedOf = (counts: Read | undefined, now: number): number => {
  const second = Math.floor(now / 1000)
  const [asked, before] =
    counts?.second === second
      ? [counts.asked, counts.askedBefore]
      : counts?.second === second - 1
        ? [0, counts.asked]
        : [0, 0]
  return (asked * 1000 + before * (1000 - (now % 1000))) / 1000
}
