/** Parses the path and the query of a request into a call of a command, as go-ipfs-cmds does (`http/parse.go`). */
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type * as Command from "@plumbline/ipfs-client/commands/Command"
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as GoDuration from "@plumbline/jsonrpc-core/time/GoDuration"
import * as Result from "effect/Result"

import * as Go from "./goForms.ts"

/** The options in the query that have an effect, by their names in camel case. */
export type CommandOptions = Readonly<Record<string, boolean | number | string | undefined>>

/** A parsed call: all arguments, and options converted to their types. */
export interface CommandCall {
  readonly name: IpfsApi.CommandName
  readonly command: Command.AnyCommand
  readonly args: ReadonlyArray<string>
  readonly options: CommandOptions
  /** The encoding of the answer: `json`, or another one that the command supports. */
  readonly encoding: string
  /** Milliseconds after which the command is cancelled. */
  readonly timeout: number | undefined
  /** Writes a CID in the form that the caller wants. */
  readonly format: (cid: Cid.Cid) => Cid.CidText
}

/** A command, and its first argument if that is part of the path. */
export interface FoundCommand {
  readonly name: IpfsApi.CommandName
  readonly command: Command.AnyCommand
  readonly pathArgument: string | undefined
}

/** Finds the longest known command. If the last segment of the path is not part of the name, it is an argument. */
export const find = (path: string): FoundCommand | undefined => {
  const whole = IpfsApi.find(path)
  if (whole !== undefined) return { name: path as IpfsApi.CommandName, command: whole, pathArgument: undefined }
  const slash = path.lastIndexOf("/")
  const name = path.slice(0, Math.max(slash, 0))
  const command = IpfsApi.find(name)
  if (command === undefined) return undefined
  return { name: name as IpfsApi.CommandName, command, pathArgument: path.slice(slash + 1) }
}

/** Parses the query. An invalid query gets 400 with Kubo's text; unknown options are ignored. */
export const parse = (
  { command, name, pathArgument }: FoundCommand,
  query: string
): Result.Result<CommandCall, HttpRefusal.HttpRefusal> =>
  Result.gen(function* () {
    const args: Array<string> = []
    if (pathArgument !== undefined && pathArgument !== "") args.push(yield* decoded(pathArgument))
    const names = namesOf(command)
    const given = new Map<string, Array<string>>()
    for (const [key, value] of new URLSearchParams(query)) {
      if (key === "arg") args.push(value)
      else {
        const option = names.get(key)
        if (option === undefined) continue
        const values = given.get(option)
        if (values === undefined) given.set(option, [value])
        else values.push(value)
      }
    }
    const options: Record<string, boolean | number | string> = {}
    let encoding = "json"
    for (const [option, values] of given) {
      if (values.length > 1) {
        return yield* bad(`expected key ${option} to have only a single value, received [${shown(values.join(" "))}]`)
      }
      const value = yield* valueOf(option, typeOf(command, option), values[0]!)
      if (option === "encoding") encoding = String(value)
      else if (command.options[option]?.local === false) options[camel(option)] = value
    }
    yield* complete(command, args)
    const { cidBase, timeout, upgradeCidv0InOutput } = options
    return {
      name,
      command,
      args,
      options,
      encoding,
      timeout: timeout === undefined ? undefined : GoDuration.toMillis(String(timeout)),
      format: yield* formatOf(cidBase as string | undefined, upgradeCidv0InOutput as boolean | undefined)
    }
  })

/** The options of the HTTP API itself. `stream-channels` has no effect on the server. */
const transport: Readonly<Record<string, keyof Command.OptionTypes>> = { encoding: "string", "stream-channels": "bool" }

const typeOf = (command: Command.AnyCommand, option: string): keyof Command.OptionTypes =>
  command.options[option]?.type ?? transport[option]!

/** Returns a map from each name and alias of an option to its name. */
const namesOf = (command: Command.AnyCommand): ReadonlyMap<string, string> => {
  const known = NAMES.get(command)
  if (known !== undefined) return known
  const names = new Map([...Object.keys(transport).map((name) => [name, name] as const), ["enc", "encoding"] as const])
  for (const [name, { alias }] of Object.entries(command.options)) {
    names.set(name, name)
    if (alias !== undefined) names.set(alias, name)
  }
  NAMES.set(command, names)
  return names
}

const NAMES = new WeakMap<Command.AnyCommand, ReadonlyMap<string, string>>()

const camel = (name: string): string => name.replaceAll(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase())

const valueOf = (
  option: string,
  type: keyof Command.OptionTypes,
  text: string
): Result.Result<boolean | number | string, HttpRefusal.HttpRefusal> => {
  const value = read(type, text)
  if (value !== undefined) return Result.succeed(value)
  const shownValue = text === "" ? "empty value" : `value ${JSON.stringify(shown(text))}`
  return bad(`could not convert ${shownValue} to type "${type}" (for option "-${option}")`)
}

const read = (type: keyof Command.OptionTypes, text: string): boolean | number | string | undefined => {
  switch (type) {
    case "bool":
      return Go.parseBool(text)
    case "int":
      return Go.parseInteger(text)
    case "uint": {
      const value = Go.parseInteger(text)
      return value === undefined || /^[+-]/u.test(text) ? undefined : value
    }
    case "duration":
      // Kubo has a bug: it answers an invalid duration with an empty 200.
      return GoDuration.toMillis(text) === undefined ? undefined : text
    case "string":
      return text
  }
}

/** Fails if an argument is missing. Arguments of a command that takes none are ignored, as in Kubo. */
const complete = (
  command: Command.AnyCommand,
  args: ReadonlyArray<string>
): Result.Result<void, HttpRefusal.HttpRefusal> => {
  const taken = command.args.filter(({ kind }) => kind === "string")
  for (const [index, { name, required }] of taken.entries()) {
    if (required && index >= args.length) return bad(`argument ${JSON.stringify(name)} is required`)
  }
  if (taken.length > 0 && taken.at(-1)?.variadic !== true && args.length > taken.length) {
    return bad(`expected at most ${taken.length} arguments, received ${args.length}`)
  }
  return Result.void
}

/**
 * Returns the function that writes CIDs. As in Kubo, CIDs of version 0 are converted to version 1 for a base that
 * version 0 does not have, unless the caller forbids it.
 */
const formatOf = (
  base: string | undefined,
  upgrade: boolean | undefined
): Result.Result<CommandCall["format"], HttpRefusal.HttpRefusal> => {
  const given = base === undefined || base === "" ? undefined : base
  const known = given === undefined ? "base32" : Cid.baseOf(given)
  if (known === undefined) return bad(`unsupported multibase encoding: ${shown(given!)}`)
  const isUpgraded = upgrade ?? (given !== undefined && known !== "base58btc")
  return Result.succeed((cid) => Cid.toText(isUpgraded ? Cid.toV1(cid) : cid, known))
}

const decoded = (segment: string): Result.Result<string, HttpRefusal.HttpRefusal> => {
  try {
    return Result.succeed(decodeURIComponent(segment))
  } catch {
    return Result.fail(HttpRefusal.badRequest)
  }
}

/** Shortens a text of the caller to one line, for an error message. */
const shown = (text: string): string => {
  const line = text.replaceAll(/\p{Cc}/gu, " ")
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}...` : line
}

const MAX_SHOWN = 80

const bad = (text: string): Result.Result<never, HttpRefusal.HttpRefusal> => Result.fail(HttpRefusal.make(400, text))
