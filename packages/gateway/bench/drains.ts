/**
 * Ends services with SIGTERM while clients call them, and prints the outcome of the requests: `pnpm lab drains [runs]
 * [seed]`. The clients are 200 callers, or 400 connections that send one request each. No request may be lost. The
 * service must have processed every answered request, and no other.
 */

import * as Random from "@plumbline/seeded/Random"

import * as Drains from "../test/support/drains.ts"

const [runs = 100, seed = 20_261_122] = process.argv.slice(2).map(Number)
const random = Random.make(seed)

/** With the usual grace no connection is cut off. With a short grace, connections end while their requests run. */
const cases = [
  { kind: "callers", grace: 500 },
  { kind: "callers", grace: 0 },
  { kind: "sockets", grace: 2000 },
  { kind: "sockets", grace: 100 }
] as const

let failed = false
for (const { grace, kind } of cases) {
  const sum = { answered: 0, told: 0, lost: 0, astray: 0, slowest: 0 }
  const who = kind === "callers" ? `${Drains.CALLERS} callers` : `${Drains.SOCKETS} sockets`
  console.log(`\n${who}, ${grace} ms of grace: ${runs} drains; seed ${seed}`)
  for (let run = 0; run < runs; run++) {
    const { answered, lost, processed, told, took } = await Drains.run(kind, grace, random)
    sum.answered += answered
    sum.told += told
    sum.lost += lost
    sum.astray += Math.abs(processed - answered)
    sum.slowest = Math.max(sum.slowest, took)
  }
  const rows: ReadonlyArray<readonly [what: string, count: number, isFlaw?: boolean]> = [
    ["requests answered", sum.answered],
    ["told that they were not processed", sum.told],
    ["lost", sum.lost, true],
    ["processed and not answered", sum.astray, true],
    ["milliseconds of the longest drain", sum.slowest]
  ]
  for (const [what, count] of rows) console.log(`  ${what.padEnd(44)}${String(count).padStart(8)}`)
  failed ||= rows.some(([, count, isFlaw]) => isFlaw === true && count > 0) || sum.answered === 0
}
process.exitCode = failed ? 1 : 0
