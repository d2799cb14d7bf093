/**
 * Converts settings to a text, to compare them. Different settings give different texts. The text contains secrets, so
 * it stays in this process.
 */
import * as Redacted from "effect/Redacted"

/** Returns a text that is different for different settings, even if only a secret differs. */
export const of = (settings: unknown): string => JSON.stringify(revealed(settings)) ?? ""

/** Reveals secrets before JSON.stringify sees them, because JSON.stringify writes `<redacted>` for each secret. */
const revealed = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return { secret: Redacted.value(value) }
  if (Array.isArray(value)) return value.map(revealed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, revealed(member)]))
}
