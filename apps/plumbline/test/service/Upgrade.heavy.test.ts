/**
 * The tables of a later release are made under the load of two processes of this one: each table gets columns, while a
 * backup holds all tables. No call is refused or lost, each is recorded once, and a process of this release starts again.
 */
import { writeFile } from "node:fs/promises"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"

import { describe, expect, it } from "@effect/vitest"
import * as Migrations from "@plumbline/gateway/state/Migrations"
import * as Postgres from "@plumbline/gateway/state/Postgres"
import * as StateBackup from "@plumbline/gateway/StateBackup"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"

import * as Children from "../support/Children.ts"
import * as Databases from "../support/Databases.ts"
import * as Upped from "../support/Upped.ts"

const TOKEN = "5ec4e7".repeat(8)
const CLIENTS = 4

/** Calls without a pause until it is stopped, and returns how many calls had each status. */
const calling = (url: string, key: string) => {
  const statuses = new Map<string, number>()
  const over = new AbortController()
  const client = async () => {
    while (!over.signal.aborted) {
      const status = await fetch(`${url}/v3/${key}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
      }).then(
        async (response) =>
          `${response.status} ${response.ok ? JSON.parse(await response.text()).result : await response.text()}`,
        (error: Error) => error.message
      )
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      await setTimeout(5)
    }
  }
  const clients = Array.from({ length: CLIENTS }, client)
  return {
    stop: async () => {
      over.abort()
      await Promise.all(clients)
      return statuses
    }
  }
}

/** The steps of a release that changes every table, in the part of accounts. */
const later = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly tablename: string }>`
    SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'plumbline_versions'`
  const [accounts] = StateBackup.migrations
  const added = tables.map(
    ({ tablename }): Migrations.Migrations["steps"][number] =>
      (sql) =>
        Effect.andThen(
          sql`ALTER TABLE ${sql(tablename)} ADD COLUMN later_count BIGINT NOT NULL DEFAULT 7`,
          sql`ALTER TABLE ${sql(tablename)} ADD COLUMN later_name TEXT`
        )
  )
  const version = yield* Migrations.run({ name: accounts!.name, steps: [...accounts!.steps, ...added] })
  return { tables: tables.length, steps: version - accounts!.steps.length }
})

describe.skipIf(Databases.skipped)("tables of a later release", () => {
  it("are made under load: nothing is refused, lost or counted twice, and this release starts on them", async () => {
    await using databases = await Databases.start()
    await using folder = await Children.folder()
    const config = path.join(folder.path, "plumbline.yaml")
    await writeFile(
      config,
      `networks: { history: { upstreams: [{ embedded: history }] } }
ipfs: { node: none }
state: { postgres: "${databases.postgres}", redis: "${databases.redis}" }
admin: { token: ${TOKEN} }
`
    )
    const start = () => Upped.start(undefined, ["--config", config], { HOME: folder.path })
    const [first, second] = await Promise.all([start(), start()])
    const admin = async (method: string, of: string, body?: object): Promise<any> => {
      const response = await fetch(`${second.announcement.url}/admin/v1${of}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) })
      })
      return response.json()
    }
    const { apiKey } = await admin("POST", "/projects", { name: "load", limits: { creditsPerSecond: 1_000_000 } })
    let load = [first, second].map(({ announcement }) => calling(announcement.url, apiKey))
    await setTimeout(1000)

    const run = Effect.provide(later, Postgres.layer({ url: Redacted.make(databases.postgres), connections: 2 }))
    const [{ steps, tables }, backup] = await Promise.all([
      Effect.runPromise(run),
      Children.run(["backup", path.join(folder.path, "backup"), "--config", config])
    ])
    expect([backup.code, backup.stderr]).toEqual([0, ""])
    expect(tables).toBeGreaterThan(15)
    expect(steps).toBe(tables)
    // changes of accounts work too, with the statements that were prepared before
    expect(await admin("POST", "/projects", { name: "later" })).toMatchObject({ apiKey: expect.any(String) })
    expect((await admin("GET", "/projects")).projects).toHaveLength(2)
    await setTimeout(1000)

    let statuses = [await load[0]!.stop()]
    expect((await first.stop()).code).toBe(0)
    const again = await start()
    load = [load[1]!, calling(again.announcement.url, apiKey)]
    await setTimeout(1000)
    statuses = [...statuses, ...(await Promise.all(load.map(({ stop }) => stop())))]
    expect(statuses.flatMap((of) => [...of.keys()])).toEqual(Array(3).fill("200 0x1e5b"))
    const count = statuses.reduce((sum, of) => sum + [...of.values()].reduce((a, b) => a + b, 0), 0)
    expect(count).toBeGreaterThan(100)
    const { totals } = await admin("GET", "/usage/by?window=24h&by=method")
    expect(Number(totals.calls)).toBe(count)
    expect(await Promise.all([again, second].map(async (service) => (await service.stop()).code))).toEqual([0, 0])
  })
})
