/** Reads the lines of a shell fence, and finds commands, flags and scripts that do not exist. */
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"

/** The commands and scripts that a line may name. */
export interface Known {
  /** The help of `plumbline`, or of one of its commands. */
  readonly helpOf: (path: ReadonlyArray<string>) => Promise<HelpDoc>
  /** The scripts of the workspace. */
  readonly scripts: ReadonlySet<string>
}

/** Returns the faults of a fence, each with the line that has it. */
export const faultsOf = async (code: string, known: Known): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (const words of commandsOf(code)) {
    for (const fault of await faultsOfCommand(words, known)) faults.push(`${words.join(" ")}: ${fault}`)
  }
  return faults
}

/** Returns the commands of a script, each as its words. A placeholder such as `<API key>` is one word. */
export const commandsOf = (code: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = code.replaceAll(/\\\n\s*/g, " ").split("\n")
  return lines.flatMap((line) => {
    const commands: Array<Array<string>> = [[]]
    let isFile = false
    for (const [token] of line.replaceAll(/<[^<>|]*>/g, "PLACEHOLDER").matchAll(tokens)) {
      if (token.startsWith("#")) break
      const wasFile = isFile
      isFile = /^[0-9]?[<>]+$/.test(token)
      if (isFile || wasFile) continue
      if (/^[|;&]+$/.test(token)) commands.push([])
      else commands.at(-1)!.push(token.replaceAll(/^(["'])(.*)\1$/g, "$2"))
    }
    return commands
      .map((words) => words.slice(words.findIndex((word) => !prefix.test(word))))
      .filter((words) => words.length > 0 && !prefix.test(words[0]!) && words[0] !== "done" && words[0] !== "for")
  })
}

/** A quoted text, a substitution, an operator, a comment to the end of the line, or a word with quoted parts. */
const tokens = /#.*$|\$\([^)]*\)|[0-9]?[<>]+|[|;&]+|(?:"[^"]*"|'[^']*'|\$\([^)]*\)|[^\s|;&<>"'])+/g

/** A word that may precede a command: an assignment, or a keyword of the shell. */
const prefix = /^(?:[A-Z_]+=.*|do|then|sudo)$/

/** Programs other than ours that a line may name: readers have them, or the text says how to install them. */
const others: ReadonlySet<string> = new Set(
  "buildah cd cp createdb curl docker echo export git helm install kill kubectl mkdir node npm openssl printf psql redis-cli rm sh systemctl".split(
    " "
  )
)

const faultsOfCommand = async (words: ReadonlyArray<string>, known: Known): Promise<ReadonlyArray<string>> => {
  const [program, ...args] = words[0] === "npx" ? words.slice(1).filter((word) => word !== "--yes") : words
  if (program === "plumbline" || program === "./plumbline" || program === "@plumbline/cli")
    return faultsOfArguments(args, known, [])
  if (program === "pnpm") {
    const [script, ...rest] = args.filter((word) => word !== "--silent" && word !== "run")
    if (script === "plumbline") return faultsOfArguments(rest, known, [])
    if (script === "start") return faultsOfArguments(["up", ...rest], known, [])
    return script === "install" || (script !== undefined && (script.startsWith("-") || known.scripts.has(script)))
      ? []
      : [`pnpm knows no ${script}`]
  }
  return program !== undefined && others.has(program) ? [] : [`${program} is not a known program`]
}

const faultsOfArguments = async (
  args: ReadonlyArray<string>,
  known: Known,
  path: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const help = await known.helpOf(path)
  const [first = "", ...rest] = args
  const commands = (help.subcommands ?? []).flatMap((group) => group.commands)
  if (commands.some(({ name }) => name === first)) return faultsOfArguments(rest, known, [...path, first])
  const flags = [...help.flags, ...(help.globalFlags ?? []), ...(help.inheritedFlags ?? [])]
  const operands: Array<string> = []
  const faults: Array<string> = []
  for (let index = 0; index < args.length; index++) {
    const arg = args[index]!
    if (!/^-[-a-zA-Z]/.test(arg)) {
      operands.push(arg)
      continue
    }
    const [name = "", value] = arg.split("=", 2)
    const flag = flags.find((flag) => namesOf(flag).includes(name))
    if (flag === undefined) faults.push(`there is no flag ${name}`)
    else if (flag.type !== "boolean" && value === undefined && args[++index] === undefined) {
      faults.push(`${name} has no value`)
    }
  }
  const wanted = help.args ?? []
  if (commands.length > 0 && wanted.length === 0 && operands.length > 0) {
    return [...faults, `there is no command ${operands[0]}`]
  }
  const isBounded = !wanted.some(({ variadic }) => variadic)
  if (operands.length < wanted.filter(({ required }) => required).length) faults.push("an argument is missing")
  if (isBounded && operands.length > wanted.length) faults.push(`there are ${operands.length} arguments`)
  return faults
}

const namesOf = ({ aliases, name, type }: FlagDoc): ReadonlyArray<string> => [
  `--${name}`,
  ...(type === "boolean" ? [`--no-${name}`] : []),
  ...aliases
]
