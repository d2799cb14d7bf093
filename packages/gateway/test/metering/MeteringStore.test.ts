/**
 * Every call is stored exactly once, whatever happens to connections and servers. The tests run over both databases.
 */
import { connect, createServer } from "node:net"
import * as path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Metering, MeteringStore, Postgres, UsageFigures } from "@plumbline/gateway"
import { Context, Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"

import * as Databases from "../support/databases.ts"
import * as Support from "../support/metering.ts"
import * as Servers from "../support/servers.ts"

const { MINUTE, NOON, call } = Support

/** The store, its database, and the stored rows. */
const open = (database: Layer.Layer<SqlClient.SqlClient, unknown>) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      UsageFigures.layer().pipe(Layer.provideMerge(MeteringStore.layer()), Layer.provideMerge(Layer.fresh(database)))
    )
    const figures = Context.get(context, UsageFigures.UsageFigures)
    return {
      store: Context.get(context, MeteringStore.MeteringStore),
      sql: Context.get(context, SqlClient.SqlClient),
      totals: Effect.map(
        figures.totals({ from: 0, to: NOON + 100 * Support.DAY }),
        ({ totals: { calls, credits } }) => [Number(calls), Number(credits)]
      )
    }
  })

const meter = (store: MeteringStore.UsageStore, options: Metering.MeteringOptions = Support.AT_ONCE) =>
  Effect.map(
    Layer.build(Metering.layer(options).pipe(Layer.provide(Layer.succeed(MeteringStore.MeteringStore, store)))),
    (context) => Context.get(context, Metering.Metering)
  )

const batch = (writer: string, number: number, calls: number): MeteringStore.UsageBatch => ({
  writer,
  number,
  at: NOON,
  rows: [[NOON, "p1", "rpc", "live", "eth_call", 200, "k1", "ok", calls, 80 * calls, 1, 1, 0, 0]],
  levels: []
})

describe.each(Databases.kinds)("a batch in $name", (kind) => {
  const test = it.live.skipIf(kind.skipped)

  test("is added once, however often it is written", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      const { store, totals } = yield* open(layer)
      yield* store.commit(batch("a", 1, 1))
      yield* store.commit(batch("a", 1, 1))
      assert.deepStrictEqual(yield* totals, [1, 80])
      yield* store.commit(batch("a", 2, 10))
      yield* store.commit(batch("a", 1, 1))
      yield* store.commit(batch("a", 2, 10))
      // These batches come from another process, and from the same process through another connection.
      yield* store.commit(batch("b", 1, 100))
      yield* (yield* open(layer)).store.commit(batch("b", 1, 100))
      assert.deepStrictEqual(yield* totals, [111, 8880])
      // Eight simultaneous writes of the same batch also add it once.
      yield* Effect.all(
        Array.from({ length: 8 }, () => store.commit(batch("a", 3, 1000))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* totals, [1111, 88_880])
    }).pipe(Effect.scoped))

  test("is all that is stored behind a ping", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      const { sql, store } = yield* open(layer)
      yield* store.commit(batch("a", 1, 1))
      yield* store.ping
      assert.deepStrictEqual(yield* sql<{ readonly writer: string }>`SELECT writer FROM usage_writers`, [
        { writer: "a" }
      ])
    }).pipe(Effect.scoped))

  test("is added once if it was committed and nobody was told, and again if it was not committed", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      const { sql, store, totals } = yield* open(layer)
      let tries = 0
      const metering = yield* meter({
        ...store,
        commitNow: undefined,
        commit: (batch) =>
          Effect.suspend(() => {
            tries++
            // The outcomes alternate: the answer is lost, the transaction is lost, the batch is stored.
            const lost = Effect.die(new Error("the connection broke"))
            if (tries % 3 === 1) return Effect.andThen(store.commit(batch), lost)
            if (tries % 3 === 2) return Effect.orDie(sql.withTransaction(Effect.andThen(store.commit(batch), lost)))
            return store.commit(batch)
          })
      })
      for (let i = 0; i < 6; i++) {
        yield* Effect.all(
          Array.from({ length: 5 }, () => metering.record(call)),
          { concurrency: "unbounded" }
        )
      }
      assert.deepStrictEqual(yield* totals, [30, 4500])
      assert.isAbove(tries, 12)
    }).pipe(Effect.scoped))

  test("of several processes is added to the same rows, and none is lost", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      const { totals } = yield* open(layer)
      const processes = yield* Effect.all(
        Array.from({ length: 3 }, () => Effect.flatMap(open(layer), ({ store }) => meter(store)))
      )
      yield* Effect.forEach(
        processes,
        (metering, i) =>
          Effect.forEach(
            Array.from({ length: 40 }, (_, n) => n),
            // Every second process records the statuses in the opposite order.
            (n) =>
              metering.recordAll(
                Array.from({ length: 6 }, (_, m) => ({ ...call, status: 200 + (((i % 2 === 0 ? m : 5 - m) + n) % 6) }))
              )
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* totals, [720, 108_000])
    }).pipe(Effect.scoped))

  test("is one row of an hour and one of a day, however many minutes and statements it has", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      const { sql, store } = yield* open(layer)
      const minutes = Array.from({ length: 70 }, (_, i) => NOON + i * MINUTE)
      yield* store.commit({
        ...batch("a", 1, 1),
        rows: minutes.map((minute) => [minute, "p1", "rpc", "live", "eth_call", 200, "k1", "ok", 1, 2, 3, 4, 5, 6]),
        levels: minutes.map((minute, i) => [minute, "p1", i % 7])
      })
      const at = (table: string) => sql<{ readonly at: number }>`SELECT at FROM ${sql(table)} ORDER BY at`.values
      const hours = [[NOON], [NOON + Support.HOUR]]
      const days = [[NOON - Support.DAY / 2]]
      for (const part of ["usage", "usage_stored"]) {
        assert.deepStrictEqual(
          yield* at(`${part}_minutes`),
          minutes.map((minute) => [minute]),
          part
        )
        assert.deepStrictEqual(yield* at(`${part}_hours`), hours, part)
        assert.deepStrictEqual(yield* at(`${part}_days`), days, part)
      }
      assert.deepStrictEqual(
        yield* sql`SELECT calls, credits, bytes_in, bytes_out, uploaded, downloaded FROM usage_days`.values,
        [[70, 140, 210, 280, 350, 420]]
      )
      assert.deepStrictEqual(yield* sql`SELECT bytes FROM usage_stored_hours ORDER BY at`.values, [[6], [6]])
    }).pipe(Effect.scoped))

  test("that would leave 64 bits is refused, and leaves nothing", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      const { sql, store } = yield* open(layer)
      yield* store.commit(batch("a", 1, 1))
      const most = 2n ** 63n - 1n
      const days = Effect.map(
        sql<{
          readonly calls: number | bigint
          readonly credits: number | bigint
        }>`SELECT calls, credits FROM usage_days`,
        ([row]) => [BigInt(row!.calls), BigInt(row!.credits)]
      )
      yield* sql`UPDATE usage_days SET calls = ${most}`
      assert.isTrue(Exit.isFailure(yield* Effect.exit(store.commit(batch("a", 2, 1)))))
      assert.deepStrictEqual(yield* days, [most, 80n])
      yield* sql`UPDATE usage_days SET calls = ${most - 1n}`
      yield* store.commit(batch("a", 2, 1))
      assert.deepStrictEqual(yield* days, [most, 160n])
    }).pipe(Effect.scoped))

  test("keeps its writer in mind for as long as it could be written again", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      const { sql, store } = yield* open(layer)
      yield* store.commit(batch("a", 1, 1))
      yield* store.commit({ ...batch("b", 1, 1), at: NOON + MINUTE })
      const writers = Effect.map(
        sql<{ readonly writer: string }>`SELECT writer FROM usage_writers ORDER BY writer`,
        (rows) => rows.map(({ writer }) => writer)
      )
      yield* store.forget({}, NOON + 30 * Support.DAY)
      assert.deepStrictEqual(yield* writers, ["a", "b"])
      yield* store.forget({}, NOON + 30 * Support.DAY + 1)
      assert.deepStrictEqual(yield* writers, ["b"])
    }).pipe(Effect.scoped))
})

describe.skipIf(Servers.postgresSkipped !== undefined)("a Postgres server", () => {
  it.live("whose connection breaks when it has committed has stored the call once", () =>
    Effect.gen(function* () {
      const server = yield* Servers.postgres
      const database = yield* server.create
      const direct = yield* open(Postgres.layer({ url: server.url(database) }))
      const proxy = yield* lossy(new URL(Redacted.value(server.url(database))).searchParams.get("host")!)
      const { store } = yield* open(
        Postgres.layer({
          url: Redacted.make(`postgres://plumbline@localhost/${database}?host=${encodeURIComponent(proxy.folder)}`)
        })
      )
      const metering = yield* meter(store)
      yield* metering.record(call)
      for (const [cuts, calls] of [
        [1, 2],
        [3, 3]
      ] as const) {
        proxy.cut(cuts)
        yield* metering.record(call)
        assert.deepStrictEqual(yield* direct.totals, [calls, 150 * calls])
      }
      assert.deepStrictEqual(proxy.count(), 4)
    }).pipe(Effect.scoped)
  )

  it.live("that crashes and comes back has every call that was acknowledged, and none twice", () =>
    Effect.gen(function* () {
      const server = yield* Servers.postgres
      const { store, totals } = yield* open(Postgres.layer({ url: server.url(yield* server.create) }))
      const metering = yield* meter(store, { ...Support.AT_ONCE, timeout: "1 minute" })
      let acknowledged = 0
      const state = { stop: false }
      const load = Effect.gen(function* () {
        yield* metering.record(call)
        acknowledged++
      })
      yield* Effect.all(
        [
          ...Array.from({ length: 8 }, () => Effect.repeat(load, { until: () => state.stop })),
          Effect.gen(function* () {
            for (let i = 0; i < 2; i++) {
              yield* Effect.sleep("100 millis")
              yield* server.crash
              yield* server.start
            }
            yield* load
            state.stop = true
          })
        ],
        { concurrency: "unbounded" }
      )
      // The test refused no call, so the stored calls must equal the acknowledged ones.
      assert.deepStrictEqual(yield* totals, [acknowledged, 150 * acknowledged])
    }).pipe(Effect.scoped)
  )
})

/**
 * Makes a proxy in front of the server's socket. On command it closes a connection instead of passing on the answer to
 * a commit.
 */
const lossy = (folder: string) =>
  Effect.gen(function* () {
    const name = ".s.PGSQL.5432"
    const own = yield* Databases.folder
    let cuts = 0
    let cut = 0
    const server = createServer((client) => {
      const upstream = connect(path.join(folder, name))
      client.on("data", (chunk) => upstream.write(chunk))
      upstream.on("data", (chunk) => {
        if (cuts > 0 && COMMITTED.test(chunk.toString("latin1"))) {
          cuts--
          cut++
          client.destroy()
          upstream.destroy()
        } else {
          client.write(chunk)
        }
      })
      for (const [one, other] of [
        [client, upstream],
        [upstream, client]
      ] as const) {
        one.on("error", () => other.destroy()).on("close", () => other.destroy())
      }
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((resolve) => server.listen(path.join(own, name), resolve))),
      () => Effect.sync(() => server.close())
    )
    return { folder: own, cut: (times: number) => void (cuts = times), count: () => cut }
  })

/**
 * Matches the end of a statement's answer: the message that the server is ready for the next statement. At that point
 * the server has committed.
 */
// oxlint-disable-next-line no-control-regex -- the end of a string, and the length of a message
const COMMITTED = /SELECT [01]\0Z\0\0\0\u0005I/u

describe("a full disk", () => {
  it.live("fails a ping as it fails a batch, although a change of one row finds room", () =>
    Effect.gen(function* () {
      const { layer } = yield* Databases.kinds[0]!.fresh
      const { sql, store } = yield* open(layer)
      const { rows } = batch("a", 1, 1)
      // A limit of pages makes SQLite fail with the same code as a full disk.
      yield* sql`PRAGMA max_page_count = 1`
      const many = Array.from({ length: 90 }, (_, i) => [...rows[0]!].with(4, `eth_${"x".repeat(500)}${i}`))
      const large = { ...batch("b", 1, 1), rows: many as unknown as MeteringStore.UsageBatch["rows"] }
      yield* sql`UPDATE usage_kept SET since = since`
      assert.include((yield* Effect.flip(store.commit(large))).message, "full")
      assert.include((yield* Effect.flip(store.ping)).message, "full")
      yield* sql`PRAGMA max_page_count = 1000000`
      yield* store.ping
      yield* store.commit(large)
    }).pipe(Effect.scoped)
  )
})
