/** A short run of `pnpm lab cluster`: three processes behind nginx. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import * as Broken from "../src/cluster/broken.ts"
import * as Changes from "../src/cluster/changes.ts"
import * as Cluster from "../src/cluster/cluster.ts"
import * as Kill from "../src/cluster/kill.ts"
import * as Limits from "../src/cluster/limits.ts"
import * as Outages from "../src/cluster/outages.ts"
import * as Secure from "../src/cluster/secure.ts"

describe(
  `three processes behind nginx${Cluster.skipped === undefined ? "" : ` (${Cluster.skipped})`}`,
  { concurrent: false },
  () => {
    for (const [name, workers] of [
      ["are one service: in answers, in limits, in changes, and when one is killed", 1],
      ["are one service with two workers in each", 2]
    ] as const) {
      it.live.skipIf(Cluster.skipped !== undefined)(
        name,
        () =>
          Effect.gen(function* () {
            const cluster = yield* Cluster.start(workers)
            const findings = [
              yield* Secure.same(cluster),
              yield* Broken.cut(cluster),
              ...(yield* Limits.exact(cluster, 60, 24)),
              ...(yield* Changes.seen(cluster)),
              ...(yield* Outages.survived(cluster, 8)),
              ...(yield* Kill.survived(cluster, 8, 1500))
            ]
            const broken = findings.filter(({ holds }) => !holds)
            if (broken.length > 0) {
              assert.fail(broken.map(({ claim, measured }) => `${claim}: ${measured}`).join("\n"))
            }
          }).pipe(Effect.scoped),
        // The time limit is long, because eight programs share few processors.
        240_000
      )
    }
  }
)
