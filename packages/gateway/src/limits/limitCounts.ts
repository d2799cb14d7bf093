/**
 * Counts the use of limits by a project, a member or an address, and decides about calls. `redis/limiterScripts.ts` decides
 * the same in Lua.
 *
 * All numbers are whole: times are in milliseconds, and the bucket is in thousandths of a credit. So a rate of n
 * credits per second adds exactly n thousandths every millisecond.
 */
import type { LimitExceeded } from "./LimitExceeded.ts"
import type { LimitBounds } from "./memberBounds.ts"
import type { ProjectLimits } from "./ProjectLimits.ts"

export interface LimitCounts {
  /** Thousandths of a credit in the bucket at the time `filledAt`. A new bucket is full. */
  bucket: number
  filledAt: number
  /** The current day, in days since 1970 UTC, and the credits taken on that day. */
  day: number
  used: number
  /** The last second with a call, and the credits requested in that second and in the second before. */
  second: number
  asked: number
  askedBefore: number
  /** Number of calls under way. */
  underWay: number
  /** Time from which these counts equal new counts, if no call is under way. */
  idleFrom: number
}

export const make = (): LimitCounts => ({
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

/** Maximum number of credits that are counted for a second. A thousand times as much is still exact in a double. */
const MOST_ASKED = 1_000_000_000_000

/** The part of a call that concerns the counts of one project, key, user or address. */
export interface LimitClaim {
  readonly counts: LimitCounts
  /** The limits for these counts. The bucket of a project has credits. The bucket of a key or a user has requests. */
  readonly limits: LimitBounds
  /** The amount to take from the bucket. */
  readonly amount: number
  /** The number of credits to take from the day. */
  readonly credits: number
  /** The kind of the member that the counts belong to; undefined for a project and for an address. */
  readonly of?: LimitExceeded["of"]
}

/**
 * Takes the credits and a place among the calls under way. If a limit is exceeded, the function takes nothing and
 * returns that limit.
 */
export const take = (
  counts: LimitCounts,
  limits: ProjectLimits,
  credits: number,
  now: number
): LimitExceeded | undefined => {
  const claim = { counts, limits, amount: credits, credits }
  prepare(claim, now)
  const exceeded = decide(claim, now)
  if (exceeded === undefined) commit(claim, now)
  return exceeded
}

/**
 * Takes from all counts or from none. If several limits are exceeded, returns the limit with the longest wait, because
 * a caller that waits for a shorter time would be refused again.
 */
export const takeAll = (claims: ReadonlyArray<LimitClaim>, now: number): LimitExceeded | undefined => {
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
 * Returns the time until the call may be admitted, in milliseconds. It is zero for `concurrency`, because a call under
 * way may end at any moment.
 */
const waitOf = ({ limit, retryAfter }: LimitExceeded): number =>
  limit === "concurrency" ? 0 : (retryAfter ?? Infinity)

const burstOf = ({ burst, creditsPerSecond }: LimitBounds): number => burst ?? creditsPerSecond ?? 0

/** Updates the counts to the time `now`, and adds the requested amount to the requests of this second. */
const prepare = ({ amount, counts, limits }: LimitClaim, now: number): void => {
  const { creditsPerDay, creditsPerSecond: rate } = limits
  if (creditsPerDay !== undefined) turn(counts, now)
  if (rate !== undefined) {
    fill(counts, rate, burstOf(limits) * 1000, now)
    ask(counts, amount, now)
  }
}

const decide = ({ amount, counts, credits, limits, of }: LimitClaim, now: number): LimitExceeded | undefined => {
  const { concurrency, creditsPerDay, creditsPerSecond: rate } = limits
  // The day is checked first, so that a caller without credits for today does not try again in a second.
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

const commit = ({ amount, counts, credits, limits }: LimitClaim, now: number): void => {
  const { concurrency, creditsPerDay, creditsPerSecond: rate } = limits
  if (concurrency !== undefined) counts.underWay++
  if (creditsPerDay !== undefined) counts.used += credits
  if (rate !== undefined) {
    counts.bucket -= amount * 1000
    keep(counts, now + Math.ceil((burstOf(limits) * 1000 - counts.bucket) / rate))
  }
}

/** Ends a call. If its day is not over, `more` is added to the day's credits; it can be negative. */
export const settle = (counts: LimitCounts, day: number | undefined, more: number, wasUnderWay: boolean): void => {
  if (wasUnderWay) counts.underWay--
  if (day === counts.day) counts.used = Math.max(0, counts.used + more)
}

/** Starts the counts of a new day, if that day has begun. If the clock was set back, the current day stays. */
const turn = (counts: LimitCounts, now: number): void => {
  const day = Math.floor(now / DAY)
  if (day > counts.day) {
    counts.day = day
    counts.used = 0
  }
  keep(counts, (counts.day + 1) * DAY)
}

const keep = (counts: LimitCounts, until: number): void => {
  if (until > counts.idleFrom) counts.idleFrom = until
}

const fill = (counts: LimitCounts, rate: number, capacity: number, now: number): void => {
  const elapsed = now - counts.filledAt
  if (elapsed > 0) {
    const missing = capacity - counts.bucket
    counts.bucket = elapsed >= missing / rate ? capacity : counts.bucket + rate * elapsed
  }
  // If the clock was set back, the counts continue from the clock's new time.
  counts.filledAt = now
  counts.bucket = Math.min(counts.bucket, capacity)
  keep(counts, now + Math.ceil((capacity - counts.bucket) / rate))
}

const ask = (counts: LimitCounts, credits: number, now: number): void => {
  const second = Math.floor(now / 1000)
  if (second !== counts.second) {
    counts.askedBefore = second === counts.second + 1 ? counts.asked : 0
    counts.asked = 0
    counts.second = second
  }
  counts.asked = Math.min(counts.asked + credits, MOST_ASKED)
  keep(counts, (second + 2) * 1000)
}

/**
 * Returns the credits requested in the last 1000 ms: all of this second, and a proportional part of the second before.
 */
const askedNow = ({ asked, askedBefore }: LimitCounts, now: number): number =>
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
