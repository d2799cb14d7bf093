/**
 * Writes the parts of the reference that the code knows: the page `docs/reference/settings.md` from the Schema of the
 * configuration file, and the lists of flags in `docs/reference/commands.md` from the help of the commands.
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
  [/^a whole number from (\d+) to 1000000000(?:000)?\b/u, "number from $1"],
  [/^a whole number from /u, ""]
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
      description: descriptionOf(ast)
    }
  ]
}

const escaped = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "\\<")

const sections = ConfigFile.ast.propertySignatures
  .map(({ name, type }) => ({ name: String(name), type }))
  .filter(({ name }) => name !== "$schema")

const page = (): string =>
  [
    "# Settings",
    "",
    "All settings of the configuration file of `plumbline up`, and of the options of the gateway's modules. [The configuration](configuration.md) says how to write the file, with its times and sizes. Each setting is optional unless its default says `required`; that holds if its group is there. `pnpm settings --write` writes this page.",
    ...sections.flatMap(({ name, type }) => [
      "",
      `## ${name}`,
      "",
      escaped(descriptionOf(type)),
      "",
      "| setting | value | default | meaning |",
      "| --- | --- | --- | --- |",
      ...rowsOf(type, SchemaAST.isObjects(type) ? "" : name).map(
        (row) => `| \`${row.path}\` | ${escaped(row.value)} | ${row.usual} | ${escaped(row.description)} |`
      )
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

/** Removes the padding that the formatter gives to tables. */
const bare = (text: string): string => text.replaceAll(/ +/gu, " ").replaceAll(/-{3,}/gu, "---")

const files: ReadonlyArray<readonly [name: string, make: (text: string) => string | Promise<string>]> = [
  ["docs/reference/settings.md", page],
  ["docs/reference/commands.md", (text) => FlagLists.rewrite(text, flagsOf)]
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
