/**
 * Mutates true answers and passes them to a verifier: `pnpm lab fuzz <verifier> [--runs n] [--seed s]`.
 *
 * A lie that passes is printed with its seed, and the exit code is 1. `pnpm lab fuzz <verifier> --seed <s> --runs 1`
 * repeats it. The last lines count the outcomes.
 */
import { parseArgs } from "node:util"

import { targets } from "./allTargets.ts"
import * as Run from "./fuzzRun.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "boolean", default: false },
    runs: { type: "string", default: process.env["PLUMBLINE_RUNS"] ?? "20000" },
    seed: { type: "string", default: "1" }
  }
})

const list = (): string => {
  const width = Math.max(...targets.map(({ name }) => name.length), 0)
  return targets.map(({ about, name }) => `${name.padEnd(width)}  ${about}`).join("\n")
}

const fail = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const number = (name: "runs" | "seed"): number => {
  const value = Number(values[name])
  return Number.isSafeInteger(value) && value >= 0 ? value : fail(`--${name} must be a whole number`)
}

if (values.list) {
  console.log(list())
  process.exit(0)
}
if (positionals.length === 0) fail(`name a verifier, or "all":\n${list()}`)

const chosen = positionals.includes("all") ? targets : targets.filter(({ name }) => positionals.includes(name))
const unknown = positionals.filter((name) => name !== "all" && !targets.some((target) => target.name === name))
if (unknown.length > 0) fail(`unknown: ${unknown.join(", ")}. The verifiers are:\n${list()}`)

const [runs, seed] = [number("runs"), number("seed")]
let isFalse = false
for (const target of chosen) {
  const report = await Run.run(target, {
    runs,
    seed,
    onProgress: (done) => process.stderr.write(`\r${target.name}: ${done} of ${runs}`)
  })
  process.stderr.write("\r\u001b[K")
  console.log(`${Run.shown(report)}\n`)
  isFalse ||= report.lies.length > 0
}
process.exit(isFalse ? 1 : 0)
