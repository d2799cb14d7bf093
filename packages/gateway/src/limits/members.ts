/** Converts the limits of a member to the form of a project's limits, because the counts use this form. */
import type { KeyLimits } from "./KeyLimits.ts"
import type { Limits } from "./Limits.ts"

/** The limits that `counts.ts` applies. */
export type Bounds = Pick<Limits, "burst" | "concurrency" | "creditsPerDay" | "creditsPerSecond">

/** Returns the limits of a member as limits of a project. The bucket then holds requests instead of credits. */
export const boundsOf = ({ burst, creditsPerDay, requestsPerSecond }: KeyLimits): Bounds => ({
  ...(requestsPerSecond === undefined ? {} : { creditsPerSecond: requestsPerSecond }),
  ...(burst === undefined ? {} : { burst }),
  ...(creditsPerDay === undefined ? {} : { creditsPerDay })
})
