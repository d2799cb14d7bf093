/**
 * The counts of a project or an address, and the decision about a call: the same as in `redis/scripts.ts`, in Lua.
 *
 * Everything is whole: time in milliseconds, the bucket in thousandths of a credit, so that a rate of n credits per second
 * fills it by exactly n every millisecond.
 */
import type { LimitExceeded } from "./LimitExceeded.ts"
import type { Limits } from "./Limits.ts"
import type { Bounds } from "./members.ts"

export interface Counts {
  /** Thousandths of a credit in the bucket, at `filledAt`. It starts full. */
  bucket: number
  filledAt: number
  /** The day, as days since 1970 (UTC), and the credits taken on it. */
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

/** Maximum number of credits counted for a second, so that their thousandths are exact. */
const MOST_ASKED = 1_000_000_000_000

/** A call, as the counts of a project, a key, a user or an address see it. */
export interface Claim {
  readonly counts: Counts
  /** The bounds of these counts. The bucket holds credits for a project, and requests for a key or a user. */
  readonly limits: Bounds
  /** Taken from the bucket. */
  readonly amount: number
  /** Taken from the day. */
  readonly credits: number
  /** The member of the project whose counts these are; undefined for the project's own, and for an address. */
  readonly of?: LimitExceeded["of"]
}

/**
 * Takes the credits, and a place among the calls under way. If a limit is exceeded, it returns that limit and takes
 * nothing.
 */
export const take = (counts: Counts, limits: Limits, credits: number, now: number): LimitExceeded | undefined => {
  const claim = { counts, limits, amount: credits, credits }
  prepare(claim, now)
  const exceeded = decide(claim, now)
  if (exceeded === undefined) commit(claim, now)
  return exceeded
}

/**
 * Takes from all counts, or from none. If several limits are exceeded, it returns the one with the longest wait: a caller
 * that returns after a shorter one would be refused again.
 */
export const takeAll = (claims: ReadonlyArray<Claim>, now: number): LimitExceeded | undefined => {
  let longest: LimitExceeded | undefined
  for (const claim of claims) {
    prepare(claim, now)
    const exceeded = decide(claim, now)
    if (exceeded !== undefined && (longest === undefined || waitOf(exceeded) > waitOf(longest))) longest = exceeded
  }
  if (longest === undefined) for (const claim of claims) commit(claim, now)
  return longest
}

/**
 * Returns the time until the call may be admitted, in milliseconds; zero for the limit of calls under way, since one
 * may end at any moment.
 */
const waitOf = ({ limit, retryAfter }: LimitExceeded): number =>
  limit === "concurrency" ? 0 : (retryAfter ?? Infinity)

const burstOf = ({ burst, creditsPerSecond }: Bounds): number => burst ?? creditsPerSecond ?? 0

/** Brings the counts to the present time, and counts what is asked for. */
const prepare = ({ amount, counts, limits }: Claim, now: number): void => {
  const { creditsPerDay, creditsPerSecond: rate } = limits
  if (creditsPerDay !== undefined) turn(counts, now)
  if (rate !== undefined) {
    fill(counts, rate, burstOf(limits) * 1000, now)
    ask(counts, amount, now)
  }
}

const decide = ({ amount, counts, credits, limits, of }: Claim, now: number): LimitExceeded | undefined => {
  const { concurrency, creditsPerDay, creditsPerSecond: rate } = limits
  // The day comes first: a caller without credits must not be told to come back in a second.
  if (creditsPerDay !== undefined && counts.used + credits > creditsPerDay) {
    const never = credits > creditsPerDay
    return exceeded("day", creditsPerDay, counts.used, never ? undefined : (counts.day + 1) * DAY - now, now, of)
  }
  if (rate !== undefined) {
    const burst = burstOf(limits)
    if (amount > burst) return exceeded("burst", burst, amount, undefined, now, of)
    const missing = amount * 1000 - counts.bucket
    if (missing > 0) return exceeded("rate", rate, askedNow(counts, now), Math.ceil(missing / rate), now, of)
  }
  if (concurrency !== undefined && counts.underWay >= concurrency) {
    return exceeded("concurrency", concurrency, counts.underWay, undefined, now, of)
  }
  return undefined
}

const commit = ({ amount, counts, credits, limits }: Claim, now: number): void => {
  const { concurrency, creditsPerDay, creditsPerSecond: rate } = limits
  if (concurrency !== undefined) counts.underWay++
  if (creditsPerDay !== undefined) counts.used += credits
  if (rate !== undefined) {
    counts.bucket -= amount * 1000
    keep(counts, now + Math.ceil((burstOf(limits) * 1000 - counts.bucket) / rate))
  }
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
  at: number,
  of: LimitExceeded["of"]
): LimitExceeded => ({
  _tag: "LimitExceeded",
  limit,
  allowed,
  current,
  retryAfter,
  at,
  ...(of === undefined ? {} : { of })
})
