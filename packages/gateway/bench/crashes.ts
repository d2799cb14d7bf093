/**
 * `pnpm lab metering-crashes`: kills processes at random moments while they record usage in each database with each durability, and
 * prints a report. With `--service` the processes are whole services, which clients call over HTTP and WebSockets.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"

import { Accounts, MeteringStore, UsageFigures } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Layer, Redacted } from "effect"

import * as Crashes from "../test/support/meteringCrashes.ts"
import { open } from "../test/support/place.ts"
import * as Redis from "../test/support/redis.ts"
import * as Servers from "../test/support/servers.ts"
import * as ServiceCrashes from "../test/support/serviceCrashes.ts"

const { positionals, values } = parseArgs({ allowPositionals: true, options: { service: { type: "boolean" } } })
const [kills = 100, seed = 20_261_121] = positionals.map(Number)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "plumbline-crashes-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const sqlite = Effect.map(folder, (made) => ["SQLite", "sqlite", path.join(made, "state.db")] as const)

const postgres = Effect.gen(function* () {
  const { create, url } = yield* Servers.postgres
  return ["Postgres", "postgres", Redacted.value(url(yield* create))] as const
})

type Row = readonly [what: string, count: number, isFlaw?: boolean]

/** Kills processes while they record usage. Each recorded call has a unique id. */
const writers = Effect.fnUntraced(function* (durability: MeteringStore.UsageDurability, place: ReadonlyArray<string>) {
  const { crashes, shared } = yield* Crashes.crash({ durability, place, kills, random: Random.make(seed) }).pipe(
    Effect.provide(UsageFigures.layer().pipe(Layer.provide(MeteringStore.layer()), Layer.provideMerge(open(place))))
  )
  const sum = (of: (crash: Crashes.Crash) => number): number => crashes.reduce((all, crash) => all + of(crash), 0)
  const rows: ReadonlyArray<Row> = [
    ["calls sent", sum(({ sent }) => sent)],
    ["calls acknowledged", sum(({ acknowledged }) => acknowledged)],
    ["calls stored", sum(({ stored }) => stored)],
    ["acknowledged and not stored", sum(({ lost }) => lost), true],
    ["stored more than once", sum(({ doubled }) => doubled), true],
    ["stored and never sent", sum(({ invented }) => invented), true],
    ["stored in part", Math.abs(Number(shared) - sum(({ stored }) => stored)), true],
    ["processes that acknowledged nothing", crashes.filter(({ acknowledged }) => acknowledged === 0).length, true],
    ["kills with calls under way", crashes.filter(({ acknowledged, sent }) => sent > acknowledged).length],
    ["kills between storing and acknowledging", crashes.filter((one) => one.stored > one.acknowledged).length]
  ]
  return rows
})

/** Kills services. Each client has a separate project. */
const services = Effect.fnUntraced(function* (durability: MeteringStore.UsageDurability, place: ReadonlyArray<string>) {
  const report = yield* ServiceCrashes.crash({ durability, place, kills, random: Random.make(seed) }).pipe(
    Effect.provide(Layer.merge(Accounts.layer(), MeteringStore.layer()).pipe(Layer.provideMerge(open(place))))
  )
  for (const flaw of report.flaws) console.log(`  ${flaw}`)
  const rows: ReadonlyArray<Row> = [
    ["calls sent", report.sent],
    ["calls answered", report.acknowledged],
    ["calls stored", report.stored],
    ["credits stored", report.credits],
    ["clients with other calls, credits or bytes", report.flaws.length, true],
    ["nothing was answered", report.acknowledged === 0 ? 1 : 0, true],
    ["kills with calls under way", report.underWay],
    ["packets stored and not answered any more", report.storedOnly],
    ["packets answered with service unavailable", report.unavailable]
  ]
  return rows
})

const program = Effect.gen(function* () {
  const redis =
    values.service === true && Redis.redisSkipped === undefined ? [Redacted.value((yield* Redis.redis).url)] : []
  let failed = false
  const databases = [sqlite, ...(Servers.postgresSkipped === undefined ? [postgres] : [])]
  const cases = databases.flatMap((database) =>
    (["process", "disk"] as const).map((durability) => ({ database, durability }))
  )
  for (const { database, durability } of cases) {
    const [name, ...place] = yield* database
    const what = values.service === true ? "services" : "processes"
    console.log(
      `\n${name}, durable as ${durability}: ${kills} ${what}, two at a time, killed with SIGKILL; seed ${seed}`
    )
    const began = Date.now()
    const rows = yield* values.service === true
      ? services(durability, [...place, ...redis])
      : writers(durability, place)
    for (const [what, count] of rows) console.log(`  ${what.padEnd(44)}${String(count).padStart(8)}`)
    console.log(`  ${"seconds".padEnd(44)}${String(Math.round((Date.now() - began) / 1000)).padStart(8)}`)
    failed ||= rows.some(([, count, isFlaw]) => isFlaw === true && count > 0)
  }
  if (Servers.postgresSkipped !== undefined) console.log(`\nPostgres: ${Servers.postgresSkipped}`)
  return failed
})

process.exitCode = (await Effect.runPromise(Effect.scoped(program))) ? 1 : 0
