/**
 * Measures the packages against their peers: `pnpm bench:peers [subject...]`.
 *
 * A subject is a file here that exports `subject`; add it to the list. Ratios count, not times: they are medians of turns
 * in one process. A machine that does other work at the same time gives worse ratios than it should.
 */
import { cpus, loadavg } from "node:os"

import { subject as block } from "./block.ts"
import { subject as hex } from "./hex.ts"
import { subject as keccak } from "./keccak.ts"
import { measure } from "./measure.ts"
import { subject as rlp } from "./rlp.ts"
import * as table from "./table.ts"

const subjects = [hex, keccak, rlp, block]

const wanted = process.argv.slice(2)
const load = () => `load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores`

console.log(`Node ${process.version}, ${load()}`)
for (const { name, rows } of subjects) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(table.heading(name))
  for (const row of rows) console.log(table.line(measure(row, { rounds: 21, millisecondsPerRound: 8 })))
}
console.log(`\n${load()}`)
