/**
 * Kills whole services while clients call them, and compares the metered usage with the clients' answers. Each project
 * has one client with one packet in flight at a time. So the test knows for each call whether it must be stored.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"

import { Accounts, ApiKey, type MeteringStore } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"

import { quiet } from "./meteringCrashes.ts"
import { add, Client, type Ledger } from "./serviceClients.ts"

export interface Report {
  readonly kills: number
  readonly sent: number
  readonly acknowledged: number
  /** The number of stored calls. If the minutes, the hours and the days have different numbers, that is a flaw. */
  readonly stored: number
  readonly credits: number
  /** The number of kills while a call was in flight. */
  readonly underWay: number
  /** The number of packets that were stored but not answered. */
  readonly storedOnly: number
  /** The number of packets answered with "service unavailable". It is unknown whether they were stored. */
  readonly unavailable: number
  /**
   * Descriptions of wrong usage. Stored usage must equal the acknowledged usage, with or without the packet in flight.
   */
  readonly flaws: ReadonlyArray<string>
}

/** Number of services that run at the same time over the same state. */
const SERVICES = 2

/** Number of clients of each service: half over HTTP, half over WebSockets. */
const CLIENTS = 6

/** Runs and kills services. `place` is the address of the state; the URL of a Redis may follow. */
export const crash = (options: {
  readonly durability: MeteringStore.UsageDurability
  readonly place: ReadonlyArray<string>
  readonly kills: number
  readonly random: Random.Random
}) =>
  Effect.gen(function* () {
    const { durability, place, random } = options
    const services = Array.from({ length: SERVICES }, (_, service) =>
      Array.from(
        { length: CLIENTS },
        (_, i) => new Client(`project ${service}.${i}`, i % 2 === 0 ? "http" : "webSocket", Random.int(random, 2 ** 31))
      )
    )
    const clients = services.flat()
    yield* adopt(clients)
    const flaws: Array<string> = []
    let underWay = 0
    let storedOnly = 0
    let kills = 0
    while (kills < options.kills) {
      const now = services.slice(0, options.kills - kills)
      const moments = now.map(() => Random.int(random, 150))
      yield* Effect.promise(() => Promise.all(now.map((some, i) => killed([durability, ...place], some, moments[i]!))))
      kills += now.length
      yield* quiet
      const found = yield* stored
      for (const some of now) if (some.some(({ pending }) => pending !== undefined)) underWay++
      for (const client of clients) {
        const { acknowledged, pending, project } = client
        const there = found("usage_days", project)
        for (const table of ["usage_minutes", "usage_hours"]) {
          if (!isSame(found(table, project), there)) flaws.push(`${table} of ${project} contradicts the days`)
        }
        client.pending = undefined
        if (isSame(there, acknowledged)) continue
        const before = new Map(acknowledged)
        if (pending !== undefined) add(acknowledged, pending.usage)
        if (pending !== undefined && isSame(there, acknowledged)) storedOnly++
        else {
          flaws.push(
            `${project}: acknowledged ${text(before)}, on its way ${pending?.body ?? "nothing"}, stored ${text(there)}`
          )
          acknowledged.clear()
          add(acknowledged, there)
        }
      }
    }
    const sum = (of: (client: Client) => number): number => clients.reduce((all, client) => all + of(client), 0)
    const found = yield* stored
    const inTotal = (name: "calls" | "credits"): number =>
      sum(({ project }) => [...found("usage_days", project).values()].reduce((all, sums) => all + sums[name], 0))
    const report: Report = {
      kills,
      sent: sum(({ sent }) => sent),
      acknowledged: sum(({ answered }) => answered),
      stored: inTotal("calls"),
      credits: inTotal("credits"),
      underWay,
      storedOnly,
      unavailable: sum(({ unavailable }) => unavailable),
      flaws
    }
    return report
  })

const adopt = Effect.fnUntraced(function* (clients: ReadonlyArray<Client>) {
  const accounts = yield* Accounts.Accounts
  // Credits are counted, but these limits are never reached.
  const limits = { creditsPerSecond: 1e9, creditsPerDay: 1e12, concurrency: 1000 }
  for (const { key, project } of clients) {
    const account = yield* accounts.createAccount({ name: project })
    const digests = ApiKey.digests({ key: Redacted.make(key), secret: Redacted.make(key) })
    yield* accounts.adopt(account.id, { id: project, name: project, limits, ...digests })
  }
})

/** Runs a service and its clients. Kills the service the given number of milliseconds after the first answer. */
const killed = async (setup: ReadonlyArray<string>, clients: ReadonlyArray<Client>, after: number): Promise<void> => {
  const child: ChildProcess = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      path.join(import.meta.dirname, "../fixtures/metering-service.ts"),
      ...setup
    ],
    { stdio: ["ignore", "pipe", "inherit"] }
  )
  const closed = once(child, "close")
  try {
    const ended = closed.then(() => Promise.reject(new Error("the service ended by itself")))
    ended.catch(() => undefined)
    const [port] = (await Promise.race([once(child.stdout!, "data"), ended])) as [Buffer]
    let answered: () => void = () => undefined
    const first = new Promise<void>((resolve) => (answered = resolve))
    const running = Promise.all(clients.map((client) => client.run(Number(port.toString("utf8")), answered)))
    running.catch(() => undefined)
    await Promise.race([first, running, ended])
    await setTimeout(after)
    if (!child.kill("SIGKILL")) throw new Error("the service ended by itself")
    await closed
    await running
  } finally {
    child.kill("SIGKILL")
  }
}

/**
 * Reads all metered usage by separate queries, not by the package's figures. Usage with status 503 is left out, unless
 * it costs credits, which would be a flaw.
 */
const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = new Map<string, Ledger>()
  for (const table of ["usage_minutes", "usage_hours", "usage_days"]) {
    const rows = yield* sql<{
      readonly project: string
      readonly method: string
      readonly status: number
      readonly calls: number
      readonly credits: number
      readonly bytes: number
    }>`
      SELECT project, method, status, CAST(sum(calls) AS BIGINT) AS calls, CAST(sum(credits) AS BIGINT) AS credits,
        CAST(sum(bytes_in) AS BIGINT) AS bytes
      FROM ${sql(table)} WHERE status <> 503 OR credits <> 0 GROUP BY project, method, status`
    for (const { bytes, calls, credits, method, project, status } of rows) {
      const name = status === 200 ? method : `${method} ${status}`
      const place = `${table}\0${project}`
      const ledger: Ledger = tables.get(place) ?? new Map()
      tables.set(place, ledger.set(name, { calls, credits, bytesIn: bytes }))
    }
  }
  return (table: string, project: string): Ledger => tables.get(`${table}\0${project}`) ?? new Map()
})

const text = (ledger: Ledger): string => JSON.stringify([...ledger].sort(([a], [b]) => (a < b ? -1 : 1)))

const isSame = (one: Ledger, other: Ledger): boolean => text(one) === text(other)
