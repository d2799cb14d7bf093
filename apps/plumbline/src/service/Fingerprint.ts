/**
 * Settings as a text by which they are told from others, secrets with them: it stays in this process.
 */
import * as Redacted from "effect/Redacted"

/** Two settings that differ, in a secret too, have two. */
export const of = (settings: unknown): string => JSON.stringify(revealed(settings)) ?? ""

/** Before JSON sees it: what is redacted would write `<redacted>` for every secret. */
const revealed = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return { secret: Redacted.value(value) }
  if (Array.isArray(value)) return value.map(revealed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, revealed(member)]))
}
