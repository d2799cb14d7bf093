/**
 * Starts three processes of the service behind nginx, over one Postgres and one Redis, and checks each promise about
 * several processes: `pnpm lab cluster`. With `--workers <n>` each process has workers. It exits with 1 if a promise does not hold.
 */
import { parseArgs } from "node:util"

import { Console, Effect } from "effect"

import * as Broken from "./broken.ts"
import * as Changes from "./changes.ts"
import * as Cluster from "./cluster.ts"
import type { Finding } from "./clusterFinding.ts"
import * as Suite from "./clusterSuite.ts"
import * as Kill from "./kill.ts"
import * as Limits from "./limits.ts"
import * as Outages from "./outages.ts"
import * as Secure from "./secure.ts"

const show = ({ claim, holds, measured }: Finding) =>
  Console.log(`${holds ? "ok  " : "FAIL"}  ${claim}\n    ${measured}`)

const { values } = parseArgs({ options: { workers: { type: "string", default: "1" } } })
const workers = Number(values.workers)

const program = Effect.gen(function* () {
  const began = performance.now()
  if (Cluster.skipped !== undefined) {
    yield* Console.error(Cluster.skipped)
    return false
  }
  const cluster = yield* Cluster.start(workers)
  yield* Console.log(`three processes with ${workers} workers each behind nginx, over one Postgres and one Redis\n`)
  const found: Array<Finding> = []
  const shown = Effect.fnUntraced(function* <E>(findings: Effect.Effect<ReadonlyArray<Finding>, E>) {
    for (const finding of yield* findings) {
      found.push(finding)
      yield* show(finding)
    }
  })
  yield* shown(Effect.map(Suite.run(cluster), (finding) => [finding]))
  yield* shown(Effect.map(Secure.same(cluster), (finding) => [finding]))
  yield* shown(Effect.map(Broken.cut(cluster), (finding) => [finding]))
  yield* shown(Limits.exact(cluster, 500, 96))
  yield* shown(Changes.seen(cluster))
  yield* shown(Outages.survived(cluster, 32))
  yield* shown(Kill.survived(cluster, 32, 6000))
  const failed = found.filter(({ holds }) => !holds).length
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  yield* Console.log(`\n${found.length - failed} of ${found.length} hold, in ${seconds} s`)
  return failed === 0
})

process.exitCode = (await Effect.runPromise(Effect.scoped(program))) ? 0 : 1
