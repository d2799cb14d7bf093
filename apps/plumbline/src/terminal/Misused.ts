/** The sentences of arguments that cannot be understood. */
import type * as CliError from "effect/cli/CliError"

/** Returns the errors to tell of: an unknown command alone, because no flag behind it is known either. */
export const first = (errors: ReadonlyArray<CliError.CliError>): ReadonlyArray<CliError.CliError> => {
  const unknown = errors.find(({ _tag }) => _tag === "UnknownSubcommand")
  return unknown === undefined ? errors : [unknown]
}

/** Returns the sentence of an error: the argument, what is wrong with it, and what is meant perhaps. */
export const sentence = (error: CliError.CliError): string => {
  switch (error._tag) {
    case "UnrecognizedOption": {
      const { command = ["plumbline"], option, suggestions } = error
      return `${command.join(" ")} has no flag ${option}${meant(suggestions)}`
    }
    case "UnknownSubcommand": {
      const { parent = ["plumbline"], subcommand, suggestions } = error
      return `${parent.join(" ")} has no command "${subcommand}"${meant(suggestions)}`
    }
    case "MissingOption":
      return `--${error.option} is missing`
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

const meant = ([first]: ReadonlyArray<string>): string => (first === undefined ? "" : `. Did you mean ${first}?`)
