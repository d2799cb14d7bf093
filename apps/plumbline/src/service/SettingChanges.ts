/** The difference between the settings of a running service and those of a configuration that is read again. */
import { createHash } from "node:crypto"

import * as Redacted from "effect/Redacted"

import * as ConfigMistake from "../config/ConfigMistake.ts"
import type { ServiceSettings } from "../config/ServiceSettings.ts"
import * as Fingerprint from "./Fingerprint.ts"

/**
 * The settings that cannot change while the service runs, because the parts that they describe are opened at its start.
 * The paths are those of the file.
 */
const FIXED: ReadonlyArray<readonly [section: keyof ServiceSettings, name?: string]> = [
  ["server", "host"],
  ["server", "port"],
  ["server", "workers"],
  ["tls"],
  ["ipfs", "node"],
  ["ipfs", "fallbacks"],
  ["ipfs", "tryTimeout"],
  ["ipfs", "timeout"],
  ["ipfs", "cache"],
  ["ipfs", "reserve"],
  ["ipfs", "collectEvery"],
  ["beacon"],
  ["cache"],
  ["calls"],
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

/** The settings among these in which all processes of a service must agree: else each would have its own projects. */
const SHARED = FIXED.filter(([section, name]) => section === "state" || section === "tls" || name === "host")

/** Returns a digest of each setting that the processes of a service share, by its name. It tells nothing of a secret. */
export const sharedDigests = (settings: ServiceSettings): Readonly<Record<string, string>> =>
  Object.fromEntries(
    SHARED.map((path) => [
      path.join("."),
      createHash("sha256")
        .update(Fingerprint.of(fixedOf(settings, path)))
        .digest("hex")
    ])
  )

/** Returns the names, as in the file, of the settings that differ. */
export const needRestart = (before: ServiceSettings, after: ServiceSettings): ReadonlyArray<string> =>
  fixedChanges(before, after).map((path) => path.join("."))

/** Returns the settings after a change. Settings that cannot change keep their old values. */
export const applicable = (before: ServiceSettings, after: ServiceSettings): ServiceSettings => {
  const applied: { -readonly [Section in keyof ServiceSettings]?: unknown } = { ...after }
  for (const [section, name] of fixedChanges(before, after)) {
    const old = before[section]
    applied[section] = name === undefined ? old : withMember(applied[section], name, memberOf(old, name))
    if (applied[section] === undefined) delete applied[section]
  }
  return applied as ServiceSettings
}

/**
 * Returns the names of the settings that differ, with their defaults: a change of one line can change a default too. A
 * setting that is there on one side only is named without the settings inside it. Values are not shown, because they
 * may be secrets.
 */
export const changed = (before: ServiceSettings, after: ServiceSettings): ReadonlyArray<string> => {
  const found: Array<string> = []
  const walk = (before: unknown, after: unknown, path: ConfigMistake.SettingPath): void => {
    if (Fingerprint.of(before) === Fingerprint.of(after)) return
    const isList = Array.isArray(before) && Array.isArray(after) && before.length === after.length
    if (!isList && !(isGroup(before) && isGroup(after))) return void found.push(ConfigMistake.formatPath(path))
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      walk(memberOf(before, name), memberOf(after, name), [...path, isList ? Number(name) : name])
    }
  }
  walk(inFile(before), inFile(after), [])
  return found.sort()
}

/** Returns the settings with networks by name, as the file has them. */
const inFile = ({ networks, ...settings }: ServiceSettings): unknown => ({
  ...settings,
  networks: Object.fromEntries(networks.map(({ name, ...network }) => [name, network]))
})

const isGroup = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !Redacted.isRedacted(value)

const fixedChanges = (before: ServiceSettings, after: ServiceSettings) =>
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
