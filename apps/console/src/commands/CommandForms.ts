/** The commands of IPFS as forms. The forms come from the same table as the client and the service. */
import type * as Api from "@plumbline/ipfs-client/commands/Command"
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"

import type { FormParameter } from "../playground/MethodForms.ts"
import type * as SchemaForms from "../playground/SchemaForms.ts"

/** Commands without a form: a program reads their answers, or they ask no node. */
const FOR_PROGRAMS = [
  "block/rm",
  "cid/base32",
  "cid/bases",
  "cid/codecs",
  "cid/format",
  "cid/hashes",
  "cid/inspect",
  "dag/stat",
  "pin/verify",
  "refs",
  "refs/local",
  "repo/stat",
  "resolve"
] as const satisfies ReadonlyArray<IpfsApi.CommandName>

/** The name of a command with a form. */
export type FormCommandName = Exclude<IpfsApi.CommandName, (typeof FOR_PROGRAMS)[number]>

/** True for a command with a form. */
export const hasForm = (name: string): name is FormCommandName =>
  !(FOR_PROGRAMS as ReadonlyArray<string>).includes(name)

/** A command with its form. The paths of the fields are the names of arguments and options. */
export interface DescribedCommand {
  readonly name: FormCommandName
  readonly doc: string
  readonly topic: string
  readonly verification: Api.CommandVerification
  /** The arguments of the query, in order. */
  readonly args: ReadonlyArray<FormParameter & { readonly isVariadic: boolean }>
  /** The argument that is sent as the body; undefined for a command that takes no files. */
  readonly upload: { readonly name: string; readonly doc: string; readonly isVariadic: boolean } | undefined
  readonly options: ReadonlyArray<FormParameter & { readonly type: keyof Api.OptionTypes }>
}

/** A value of an option. */
export type OptionValue = boolean | number | string

/** The request that a form makes, without its files. */
export interface CommandQuestion {
  readonly name: FormCommandName
  readonly args: ReadonlyArray<string>
  /** The options that the reader gave, by their names in the query. */
  readonly options: Readonly<Record<string, OptionValue>>
}

/** The options that the client sets by itself, or that change no answer of a page. */
const OWN: ReadonlySet<string> = new Set(["progress", "silent", "stream", "inputenc", "datafieldenc"])

/**
 * True for a command of the old object API. The client makes its answer from the block, so it takes no common option.
 */
const isObject = (name: string): boolean => name.startsWith("object/")

const describe = (name: FormCommandName): DescribedCommand => {
  const { args, doc, options, verification }: Api.AnyCommand = IpfsApi.commands[name]
  const file = args.find(({ kind }) => kind === "file")
  const own = Object.entries(options).filter(
    ([option, { local }]) => !local && !OWN.has(option) && !(isObject(name) && option in IpfsApi.globals)
  )
  // the command's own options come before the options that all commands have
  const sorted = own.toSorted(([a], [b]) => Number(a in IpfsApi.globals) - Number(b in IpfsApi.globals))
  return {
    name,
    doc,
    topic: topicOf(name),
    verification,
    args: args
      .filter(({ kind }) => kind === "string")
      .map(({ doc, name, required, variadic }) => ({
        name,
        doc,
        required,
        form: variadic ? { _tag: "Lines" as const, item: TEXT } : { ...TEXT, hint: "bafy…" },
        mistake: () => undefined,
        isVariadic: variadic
      })),
    upload: file === undefined ? undefined : { name: file.name, doc: file.doc, isVariadic: file.variadic },
    options: sorted.map(([option, { default: usual, doc, type }]) => ({
      name: option,
      doc: usual === undefined ? doc : `${doc} Default: ${usual}.`,
      required: false,
      form:
        type === "bool"
          ? { _tag: "Flag" as const }
          : { ...TEXT, isNumber: type === "int" || type === "uint", hint: String(usual ?? HINTS[type]) },
      mistake: (value: unknown) => mistakeOf(type, String(value)),
      type
    }))
  }
}

/** The hints in empty fields of options that have no default. */
const HINTS: Readonly<Record<keyof Api.OptionTypes, string>> = {
  bool: "",
  int: "a number",
  uint: "a number",
  string: "",
  duration: "30s"
}

const TEXT: Extract<SchemaForms.SchemaForm, { readonly _tag: "Text" }> = {
  _tag: "Text",
  options: [],
  patterns: [],
  isNumber: false
}

/** The topics of commands, by patterns of their names. The first pattern that matches counts. */
const TOPICS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(?:add|cat|get|ls|files\/)/u, "Files"],
  [/^pin\//u, "Pins"],
  [/^block\//u, "Blocks"],
  [/^dag\//u, "Graphs"],
  [/^object\//u, "Objects"]
]

const topicOf = (name: string): string => TOPICS.find(([pattern]) => pattern.test(name))?.[1] ?? "The node"

/** A duration in the format of Go. */
const DURATION = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/u

const mistakeOf = (type: keyof Api.OptionTypes, text: string): string | undefined => {
  switch (type) {
    case "int":
      return /^-?\d{1,15}$/u.test(text) ? undefined : "Expected a whole number"
    case "uint":
      return /^\d{1,15}$/u.test(text) ? undefined : "Expected a whole number, zero or more"
    case "duration":
      return DURATION.test(text) ? undefined : "Expected a time such as 30s or 1m30s"
    default:
      return undefined
  }
}

/** All commands, sorted by topic. */
export const all: ReadonlyArray<DescribedCommand> = Object.keys(IpfsApi.commands)
  .filter(hasForm)
  .map(describe)
  .toSorted((a, b) => order(a.topic) - order(b.topic))

function order(topic: string): number {
  const at = TOPICS.findIndex(([, name]) => name === topic)
  return at < 0 ? TOPICS.length : at
}

/** Returns the commands whose name or description holds every word of a text. */
export const search = (text: string): ReadonlyArray<DescribedCommand> => {
  const words = text.toLowerCase().split(/\s+/u)
  return all.filter(({ doc, name, topic }) => {
    const whole = `${name} ${topic} ${doc}`.toLowerCase()
    return words.every((word) => whole.includes(word))
  })
}

/** The request that a form makes, and the mistakes in the form, by field name. */
export interface CommandReading {
  readonly question: CommandQuestion
  readonly mistakes: Readonly<Record<string, string>>
}

/** Reads the question of a form from its texts. */
export const read = ({ args, name, options }: DescribedCommand, texts: SchemaForms.FieldTexts): CommandReading => {
  const mistakes: Record<string, string> = {}
  const textOf = (field: string): string => (texts[field] ?? "").trim()
  const given = args.flatMap(({ isVariadic, name, required }) => {
    const text = textOf(name)
    if (text === "" && required) mistakes[name] = "Needed"
    const lines = isVariadic ? text.split("\n").map((line) => line.trim()) : [text]
    return lines.filter((line) => line !== "")
  })
  const values = options.flatMap(({ mistake, name, type }): ReadonlyArray<readonly [string, OptionValue]> => {
    const text = textOf(name)
    if (text === "") return []
    const wrong = mistake(text)
    if (wrong !== undefined) mistakes[name] = wrong
    return [[name, type === "bool" ? text === "true" : type === "int" || type === "uint" ? Number(text) : text]]
  })
  return { question: { name, args: given, options: Object.fromEntries(values) }, mistakes }
}

/** Writes a question into the text of a link: a JSON list of the arguments and the options. */
export const toText = ({ args, options }: CommandQuestion): string => JSON.stringify([args, options])

/** Converts the text of a link into the texts of a form. Values that do not fit the form are left out. */
export const write = ({ args, options }: DescribedCommand, text: string | undefined): SchemaForms.FieldTexts => {
  if (text === undefined) return {}
  const [given, chosen] = JSON.parse(text) as ReadonlyArray<unknown>
  const lines = (Array.isArray(given) ? given : []).filter((one): one is string => typeof one === "string")
  const texts: Record<string, string> = {}
  for (const [at, { isVariadic, name }] of args.entries()) {
    const own = isVariadic ? lines.slice(at).join("\n") : lines[at]
    if (own !== undefined && own !== "") texts[name] = own
  }
  const values = typeof chosen === "object" && chosen !== null ? new Map<string, unknown>(Object.entries(chosen)) : NONE
  for (const { name } of options) {
    const value = values.get(name)
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") texts[name] = `${value}`
  }
  return texts
}

const NONE: ReadonlyMap<string, unknown> = new Map()
