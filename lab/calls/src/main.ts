/**
 * Asks the same random calls of several sides, and compares their ends: value, revert data, halt and gas used.
 *
 *     pnpm lab calls                         5,000 calls of anvil and of our engine
 *     pnpm lab calls --geth <path>           also of geth, over the same state and the same block environments
 *     pnpm lab calls --hardfork cancun       by the rules of an older fork
 *     pnpm lab calls --count 100 --seed 7    other calls; call number n of a seed is always the same
 *     pnpm lab calls --seed 7 --only 31      one call, with all of its ends
 *     pnpm lab calls --methods               overrides, authorizations, estimates, access lists, with geth simulations
 *
 * A difference is printed with its seed and number, and the exit code is 1.
 */
import { parseArgs } from "node:util"

import * as Effect from "effect/Effect"

import { anvilChoices, gethChoices } from "./compare.ts"
import * as Run from "./differentialRun.ts"
import { drawMany } from "./draw/randomCalls.ts"
import * as Ours from "./engineContender.ts"
import * as Nodes from "./oracleNodes.ts"
import * as OtherMethods from "./otherMethods.ts"
import { shown } from "./outcome.ts"

const { values } = parseArgs({
  options: {
    count: { type: "string", default: process.env["PLUMBLINE_RUNS"] ?? "5000" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    geth: { type: "string" },
    methods: { type: "boolean", default: false },
    hardfork: { type: "string", default: "osaka" }
  }
})

const fail = (message: string): never => {
  console.error(message)
  return process.exit(2)
}

const number = (name: "count" | "seed" | "only"): number => {
  const value = Number(values[name])
  if (Number.isSafeInteger(value) && value >= 0) return value
  return fail(`--${name} must be a whole number`)
}

const hardfork =
  Nodes.hardforks.find((name) => name === values.hardfork) ?? fail(`--hardfork: ${Nodes.hardforks.join(", ")}`)
if (hardfork !== "osaka" && values.geth !== undefined) fail("--geth has the rules of osaka only")

const [count, seed] = [number("count"), number("seed")]

const main = Effect.gen(function* () {
  const anvil = yield* Nodes.anvil(hardfork)
  const geth = values.geth === undefined ? undefined : yield* Nodes.geth(values.geth, anvil)
  const contenders = [Run.asked(anvil, anvilChoices), yield* Ours.over(anvil)]
  const pairs: Array<readonly [string, string]> = [["anvil", "ours on anvil"]]
  if (geth !== undefined) {
    contenders.push(Run.asked(geth, gethChoices), yield* Ours.over(geth))
    pairs.push(["geth", "ours on geth"], ["anvil", "geth"])
  }
  const place = Run.placeOf(anvil)

  if (values.methods) {
    const calls = drawMany(seed, count, place)
    let found = 0
    console.log("| method | node | equal | declined | differences |\n| --- | --- | --: | --: | --: |")
    for (const node of [anvil, ...(geth === undefined ? [] : [geth])]) {
      const comparisons = { ...OtherMethods.comparisons, ...(node === geth ? OtherMethods.gethComparisons : {}) }
      for (const [name, comparison] of Object.entries(comparisons)) {
        const { declined, differences, equal } = yield* Effect.promise(() =>
          OtherMethods.run(comparison, node, Ours.ourChoices, seed, calls)
        )
        console.log(`| ${name} | ${node.name} | ${equal} | ${declined} | ${differences.length} |`)
        for (const difference of differences.slice(0, 5)) console.error(difference)
        found += differences.length
      }
    }
    return found === 0
  }

  if (values.only !== undefined) {
    const call = drawMany(seed, number("only") + 1, place).at(-1)!
    console.log(call.kind, JSON.stringify(call.transaction))
    for (const { ask, side } of contenders) {
      const [end] = yield* Effect.promise(() => ask([call.transaction]))
      console.log(`${side.name}: ${shown(end!)}`)
    }
    return true
  }

  const report = yield* Effect.promise(() =>
    Run.run(contenders, pairs, drawMany(seed, count, place), (name, done) =>
      process.stderr.write(`\r\u001b[K${name}: ${done} of ${count}`)
    )
  )
  process.stderr.write("\r\u001b[K")
  const differences = report.pairs.flatMap((pair) => pair.differences)
  for (const difference of differences.slice(0, 20)) console.log(Run.shownDifference(difference, seed))
  console.log(Run.shownReport(report))
  return differences.length === 0 && report.pairs.every(({ changed, noticed }) => changed === noticed)
})

const isEqual = await Effect.runPromise(Effect.scoped(main))
process.exit(isEqual ? 0 : 1)
