/**
 * Reports a failed command. With `--json` the report is a tag, a message and data. Otherwise it is a line of text; if
 * the error is about a place in a text, that place is shown below.
 */
import { PathError } from "@plumbline/storage-layout/path/PathError"
import * as Claim from "@plumbline/verdict/Claim"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as NodeFlag from "./NodeFlag.ts"
import * as Style from "./Style.ts"
import * as TerminalText from "./TerminalText.ts"

/** A failure in the form that `--json` prints for programs. */
export interface ErrorReport {
  readonly tag: string
  readonly message: string
  readonly [field: string]: unknown
}

/**
 * Prints the report of the cause that ended a command. `help` is the command whose help the report names after wrong
 * arguments.
 */
export const print = Effect.fnUntraced(function* (
  cause: Cause.Cause<unknown>,
  options: { readonly json: boolean; readonly help: ReadonlyArray<string> }
) {
  const report = fromCause(cause)
  if (options.json) return yield* Console.log(TerminalText.json({ error: report }))
  const style = yield* Style.ofErrors
  yield* Console.error(`${style.bad("error")}: ${TerminalText.printable(report.message)}`)
  const failure = Cause.findError(cause)
  const error = Result.isSuccess(failure) ? failure.success : undefined
  for (const line of below(error)) yield* Console.error(line)
  if (report.tag === "UsageError") {
    const path = CliError.isCliError(error) && error._tag === "ShowHelp" ? error.commandPath : options.help
    yield* Console.error(`${style.faint("see")}    ${path.join(" ")} --help`)
  }
})

/**
 * Returns the report of a cause. Errors carry their data. Any other cause, such as a defect of this program, is an
 * `InternalError` without data, because its texts may contain secrets.
 */
export const fromCause = (cause: Cause.Cause<unknown>): ErrorReport => {
  const failure = Cause.findError(cause)
  if (Result.isFailure(failure)) return internal(Cause.squash(cause))
  const error = failure.success
  if (CliError.isCliError(error)) return usage(error)
  return error instanceof Error && "_tag" in error && typeof error._tag === "string"
    ? { tag: error._tag, message: TerminalText.withoutKeys(error.message) + hintOf(error), ...dataOf(error) }
    : internal(error)
}

/**
 * Returns the report of arguments that could not be understood. Values are not repeated, because a value in the wrong
 * place may be a URL with a key.
 */
const usage = (error: CliError.CliError): ErrorReport => {
  const problems = firstProblems(error._tag === "ShowHelp" ? error.errors : [error]).map((each) =>
    TerminalText.withoutUrls(sentence(each).replaceAll(/\s*\n\s*/gu, " "))
  )
  return { tag: "UsageError", message: problems.join("; "), problem: problems.join("; ") }
}

const internal = (error: unknown): ErrorReport => ({
  tag: "InternalError",
  message: "a fault of plumbline itself, not of the node; --log-level=debug shows where",
  name: error instanceof Error ? error.name : typeof error
})

const dataOf = (error: object): Readonly<Record<string, unknown>> => {
  const data =
    error instanceof UnprovenError ? { subject: error.subject, claims: error.claims.map(Claim.toSentence) } : error
  return Object.fromEntries(
    Object.entries(data)
      .filter(([name]) => !reserved.has(name))
      .map(([name, value]) => [name, wire(value)])
  )
}

/** Members that are not data. `cause` is a foreign error, whose texts may hold secrets. */
const reserved: ReadonlySet<string> = new Set(["_tag", "message", "cause", "stack"])

/** Returns data as JSON: durations as milliseconds, quantities as `0x` hex, the tags of nested reasons as `tag`. */
const wire = (value: unknown): unknown => {
  if (typeof value === "bigint") return `0x${value.toString(16)}`
  if (typeof value === "string") return TerminalText.withoutKeys(value)
  if (typeof value !== "object" || value === null) return value
  if (Duration.isDuration(value)) return Duration.toMillis(value)
  if (Array.isArray(value)) return value.map(wire)
  const members = Object.entries(value).filter(([name]) => name !== "cause" && name !== "stack")
  // a message that is data, such as a server's message, is an own property of the error; a message made from the data
  // is not
  if (value instanceof Error && Object.hasOwn(value, "message")) members.push(["message", value.message])
  return Object.fromEntries(members.map(([name, member]) => [name === "_tag" ? "tag" : name, wire(member)]))
}

/**
 * Returns the lines below an error about a place in a text: the path with a mark under the character, or the error's
 * own lines.
 */
const below = (error: unknown): ReadonlyArray<string> => {
  if (error instanceof PathError) {
    const shown = TerminalText.withoutKeys(error.path)
    // if the path is in fact a URL, a part of it is redacted, so a mark would be in the wrong column
    if (shown !== error.path) return [`  ${TerminalText.printable(shown)}`]
    const before = TerminalText.printable(error.path.slice(0, error.at))
    return [`  ${before}${TerminalText.printable(error.path.slice(error.at))}`, `  ${" ".repeat(before.length)}^`]
  }
  // an error of the admin API, recognised by its tag: only commands that call the API load its class
  if (error instanceof Error && "_tag" in error && error._tag === "BadRequest" && "at" in error) {
    return [`  in ${TerminalText.printable(String(error.at))}`]
  }
  return linesOf(error).map((line) => `  ${TerminalText.printable(TerminalText.withoutKeys(line))}`)
}

/** Returns the extra lines of an error: the mistakes of a configuration, or the messages of a compiler. */
export const linesOf = (error: unknown): ReadonlyArray<string> =>
  error instanceof Error && "lines" in error && Array.isArray(error.lines) ? error.lines.map(String) : []

/**
 * Returns the errors to report. If the command is unknown, returns only that error, because the flags of an unknown
 * command are unknown too.
 */
const firstProblems = (errors: ReadonlyArray<CliError.CliError>): ReadonlyArray<CliError.CliError> => {
  const unknown = errors.find(({ _tag }) => _tag === "UnknownSubcommand")
  return unknown === undefined ? errors : [unknown]
}

/** Returns the sentence of an error: the argument, the fault, and a suggestion. */
const sentence = (error: CliError.CliError): string => {
  switch (error._tag) {
    case "UnrecognizedOption": {
      const { command = ["plumbline"], option, suggestions } = error
      const asArgument = option === "--config" && command.includes("config") ? ". Name the file as the argument" : ""
      const near = option.startsWith("--") ? suggestions.map((name) => longOf(name, command)) : suggestions
      return `${command.join(" ")} has no flag ${option}${asArgument === "" ? meant(near) : asArgument}`
    }
    case "UnknownSubcommand": {
      const { parent = ["plumbline"], subcommand, suggestions } = error
      return `${parent.join(" ")} has no command "${subcommand}"${ELSEWHERE[subcommand] ?? meant(suggestions)}`
    }
    case "MissingOption":
      return `--${error.option} is missing${VALUES[error.option] ?? ""}`
    case "MissingArgument":
      return `<${error.argument}> is missing`
    case "UnexpectedArgument":
      return `${error.arguments.map((argument) => `"${argument}"`).join(", ")}: too many arguments`
    case "InvalidValue": {
      const { expected, kind, option, value } = error
      const name = kind === "flag" ? `--${option}` : `<${option}>`
      const wanted = expected.replace(/^Expected:? (?:a string representing )?/u, "")
      return `${name} must be ${wanted}${value === "" ? "" : `, and is "${value}"`}`
    }
    default:
      return error.message
  }
}

/** The ways to answers that have no command. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  receipt:
    '. Start "plumbline proxy", and send eth_getTransactionReceipt to it; "plumbline tx" proves the transaction itself'
}

/** The values that the required flags take. */
const VALUES: Readonly<Record<string, string>> = {
  layout: ": name the contract's .sol file, or what its compiler or build tool wrote",
  trust: ": name the hash of a block that you trust",
  from: ": name the first block",
  to: ": name the last block"
}

/** Returns the long name of a flag that the parser suggests: `-o` is near to `--out`, and means `--output`. */
const longOf = (name: string, command: ReadonlyArray<string>): string =>
  name === "-o" ? (command.at(-1) === "cat" ? "--offset" : "--output") : name === "-f" ? "--force" : name

const meant = ([first]: ReadonlyArray<string>): string => (first === undefined ? "" : `. Did you mean ${first}?`)

/**
 * Returns advice about an error, as the end of the error's sentence, or an empty text. A client's error says what
 * failed, but does not know the flags of this command. The advice names the flag that helps.
 */
const hintOf = (error: object): string => {
  if ("problem" in error && error.problem === "TimedOut") return LONGER
  if ("problem" in error && error.problem === "Unreachable") {
    return '. Start it with "plumbline up", or name another with --url'
  }
  if ("problem" in error && error.problem === "BadCertificate") {
    return ". It must name the host of --url. For an authority of your own, set NODE_EXTRA_CA_CERTS to its certificate"
  }
  return "reason" in error && typeof error.reason === "object" && error.reason !== null ? ofReason(error.reason) : ""
}

const LONGER = ": wait longer with --timeout <seconds>"

const ofReason = (reason: object): string => {
  const { _tag: tag, code, setting = "--port", status } = reason as { readonly [member: string]: unknown }
  if (tag === "TimeoutError") return LONGER
  if (tag === "CannotListen")
    return `. ${code === "EADDRINUSE" ? "The port is taken. " : ""}Choose another with ${String(setting)}`
  if (tag === "RemoteError" && code === METHOD_NOT_FOUND) {
    const flag = NodeFlag.of(reason)
    return `. Name a node that has this method with ${flag}${flag === "--url" ? ", or another network with --network" : ""}`
  }
  if (tag === "RemoteError" && status !== 401 && status !== 403) return ofKind(reason)
  if (tag === "OtherChainError") return NETWORK
  if (tag !== "TransportError" && tag !== "RemoteError") return tag === "ConnectionError" ? BEACON : ""
  if (status === undefined) return `. Check that a node runs there, or name another with ${NodeFlag.of(reason)}`
  return status === 401 || status === 403 || status === 404
    ? `. Check the path and the API key of ${NodeFlag.of(reason)}`
    : ""
}

/** Returns the way out of an error of the node that another node, another block or another time removes. */
const ofKind = (reason: object): string => {
  const flag = NodeFlag.of(reason)
  switch ((reason as { readonly kind?: unknown }).kind) {
    case "pruned":
      return `. Name a node that keeps old states, an archive, with ${flag}, or ask for a newer block`
    case "notFound":
      return `. Ask for a block that the node has, or name another node with ${flag}`
    case "unauthorized":
      return `. Check the path and the API key of ${flag}`
    case "quotaExceeded":
    case "rateLimited":
    case "unavailable":
    case "timedOut":
    case "internal":
      return `. Ask again later, or name another node with ${flag}`
    default:
      return ""
  }
}

const BEACON = ". Check that a beacon node runs there, or name another with --beacon"

const NETWORK = ". Name its chain with --beacon-network <name|file>"

/** Source: the JSON-RPC 2.0 specification, section 5.1. */
const METHOD_NOT_FOUND = -32_601
