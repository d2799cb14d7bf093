/**
 * Exposes the service to one fault after the other, while clients check every answer: `pnpm lab chaos [--only <scenario>]
 * [--short] [--minutes <n>] [--write]`. It exits with 1 if a call was lost or answered wrongly, if the acknowledged
 * calls are not exactly the metered ones, or if another promise does not hold.
 */
import { parseArgs } from "node:util"

import { Effect } from "effect"

import * as Service from "../service.ts"
import { scenarios } from "./allScenarios.ts"
import * as Report from "./chaosReport.ts"
import * as Scenario from "./scenario.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    short: { type: "boolean", default: false },
    minutes: { type: "string" },
    write: { type: "boolean", default: false }
  }
})

const usual = values.short ? Scenario.short : Scenario.full
const size = values.minutes === undefined ? usual : { ...usual, minutes: Number(values.minutes) }
const unknown = (values.only ?? []).filter((name) => scenarios.every((scenario) => scenario.name !== name))
if (unknown.length > 0) {
  console.error(
    `no scenario is called ${unknown.join(", ")}; there are: ${scenarios.map(({ name }) => name).join(", ")}`
  )
  process.exit(1)
}

const chosen = scenarios.filter(({ name }) => values.only?.includes(name) ?? true)
const results: Array<Report.Result> = []
for (const scenario of chosen) {
  if (scenario.skipped !== undefined) {
    console.log(`${scenario.name}: ${scenario.skipped}`)
    process.exitCode = 1
    continue
  }
  const began = performance.now()
  const finding = await Effect.runPromise(Effect.scoped(scenario.run(size)).pipe(Service.quiet))
  const result = { scenario, finding, seconds: Math.round((performance.now() - began) / 1000) }
  results.push(result)
  console.log(Report.lines(result).join("\n"))
  if (Scenario.faultsOf(finding).length > 0) process.exitCode = 1
}
if (values.write) await Report.write(results, size)
