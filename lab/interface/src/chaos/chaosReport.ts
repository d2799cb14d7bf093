/** The report of a run: lines for a terminal, and the page `lab/reports/chaos.md`. */
import { existsSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { availableParallelism, totalmem } from "node:os"
import * as path from "node:path"

import * as Scenario from "./scenario.ts"

export interface Result {
  readonly scenario: Scenario.Scenario
  readonly finding: Scenario.Finding
  readonly seconds: number
}

const listed = (counts: ReadonlyMap<string, number>): ReadonlyArray<string> =>
  [...counts].map(([reason, times]) => `${reason}: ${times}`)

const figuresOf = ({ finding, seconds }: Result): ReadonlyArray<readonly [name: string, figure: number]> => [
  ["calls sent", finding.sent],
  ["right", finding.right],
  ["refused", Scenario.refusedOf(finding)],
  ["lost", Scenario.lostOf(finding)],
  ["wrong", finding.wrong],
  ["acknowledged", finding.right + finding.wrong],
  ["metered", finding.metered],
  ["metered and refused", finding.uncertain],
  ["ms longest pause", Math.round(finding.pause)],
  ["seconds", seconds]
]

/** Returns a result for the terminal. */
export const lines = (result: Result): ReadonlyArray<string> => {
  const { finding, scenario } = result
  const faults = Scenario.faultsOf(finding)
  return [
    `${faults.length === 0 ? "ok  " : "FAIL"}  ${scenario.name}: ${scenario.about}`,
    ...figuresOf(result).map(([name, figure]) => `      ${name.padEnd(40)}${String(figure).padStart(9)}`),
    ...listed(finding.refused).map((line) => `      refused: ${line}`),
    ...finding.measured.map((line) => `      measured: ${line}`),
    ...finding.operator.map((line) => `      operator: ${line}`),
    ...faults.map((fault) => `      FAULT: ${fault}`),
    ""
  ]
}

const page = path.resolve(import.meta.dirname, "../../../../lab/reports/chaos.md")

/** Returns the mark before a scenario's part of the page, by which a later run finds that part. */
const markOf = (name: string): string => `<!-- scenario ${name} -->`

const END = "<!-- end of the scenarios -->"

/** Returns the part of the page about a result. */
export const section = (result: Result, at: Date): string => {
  const { finding, scenario } = result
  const faults = Scenario.faultsOf(finding)
  const list = (title: string, items: ReadonlyArray<string>) =>
    items.length === 0 ? [] : ["", `${title}: ${items.join("; ")}.`]
  return [
    markOf(scenario.name),
    "",
    `## ${scenario.name}`,
    "",
    scenario.about,
    "",
    `${at.toISOString().slice(0, 10)}: ${figuresOf(result)
      .filter(([name, figure]) => figure > 0 && name !== "acknowledged")
      .map(([name, figure]) => `${figure.toLocaleString("en")} ${name}`)
      .join(", ")}.`,
    ...list("Measured", finding.measured),
    ...list(
      "The operator saw",
      finding.operator.filter((line) => !line.startsWith("log: "))
    ),
    ...list("Promises that did not hold", faults),
    ""
  ].join("\n")
}

/** Writes the results into the page. Each result replaces the earlier result of the same scenario. */
export const write = async (results: ReadonlyArray<Result>, size: Scenario.Size): Promise<void> => {
  const before = existsSync(page) ? await readFile(page, "utf8") : ""
  const parts = new Map<string, string>()
  const [, ...old] = before.slice(0, before.indexOf(END)).split(/^<!-- scenario /mu)
  for (const part of old) parts.set(part.slice(0, part.indexOf(" ")), `<!-- scenario ${part.trimEnd()}\n`)
  for (const result of results) parts.set(result.scenario.name, section(result, new Date()))
  const rest = before.includes(END) ? before.slice(before.indexOf(END)) : `${END}\n`
  await writeFile(page, [head(size), ...parts.values(), rest].join("\n"))
}

const head = ({ clients: { http, webSocket } }: Scenario.Size): string => `# Faults, and how the service behaves

\`pnpm lab chaos --write\` makes this page: clients call the service without a pause over HTTP and WebSockets while one fault after the other is caused. A scenario fails if an answer is wrong, if a call is lost, or if the metered calls are not exactly the answered ones. [Operate](../../docs/operate.md) lists the promises for each fault, and the terminal also shows what the log said.

A call is refused if the scenario expects its error, and lost if it gets no answer or another error. Figures that are 0 are left out. A pause is a time in which no client got a right answer. "Metered and refused" are calls of a batch that was being committed when the database crashed ([why](../../docs/decisions/metering-and-limits.md#usage-is-added-once)).

${availableParallelism()} processors and ${Math.round(totalmem() / 2 ** 30)} GiB of memory, shared with nodes, databases, clients and other work: times are upper bounds. ${http} clients over HTTP and ${webSocket} over WebSockets, unless a scenario says otherwise.
`
