/** The thresholds of a project's daily credits. Reaching a threshold records an event. */
import * as Schema from "effect/Schema"

/** Maximum number of thresholds of each kind. */
export const MAX_THRESHOLDS = 10

const thresholds = (description: string, maximum: number) =>
  Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum })))
    .annotate({ description })
    .check(Schema.isMaxLength(MAX_THRESHOLDS))

/**
 * The thresholds of a project. A day begins at midnight UTC. Each threshold records at most one event a day.
 *
 * - `percentOfDay`: percentages of the project's limit `creditsPerDay`. They are ignored if the project has no such
 *   limit.
 * - `creditsOfDay`: numbers of credits, independent of the limit.
 */
export const AlertRules = Schema.Struct({
  percentOfDay: thresholds("Percent of the limit creditsPerDay, 1 to 100", 100),
  creditsOfDay: thresholds("Credits of a day", 1_000_000_000_000)
}).annotate({ identifier: "AlertRules" })

export type AlertRules = typeof AlertRules.Type

/**
 * The default thresholds: the percentages at which other services notify their customers.
 */
export const defaults: AlertRules = { percentOfDay: [75, 85, 100], creditsOfDay: [] }
