/**
 * The counts of a project or an address, and the decision about a call: the same as in `redisScripts.ts`, in Lua.
 *
 * Everything is whole: time in milliseconds, the bucket in thousandths of a credit, so that a rate of n credits per second
 * fills it by exactly n every millisecond.
 */
import type { LimitExceeded } from "./LimitExceeded.ts"
import type { Limits } from "./Limits.ts"

export interface Counts {
  /** Thousandths of a credit in the bucket, at `filledAt`. It starts full. */
  bucket: number
  filledAt: number
  /** Days since 1970, UTC, and the credits taken on it. */
  day: number
  used: number
  /** A second, the credits requested in it, and those requested in the one before it. */
  second: number
  asked: number
  askedBefore: number
  /** Calls under way. */
  underWay: number
  /** Time from which, with no call under way, these counts equal new ones. */
  idleFrom: number
}

export const make = (): Counts => ({
  bucket: Infinity,
  filledAt: 0,
  day: 0,
  used: 0,
  second: 0,
  asked: 0,
  askedBefore: 0,
  underWay: 0,
  idleFrom: 0
})

const DAY = 86_400_000

/** The most credits counted for a second, so that their thousandths are exact. */
const MOST_ASKED = 1_000_000_000_000

/**
 * Takes the credits, and a place among the calls under way. If a limit is exceeded, it returns that limit and takes
 * nothing.
 */
export const take = (counts: Counts, limits: Limits, credits: number, now: number): LimitExceeded | undefined => {
  const { concurrency, creditsPerDay, creditsPerSecond: rate } = limits
  const burst = limits.burst ?? rate ?? 0
  if (creditsPerDay !== undefined) turn(counts, now)
  if (rate !== undefined) {
    fill(counts, rate, burst * 1000, now)
    ask(counts, credits, now)
  }

  // The day comes first: a caller without credits must not be told to come back in a second.
  if (creditsPerDay !== undefined && counts.used + credits > creditsPerDay) {
    const never = credits > creditsPerDay
    return exceeded("day", creditsPerDay, counts.used, never ? undefined : (counts.day + 1) * DAY - now, now)
  }
  if (rate !== undefined) {
    if (credits > burst) return exceeded("burst", burst, credits, undefined, now)
    const missing = credits * 1000 - counts.bucket
    if (missing > 0) return exceeded("rate", rate, askedNow(counts, now), Math.ceil(missing / rate), now)
  }
  if (concurrency !== undefined) {
    if (counts.underWay >= concurrency) return exceeded("concurrency", concurrency, counts.underWay, undefined, now)
    counts.underWay++
  }

  if (creditsPerDay !== undefined) counts.used += credits
  if (rate !== undefined) {
    counts.bucket -= credits * 1000
    keep(counts, now + Math.ceil((burst * 1000 - counts.bucket) / rate))
  }
  return undefined
}

/** Ends a call: its day counts `more` credits, or fewer if it is negative, unless that day is over. */
export const settle = (counts: Counts, day: number | undefined, more: number, wasUnderWay: boolean): void => {
  if (wasUnderWay) counts.underWay--
  if (day === counts.day) counts.used = Math.max(0, counts.used + more)
}

/** Begins a new day. A clock that was set back does not bring back the previous day. */
const turn = (counts: Counts, now: number): void => {
  const day = Math.floor(now / DAY)
  if (day > counts.day) {
    counts.day = day
    counts.used = 0
  }
  keep(counts, (counts.day + 1) * DAY)
}

const keep = (counts: Counts, until: number): void => {
  if (until > counts.idleFrom) counts.idleFrom = until
}

const fill = (counts: Counts, rate: number, capacity: number, now: number): void => {
  const elapsed = now - counts.filledAt
  if (elapsed > 0) {
    const missing = capacity - counts.bucket
    counts.bucket = elapsed >= missing / rate ? capacity : counts.bucket + rate * elapsed
  }
  // After a clock was set back, time continues from the new value.
  counts.filledAt = now
  counts.bucket = Math.min(counts.bucket, capacity)
  keep(counts, now + Math.ceil((capacity - counts.bucket) / rate))
}

const ask = (counts: Counts, credits: number, now: number): void => {
  const second = Math.floor(now / 1000)
  if (second !== counts.second) {
    counts.askedBefore = second === counts.second + 1 ? counts.asked : 0
    counts.asked = 0
    counts.second = second
  }
  counts.asked = Math.min(counts.asked + credits, MOST_ASKED)
  keep(counts, (second + 2) * 1000)
}

/** Credits per second: those of this second, and the share of the previous one that is less than a second ago. */
const askedNow = ({ asked, askedBefore }: Counts, now: number): number =>
  (asked * 1000 + askedBefore * (1000 - (now % 1000))) / 1000

const exceeded = (
  limit: LimitExceeded["limit"],
  allowed: number,
  current: number,
  retryAfter: number | undefined,
  at: number
): LimitExceeded => ({ _tag: "LimitExceeded", limit, allowed, current, retryAfter, at })
