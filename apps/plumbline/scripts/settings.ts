/**
 * Writes the tables of settings from the Schema of the configuration file: the page `docs/reference/settings.md`, and
 * the table of sections in `docs/reference/configuration.md`.
 *
 * Without `--write`, the script fails if a table says something else.
 */
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import process from "node:process"

import * as SettingShape from "@plumbline/gateway/schema/SettingShape"
import * as SchemaAST from "effect/SchemaAST"

import { ConfigFile } from "../src/config/ConfigFile.ts"

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
  const value = SettingShape.at(accepted, [])!.sentence.replace(/^must be /u, "")
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
    "All settings of the configuration file of `plumbline up`. Each is optional unless its default says `required`; that holds if its group is there. `plumbline config schema` prints the same as a JSON Schema, and `plumbline config check` checks a file. The options of the gateway's modules have the same names, bounds and defaults, and are checked by the same Schemas. `pnpm settings --write` writes this page.",
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

const BEGIN = "<!-- the table of sections: pnpm settings --write -->"
const END = "<!-- the end of the table -->"

/** Returns the page about the configuration with the table of sections between its marks. */
const withSections = (text: string): string => {
  const [before, rest = ""] = text.split(BEGIN)
  const [, after = ""] = rest.split(END)
  const rows = sections.map(({ name, type }) => {
    const inside = SchemaAST.isObjects(type) ? (type.indexSignatures[0]?.type ?? type) : undefined
    const names = inside !== undefined && SchemaAST.isObjects(inside) ? inside.propertySignatures : []
    const settings = names.map((setting) => `\`${String(setting.name)}\``).join(", ")
    return `| [\`${name}\`](settings.md#${name.toLowerCase()}) | ${escaped(descriptionOf(type))} | ${settings} |`
  })
  return [
    before,
    BEGIN,
    "\n\n| section | what it sets | settings |\n| --- | --- | --- |\n",
    rows.join("\n"),
    "\n\n",
    END,
    after
  ].join("")
}

/** Removes the padding that the formatter gives to tables. */
const bare = (text: string): string => text.replaceAll(/ +/gu, " ").replaceAll(/-{3,}/gu, "---")

const files: ReadonlyArray<readonly [name: string, make: (text: string) => string]> = [
  ["docs/reference/settings.md", page],
  ["docs/reference/configuration.md", withSections]
]

for (const [name, make] of files) {
  const file = path.join(root, name)
  const write = process.argv.includes("--write")
  const text = write && name.endsWith("settings.md") ? "" : readFileSync(file, "utf8")
  const made = make(text)
  if (bare(made) === bare(text)) continue
  if (write) writeFileSync(file, made)
  else {
    console.error(`${name} says something else than the Schemas: run pnpm settings --write && pnpm format`)
    process.exitCode = 1
  }
}
