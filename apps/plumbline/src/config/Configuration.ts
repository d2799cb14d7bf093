/**
 * A configuration from its text and the environment: what the service runs with, or every mistake with its place.
 */
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"

import { ConfigFile } from "./ConfigFile.ts"
import * as Environment from "./Environment.ts"
import * as Mistake from "./Mistake.ts"
import * as Rules from "./Rules.ts"
import * as Settings from "./Settings.ts"
import * as Shape from "./Shape.ts"
import * as Source from "./Source.ts"

/**
 * The mistakes of a configuration that cannot be used. `file` is null where there is none, and `line` and `column`, which count from 1, are null
 * for what comes from the environment; then `variable` is its name. Values are in no part of it.
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
    return `${this.file ?? "the environment"} is no configuration: ${length === 1 ? "one mistake" : `${length} mistakes`}`
  }

  /** A line for each mistake: where it stands, the setting, and what is wrong with it. */
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
  /** Settings that are allowed and likely not meant. */
  readonly warnings: ConfigError["mistakes"]
  /** The settings. `token` is what stands in `admin.tokenFile`, which is for the caller to read. */
  readonly settings: (token?: Redacted.Redacted) => Settings.Settings
}

/**
 * Reads a configuration. `file` is the name that mistakes are reported under; without one there is no text, and only the
 * environment says something. Where the environment and the file say the same setting, the environment wins.
 */
export const read = (input: {
  readonly text: string
  readonly file: string | undefined
  readonly variables: Environment.Variables
}): Result.Result<Configuration, ConfigError> => {
  const fileName = input.file ?? null
  const source = Source.read(input.text)
  if (Result.isFailure(source)) {
    const mistakes = source.failure.map(({ path, place, problem }) => ({
      path: Mistake.formatPath(path),
      problem,
      ...place,
      variable: null
    }))
    return Result.fail(new ConfigError({ file: fileName, mistakes }))
  }
  const { placeOf, value } = source.success
  const expanded = Environment.expand(value, input.variables)
  const overridden = Environment.override(withoutEmptyGroups(expanded.value, []), input.variables)

  const placed = (mistake: Mistake.Mistake): ConfigError["mistakes"][number] => {
    const path = Mistake.formatPath(mistake.path)
    const variable = overridden.origins.get(path) ?? null
    const place = variable === null && input.file !== undefined ? placeOf(mistake.path) : { line: null, column: null }
    return { path, problem: mistake.problem, ...place, variable }
  }
  const fail = (found: ReadonlyArray<ConfigError["mistakes"][number]>) =>
    Result.fail(new ConfigError({ file: fileName, mistakes: [...found].sort(inOrder) }))

  const early = [
    ...expanded.mistakes.map(placed),
    ...overridden.mistakes.map(({ path, problem, variable }) => ({
      path: Mistake.formatPath(path),
      problem,
      line: null,
      column: null,
      variable: Mistake.named(variable)
    }))
  ]
  const decoded = decode(overridden.value)
  if (Result.isFailure(decoded)) {
    // what a missing variable left behind is no second mistake
    const known = new Set(expanded.mistakes.map(({ path }) => Mistake.formatPath(path)))
    const found = mistakesOf(decoded.failure).map(placed)
    return fail([...early, ...found.filter(({ path }) => !known.has(path))])
  }
  const broken = early.length > 0 ? [] : Rules.mistakes(decoded.success).map(placed)
  if (early.length + broken.length > 0) return fail([...early, ...broken])
  return Result.succeed({
    file: decoded.success,
    warnings: Rules.warnings(decoded.success).map(placed),
    settings: (token) => Settings.make(decoded.success, token)
  })
}

const decode = (value: unknown): Result.Result<ConfigFile, SchemaIssue.Issue> =>
  Result.mapError(decodeFile(value), ({ issue }) => issue)

const decodeFile = Schema.decodeUnknownResult(ConfigFile, { errors: "all", onExcessProperty: "error" })

/**
 * `server:` with nothing below it, or with comments alone, says nothing. Where names are free, the name is something that
 * was said: a network without settings is one that lacks them.
 */
const withoutEmptyGroups = (value: unknown, path: Mistake.Path): unknown => {
  if (Array.isArray(value)) return value.map((item, index) => withoutEmptyGroups(item, [...path, index]))
  if (typeof value !== "object" || value === null) return value
  const areNamesFree = Shape.at(path)?.names === undefined
  const kept: Record<string, unknown> = Object.create(null)
  for (const [name, member] of Object.entries(value)) {
    const within = [...path, name]
    const isEmpty = member === null && Shape.at(within)?.isGroup === true
    if (isEmpty && !areNamesFree) continue
    kept[name] = isEmpty ? {} : withoutEmptyGroups(member, within)
  }
  return kept
}

/** One for each place: that a value is none of five forms is one mistake, and not five. */
const mistakesOf = (issue: SchemaIssue.Issue): ReadonlyArray<Mistake.Mistake> => {
  const found = new Map<string, Mistake.Mistake>()
  const walk = (issue: SchemaIssue.Issue, path: Mistake.Path): void => {
    switch (issue._tag) {
      case "Pointer":
        return walk(issue.issue, [...path, ...(issue.path as Mistake.Path)])
      case "Filter":
      case "Encoding":
        return walk(issue.issue, path)
      case "Composite":
        return issue.issues.forEach((within) => walk(within, path))
      default: {
        const key = Mistake.formatPath(path)
        if (!found.has(key)) found.set(key, { path, problem: sentenceOf(issue, path) })
      }
    }
  }
  walk(issue, [])
  return [...found.values()]
}

const sentenceOf = (issue: SchemaIssue.Issue, path: Mistake.Path): string => {
  if (issue._tag === "MissingKey") return "is missing"
  if (issue._tag !== "UnexpectedKey") return Shape.at(path)?.sentence ?? "cannot stand here"
  const known = Shape.at(path.slice(0, -1))?.names ?? []
  const near = Mistake.nearest(String(path.at(-1)), known)
  return `no such setting${near === undefined ? `; there are ${known.join(", ")}` : `; is ${near} meant?`}`
}

const inOrder = (a: ConfigError["mistakes"][number], b: ConfigError["mistakes"][number]): number =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
