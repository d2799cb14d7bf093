/** The results of operators' commands: one JSON object for programs, and lines for people. Texts can be foreign. */
import type * as KeyLimits from "@plumbline/gateway/limits/KeyLimits"
import type * as Stream from "effect/Stream"

import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as TextTable from "../terminal/TextTable.ts"
import * as Units from "../terminal/Units.ts"

/** A result to print: as one JSON object, or as lines of text. */
export interface PrintableResult {
  readonly json: string
  readonly view: (style: Style) => ReadonlyArray<string>
  /** The exit code of the command (default: 0). */
  readonly exitCode?: number
}

/**
 * A result that is written while it is read, because it can be larger than memory. A failure in the middle leaves it
 * incomplete; the exit code says so.
 */
export interface StreamedResult<E> {
  readonly jsonPieces: Stream.Stream<string, E>
  readonly viewPieces: (style: Style) => Stream.Stream<string, E>
  /** A sentence for people, on standard error. The JSON has the same fact in a member. */
  readonly notice?: string | undefined
}

export type NamedFact = readonly [name: string, text: string]

/** Returns the result of a list: its length, and a table with these columns. */
export const list = <A>(
  noun: string,
  things: ReadonlyArray<A>,
  columns: ReadonlyArray<TextTable.TableColumn<A>>,
  json: object = { [`${noun}s`]: things }
): PrintableResult => ({
  json: JSON.stringify(json),
  view: (style) =>
    page(Units.count(things.length, noun), things.length === 0 ? [] : [TextTable.lines(columns, things, style)], style)
})

/** Returns the result of one thing: a title, its facts, and notes below them. */
export const one = (
  json: object,
  title: string,
  named: ReadonlyArray<NamedFact> = [],
  notes: ReadonlyArray<string> = []
): PrintableResult => ({
  json: JSON.stringify(json),
  view: (style) =>
    page(title, [...(named.length === 0 ? [] : [facts(named, style)]), ...notes.map((note) => [note])], style)
})

/** Returns a title and sections, with an empty line before each section. */
export const page = (
  title: string,
  sections: ReadonlyArray<ReadonlyArray<string>>,
  style: Style
): ReadonlyArray<string> => [style.title(TerminalText.printable(title)), ...sections.flatMap((lines) => ["", ...lines])]

/** Returns lines of names and texts, with the texts aligned in a column. */
export const facts = (named: ReadonlyArray<NamedFact>, style: Style): ReadonlyArray<string> => {
  const rows = named.map((fact) => fact.map(TerminalText.printable) as [string, string])
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${style.label(name.padEnd(width))}  ${text}`)
}

/** Formats a time in milliseconds. */
export const time = (millis: number): string => Units.utc(BigInt(Math.floor(millis / 1000))) ?? String(millis)

/** Returns the limits of a key, a user or an account as text. */
export const keyLimits = (
  { burst, creditsPerDay, requestsPerSecond }: KeyLimits.KeyLimits,
  none = "those of the project"
): string => {
  const said = [
    [requestsPerSecond, "requests a second"],
    [requestsPerSecond === undefined ? undefined : burst, "at once"],
    [creditsPerDay, "credits a day"]
  ] as const
  const limits = said.flatMap(([bound, what]) =>
    bound === undefined ? [] : [`${Units.grouped(BigInt(bound))} ${what}`]
  )
  return limits.length === 0 ? none : limits.join(", ")
}
