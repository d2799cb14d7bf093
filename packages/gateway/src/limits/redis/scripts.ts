/**
 * The decisions of `limitCounts.ts` in Lua, for Redis 5 or later. Each is one script, which runs without interruption.
 *
 * A project or an address has a hash of its counts and, with a limit of calls under way, a sorted set of them by the
 * time at which each is considered lost. Both expire when they equal new ones. Numbers are doubles, which Redis writes
 * with 17 digits, so that whole ones are exact; an absent limit is -1.
 */
import { hash } from "node:crypto"

import type { Limits } from "../Limits.ts"

/** A script, and the arguments of EVAL that follow it. */
export interface Call {
  readonly script: Script
  readonly rest: ReadonlyArray<string>
}

/** A script and the name under which Redis keeps it. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

const script = (lua: string): Script => ({ lua, sha: hash("sha1", lua, "hex") })

/** Returns the call that takes credits. `slot` names it among those under way; `lease` is in milliseconds. */
export const take = (key: string, limits: Limits, credits: number, slot: string, lease: string): Call => {
  const { burst, concurrency, creditsPerDay, creditsPerSecond } = limits
  const bounds = [bound(creditsPerSecond), bound(burst ?? creditsPerSecond), bound(creditsPerDay), bound(concurrency)]
  return { script: TAKE, rest: ["2", key, `${key}:calls`, String(credits), ...bounds, slot, lease] }
}

const bound = (limit: number | undefined): string => String(limit ?? -1)

export const settle = (key: string, day: number | undefined, more: number, slot: string | undefined): Call => ({
  script: SETTLE,
  rest: ["2", key, `${key}:calls`, String(day ?? ""), String(day === undefined ? 0 : more), slot ?? ""]
})

export const renew = (key: string, lease: string, slots: ReadonlyArray<string>): Call => ({
  script: RENEW,
  rest: ["1", key, lease, ...slots]
})

/** Returns `[0, now, day]`, or `[which limit, now, current, retryAfter]` with -1 for never. */
export const TAKE: Script = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local credits, rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local daily, concurrency = tonumber(ARGV[4]), tonumber(ARGV[5])
local slot, lease = ARGV[6], tonumber(ARGV[7])
local DAY = 86400000

local was = redis.call('HMGET', KEYS[1], 'bucket', 'filledAt', 'day', 'used', 'second', 'asked', 'askedBefore')
local bucket, filledAt = tonumber(was[1]), tonumber(was[2] or 0)
local day, used = tonumber(was[3] or 0), tonumber(was[4] or 0)
local second, asked, askedBefore = tonumber(was[5] or 0), tonumber(was[6] or 0), tonumber(was[7] or 0)
local capacity = burst * 1000
local idleFrom = now

if daily >= 0 then
  local today = math.floor(now / DAY)
  if today > day then
    day = today
    used = 0
  end
  idleFrom = (day + 1) * DAY
end

if rate >= 0 then
  if not bucket then
    bucket = capacity
  elseif now > filledAt then
    local elapsed = now - filledAt
    if elapsed >= (capacity - bucket) / rate then bucket = capacity else bucket = bucket + rate * elapsed end
  end
  bucket = math.min(bucket, capacity)
  local this = math.floor(now / 1000)
  if this ~= second then
    if this == second + 1 then askedBefore = asked else askedBefore = 0 end
    asked = 0
    second = this
  end
  asked = math.min(asked + credits, 1000000000000)
  idleFrom = math.max(idleFrom, (second + 2) * 1000)
end

local function decide()
  if daily >= 0 and used + credits > daily then
    local wait = -1
    if credits <= daily then wait = (day + 1) * DAY - now end
    return {1, now, used, wait}
  end
  if rate >= 0 then
    if credits > burst then return {2, now, credits, -1} end
    local missing = credits * 1000 - bucket
    if missing > 0 then
      return {3, now, asked * 1000 + askedBefore * (1000 - now % 1000), math.ceil(missing / rate)}
    end
  end
  if concurrency >= 0 then
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
    local underWay = redis.call('ZCARD', KEYS[2])
    if underWay >= concurrency then return {4, now, underWay, -1} end
    redis.call('ZADD', KEYS[2], now + lease, slot)
    if redis.call('PTTL', KEYS[2]) < lease then redis.call('PEXPIRE', KEYS[2], lease) end
  end
  if daily >= 0 then used = used + credits end
  if rate >= 0 then bucket = bucket - credits * 1000 end
  return {0, now, day}
end

local decided = decide()
if daily >= 0 then redis.call('HSET', KEYS[1], 'day', day, 'used', used) end
if rate >= 0 then
  redis.call('HSET', KEYS[1], 'bucket', bucket, 'filledAt', now, 'second', second, 'asked', asked,
    'askedBefore', askedBefore)
  idleFrom = math.max(idleFrom, now + math.ceil((capacity - bucket) / rate))
end
if idleFrom > now then
  local left = redis.call('PTTL', KEYS[1])
  if idleFrom - now > left then redis.call('PEXPIRE', KEYS[1], idleFrom - now) end
end
return decided
`)

/** Ends a call: frees its place, and corrects the credits of its day, unless that is over. */
const SETTLE: Script = script(`
local day, more, slot = ARGV[1], tonumber(ARGV[2]), ARGV[3]
if slot ~= '' then redis.call('ZREM', KEYS[2], slot) end
if more ~= 0 and redis.call('HGET', KEYS[1], 'day') == day then
  if redis.call('HINCRBY', KEYS[1], 'used', ARGV[2]) < 0 then redis.call('HSET', KEYS[1], 'used', 0) end
end
return 0
`)

/** Renews the places of calls still under way. Places already considered lost are not taken back. */
const RENEW: Script = script(`
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
