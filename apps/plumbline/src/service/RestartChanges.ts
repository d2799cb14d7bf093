/** Settings that cannot change while the service runs, because the parts that they describe are opened at its start. */
import type { ServiceSettings } from "../config/ServiceSettings.ts"
import * as Fingerprint from "./Fingerprint.ts"

/** The paths of the settings, as in the file. */
const FIXED: ReadonlyArray<readonly [section: keyof ServiceSettings, name?: string]> = [
  ["server", "host"],
  ["server", "port"],
  ["tls"],
  ["ipfs", "node"],
  ["ipfs", "fallbacks"],
  ["ipfs", "tryTimeout"],
  ["ipfs", "timeout"],
  ["ipfs", "cache"],
  ["ipfs", "reserve"],
  ["ipfs", "collectEvery"],
  ["cache"],
  ["state"],
  ["limits", "address"],
  ["limits", "whenDown"],
  ["limits", "timeout"],
  ["metering"],
  ["billing"],
  ["webhooks"],
  ["admin"],
  ["observability", "logs"],
  ["observability", "traces"],
  ["observability", "metrics"]
]

/** Returns the names, as in the file, of the settings that differ. */
export const needRestart = (before: ServiceSettings, after: ServiceSettings): ReadonlyArray<string> =>
  changed(before, after).map((path) => path.join("."))

/** Returns the settings after a change. Settings that cannot change keep their old values. */
export const applicable = (before: ServiceSettings, after: ServiceSettings): ServiceSettings => {
  const applied: { -readonly [Section in keyof ServiceSettings]?: unknown } = { ...after }
  for (const [section, name] of changed(before, after)) {
    const old = before[section]
    applied[section] = name === undefined ? old : withMember(applied[section], name, memberOf(old, name))
    if (applied[section] === undefined) delete applied[section]
  }
  return applied as ServiceSettings
}

const changed = (before: ServiceSettings, after: ServiceSettings) =>
  FIXED.filter((path) => Fingerprint.of(fixedOf(before, path)) !== Fingerprint.of(fixedOf(after, path)))

/** Returns what cannot change. A new certificate takes effect at once; switching TLS on or off needs a restart. */
const fixedOf = (settings: ServiceSettings, [section, name]: (typeof FIXED)[number]): unknown => {
  if (section === "tls") return settings.tls !== undefined
  return name === undefined ? settings[section] : memberOf(settings[section], name)
}

const memberOf = (section: unknown, name: string): unknown => (section as Readonly<Record<string, unknown>>)[name]

const withMember = (section: unknown, name: string, value: unknown): unknown => {
  const { [name]: _, ...others } = section as Readonly<Record<string, unknown>>
  return value === undefined ? others : { ...others, [name]: value }
}
