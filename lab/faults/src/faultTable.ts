/** The table: each client's outcome for each fault, in Markdown. */
import type { Family, Fault } from "./fault.ts"
import type { Outcome } from "./faultCase.ts"
import { type Flaw, flaws, type Verdict } from "./verdict.ts"

export interface Result {
  readonly fault: Fault
  readonly outcome: Outcome
  readonly verdict: Verdict
}

/** One client, and its outcomes for the faults that it was tested with. */
export interface Column {
  readonly title: string
  readonly results: ReadonlyMap<Fault, Result>
}

/** Returns one row per fault, in chapters by family. */
export const chapters = (families: ReadonlyArray<Family>, columns: ReadonlyArray<Column>): string =>
  families
    .map(({ faults, name }) =>
      [
        `### ${name}`,
        "",
        row(["fault", ...columns.map(({ title }) => title)]),
        row(["---", ...columns.map(() => "---")]),
        ...faults.map((fault) => row([fault.name, ...columns.map(({ results }) => cell(results.get(fault)))]))
      ].join("\n")
    )
    .join("\n\n")

/** Returns how often each client was wrong, by kind of flaw. */
export const summary = (columns: ReadonlyArray<Column>): string => {
  const count = (title: string, counts: (result: Result) => boolean): string =>
    row([title, ...columns.map(({ results }) => String([...results.values()].filter(counts).length))])
  const total = (title: string, of: (result: Result) => number): string =>
    row([
      title,
      ...columns.map(({ results }) => String([...results.values()].reduce((sum, result) => sum + of(result), 0)))
    ])
  return [
    "### How often",
    "",
    row(["", ...columns.map(({ title }) => title)]),
    row(["---", ...columns.map(() => "---:")]),
    count("faults", () => true),
    count("flawed outcomes", ({ verdict }) => verdict.flaws.size > 0),
    ...flaws.map((flaw) => count(`- ${MEANING[flaw]}`, ({ verdict }) => verdict.flaws.has(flaw))),
    count("errors that show the key of the URL", ({ verdict }) => verdict.showsKey),
    total("tries", ({ outcome }) => outcome.tries)
  ].join("\n")
}

const MEANING: { readonly [flaw in Flaw]: string } = {
  "false value": "a value that is not true, given as if it were",
  "fault as absence": "a fault reported as absence",
  "silent gap": "heads left out without a word",
  "needless error": "an error although what was asked for had arrived",
  "words lost": "an error without the server's words",
  "no end": "nothing within 8 seconds",
  "ends the process": "an error that nobody can catch"
}

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const cell = (result: Result | undefined): string => {
  if (result === undefined) return "-"
  const { fault, outcome, verdict } = result
  const { milliseconds, tries } = outcome
  const unsaid = [...verdict.flaws].filter((flaw) => !SELF_EVIDENT.has(flaw))
  return [
    `${verdict.flaws.size > 0 ? "✗ " : ""}${[verdict.text, ...unsaid].join(", ")}`,
    ...(tries > mostTries(fault) ? [`${tries} tries in ${(milliseconds / 1000).toFixed(1)} s`] : [])
  ].join("; ")
}

/** The flaws that the text of an outcome already shows. */
const SELF_EVIDENT: ReadonlySet<Flaw> = new Set<Flaw>(["false value", "fault as absence", "no end", "ends the process"])

/**
 * Returns the maximum number of requests that a client without retries sends. A proof needs an additional request for
 * the block, and following heads needs a second connection.
 */
const mostTries = ({ proven, read }: Fault): number => {
  switch (read) {
    case "heads":
      return Infinity
    case "three":
      return 3
    case "twice":
      return 2
    default:
      return proven === true ? 2 : 1
  }
}
