/** Kills processes at random moments while they meter, over each database, and prints a report: `pnpm metering-crashes`. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { MeteringStore, UsageFigures } from "@plumbline/gateway"
import { Effect, Layer, Redacted } from "effect"

import * as Crashes from "../test/support/meteringCrashes.ts"
import { open } from "../test/support/place.ts"
import * as Random from "../test/support/random.ts"
import * as Servers from "../test/support/servers.ts"

const kills = Number(process.argv[2] ?? 100)
const seed = Number(process.argv[3] ?? 20261121)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "plumbline-crashes-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const sqlite = Effect.map(folder, (made) => ["SQLite", "sqlite", path.join(made, "state.db")] as const)

const postgres = Effect.gen(function* () {
  const { create, url } = yield* Servers.postgres
  return ["Postgres", "postgres", Redacted.value(url(yield* create))] as const
})

const program = Effect.gen(function* () {
  let failed = false
  for (const database of [sqlite, ...(Servers.postgresSkipped === undefined ? [postgres] : [])]) {
    const [name, ...place] = yield* database
    console.log(`\n${name}: ${kills} processes, two at a time, killed with SIGKILL; seed ${seed}`)
    const began = Date.now()
    const { crashes, shared } = yield* Crashes.crash({ place, kills, random: Random.make(seed) }).pipe(
      Effect.provide(UsageFigures.layer.pipe(Layer.provide(MeteringStore.layer), Layer.provide(open(place))))
    )
    const sum = (of: (crash: Crashes.Crash) => number): number => crashes.reduce((all, crash) => all + of(crash), 0)
    const rows = [
      ["calls sent", sum(({ sent }) => sent)],
      ["calls acknowledged", sum(({ acknowledged }) => acknowledged)],
      ["calls stored", sum(({ stored }) => stored)],
      ["acknowledged and not stored", sum(({ lost }) => lost)],
      ["stored more than once", sum(({ doubled }) => doubled)],
      ["stored and never sent", sum(({ invented }) => invented)],
      ["stored in part", Math.abs(Number(shared) - sum(({ stored }) => stored))],
      ["kills with calls under way", crashes.filter(({ acknowledged, sent }) => sent > acknowledged).length],
      ["kills between storing and acknowledging", crashes.filter((one) => one.stored > one.acknowledged).length],
      ["seconds", Math.round((Date.now() - began) / 1000)]
    ] as const
    for (const [what, count] of rows) console.log(`  ${what.padEnd(42)}${String(count).padStart(8)}`)
    failed ||= rows.slice(3, 7).some(([, count]) => count > 0) || crashes.some(({ acknowledged }) => acknowledged === 0)
  }
  if (Servers.postgresSkipped !== undefined) console.log(`\nPostgres: ${Servers.postgresSkipped}`)
  return failed
})

process.exitCode = (await Effect.runPromise(Effect.scoped(program))) ? 1 : 0
