/** Writes the query of a command: its arguments in order, and its options by name. */
import * as Result from "effect/Result"

import type * as Command from "../commands/Command.ts"
import { EncodeError } from "./IpfsError.ts"

/** A program's options, in camel case. Undefined options are left out. */
export type GivenOptions = Readonly<Record<string, boolean | number | string | undefined>>

/** Returns the query, without the question mark. */
export const make = (
  command: Command.AnyCommand,
  args: ReadonlyArray<string>,
  options: GivenOptions
): Result.Result<string, EncodeError> => {
  const query = new URLSearchParams()
  for (const arg of args) {
    if (!arg.isWellFormed()) {
      return fail("arg", "must be well-formed text")
    }
    query.append("arg", arg)
  }
  for (const [given, value] of Object.entries(options)) {
    if (value === undefined) {
      continue
    }
    const name = kebab(given)
    const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined
    if (option === undefined) {
      return fail(given, "is not an option of this command")
    }
    const wrong = check(option.type, value)
    if (wrong !== undefined) {
      return fail(given, wrong)
    }
    query.append(name, String(value))
  }
  return Result.succeed(query.toString())
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Returns the fault of an option's value. Types prevent faults, except in plain JavaScript and for numbers. */
const check = (type: keyof Command.OptionTypes, value: boolean | number | string): string | undefined => {
  switch (type) {
    case "bool":
      return typeof value === "boolean" ? undefined : "must be a boolean"
    case "int":
      return Number.isSafeInteger(value) ? undefined : "must be a whole number"
    case "uint":
      return Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : "must be a whole number, zero or more"
    case "duration":
      return typeof value === "string" && GO_DURATION.test(value) ? undefined : "must be a duration, such as 1m30s"
    case "string":
      return typeof value === "string" && value.isWellFormed() ? undefined : "must be well-formed text"
  }
}

/** Durations that Go's `time.ParseDuration` accepts, without signs. */
const GO_DURATION = /^(?:0|(?:[0-9]+(?:\.[0-9]*)?(?:ns|us|\u00b5s|ms|s|m|h))+)$/

const fail = (name: string, detail: string): Result.Result<never, EncodeError> =>
  Result.fail(new EncodeError({ name, detail }))
