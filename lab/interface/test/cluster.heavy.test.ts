/** A short run of `pnpm lab cluster`: three processes behind nginx. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import * as Broken from "../src/cluster/broken.ts"
import * as Changes from "../src/cluster/changes.ts"
import * as Cluster from "../src/cluster/cluster.ts"
import * as Kill from "../src/cluster/kill.ts"
import * as Limits from "../src/cluster/limits.ts"
import * as Secure from "../src/cluster/secure.ts"

describe(`three processes behind nginx${Cluster.skipped === undefined ? "" : ` (${Cluster.skipped})`}`, () => {
  it.live.skipIf(Cluster.skipped !== undefined)(
    "are one service: in answers, in limits, in changes, and when one is killed",
    () =>
      Effect.gen(function* () {
        const cluster = yield* Cluster.start
        const findings = [
          yield* Secure.same(cluster),
          yield* Broken.cut(cluster),
          ...(yield* Limits.exact(cluster, 60, 24)),
          ...(yield* Changes.seen(cluster)),
          ...(yield* Kill.survived(cluster, 8, 1500))
        ]
        assert.deepStrictEqual(
          findings.filter(({ holds }) => !holds),
          []
        )
      }).pipe(Effect.scoped),
    // The time limit is long, because eight programs share few processors.
    240_000
  )
})
