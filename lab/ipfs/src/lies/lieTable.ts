/** The table: each client's outcome for each lie, in Markdown. */
import type { Family, Lie } from "./lie.ts"
import { type Result, outcomes } from "./lieCase.ts"

/** One client, and its outcomes for the lies. */
export interface Column {
  readonly title: string
  readonly results: ReadonlyMap<Lie, Result>
}

/** Returns one row per lie, in chapters by family. A cross marks a wrong outcome. */
export const chapters = (families: ReadonlyArray<Family>, columns: ReadonlyArray<Column>): string =>
  families
    .map(({ lies, name }) =>
      [
        `### ${name}`,
        "",
        row(["lie", ...columns.map(({ title }) => title)]),
        row(["---", ...columns.map(() => "---")]),
        ...lies.map((lie) => row([lie.name, ...columns.map(({ results }) => cell(results.get(lie)))]))
      ].join("\n")
    )
    .join("\n\n")

/** Returns a table with the number of times that each client had each outcome. */
export const summary = (columns: ReadonlyArray<Column>): string => {
  const count = (title: string, counts: (result: Result) => boolean): string =>
    row([title, ...columns.map(({ results }) => String([...results.values()].filter(counts).length))])
  return [
    "### How often",
    "",
    row(["", ...columns.map(({ title }) => title)]),
    row(["---", ...columns.map(() => "---:")]),
    count("lies, and truths in unusual forms", () => true),
    ...outcomes.map((outcome) => count(MEANING[outcome], (result) => result.outcome === outcome)),
    count("wrong in all", ({ isFlawed }) => isFlawed)
  ].join("\n")
}

const MEANING = {
  right: "the truth",
  refused: "refused, with an error that a program can tell from others",
  "untyped error": "an error that is known by its text alone",
  "false answer": "a false answer, given as if it were true",
  "no end": "no end within 4 seconds or 32 MiB"
} as const

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const cell = (result: Result | undefined): string =>
  result === undefined ? "-" : `${result.isFlawed ? "✗ " : ""}${result.kind === "" ? result.outcome : result.kind}`
