/** Converts the limits of a member to the form of a project's limits, because the counts use this form. */
import type { KeyLimits } from "./KeyLimits.ts"
import type { ProjectLimits } from "./ProjectLimits.ts"

/** The limits that `limitCounts.ts` applies. */
export type LimitBounds = Pick<ProjectLimits, "burst" | "concurrency" | "creditsPerDay" | "creditsPerSecond">

/** Returns the limits of a member as limits of a project. The bucket then holds requests instead of credits. */
export const boundsOf = ({ burst, creditsPerDay, requestsPerSecond }: KeyLimits): LimitBounds => ({
  ...(requestsPerSecond === undefined ? {} : { creditsPerSecond: requestsPerSecond }),
  ...(burst === undefined ? {} : { burst }),
  ...(creditsPerDay === undefined ? {} : { creditsPerDay })
})
