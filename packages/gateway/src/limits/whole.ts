/** The schema of a limit, which is a whole number. */
import * as Schema from "effect/Schema"

/** Maximum value of a limit. A thousand times as much is still exact in a double. */
export const MAX = 1_000_000_000_000

/** Returns the schema of an optional limit: a whole number from `minimum` to `maximum`. */
export const whole = (minimum: number, description: string, maximum = MAX) =>
  Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({ description }))
