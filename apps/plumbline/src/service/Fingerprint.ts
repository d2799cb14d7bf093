/** Settings as a text that differs whenever they do. The text contains secrets, so it stays in this process. */
import * as Redacted from "effect/Redacted"

/** Returns a text that differs for two settings that differ, in a secret too. */
export const of = (settings: unknown): string => JSON.stringify(revealed(settings)) ?? ""

/** Reveals secrets before JSON.stringify sees them, because it writes `<redacted>` for each. */
const revealed = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return { secret: Redacted.value(value) }
  if (Array.isArray(value)) return value.map(revealed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, revealed(member)]))
}
