/** Random usages, and a plain list of usages that answers the same queries as the figures. */
import { DatabaseSync } from "node:sqlite"

import { Metering, MeteringStore, type Usage, UsageFigures } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Clock, Effect, Layer } from "effect"

import type { Database } from "./databases.ts"

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Noon of a Saturday. */
export const NOON: number = Date.parse("2026-11-21T12:00:00Z")

/** Options that write usage without waiting. */
export const AT_ONCE: Metering.MeteringOptions = { gather: 0, retention: { minutes: "9999 days", hours: "9999 days" } }

export const call: Usage.Usage = {
  project: "p1",
  product: "rpc",
  network: "live",
  method: "eth_getProof",
  status: 200,
  key: "k1",
  calls: 1,
  credits: 150,
  bytesIn: 180,
  bytesOut: 4096
}

/** The callback with which a sync of the disk ends. */
export type DiskAnswer = (error: Error | null) => void

/** A store that does not delete old usage, because the deletion would also wait for the disk. */
export const untidied = Layer.effect(
  MeteringStore.MeteringStore,
  Effect.map(MeteringStore.MeteringStore, (store) => ({
    ...store,
    commitNow: store.commitNow,
    forget: () => Effect.void
  }))
).pipe(Layer.provide(MeteringStore.layer()))

/** Returns the sum of a column, as another program reads it. */
export const sumOf = (file: string, table: string, column: string): unknown => {
  const database = new DatabaseSync(file, { readOnly: true })
  const sum = database.prepare(`SELECT coalesce(sum(${column}), 0) AS n FROM ${table}`).get()!["n"]
  database.close()
  return sum
}

/** Starts one process that records and reads figures. Each build stands for another process. */
export const process = (database: Database, options: Metering.MeteringOptions = AT_ONCE) =>
  Layer.merge(Metering.layer(options), UsageFigures.layer()).pipe(
    Layer.provide(Layer.fresh(MeteringStore.layer())),
    Layer.provide(Layer.fresh(database.layer))
  )

export interface Recorded {
  readonly at: number
  readonly usage: Usage.Usage
}

export const usage = (random: Random.Random): Usage.Usage => {
  const ipfs = random() < 0.3
  const large = random() < 0.02
  const count = (below: number): number => (large ? 2 ** 44 - Random.int(random, 3) : Random.int(random, below))
  return {
    project: Random.pick(random, ["p1", "p2", "p2 and é", "P3"]),
    product: ipfs ? "ipfs" : "rpc",
    network: ipfs ? "ipfs" : Random.pick(random, ["live", "history"]),
    method: Random.pick(random, ipfs ? ["add", "pin/add"] : ["eth_call", "eth_getProof", "unknown"]),
    status: Random.pick(random, [200, 200, 200, 429, 502]),
    outcome: Random.pick(random, ["ok", "ok", "reverted", "error", "day"]),
    key: Random.pick(random, ["k1", "k2"]),
    calls: Random.pick(random, [0, 1, 1, 1, 30]),
    credits: count(5000),
    bytesIn: count(1_000_000),
    bytesOut: count(1_000_000),
    ...(ipfs
      ? {
          ipfs: {
            uploaded: count(1_000_000),
            downloaded: count(1_000_000),
            ...(random() < 0.5 ? { stored: count(1_000_000) } : {})
          }
        }
      : {})
  }
}

/**
 * Returns a random moment in the 40 days before a time. It is often just before or after the start of a minute, an hour
 * or a day.
 */
export const moment = (random: Random.Random, before: number): number => {
  const at = before - Random.int(random, Random.pick(random, [15 * MINUTE, HOUR, DAY, 7 * DAY, 40 * DAY]))
  const unit = Random.pick(random, [1, MINUTE, HOUR, DAY])
  return at - (at % unit) + (unit === 1 ? 0 : Random.pick(random, [-1, 0, 1]))
}

/** Runs work with a clock that shows a given moment. Other fibers keep their clock. */
export const at =
  (millis: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Clock.clockWith((clock) =>
      Effect.provideService(
        effect,
        Clock.Clock,
        Object.assign(Object.create(clock) as Clock.Clock, {
          currentTimeMillisUnsafe: () => millis,
          currentTimeMillis: Effect.succeed(millis)
        })
      )
    )

/** Returns the expected sums, by adding up a plain list. */
export const sum = (recorded: ReadonlyArray<Recorded>): UsageFigures.UsageCounts =>
  recorded.reduce(
    (counts, { usage }) => ({
      calls: counts.calls + BigInt(usage.calls),
      credits: counts.credits + BigInt(usage.credits),
      bytesIn: counts.bytesIn + BigInt(usage.bytesIn),
      bytesOut: counts.bytesOut + BigInt(usage.bytesOut),
      uploaded: counts.uploaded + BigInt(usage.ipfs?.uploaded ?? 0),
      downloaded: counts.downloaded + BigInt(usage.ipfs?.downloaded ?? 0)
    }),
    { calls: 0n, credits: 0n, bytesIn: 0n, bytesOut: 0n, uploaded: 0n, downloaded: 0n }
  )

/** Widens the range to whole units, and returns the usages in it that have all given values. */
export const select = (
  recorded: ReadonlyArray<Recorded>,
  { from, to, ...conditions }: UsageFigures.UsageSelection,
  unit = MINUTE
): ReadonlyArray<Recorded> =>
  recorded.filter(
    ({ at, usage }) =>
      at >= from - (from % unit) &&
      at < to + ((unit - (to % unit)) % unit) &&
      Object.entries(conditions).every(([name, value]) => Reflect.get(usage, name) === value)
  )

/** Groups usages by the text of their dimensions. */
export const group = (
  recorded: ReadonlyArray<Recorded>,
  key: (recorded: Recorded) => unknown
): ReadonlyMap<string, ReadonlyArray<Recorded>> => Map.groupBy(recorded, (one) => JSON.stringify(key(one)))
