/** Reads and writes the table in the documentation that says how programs react to each lie. */
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

/** The reactions of one program, keyed by the name of the lie. */
export type Fates = ReadonlyMap<string, string>

/** The file with the table. */
export const file: string = path.resolve(import.meta.dirname, "../../../../lab/reports/tamper-clients.md")

const FIRST = "lie"

/** Returns the lines of a table: a row for the lies with the same reactions, a column for each program. */
export const lines = (
  lies: ReadonlyArray<{ readonly name: string; readonly expected: string }>,
  programs: ReadonlyMap<string, Fates>
): ReadonlyArray<string> => {
  const named = new Map<string, Array<string>>()
  for (const { expected, name } of lies) {
    const reactions = [expected, ...[...programs.values()].map((fates) => fates.get(name) ?? "")].join("|")
    named.set(reactions, [...(named.get(reactions) ?? []), `\`${name}\``])
  }
  const rows = [
    [FIRST, "must be", ...programs.keys()],
    ...[...named].map(([reactions, names]) => [names.join(", "), ...reactions.split("|")])
  ]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`
  const padded = rows.map((row) => line(row.map((cell, column) => cell.padEnd(widths[column]!))))
  return [padded[0]!, line(widths.map((width) => "-".repeat(width))), ...padded.slice(1)]
}

/** Returns the documentation before the table, the table, and the text after it. */
const parts = (): readonly [
  before: ReadonlyArray<string>,
  table: ReadonlyArray<string>,
  after: ReadonlyArray<string>
] => {
  const text = readFileSync(file, "utf8").split("\n")
  const start = text.findIndex((line) => line.startsWith(`| ${FIRST} `))
  const size = text.slice(start).findIndex((line) => !line.startsWith("|"))
  return [text.slice(0, start), text.slice(start, start + size), text.slice(start + size)]
}

/** Replaces the table in the documentation. */
export const write = (table: ReadonlyArray<string>): void => {
  const [before, , after] = parts()
  writeFileSync(file, [...before, ...table, ...after].join("\n"))
}

/** Reads the table of the documentation. */
export const read = (): ReadonlyMap<string, Fates> => {
  const [head, , ...rows] = parts()[1].map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
  const names = head!.slice(2)
  return new Map(
    names.map((name, at) => [
      name,
      new Map(rows.flatMap((row) => row[0]!.split(", ").map((lie) => [lie.replaceAll("`", ""), row[at + 2]!])))
    ])
  )
}
