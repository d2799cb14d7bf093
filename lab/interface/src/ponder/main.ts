/**
 * Runs ponder, unchanged, through `plumbline proxy` and through a gateway that proves, over nodes that drop logs, limit
 * ranges or fail at random: `pnpm lab ponder [--only <way>]`. Prints if its tables are those over the node.
 *
 * Exits with 1 if a table differs, if a request for traces is not refused by a clear error, or if ponder alone loses no
 * log over the node that drops some, because then the comparison shows nothing.
 */
import { parseArgs } from "node:util"

import { serve, type WayName } from "./chainAccess.ts"
import { compare, heard, readHistory } from "./compareTables.ts"
import * as Indexer from "./indexer.ts"
import type { NodeKind } from "./indexerFaults.ts"
import { trade } from "./trade.ts"

const { values } = parseArgs({ options: { only: { type: "string" } } })

/** Milliseconds in which the history must be read, and then the tables be the same. */
const LIMIT = 120_000

/** Milliseconds after which the tables of ponder alone are compared. They never become the same. */
const LIMIT_ALONE = 20_000

/** Trades before the first run, and during each run. */
const [BEFORE, DURING] = [60, 3]

const runs: ReadonlyArray<readonly [WayName, NodeKind]> = [
  ["node", "drops"],
  ...(["proxy", "gateway"] as const).flatMap((way) =>
    (["honest", "drops", "limits", "fails"] as const).map((kind) => [way, kind] as const)
  ),
  ["bounded proxy", "limits"],
  ["bounded gateway", "limits"]
]
const chosen = runs.filter(([way]) => values.only === undefined || way === values.only)

const rows = (tables: Indexer.Tables): string =>
  Object.entries(tables)
    .map(([name, { length }]) => `${length} ${name}`)
    .join(", ")

const fail = (what: string, indexer: Indexer.Indexer): void => {
  console.error(`✗ ${what}\n${indexer.said()}`)
  process.exitCode = 1
}

console.log("installing ponder, which takes a minute the first time ...\n")
await Indexer.install()
await using chain = await serve()
await trade(chain.node, chain.exchange, BEFORE)
await using reference = await Indexer.start(chain.node, chain.exchange)

console.log("| way to the node | node | faults | tables | lost | rows | seconds |")
console.log("| --- | --- | ---: | --- | ---: | --- | ---: |")
for (const [way, kind] of chosen) {
  const began = performance.now()
  await using opened = await chain.open(way, kind)
  await using indexer = await Indexer.start(opened.url, chain.exchange)
  await readHistory(indexer, LIMIT)
  // what follows is read live
  const last = await trade(chain.node, chain.exchange, DURING)
  const isAlone = way === "node"
  const { expected, isSame, lost, tables } = await compare(reference, indexer, last, isAlone ? LIMIT_ALONE : LIMIT)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const figures = [opened.told(), isSame ? "the same" : "differ", lost, rows(tables), seconds]
  console.log(`| ${way} | ${kind} | ${figures.join(" | ")} |`)
  const isRight = isAlone ? lost > 0 : isSame && (kind === "honest" || opened.told() > 0)
  if (!isRight) fail(`${way}, ${kind}: expected ${rows(expected)}`, indexer)
}

// no proof covers a trace: ponder must be told so by the proxy's own error
if (values.only === undefined || values.only === "traces") {
  await using opened = await chain.open("proxy", "honest")
  await using indexer = await Indexer.start(opened.url, chain.exchange, { traces: true })
  const refusal = await heard(indexer, /unproven: [^"\n]*/u, LIMIT)
  console.log(`\nTraces are refused: ${refusal ?? "no"}`)
  if (refusal === undefined) fail("traces are not refused by an error that says so", indexer)
}
