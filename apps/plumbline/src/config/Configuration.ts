/**
 * A configuration, read from its text and the environment: the settings of the service, or every mistake with its
 * place.
 */
import { mistakes } from "@plumbline/gateway/schema/SettingShape"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"

import type * as AdminSection from "./AdminSection.ts"
import { ConfigFile, shapeAt } from "./ConfigFile.ts"
import * as ConfigMistake from "./ConfigMistake.ts"
import * as ConfigRules from "./ConfigRules.ts"
import * as ConfigSource from "./ConfigSource.ts"
import * as Environment from "./Environment.ts"
import * as ServiceSettings from "./ServiceSettings.ts"
import * as SoundPart from "./SoundPart.ts"

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

/** A configuration that cannot be used: its mistakes so far, and the part of it that has none. */
export interface BrokenConfiguration {
  readonly error: ConfigError
  /** Undefined if nothing is left. */
  readonly sound: Pick<Configuration, "file" | "settings"> | undefined
  /** Returns the error with the mistakes that only the disk shows. */
  readonly broken: Configuration["broken"]
}

/** A configuration that can be used. */
export interface Configuration {
  readonly file: ConfigFile
  /** Settings that are allowed, but probably a mistake. */
  readonly warnings: ConfigError["mistakes"]
  /** Returns the settings. The caller reads the files of secrets. */
  readonly settings: (secrets?: AdminSection.Secrets) => ServiceSettings.ServiceSettings
  /** Returns the error for mistakes that only the disk shows, such as a file that is missing. */
  readonly broken: (found: ReadonlyArray<ConfigMistake.SettingMistake>) => ConfigError
}

/**
 * Reads a configuration. `text` is the content of the file, and `file` its name in reports of mistakes. If `file` is
 * undefined, there is no file, and all settings come from the environment. If the environment and the file have the
 * same setting, the environment's value is used.
 */
export const read = (input: ConfigurationText): Result.Result<Configuration, ConfigError> =>
  Result.mapError(examine(input), ({ error }) => error)

/** The text of a configuration, and the environment. */
export interface ConfigurationText {
  readonly text: string
  readonly file: string | undefined
  readonly variables: Environment.EnvironmentValues
}

/** Reads a configuration like `read`. Of one with mistakes it also returns the part without them. */
export const examine = (input: ConfigurationText): Result.Result<Configuration, BrokenConfiguration> => {
  const fileName = input.file ?? null
  const source = ConfigSource.read(input.text)
  const ofSource = ({ path, place, problem }: ConfigSource.UnreadableSource) => ({
    path: ConfigMistake.formatPath(path),
    problem,
    ...place,
    variable: null
  })
  if (Result.isFailure(source)) {
    const error = new ConfigError({ file: fileName, mistakes: source.failure.map(ofSource) })
    return Result.fail({ error, sound: undefined, broken: () => error })
  }
  const { faults, placeOf, value } = source.success
  if (faults.length > 0 && input.text.length > MAX_LOOKED_AT) {
    const error = new ConfigError({ file: fileName, mistakes: faults.map(ofSource) })
    return Result.fail({ error, sound: undefined, broken: () => error })
  }
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
  const early = [
    ...faults.map(ofSource),
    ...expanded.mistakes.map(placed),
    ...overridden.mistakes.map(({ path, problem, variable }) => ({
      path: ConfigMistake.formatPath(path),
      problem,
      line: null,
      column: null,
      variable: ConfigMistake.named(variable)
    }))
  ]
  // what is reported once, such as a missing variable, is no second mistake where its value is missing or not replaced
  const reported = [...faults, ...expanded.mistakes, ...overridden.mistakes].map(({ path }) => path)
  const repeated = [...faults, ...expanded.mistakes].map(({ path }) => path)
  const isReported = ({ path }: ConfigMistake.SettingMistake): boolean =>
    repeated.some((known) => known.length > 0 && known.every((part, index) => path[index] === part))
  const issues = issuesOf(overridden.value)
    .filter((mistake) => !isReported(mistake))
    .map((mistake) => quoted(mistake, overridden.value))
  const wrong = [...reported.filter((path) => path.length > 0), ...issues.map(({ path }) => path)]
  const { broken, file, isDoubtful } = SoundPart.of(overridden.value, wrong, {
    decode: (value) => Result.match(decode(value), { onSuccess: (file) => file, onFailure: (issue) => pathsOf(issue) }),
    rules: ConfigRules.mistakes
  })
  const found = [...early, ...[...issues, ...broken].map(placed)]
  if (found.length > 0) {
    return Result.fail({
      error: errorOf(found),
      sound: file && { file, settings: (secrets = {}) => ServiceSettings.make(file, secrets) },
      broken: (more) => errorOf([...found, ...more.filter((mistake) => !isDoubtful(mistake)).map(placed)])
    })
  }
  const whole = file!
  return Result.succeed({
    file: whole,
    warnings: ConfigRules.warnings(whole).map(placed),
    settings: (secrets = {}) => ServiceSettings.make(whole, secrets),
    broken: (found) => errorOf(found.map(placed))
  })
}

/** Maximum number of characters of a file with faults whose settings are looked at too. No real configuration is as long. */
const MAX_LOOKED_AT = 100_000

const pathsOf = (issue: SchemaIssue.Issue): ReadonlyArray<ConfigMistake.SettingPath> =>
  mistakes(ConfigFile.ast, issue, unknown).map(({ path }) => path)

/** Returns the mistakes that the Schema finds. */
const issuesOf = (value: unknown): ReadonlyArray<ConfigMistake.SettingMistake> => {
  const decoded = decode(value)
  return Result.isSuccess(decoded) ? [] : mistakes(ConfigFile.ast, decoded.failure, unknown)
}

/**
 * Returns the mistake with the reason if the quotation marks are wrong: a text, such as a hash, that is read as a number
 * too large to be meant, or a number that is a text.
 */
const quoted = (mistake: ConfigMistake.SettingMistake, settings: unknown): ConfigMistake.SettingMistake => {
  let value = settings
  for (const part of mistake.path) value = (value as { readonly [part: string | number]: unknown } | undefined)?.[part]
  const shape = shapeAt(mistake.path)
  const because = (reason: string) => ({ ...mistake, problem: `${mistake.problem}. ${reason}` })
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER && shape?.isText === true) {
    return because("YAML reads it as a number: put it in quotation marks")
  }
  if (typeof value !== "string" || shape === undefined || shape.isText || shape.isGroup || shape.isList) return mistake
  if (/^(?:\d+|true|false)$/u.test(value)) return because("YAML reads it as a text: leave out the quotation marks")
  return /^\d+(?:[_,' ]\d+)+$/u.test(value) ? because("Write the digits alone") : mistake
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
