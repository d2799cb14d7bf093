/**
 * Writes the parts of the reference that the code knows: the page `docs/reference/settings.md` from the Schema of the
 * configuration file, the lists of flags in `docs/reference/commands.md` from the help of the commands, and the schema of
 * the Helm chart's values.
 *
 * Without `--write`, the script fails if a page says something else.
 */
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import process from "node:process"

import * as SettingShape from "@plumbline/gateway/schema/SettingShape"
import type { FlagDoc } from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import * as SchemaAST from "effect/SchemaAST"

import { ConfigFile } from "../src/config/ConfigFile.ts"
import { docOf } from "./bundle/manual.ts"
import * as ChartSchema from "./chartSchema.ts"
import * as FlagLists from "./flagLists.ts"

const root = path.resolve(import.meta.dirname, "../../..")

/** A setting: its path, the values that it accepts, its default and its purpose. */
interface Row {
  readonly path: string
  readonly value: string
  readonly usual: string
  readonly description: string
}

const textOf = (annotation: unknown): string =>
  typeof annotation === "string" || typeof annotation === "number" || typeof annotation === "boolean"
    ? String(annotation)
    : ""

/** The values of settings for which the page has a word, and the word. */
const WORDS: ReadonlyArray<readonly [sentence: RegExp, word: string]> = [
  [/^must be /u, ""],
  [/^a time such as .*? or 8d/u, "time"],
  [/^a number of bytes, (?:or )?a text such as .*? or 2GiB/u, "size"],
  [/^a text that is not empty/u, "text"],
  [/^true or false$/u, "boolean"],
  [/^a name of letters, digits, dots and hyphens/u, "name"],
  [/^0x and 64 hex digits/u, "hash"],
  [/^a URL with http:\/\/ or https:\/\/$/u, "URL"],
  [/^a URL with http:\/\/, https:\/\/, ws:\/\/ or wss:\/\/.*$/u, "URL, also of a WebSocket"],
  [/^an IP address or a host name, without a port/u, "host"],
  [/^a whole number from (\d+) to 1000000000(?:000)?\b/u, "number from $1"],
  [/^a whole number from /u, ""]
]

/** Sentences that descriptions repeat, and that the head of the page says once. */
const SAID_ONCE: ReadonlyArray<RegExp> = [
  /[;,]? relative to this file(?=[.])/u,
  /; null means no limit(?=[.])/u,
  / null means no bound\.$/u,
  / It is never shown\./u,
  / (?:The URL|It) may (?:hold|contain) a key, so (?:it is never|only its host is) shown\./u,
  /(?<=The beacon chain): mainnet, sepolia, hoodi, or the file of a network/u
]

const descriptionOf = (ast: SchemaAST.AST): string => textOf(SettingShape.annotationOf(ast, "description"))

/** Returns true if a group of the file must have this member. A member with a default may be left out of the file. */
const isRequired = (group: SchemaAST.AST, name: PropertyKey): boolean => {
  const encoded = SchemaAST.toEncoded(group)
  return (
    SchemaAST.isObjects(encoded) &&
    encoded.propertySignatures.some((member) => member.name === name && !SchemaAST.isOptional(member.type))
  )
}

/** Returns the settings below a path, in the order of the Schema. */
const rowsOf = (ast: SchemaAST.AST, at: string, required = false): ReadonlyArray<Row> => {
  if (SchemaAST.isObjects(ast)) {
    const members = ast.propertySignatures.map(({ name, type }) => [String(name), type, isRequired(ast, name)] as const)
    const entries = ast.indexSignatures.map(({ type }) => ["<name>", type, false] as const)
    return [...members, ...entries].flatMap(([name, type, required]) =>
      rowsOf(type, at === "" ? name : `${at}.${name}`, required)
    )
  }
  const item = SchemaAST.isArrays(ast) ? ast.rest[0] : undefined
  if (item !== undefined && SchemaAST.isObjects(item)) return rowsOf(item, `${at}[]`)
  const accepted = item === undefined ? ast : item
  const value = WORDS.reduce(
    (sentence, [long, word]) => sentence.replace(long, word),
    SettingShape.at(accepted, [])!.sentence
  )
  const usual = SettingShape.annotationOf(ast, "default")
  return [
    {
      path: at,
      value: item === undefined ? value : `a list: ${value}`,
      usual: required ? "required" : textOf(usual) === "" ? "" : `\`${textOf(usual)}\``,
      description: SAID_ONCE.reduce((text, sentence) => text.replace(sentence, ""), descriptionOf(ast))
    }
  ]
}

const escaped = (text: string): string => text.replaceAll("<", "\\<")

/** The values whose form a default shows: `10s`, `64MiB`, `true`, `100`. */
const shown = /^(?:time|size|boolean|number from 1)$/u

/** Returns the line of a setting, in the form of a flag's line in the page about the commands. */
const settingLine = ({ description, path, usual, value }: Row): string => {
  const about = usual.startsWith("`") && shown.test(value) ? [usual] : [escaped(value), usual]
  return `- \`${path}\` (${about.filter((text) => text !== "").join("; ")}): ${escaped(description)}`
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("."))
const leafOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1)

/** Returns true if two rows of different groups say the same about settings of one name. */
const isRepeated = (row: Row, earlier: Row): boolean =>
  leafOf(row.path) === leafOf(earlier.path) &&
  leafOf(row.path) !== "<name>" &&
  parentOf(row.path) !== parentOf(earlier.path) &&
  row.value === earlier.value &&
  row.usual === earlier.usual &&
  row.description === earlier.description

/** Returns the lines of a section. One line names all settings of a group that another group has with the same words. */
const linesOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const repeated = new Map<string, { readonly group: string; readonly leaves: Array<string> }>()
  const own = rows.flatMap((row, at) => {
    const earlier = rows.slice(0, at).find((other) => isRepeated(row, other))
    if (earlier === undefined) return [settingLine(row)]
    const group = parentOf(row.path)
    const known = repeated.get(group)
    if (known !== undefined) {
      known.leaves.push(leafOf(row.path))
      return []
    }
    repeated.set(group, { group: parentOf(earlier.path), leaves: [leafOf(row.path)] })
    return [group]
  })
  return own.map((line) => {
    const group = repeated.get(line)
    if (group === undefined) return line
    const [first, ...others] = group.leaves
    return `- ${[`${line}.${first}`, ...others].map((name) => `\`${name}\``).join(", ")}: as in \`${group.group}\``
  })
}

const sections = ConfigFile.ast.propertySignatures
  .map(({ name, type }) => ({ name: String(name), type }))
  .filter(({ name }) => name !== "$schema")

const page = (): string =>
  [
    "# Settings",
    "",
    "The settings of [the configuration file](configuration.md), and of the options of the gateway's modules, each with its values and its default. A default that stands alone shows the form: `10s` is a time, `64MiB` a size, `100` a whole number from 1. `null` means no limit. A beacon chain is mainnet, sepolia, hoodi, or the file of a network. Files are relative to the configuration file. Of a URL only the host is shown, and of a secret or a header nothing. `pnpm settings --write` writes this page.",
    ...sections.flatMap(({ name, type }) => [
      "",
      `## ${name}`,
      "",
      ...(SchemaAST.isObjects(type) ? [escaped(descriptionOf(type)), ""] : []),
      ...linesOf(rowsOf(type, SchemaAST.isObjects(type) ? "" : name))
    ]),
    ""
  ].join("\n")

const escapedText = (text: string): string => text.replaceAll(/[<*]/gu, "\\$&")

const lineOf = ({ description, name, type }: FlagDoc): string => {
  const value = type === "boolean" ? "" : type.includes("<") ? ` ${type}` : ` <${type}>`
  return `- \`--${name}${value}\`: ${escapedText(Option.getOrElse(description, () => ""))}`
}

const flagsOf = async (command: string): Promise<ReadonlyArray<string>> =>
  (await docOf(command.split(" "))).flags.map(lineOf)

/** Removes the spaces that the formatter gives to tables and to JSON. */
const bare = (text: string): string =>
  text.startsWith("{") ? JSON.stringify(JSON.parse(text)) : text.replaceAll(/ +/gu, " ").replaceAll(/-{3,}/gu, "---")

const files: ReadonlyArray<readonly [name: string, make: (text: string) => string | Promise<string>]> = [
  ["docs/reference/settings.md", page],
  ["docs/reference/commands.md", (text) => FlagLists.rewrite(text, flagsOf)],
  ["deploy/helm/plumbline/values.schema.json", ChartSchema.rewrite]
]

for (const [name, make] of files) {
  const file = path.join(root, name)
  const write = process.argv.includes("--write")
  const text = write && name.endsWith("settings.md") ? "" : readFileSync(file, "utf8")
  const made = await make(text)
  if (bare(made) === bare(text)) continue
  if (write) writeFileSync(file, made)
  else {
    console.error(`${name} says something else than the code: run pnpm settings --write && pnpm format`)
    process.exitCode = 1
  }
}
