/** Formats times for the operator's screens, in UTC, to the day, the minute or the second. */

/** Returns the day: `2026-11-23`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Returns the minute: `2026-11-23 09:30 UTC`. */
export const minuteOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`

/** Returns the second: `2026-11-23 09:30:05 UTC`. */
export const secondOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`
