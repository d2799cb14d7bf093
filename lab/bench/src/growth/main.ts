/**
 * Prints how the cost of the packages grows: `pnpm lab growth`.
 *
 * Each subject is measured at sizes from 1 to 100,000. The exponent is the slope of the logarithm of processor time
 * over the logarithm of the size, by least squares over the sizes from 1,000 on, where fixed costs no longer matter. If
 * an exponent is above 1.1, the program exits with 1.
 */
import { cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"

import { duration } from "../measure/outcomeTable.ts"
import * as Service from "./stateGrowth.ts"
import { exponent, measure, type Point } from "./subject.ts"
import * as Wire from "./trafficGrowth.ts"
import * as Chain from "./verifierGrowth.ts"

const { values } = parseArgs({
  options: {
    /** Measures only the subjects whose names contain this text. May be given more than once. */
    only: { type: "string", multiple: true, default: [""] },
    /** The largest size. */
    most: { type: "string", default: "100000" }
  }
})

const BOUND = 1.1
const FROM = 1000
const most = Number(values.most)
const sizes = [1, 10, 100, 1000, 3162, 10_000, 31_623, 100_000].filter((size) => size <= most)
const shown = [1, 100, 1000, 10_000, 100_000].filter((size) => size <= most)

const load = (): string => `load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores`
const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

console.log(`Node ${process.version}, ${load()}\n`)
console.log(row(["subject", ...shown.map((size) => size.toLocaleString("en")), "exponent", "verdict"]))
console.log(row(["---", ...shown.map(() => "---:"), "---:", "---"]))
let above = 0
for (const subject of [...Chain.subjects, ...Wire.subjects, ...Service.subjects]) {
  if (!values.only.some((text) => subject.name.includes(text))) continue
  const points: Array<Point> = []
  for (const size of sizes) points.push(await measure(subject, size))
  const slope = exponent(points, FROM)
  if (!(slope <= BOUND)) above++
  const times = points.filter(({ size }) => shown.includes(size)).map(({ time }) => duration(time))
  console.log(row([subject.name, ...times, slope.toFixed(2), slope <= BOUND ? "met" : "missed"]))
}
console.log(`\n${above === 0 ? "none" : above} above ${BOUND}; ${load()}`)
process.exit(above === 0 ? 0 : 1)
