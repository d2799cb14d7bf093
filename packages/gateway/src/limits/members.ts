/** Converts the limits of a member to the form of a project's limits, which the counts use. */
import type { KeyLimits } from "./KeyLimits.ts"
import type { Limits } from "./Limits.ts"

/** Limits that every kind of counts has. */
export type Bounds = Pick<Limits, "burst" | "concurrency" | "creditsPerDay" | "creditsPerSecond">

/** Returns the bounds of a member: its bucket holds requests instead of credits. */
export const boundsOf = ({ burst, creditsPerDay, requestsPerSecond }: KeyLimits): Bounds => ({
  ...(requestsPerSecond === undefined ? {} : { creditsPerSecond: requestsPerSecond }),
  ...(burst === undefined ? {} : { burst }),
  ...(creditsPerDay === undefined ? {} : { creditsPerDay })
})
