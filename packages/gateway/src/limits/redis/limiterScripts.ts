/**
 * The decisions of `limitCounts.ts` in Lua, for Redis 5 or later. Each decision is one script, which runs without
 * interruption.
 *
 * Each project, member and address has a hash with its counts. A project with a limit on calls under way also has a
 * sorted set of these calls; the score is the time at which a call counts as lost. A hash or a set expires when its
 * content equals that of a new one. Numbers are doubles, which Redis writes with 17 digits, so whole numbers are exact.
 * An absent limit is -1.
 */
import { hash } from "node:crypto"

import type { LimitedMember, LimitedMembers } from "../KeyLimits.ts"
import type { TakenCredits } from "../LimiterStore.ts"
import { type LimitBounds, boundsOf } from "../memberBounds.ts"
import type { ProjectLimits } from "../ProjectLimits.ts"

/** A script with the arguments that follow it in EVAL. */
export interface ScriptCall {
  readonly script: LimiterScript
  readonly rest: ReadonlyArray<string>
}

/** A script, and the SHA-1 by which Redis finds it. */
export interface LimiterScript {
  readonly lua: string
  readonly sha: string
}

export const script = (lua: string): LimiterScript => ({ lua, sha: hash("sha1", lua, "hex") })

/** The keys of the counts that a call concerns. */
export interface CounterKeys {
  /** The key of the project or the address. */
  readonly own: string
  /** Returns the key of a member. */
  readonly memberOf: (member: Pick<LimitedMember, "id" | "kind">) => string
}

/**
 * Returns the script call that takes credits from a project and its members, or from an address. `slot` names the
 * caller's call among the calls under way. `lease` is in milliseconds.
 */
export const take = (
  { memberOf, own }: CounterKeys,
  limits: ProjectLimits,
  credits: number,
  slot: string,
  lease: string,
  members?: LimitedMembers
): ScriptCall => {
  const all = members?.all ?? []
  const keys = [own, `${own}:calls`, ...all.map(memberOf)]
  const claims = [
    ...claimOf(credits, credits, limits),
    ...all.flatMap((member) => claimOf(members!.requests, credits, boundsOf(member.limits)))
  ]
  return { script: TAKE, rest: [String(keys.length), ...keys, slot, lease, String(1 + all.length), ...claims] }
}

/** Returns the arguments for one hash of counts: the amounts to take from the bucket and the day, and the limits. */
const claimOf = (
  amount: number,
  credits: number,
  { burst, concurrency, creditsPerDay, creditsPerSecond }: LimitBounds
): ReadonlyArray<string> => [
  String(amount),
  String(credits),
  bound(creditsPerSecond),
  bound(burst ?? creditsPerSecond),
  bound(creditsPerDay),
  bound(concurrency)
]

const bound = (limit: number | undefined): string => String(limit ?? -1)

/** Returns the script call that settles a call: it frees the place, and corrects the credits of the day. */
export const settle = (
  { memberOf, own }: CounterKeys,
  day: number | undefined,
  more: number,
  slot: string | undefined,
  members: ReadonlyArray<TakenCredits> = []
): ScriptCall => {
  const keys = [own, `${own}:calls`, ...members.map(memberOf)]
  const days = [String(day ?? ""), ...members.map((member) => String(member.day))]
  return { script: SETTLE, rest: [String(keys.length), ...keys, slot ?? "", String(more), ...days] }
}

export const renew = (key: string, lease: string, slots: ReadonlyArray<string>): ScriptCall => ({
  script: RENEW,
  rest: ["1", key, lease, ...slots]
})

/**
 * Takes credits. Returns `[0, now, day, ...]`, with one day for each hash of counts. If a limit is exceeded, it
 * returns `[which limit, now, current, retryAfter, of which]`: `retryAfter` is -1 if waiting does not help, and `of
 * which` is 0 for the counts of the project.
 */
export const TAKE: LimiterScript = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local slot, lease = ARGV[1], tonumber(ARGV[2])
local DAY = 86400000

local function read(index)
  local at = 4 + index * 6
  local claim = {
    key = KEYS[index == 0 and 1 or index + 2],
    amount = tonumber(ARGV[at]), credits = tonumber(ARGV[at + 1]), rate = tonumber(ARGV[at + 2]),
    burst = tonumber(ARGV[at + 3]), daily = tonumber(ARGV[at + 4]), concurrency = tonumber(ARGV[at + 5])
  }
  local was = redis.call('HMGET', claim.key, 'bucket', 'filledAt', 'day', 'used', 'second', 'asked', 'askedBefore')
  local bucket, filledAt = tonumber(was[1]), tonumber(was[2] or 0)
  local day, used = tonumber(was[3] or 0), tonumber(was[4] or 0)
  local second, asked, askedBefore = tonumber(was[5] or 0), tonumber(was[6] or 0), tonumber(was[7] or 0)
  claim.capacity = claim.burst * 1000
  claim.idleFrom = now

  if claim.daily >= 0 then
    local today = math.floor(now / DAY)
    if today > day then
      day = today
      used = 0
    end
    claim.idleFrom = (day + 1) * DAY
  end

  if claim.rate >= 0 then
    if not bucket then
      bucket = claim.capacity
    elseif now > filledAt then
      local elapsed = now - filledAt
      if elapsed >= (claim.capacity - bucket) / claim.rate then
        bucket = claim.capacity
      else
        bucket = bucket + claim.rate * elapsed
      end
    end
    bucket = math.min(bucket, claim.capacity)
    local this = math.floor(now / 1000)
    if this ~= second then
      if this == second + 1 then askedBefore = asked else askedBefore = 0 end
      asked = 0
      second = this
    end
    asked = math.min(asked + claim.amount, 1000000000000)
    claim.idleFrom = math.max(claim.idleFrom, (second + 2) * 1000)
  end

  claim.bucket, claim.day, claim.used = bucket, day, used
  claim.second, claim.asked, claim.askedBefore = second, asked, askedBefore
  return claim
end

local function decide(claim)
  if claim.daily >= 0 and claim.used + claim.credits > claim.daily then
    local wait = -1
    if claim.credits <= claim.daily then wait = (claim.day + 1) * DAY - now end
    return {1, now, claim.used, wait}
  end
  if claim.rate >= 0 then
    if claim.amount > claim.burst then return {2, now, claim.amount, -1} end
    local missing = claim.amount * 1000 - claim.bucket
    if missing > 0 then
      local current = claim.asked * 1000 + claim.askedBefore * (1000 - now % 1000)
      return {3, now, current, math.ceil(missing / claim.rate)}
    end
  end
  if claim.concurrency >= 0 then
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
    local underWay = redis.call('ZCARD', KEYS[2])
    if underWay >= claim.concurrency then return {4, now, underWay, -1} end
  end
  return nil
end

local function waitOf(refused)
  if refused[1] == 4 then return 0 end
  if refused[4] == -1 then return math.huge end
  return refused[4]
end

local claims = {}
local refusal = nil
for index = 0, tonumber(ARGV[3]) - 1 do
  local claim = read(index)
  claims[index + 1] = claim
  local refused = decide(claim)
  if refused and (not refusal or waitOf(refused) > waitOf(refusal)) then
    refused[5] = index
    refusal = refused
  end
end

local decided = refusal or {0, now}
for index, claim in ipairs(claims) do
  if not refusal then
    if claim.concurrency >= 0 then
      redis.call('ZADD', KEYS[2], now + lease, slot)
      if redis.call('PTTL', KEYS[2]) < lease then redis.call('PEXPIRE', KEYS[2], lease) end
    end
    if claim.daily >= 0 then claim.used = claim.used + claim.credits end
    if claim.rate >= 0 then claim.bucket = claim.bucket - claim.amount * 1000 end
    decided[index + 2] = claim.day
  end
  local idleFrom = claim.idleFrom
  if claim.daily >= 0 then redis.call('HSET', claim.key, 'day', claim.day, 'used', claim.used) end
  if claim.rate >= 0 then
    redis.call('HSET', claim.key, 'bucket', claim.bucket, 'filledAt', now, 'second', claim.second,
      'asked', claim.asked, 'askedBefore', claim.askedBefore)
    idleFrom = math.max(idleFrom, now + math.ceil((claim.capacity - claim.bucket) / claim.rate))
  end
  if idleFrom > now then
    local left = redis.call('PTTL', claim.key)
    if idleFrom - now > left then redis.call('PEXPIRE', claim.key, idleFrom - now) end
  end
end
return decided
`)

/** Settles a call: frees its place, and corrects the credits of each day that is not over. */
const SETTLE: LimiterScript = script(`
local slot, more = ARGV[1], tonumber(ARGV[2])
if slot ~= '' then redis.call('ZREM', KEYS[2], slot) end
if more == 0 then return 0 end
for index = 3, #ARGV do
  local key = KEYS[index == 3 and 1 or index - 1]
  if ARGV[index] ~= '' and redis.call('HGET', key, 'day') == ARGV[index] then
    if redis.call('HINCRBY', key, 'used', ARGV[2]) < 0 then redis.call('HSET', key, 'used', 0) end
  end
end
return 0
`)

/** Renews the places of calls under way. A place that already counts as lost stays lost. */
const RENEW: LimiterScript = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = tonumber(ARGV[1])
local kept = 0
for index = 2, #ARGV do
  kept = kept + redis.call('ZADD', KEYS[1], 'XX', 'CH', now + lease, ARGV[index])
end
if kept > 0 and redis.call('PTTL', KEYS[1]) < lease then redis.call('PEXPIRE', KEYS[1], lease) end
return kept
`)
