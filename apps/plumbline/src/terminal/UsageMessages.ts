/** The error messages for arguments that cannot be understood. */
import type * as CliError from "effect/cli/CliError"

/**
 * Returns the errors to report. If the command is unknown, returns only that error, because the flags of an unknown
 * command are unknown too.
 */
export const first = (errors: ReadonlyArray<CliError.CliError>): ReadonlyArray<CliError.CliError> => {
  const unknown = errors.find(({ _tag }) => _tag === "UnknownSubcommand")
  return unknown === undefined ? errors : [unknown]
}

/** Returns the sentence of an error: the argument, the fault, and a suggestion. */
export const sentence = (error: CliError.CliError): string => {
  switch (error._tag) {
    case "UnrecognizedOption": {
      const { command = ["plumbline"], option, suggestions } = error
      const asArgument = option === "--config" && command.includes("config") ? ". Name the file as the argument" : ""
      return `${command.join(" ")} has no flag ${option}${asArgument === "" ? meant(option.startsWith("--") ? suggestions.map((name) => longOf(name, command)) : suggestions) : asArgument}`
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
