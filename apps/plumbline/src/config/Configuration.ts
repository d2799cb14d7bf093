/**
 * A configuration, read from its text and the environment: the settings of the service, or every mistake with its
 * place.
 */
import { mistakes } from "@plumbline/gateway/schema/SettingShape"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"

import { ConfigFile, shapeAt } from "./ConfigFile.ts"
import * as ConfigMistake from "./ConfigMistake.ts"
import * as ConfigRules from "./ConfigRules.ts"
import * as ConfigSource from "./ConfigSource.ts"
import * as Environment from "./Environment.ts"
import * as ServiceSettings from "./ServiceSettings.ts"

/**
 * The mistakes of a configuration that cannot be used. `file` is null if there is no file. `line` and `column` count
 * from 1; for a mistake in the environment they are null, and `variable` is the variable's name. The error never
 * contains a value.
 */
export class ConfigError extends Schema.TaggedError<ConfigError>()("ConfigError", {
  file: Schema.NullOr(Schema.String),
  mistakes: Schema.Array(
    Schema.Struct({
      path: Schema.String,
      problem: Schema.String,
      line: Schema.NullOr(Schema.Int),
      column: Schema.NullOr(Schema.Int),
      variable: Schema.NullOr(Schema.String)
    })
  )
}) {
  override get message(): string {
    const { length } = this.mistakes
    return `${this.file ?? "the environment"} is not a configuration: ${length === 1 ? "one mistake" : `${length} mistakes`}`
  }

  /** Returns a line for each mistake: its place, the setting, and the fault. */
  get lines(): ReadonlyArray<string> {
    return this.mistakes.map(({ column, line, path, problem, variable }) => {
      const place = variable ?? (line === null ? undefined : `${line}:${column ?? 1}`)
      return [place, path, problem].filter((part) => part !== undefined && part !== "").join("  ")
    })
  }
}

/** A configuration that can be used. */
export interface Configuration {
  readonly file: ConfigFile
  /** Settings that are allowed, but probably a mistake. */
  readonly warnings: ConfigError["mistakes"]
  /** Returns the settings. `token` is the content of `admin.tokenFile`, which the caller reads. */
  readonly settings: (token?: Redacted.Redacted) => ServiceSettings.ServiceSettings
  /** Returns the error for mistakes that only the disk shows, such as a file that is missing. */
  readonly broken: (found: ReadonlyArray<ConfigMistake.SettingMistake>) => ConfigError
}

/**
 * Reads a configuration. `text` is the content of the file, and `file` its name in reports of mistakes. If `file` is
 * undefined, there is no file, and all settings come from the environment. If the environment and the file have the
 * same setting, the environment's value is used.
 */
export const read = (input: {
  readonly text: string
  readonly file: string | undefined
  readonly variables: Environment.EnvironmentValues
}): Result.Result<Configuration, ConfigError> => {
  const fileName = input.file ?? null
  const source = ConfigSource.read(input.text)
  if (Result.isFailure(source)) {
    const mistakes = source.failure.map(({ path, place, problem }) => ({
      path: ConfigMistake.formatPath(path),
      problem,
      ...place,
      variable: null
    }))
    return Result.fail(new ConfigError({ file: fileName, mistakes }))
  }
  const { placeOf, value } = source.success
  const expanded = Environment.expand(value, input.variables)
  const overridden = Environment.override(withoutEmptyGroups(expanded.value, []), input.variables)

  const placed = (mistake: ConfigMistake.SettingMistake): ConfigError["mistakes"][number] => {
    const path = ConfigMistake.formatPath(mistake.path)
    const variable = overridden.origins.get(path) ?? null
    const place = variable === null && input.file !== undefined ? placeOf(mistake.path) : { line: null, column: null }
    return { path, problem: mistake.problem, ...place, variable }
  }
  const errorOf = (found: ReadonlyArray<ConfigError["mistakes"][number]>) =>
    new ConfigError({ file: fileName, mistakes: [...found].sort(inOrder) })
  const fail = (found: ReadonlyArray<ConfigError["mistakes"][number]>) => Result.fail(errorOf(found))

  const early = [
    ...expanded.mistakes.map(placed),
    ...overridden.mistakes.map(({ path, problem, variable }) => ({
      path: ConfigMistake.formatPath(path),
      problem,
      line: null,
      column: null,
      variable: ConfigMistake.named(variable)
    }))
  ]
  const decoded = decode(overridden.value)
  if (Result.isFailure(decoded)) {
    // a missing variable is reported once: the value with the unreplaced reference is not a second mistake
    const known = new Set(expanded.mistakes.map(({ path }) => ConfigMistake.formatPath(path)))
    const found = mistakes(ConfigFile.ast, decoded.failure, unknown).map((one) => placed(quoted(one, overridden.value)))
    return fail([...early, ...found.filter(({ path }) => !known.has(path))])
  }
  const broken = early.length > 0 ? [] : ConfigRules.mistakes(decoded.success).map(placed)
  if (early.length + broken.length > 0) return fail([...early, ...broken])
  return Result.succeed({
    file: decoded.success,
    warnings: ConfigRules.warnings(decoded.success).map(placed),
    settings: (token) => ServiceSettings.make(decoded.success, token),
    broken: (found) => errorOf(found.map(placed))
  })
}

/** Returns the mistake with the reason if a text, such as a hash, is read as a number that is too large to be meant. */
const quoted = (mistake: ConfigMistake.SettingMistake, settings: unknown): ConfigMistake.SettingMistake => {
  let value = settings
  for (const part of mistake.path) value = (value as { readonly [part: string | number]: unknown } | undefined)?.[part]
  return typeof value === "number" &&
    Math.abs(value) > Number.MAX_SAFE_INTEGER &&
    shapeAt(mistake.path)?.isText === true
    ? { ...mistake, problem: `${mistake.problem}. YAML reads it as a number: put it in quotation marks` }
    : mistake
}

const decode = (value: unknown): Result.Result<ConfigFile, SchemaIssue.Issue> =>
  Result.mapError(decodeFile(value), ({ issue }) => issue)

const decodeFile = Schema.decodeUnknownResult(ConfigFile, { errors: "all", onExcessProperty: "error" })

/**
 * Removes groups that are empty: `server:` with nothing or only comments below it sets nothing. An entry whose name the
 * file chooses stays, so that a network without settings is reported as incomplete.
 */
const withoutEmptyGroups = (value: unknown, path: ConfigMistake.SettingPath): unknown => {
  if (Array.isArray(value)) return value.map((item, index) => withoutEmptyGroups(item, [...path, index]))
  if (typeof value !== "object" || value === null) return value
  const areNamesFree = shapeAt(path)?.names === undefined
  const kept: Record<string, unknown> = Object.create(null)
  for (const [name, member] of Object.entries(value)) {
    const within = [...path, name]
    const isEmpty = member === null && shapeAt(within)?.isGroup === true
    if (isEmpty && !areNamesFree) continue
    kept[name] = isEmpty ? {} : withoutEmptyGroups(member, within)
  }
  return kept
}

/** Returns the sentence of a name that is unknown. */
const unknown = (path: ConfigMistake.SettingPath): string => {
  const known = shapeAt(path.slice(0, -1))?.names ?? []
  const near = ConfigMistake.nearest(String(path.at(-1)), known)
  return `no such setting${near === undefined ? `; there are ${known.join(", ")}` : `; is ${near} meant?`}`
}

const inOrder = (a: ConfigError["mistakes"][number], b: ConfigError["mistakes"][number]): number =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
