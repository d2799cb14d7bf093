/**
 * A simple model of limits. It keeps all events, and computes each answer from all of them in rational numbers. The
 * model is slow, and shares no code with the limiter.
 */
import type { ProjectLimits } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
interface Taken {
  readonly at: number
  readonly credits: number
}

export interface Model {
  readonly taken: Array<Taken>
  /** The credits of each day, by date. */
  readonly days: Map<string, number>
  underWay: number
}

export const make = (): Model => ({ taken: [], days: new Map(), underWay: 0 })

export interface Refused {
  readonly limit: "rate" | "day" | "concurrency" | "burst"
  readonly retryAfter: number | undefined
}

/** Decides about a call at the time `at`. Times must not decrease from call to call. */
export const take = (
  model: Model,
  limits: ProjectLimits.ProjectLimits,
  credits: number,
  at: number
): Refused | undefined => {
  const date = new Date(at)
  const today = date.toISOString().slice(0, 10)
  const used = model.days.get(today) ?? 0
  if (limits.creditsPerDay !== undefined && used + credits > limits.creditsPerDay) {
    const midnight = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1)
    return { limit: "day", retryAfter: credits > limits.creditsPerDay ? undefined : midnight - at }
  }
  if (limits.creditsPerSecond !== undefined) {
    const burst = limits.burst ?? limits.creditsPerSecond
    if (credits > burst) return { limit: "burst", retryAfter: undefined }
    for (let wait = 0; ; wait++) {
      if (level(model, limits.creditsPerSecond, burst, at + wait) < BigInt(credits) * 1000n) continue
      if (wait === 0) break
      return { limit: "rate", retryAfter: wait }
    }
  }
  if (limits.concurrency !== undefined && model.underWay >= limits.concurrency) {
    return { limit: "concurrency", retryAfter: undefined }
  }
  model.underWay++
  model.days.set(today, used + credits)
  model.taken.push({ at, credits })
  return undefined
}

/** Ends an admitted call. */
export const settle = (model: Model, { at, credits }: Taken, charged: number): void => {
  model.underWay--
  const day = new Date(at).toISOString().slice(0, 10)
  model.days.set(day, model.days.get(day)! - credits + charged)
}

/** Returns what a reading at the time `at` shows. */
export const look = (model: Model, limits: ProjectLimits.ProjectLimits, at: number) => {
  const { burst, concurrency, creditsPerDay, creditsPerSecond: rate } = limits
  const today = new Date(at).toISOString().slice(0, 10)
  return {
    used: creditsPerDay === undefined ? undefined : (model.days.get(today) ?? 0),
    available: rate === undefined ? undefined : Number(level(model, rate, burst ?? rate, at) / 1000n),
    underWay: concurrency === undefined ? undefined : model.underWay
  }
}

/**
 * Returns the thousandths of a credit in the bucket at the time `at`. The bucket starts full. Then credits are added
 * and taken in the order of events.
 */
const level = (model: Model, rate: number, burst: number, at: number): bigint => {
  const capacity = BigInt(burst) * 1000n
  let content = capacity
  let before = model.taken[0]?.at ?? at
  const pour = (until: number) => {
    content += BigInt(rate) * BigInt(until - before)
    if (content > capacity) content = capacity
    before = until
  }
  for (const event of model.taken) {
    pour(event.at)
    content -= BigInt(event.credits) * 1000n
  }
  pour(at)
  return content
}

/**
 * Returns the first wrong decision about a bucket, for calls of the same cost: an admission without enough credits, or
 * a refusal with enough credits. Times are the times of the decisions. Within a millisecond the bucket gets no credits,
 * so admissions come before refusals.
 */
export const wrong = (
  { burst, rate }: { readonly burst: number; readonly rate: number },
  credits: number,
  passed: ReadonlyArray<number>,
  refused: ReadonlyArray<number>
): string | undefined => {
  const decisions = [...passed.map((at) => ({ at, passes: 1 })), ...refused.map((at) => ({ at, passes: 0 }))]
  decisions.sort((a, b) => a.at - b.at || b.passes - a.passes)
  let content = burst * 1000
  let before = decisions[0]?.at ?? 0
  for (const [index, { at, passes }] of decisions.entries()) {
    content = Math.min(burst * 1000, content + (at - before) * rate)
    before = at
    if (content >= credits * 1000 !== (passes === 1)) return `decision ${index} of ${decisions.length}, at ${at}`
    if (passes === 1) content -= credits * 1000
  }
  return undefined
}

/** Returns limits that are small enough to be reached. */
export const someLimits = (random: Random.Random): ProjectLimits.ProjectLimits => ({
  ...(random() < 0.7 ? { creditsPerSecond: 1 + Random.int(random, 1500) } : {}),
  ...(random() < 0.7 ? { burst: 1 + Random.int(random, 20) } : {}),
  ...(random() < 0.7 ? { creditsPerDay: Random.int(random, 60) } : {}),
  ...(random() < 0.7 ? { concurrency: 1 + Random.int(random, 6) } : {})
})
