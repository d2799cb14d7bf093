/**
 * Replaces two processes behind nginx one by one, twenty times, while clients call without a pause, and prints the
 * outcome of their calls: `pnpm lab upgrades [upgrades] [clients]`. No call may be lost, and each client's acknowledged
 * calls must be exactly its metered ones. With `--from <program>` both processes run that program at first, such as the
 * bundle of an older version; `PLUMBLINE_MAIN` names the newer one. With `--workers <n>` each process has workers.
 */
import { parseArgs } from "node:util"

import { Effect } from "effect"

import * as Rolling from "./rolling.ts"

const { positionals, values } = parseArgs({
  options: { from: { type: "string" }, workers: { type: "string", default: "1" } },
  allowPositionals: true
})
const workers = Number(values.workers)
const [upgrades = 20, clients = 50] = positionals.map(Number)

if (Rolling.skipped === undefined) {
  const { acknowledged, lost, metered, replaced, slowest, told, why, wrong } = await Effect.runPromise(
    Effect.scoped(Rolling.run({ upgrades, clients, from: values.from, workers }))
  )
  const rows: ReadonlyArray<readonly [what: string, count: number, isFlaw?: boolean]> = [
    ["processes replaced", replaced],
    ["calls acknowledged", acknowledged],
    ["calls metered", metered],
    ["told that they were not processed", told],
    ["lost", lost, true],
    ["clients with other calls metered", wrong, true],
    ["milliseconds of the longest end", Math.round(slowest)]
  ]
  console.log(
    `${upgrades} rolling upgrades of two processes with ${workers} workers each behind nginx, under ${clients} clients`
  )
  for (const [what, count] of rows) console.log(`  ${what.padEnd(44)}${String(count).padStart(8)}`)
  for (const [reason, count] of why) console.log(`    ${reason}: ${count}`)
  process.exitCode = rows.some(([, count, isFlaw]) => isFlaw === true && count > 0) || acknowledged === 0 ? 1 : 0
} else {
  console.error(Rolling.skipped)
  // EX_UNAVAILABLE of sysexits.h: nothing was tried
  process.exitCode = 69
}
