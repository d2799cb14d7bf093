/** Reads the counts of a project in Redis, with a script that changes nothing. */
import type { ProjectLimits } from "../ProjectLimits.ts"
import * as QuotaStatus from "../quotaStatus.ts"
import { type ScriptCall, script } from "./limiterScripts.ts"

/** Returns the script call that reads the counts of a key. */
export const look = (key: string): ScriptCall => ({ script: LOOK, rest: ["2", key, `${key}:calls`] })

/** Parses a reply. The script returns counts as text, because Redis would cut off the fractions of numbers. */
export const of = (reply: unknown, limits: ProjectLimits): QuotaStatus.QuotaStatus => {
  const [at, underWay, ...texts] = reply as readonly [number, number, ...ReadonlyArray<string | null>]
  const [bucket, filledAt = 0, day = 0, used = 0, second = 0, asked = 0, askedBefore = 0] = texts.map((text) =>
    text === null ? undefined : Number(text)
  )
  return QuotaStatus.of({ bucket, filledAt, day, used, second, asked, askedBefore, underWay }, limits, at)
}

const LOOK = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local was = redis.call('HMGET', KEYS[1], 'bucket', 'filledAt', 'day', 'used', 'second', 'asked', 'askedBefore')
local found = {now, redis.call('ZCOUNT', KEYS[2], '(' .. now, '+inf')}
for index = 1, 7 do found[index + 2] = was[index] end
return found
`)
