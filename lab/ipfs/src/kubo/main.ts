/**
 * Compares the embedded node with a real Kubo, row by row: `pnpm kubo`.
 *
 * Sends both nodes the same calls, command by command and option by option, and prints the differences. Then it runs
 * the suite of clients against Kubo. Exits with 1 if there is an unknown difference, if a known difference does not
 * occur, or if Kubo is missing. `--all` prints every row, `--rows <pattern>` selects rows.
 */
import { Effect } from "effect"

import * as Service from "../gatewayService.ts"
import * as Check from "../suite/check.ts"
import { checks } from "../suite/index.ts"
import { clients } from "../suite/npmClients.ts"
import * as Ask from "./askNode.ts"
import * as Row from "./comparedRow.ts"
import * as Daemon from "./kuboDaemon.ts"
import { type Known, known, naming } from "./kuboDifferences.ts"
import * as Program from "./kuboProgram.ts"
import { rows } from "./rows/index.ts"

const args = process.argv.slice(2)
const program = await Program.find(args, process.env)
if ("problem" in program) {
  console.error(program.problem)
  process.exit(1)
}
const pattern = args.includes("--rows") ? new RegExp(args[args.indexOf("--rows") + 1] ?? "", "u") : undefined
const asked = rows.filter(({ name }) => pattern === undefined || pattern.test(name))

const began = performance.now()
const kubo = await Daemon.start(program.file)
const seen = new Set<Known>()
let alike = 0
let unknown = 0

const short = (value: unknown): string => {
  const text = value === undefined ? "-" : JSON.stringify(value)
  return (text.length > 70 ? `${text.slice(0, 70)}...` : text).replaceAll("|", "\\|")
}
const line = (cells: ReadonlyArray<string>): void => console.log(`| ${cells.join(" | ")} |`)

const compare = async (row: Row.Row, ours: Ask.Ask, theirs: Ask.Ask): Promise<void> => {
  const differences = Row.differences(await Row.look(row, ours), await Row.look(row, theirs))
  if (differences.length === 0) {
    alike++
    if (args.includes("--all")) line([row.name, "", "", "", "alike"])
    return
  }
  for (const difference of differences) {
    const entries = naming(row.name, difference)
    for (const entry of entries) seen.add(entry)
    if (entries.length === 0) unknown++
    line([
      row.name,
      difference.at,
      short(difference.ours),
      short(difference.kubos),
      entries[0]?.because ?? "✗ not known"
    ])
  }
}

/** Runs the suite of clients. Each result from Kubo must follow the standards, or be a listed difference. */
const failures: Array<string> = []
const runSuite = async (target: Check.Target): Promise<void> => {
  for (const client of clients) {
    for (const check of checks) {
      if (!Check.isFor(check, client, target.kind)) continue
      const result = await Check.run(check, client, target)
      if (result._tag === "Failed") failures.push(`${client.name}, ${check.name}: ${result.why} ${short(result.seen)}`)
    }
  }
}

try {
  line(["asked", "place", "embedded", `Kubo ${Program.VERSION}`, ""])
  line(["---", "---", "---", "---", "---"])
  const target: Check.Target = { kind: "kubo", url: kubo.url, headers: {} }
  await Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(Service.start, (ours) =>
        Effect.promise(async () => {
          for (const row of asked) await compare(row, Ask.at(ours, ours.url), Ask.at(target, kubo.gateway))
        })
      )
    )
  )
  if (pattern === undefined) await runSuite(target)
} finally {
  await kubo.stop()
}

const unseen = pattern === undefined ? known.filter((entry) => !seen.has(entry)) : []
for (const { because, rows } of unseen) console.log(`\n✗ known, and not seen any more: ${String(rows)}: ${because}`)
for (const failure of failures) console.log(`\n✗ ${failure}`)
const seconds = ((performance.now() - began) / 1000).toFixed(0)
console.log(
  `\n${asked.length} rows, ${alike} alike, ${asked.length - alike} differ; ${unknown} differences are not known, ${unseen.length} known ones not seen, ${failures.length} checks of clients failed, in ${seconds} s`
)
process.exit(unknown + unseen.length + failures.length > 0 ? 1 : 0)
