/**
 * Measures the packages against their peers: `pnpm bench:peers [subject...]`.
 *
 * A subject is a file here that exports `subject`; add it to the list. Ratios count, not times: they are medians of turns
 * in one process. A machine that does other work at the same time gives worse ratios than it should.
 */
import { cpus, loadavg } from "node:os"

import { subject as block } from "./block.ts"
import { subject as client } from "./client.ts"
import { subject as cost } from "./cost.ts"
import { subject as hex } from "./hex.ts"
import { subject as keccak } from "./keccak.ts"
import { measure } from "./measure.ts"
import { measure as measureAsync, type Outcomes } from "./measureAsync.ts"
import { subject as positions } from "./positions.ts"
import { subject as rlp } from "./rlp.ts"
import * as table from "./table.ts"

const subjects = [hex, keccak, rlp, positions, block]
/** Those that wait for something. */
const asyncSubjects = [cost, client]

const wanted = process.argv.slice(2)
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)
const load = () => `load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores`

console.log(`Node ${process.version}, ${load()}`)
for (const { name, rows } of subjects) {
  if (!isWanted(name)) continue
  console.log(table.heading(name))
  for (const row of rows) console.log(table.line(measure(row, { rounds: 21, millisecondsPerRound: 8 })))
}
for (const { name, open } of asyncSubjects) {
  if (!isWanted(name)) continue
  const { close, rows } = await open()
  const outcomes: Array<Outcomes> = []
  for (const row of rows) outcomes.push(await measureAsync(row, { rounds: 11, millisecondsPerRound: 100 }))
  await close()
  console.log(table.heading(`${name}, processor time per call`))
  for (const { processor } of outcomes) console.log(table.line(processor))
  console.log(table.heading(`${name}, calls per second`))
  for (const { clock } of outcomes) console.log(table.line(clock, table.rate))
}
console.log(`\n${load()}`)
