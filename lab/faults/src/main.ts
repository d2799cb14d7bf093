/**
 * Runs clients against a server that lies and fails: `pnpm lab faults`.
 *
 * Everything in the table is measured in the run. Our columns show our clients without middleware that retries. The
 * other clients have their default settings. A cell with a cross is a wrong outcome. The rules are the same for all
 * clients.
 */
import { Effect } from "effect"
import { version as ethersVersion } from "ethers"
import viem from "viem/package.json" with { type: "json" }

import * as Ethers from "./clients/ethersContenders.ts"
import * as Ours from "./clients/ourContenders.ts"
import * as Viem from "./clients/viemContenders.ts"
import type { Contender } from "./contender.ts"
import * as Escape from "./escape.ts"
import { isOver } from "./fault.ts"
import * as Case from "./faultCase.ts"
import { families } from "./faults/index.ts"
import * as Table from "./faultTable.ts"
import * as Truth from "./liveAnswers.ts"
import * as Verdict from "./verdict.ts"

/** Number of concurrent cases. Most of the time, a case only waits. */
const CONCURRENCY = 16

const faults = families.flatMap((family) => family.faults)

/** Tests each fault with the first client whose transport the fault applies to. */
const column = (title: string, contenders: ReadonlyArray<Contender>, truth: Truth.Truth) =>
  Effect.forEach(
    faults,
    (fault) => {
      const contender = contenders.find(({ over }) => isOver(fault, over))
      return contender === undefined
        ? Effect.succeed([])
        : Effect.map(Case.run(fault, contender, truth), (outcome) => [
            { fault, outcome, verdict: Verdict.judge(fault, outcome, truth) }
          ])
    },
    { concurrency: CONCURRENCY }
  ).pipe(
    Effect.map((results): Table.Column => ({
      title,
      results: new Map(results.flat().map((result) => [result.fault, result]))
    }))
  )

const program = Effect.gen(function* () {
  const began = performance.now()
  const truth = yield* Truth.read
  const columns = [
    yield* column("ours, fetch", [Ours.overFetch], truth),
    yield* column("ours, undici", [Ours.overUndici], truth),
    yield* column("ours, WebSocket", [Ours.overWebSocket], truth),
    yield* column("viem", [Viem.overHttp, Viem.overWebSocket], truth),
    yield* column("ethers", [Ethers.overHttp, Ethers.overWebSocket], truth)
  ]
  console.log(`Node ${process.version}, viem ${viem.version}, ethers ${ethersVersion}\n`)
  console.log(`${Table.chapters(families, columns)}\n\n${Table.summary(columns)}`)
  console.log(`\n${faults.length} faults, in ${((performance.now() - began) / 1000).toFixed(0)} s`)
})

Escape.catchAll()
// viem writes to the console when it cannot connect again
console.error = () => {}
await Effect.runPromise(program)
process.exit()
