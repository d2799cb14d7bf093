/**
 * The error of a configuration that cannot be used.
 */
import * as Schema from "effect/Schema"

/**
 * What is wrong, all of it. `file` is null where there is none, and `line` and `column`, which count from 1, are null
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
