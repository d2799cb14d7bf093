/**
 * Applies environment variables to a configuration: `${NAME}` in texts of the file, and variables that override
 * settings.
 *
 * `PLUMBLINE_SERVER__PORT` is `server.port`: two underscores separate the parts of a path, one separates words. An
 * entry of a list is named by its index, from 0; networks, headers and costs are named as in the file.
 */
import type { SettingShape } from "@plumbline/gateway/schema/SettingShape"
import * as Result from "effect/Result"
import { parse } from "yaml"

import { shapeAt } from "./ConfigFile.ts"
import * as ConfigMistake from "./ConfigMistake.ts"

/** Variables of the environment. */
export type EnvironmentValues = Readonly<Record<string, string | undefined>>

/** A mistake in a variable. */
export interface VariableMistake extends ConfigMistake.SettingMistake {
  readonly variable: string
}

/** Returns a value with every `${NAME}` in its texts replaced. `$${` becomes a literal `${`. */
export const expand = (
  value: unknown,
  variables: EnvironmentValues
): { readonly value: unknown; readonly mistakes: ReadonlyArray<ConfigMistake.SettingMistake> } => {
  const mistakes: Array<ConfigMistake.SettingMistake> = []
  const walk = (value: unknown, path: ConfigMistake.SettingPath): unknown => {
    if (typeof value === "string") return textOf(value, path)
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]))
    if (typeof value !== "object" || value === null) return value
    const expanded: Record<string, unknown> = Object.create(null)
    for (const [name, member] of Object.entries(value)) expanded[name] = walk(member, [...path, name])
    return expanded
  }
  const textOf = (text: string, path: ConfigMistake.SettingPath): unknown => {
    let failed = false
    const expanded = text.replaceAll(REFERENCE, (whole, escaped: string | undefined, name: string | undefined) => {
      if (escaped !== undefined) return "${"
      const found = name === undefined ? undefined : variables[name]
      if (found !== undefined) return found
      failed = true
      mistakes.push({
        path,
        problem:
          name === undefined
            ? "has a ${ that names no variable: write $${ for a literal ${"
            : `needs ${name}, which is not in the environment of this process: set it`
      })
      return whole
    })
    if (failed || expanded === text) return expanded
    // a text that is only a reference gets the type of the setting; a reference inside a longer text stays text
    return ALONE.test(text) ? scalarOf(expanded, path) : expanded
  }
  return { value: walk(value, []), mistakes }
}

/** Matches `${NAME}`, `$${`, and a `${` without a valid name. */
const REFERENCE = /(\$\$\{)|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)\})?/gu

const ALONE = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/u

/**
 * Converts a text to the type of its path: a number or a boolean if the path allows those, and text if it allows text.
 */
const scalarOf = (text: string, path: ConfigMistake.SettingPath): unknown => {
  const shape = shapeAt(path)
  if (shape === undefined || shape.isText || shape.isGroup || shape.isList) return text
  return SCALAR.test(text) ? parse(text) : text
}

/** Texts that YAML reads as a number, a boolean or null. */
const SCALAR = /^(?:[-+]?(?:0|[1-9]\d*)(?:\.\d+)?|0x[0-9a-fA-F]+|true|false|null)$/u

/**
 * Adds the settings from environment variables to a value. Returns the new value, and the name of the variable of each
 * added setting.
 */
export const override = (
  value: unknown,
  variables: EnvironmentValues
): {
  readonly value: unknown
  readonly mistakes: ReadonlyArray<VariableMistake>
  readonly origins: ReadonlyMap<string, string>
} => {
  const mistakes: Array<VariableMistake> = []
  const origins = new Map<string, string>()
  let changed = value
  for (const [variable, text] of Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (text === undefined || !isSetting(variable)) continue
    const found = pathOf(changed, variable.slice(PREFIX.length).split("__"))
    if (Result.isFailure(found)) {
      mistakes.push({ ...found.failure, variable })
      continue
    }
    const path = found.success
    const shape = shapeAt(path)
    if (shape === undefined || shape.isGroup || holdsGroups(path, shape)) {
      mistakes.push({ path, problem: "cannot be set as a whole: name one of its settings", variable })
      continue
    }
    changed = put(changed, path, shape.isList ? listOf(text) : scalarOf(text, path))
    origins.set(ConfigMistake.formatPath(path), variable)
  }
  return { value: changed, mistakes, origins }
}

const PREFIX = "PLUMBLINE_"

/**
 * True if the variable is a setting of the file. `defaultNetwork` is the only setting outside a group; other variables
 * without `__`, such as `PLUMBLINE_DATA`, are not settings.
 */
const isSetting = (variable: string): boolean =>
  variable.startsWith(PREFIX) && (variable.includes("__") || variable === "PLUMBLINE_DEFAULT_NETWORK")

const holdsGroups = (path: ConfigMistake.SettingPath, shape: SettingShape): boolean =>
  shape.isList && shapeAt([...path, 0])?.isGroup === true

const listOf = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

const pathOf = (
  value: unknown,
  parts: ReadonlyArray<string>
): Result.Result<ConfigMistake.SettingPath, ConfigMistake.SettingMistake> => {
  const path: Array<string | number> = []
  let here = value
  for (const part of parts) {
    const shape = shapeAt(path)
    const fail = (problem: string) => Result.fail({ path: [...path], problem })
    if (shape?.isList === true) {
      const length = Array.isArray(here) ? here.length : 0
      if (!/^\d{1,6}$/u.test(part) || Number(part) >= length) {
        return fail(`has ${length === 1 ? "one entry" : `${length} entries`} in the file, counted from 0`)
      }
      path.push(Number(part))
      here = (here as ReadonlyArray<unknown>)[Number(part)]
      continue
    }
    if (shape?.isGroup !== true) return fail("has no settings inside")
    const known = shape.names ?? Object.keys(isObject(here) ? here : {})
    const name = known.find((name) => variableOf(name) === part)
    if (name === undefined) {
      const near = ConfigMistake.nearest(part, known)
      return fail(
        shape.names === undefined
          ? `has no entry of that name in the file${near === undefined ? "" : `; is ${ConfigMistake.named(near)} meant?`}`
          : `no such setting${near === undefined ? "" : `; is ${variableOf(near)} meant?`}`
      )
    }
    path.push(name)
    here = isObject(here) ? here[name] : undefined
  }
  return Result.succeed(path)
}

/** Converts a setting's name to its part of a variable's name: `trustedProxies` becomes `TRUSTED_PROXIES`. */
const variableOf = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/gu, "_")
    .toUpperCase()

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const put = (value: unknown, path: ConfigMistake.SettingPath, leaf: unknown): unknown => {
  const [first, ...rest] = path
  if (first === undefined) return leaf
  if (typeof first === "number") {
    return (value as ReadonlyArray<unknown>).map((item, index) => (index === first ? put(item, rest, leaf) : item))
  }
  const object = isObject(value) ? value : {}
  const copy: Record<string, unknown> = Object.assign(Object.create(null), object)
  copy[first] = put(object[first], rest, leaf)
  return copy
}
