/**
 * Failures as `--json` shows them: a tag, a message made of the data, and the data.
 */
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"

import * as Text from "./view/Text.ts"

/** What a program can look at. */
export interface ErrorReport {
  readonly tag: string
  readonly message: string
  readonly [field: string]: unknown
}

/**
 * The report of what ended a command. Errors carry their data; whatever else it was, a defect of this program among
 * them, is an `InternalError` without any: its texts may hold anything.
 */
export const fromCause = (cause: Cause.Cause<unknown>): ErrorReport => {
  const failure = Cause.findError(cause)
  if (Result.isFailure(failure)) return internal(Cause.squash(cause))
  const error = failure.success
  if (CliError.isCliError(error)) return usage(error)
  return error instanceof Error && "_tag" in error && typeof error._tag === "string"
    ? { tag: error._tag, message: Text.withoutKeys(error.message) + wayOut(error), ...dataOf(error) }
    : internal(error)
}

/** What to do about a server that is silent, whichever client says that it is. */
const wayOut = (error: object): string => (isSilence(error) ? ": wait longer with --timeout <seconds>" : "")

const isSilence = (error: object): boolean =>
  ("problem" in error && error.problem === "TimedOut") ||
  ("reason" in error && typeof error.reason === "object" && error.reason !== null && isTimeout(error.reason))

const isTimeout = (reason: object): boolean => "_tag" in reason && reason._tag === "TimeoutError"

/** Arguments that could not be understood. A flag's value may be a URL with a key that was put in the wrong place. */
const usage = (error: CliError.CliError): ErrorReport => {
  const problems = (error._tag === "ShowHelp" ? error.errors : [error]).map(({ message }) =>
    Text.withoutUrls(message.replaceAll(/\s*\n\s*/gu, " "))
  )
  return { tag: "UsageError", message: problems.join("; "), problem: problems.join("; ") }
}

const internal = (error: unknown): ErrorReport => ({
  tag: "InternalError",
  message: "a fault of plumbline itself, not of the node; --log-level=debug shows where",
  name: error instanceof Error ? error.name : typeof error
})

const dataOf = (error: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(error)
      .filter(([name]) => !reserved.has(name))
      .map(([name, value]) => [name, wire(value)])
  )

/** `cause` is a foreign error, whose texts may hold anything. */
const reserved: ReadonlySet<string> = new Set(["_tag", "message", "cause", "stack"])

/** Data as JSON: durations as milliseconds, quantities as `0x` hex, the tags of nested reasons as `tag`. */
const wire = (value: unknown): unknown => {
  if (typeof value === "bigint") return `0x${value.toString(16)}`
  if (typeof value === "string") return Text.withoutKeys(value)
  if (typeof value !== "object" || value === null) return value
  if (Duration.isDuration(value)) return Duration.toMillis(value)
  if (Array.isArray(value)) return value.map(wire)
  const members = Object.entries(value).filter(([name]) => name !== "cause" && name !== "stack")
  // a message that is data, such as a server's, is the error's own; one that is made of the data is not
  if (value instanceof Error && Object.hasOwn(value, "message")) members.push(["message", value.message])
  return Object.fromEntries(members.map(([name, member]) => [name === "_tag" ? "tag" : name, wire(member)]))
}
