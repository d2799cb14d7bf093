/**
 * Measures the cost of the state in SQLite: a look-up, and a commit that waits for the disk. Another row shows the same
 * commit without the wait. The difference between these two rows is the time of the disk.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { MeteringStore, Sqlite } from "@plumbline/gateway"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, test } from "vitest"

import { Disk } from "../src/state/sqlite/writeAheadLog.ts"

const scope = Scope.makeUnsafe()
const folder = mkdtempSync(path.join(tmpdir(), "plumbline-bench-"))
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(folder, { recursive: true })
})

const open = (file: string) =>
  Layer.buildWithScope(MeteringStore.layer().pipe(Layer.provideMerge(Sqlite.layer({ file }))), scope)

const durable = await Effect.runPromise(open(path.join(folder, "durable.db")))
const careless = await Effect.runPromise(
  Effect.provideService(open(path.join(folder, "careless.db")), Disk, (_descriptor, done) => done(null))
)

test("a lookup, 100 times", async ({ bench }) => {
  const sql = Context.get(durable, SqlClient.SqlClient)
  const lookup = Effect.forEach(
    Array.from({ length: 100 }),
    () => sql`SELECT since FROM usage_kept WHERE grain = ${"day"}`,
    { discard: true }
  )
  await bench.compare(
    bench("an Effect and nothing else", () => Effect.runPromise(Effect.void)),
    bench("by its key", () => Effect.runPromise(lookup)),
    { time: 1000 }
  )
})

for (const size of [1, 40, 1000]) {
  test(`a commit of ${size} rows`, async ({ bench }) => {
    const rows = Array.from({ length: size }, (_, i): MeteringStore.UsageRow => [
      1_763_760_000_000,
      `project ${i % 10}`,
      "rpc",
      "live",
      ["eth_call", "eth_getProof", "eth_chainId", "eth_getLogs"][i % 4]!,
      200,
      `key ${Math.floor(i / 20)}`,
      "ok",
      1,
      80,
      180,
      4096,
      0,
      0
    ])
    let number = 0
    const commit = (context: Context.Context<MeteringStore.MeteringStore>) => () =>
      Effect.runPromise(
        Context.get(context, MeteringStore.MeteringStore).commit({
          writer: `of ${size}`,
          number: ++number,
          at: 1_763_760_000_000,
          rows,
          levels: []
        })
      )
    await bench.compare(
      bench("without waiting for the disk", commit(careless)),
      bench("on the disk", commit(durable)),
      { time: 1000 }
    )
  })
}
