/**
 * Runs `plumbline tamper --check` with popular clients and with our own, and prints which client believed which lie.
 *
 * `--write` puts the table into the documentation. `--only <program>` runs one program, and prints its column.
 * `--omissions` takes the lies by omission, which are ten times as many and are not in the documentation. Exits
 * with 1 if a program that checks proofs believed a lie that a proof refutes, or one by omission.
 */
import { spawn } from "node:child_process"
import { json } from "node:stream/consumers"

import { Catalogue } from "@plumbline/tamper"

import * as HistoryNode from "../clients/historyNode.ts"
import { MAIN } from "../program.ts"
import * as Table from "./fatesTable.ts"
import * as Programs from "./programs.ts"

/**
 * Maximum time in seconds for one run of a program. It is long, because the machine has other work, but shorter than
 * the minute that a slow answer takes.
 */
const LIMIT = 40

interface Finding {
  readonly lie: string
  readonly expected: string
  readonly fate: string
}

const args = process.argv.slice(2)
const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : undefined
const isOmissions = args.includes("--omissions")
const programs = Programs.all().filter(({ name }) => only === undefined || name === only)

await using node = await HistoryNode.serve()

/** Runs a program against all lies. */
const check = async ({ command, name }: Programs.Program): Promise<ReadonlyArray<Finding>> => {
  const flags = ["tamper", "--url", node.url, "--check", command, "--limit", `${LIMIT}`, "--json"]
  if (isOmissions) flags.push("--omissions")
  const child = spawn(process.execPath, [MAIN, ...flags], { stdio: ["ignore", "pipe", "inherit"] })
  process.once("exit", () => child.kill())
  const said = (await json(child.stdout)) as ReadonlyArray<Finding> | object
  if (!Array.isArray(said)) throw new Error(`${name}: ${JSON.stringify(said)}`)
  console.error(`${name}: ${said.filter(({ fate }) => fate === "believed").length} of ${said.length} lies believed`)
  return said
}

// concurrently, because the programs mostly wait for slow answers
const found = await Promise.all(programs.map(async (program) => ({ ...program, findings: await check(program) })))
const table = Table.lines(
  isOmissions ? Catalogue.omissions : Catalogue.lies,
  new Map(found.map(({ findings, name }) => [name, new Map(findings.map(({ fate, lie }) => [lie, fate]))]))
)
console.log(table.join("\n"))
if (args.includes("--write") && !isOmissions) Table.write(table)

const wrong = found.flatMap(({ findings, name, proves }) =>
  findings
    .filter(({ expected, fate }) => proves && expected !== "CLAIMED" && expected !== "FAILED" && fate === "believed")
    .map(({ lie }) => `${name} believed ${lie}`)
)
if (wrong.length > 0) {
  console.error(wrong.join("\n"))
  process.exitCode = 1
}
