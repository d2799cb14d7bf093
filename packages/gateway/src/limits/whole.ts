/** The schema of the whole numbers that limits are. */
import * as Schema from "effect/Schema"

/** Large enough for any plan, and small enough that a thousand times as much is exact in a double. */
export const MAX = 1_000_000_000_000

/** Returns a schema of a limit that may be absent: a whole number from `minimum` to `maximum`. */
export const whole = (minimum: number, description: string, maximum = MAX) =>
  Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({ description }))
