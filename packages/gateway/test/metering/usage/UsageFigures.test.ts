/** Compares figures with sums over a plain list of usages, over both databases. */
import { assert, describe, it } from "@effect/vitest"
import { Metering, MeteringStore, type Usage, UsageFigures, UsageReport } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Context, Effect, Layer } from "effect"

import * as Databases from "../../support/databases.ts"
import * as Support from "../../support/metering.ts"

const { DAY, HOUR, MINUTE, NOON, call } = Support

/** Starts a process. Returns its service that records usage, and its service that reads figures. */
const open = (database: Databases.Database) =>
  Effect.map(Layer.build(Support.process(database)), (context) => ({
    metering: Context.get(context, Metering.Metering),
    figures: Context.get(context, UsageFigures.UsageFigures)
  }))

const record = (metering: typeof Metering.Metering.Service, at: number, usage: Partial<Usage.Usage> = {}) =>
  Support.at(at)(metering.record({ ...call, ...usage }))

describe.each(Databases.kinds)("figures of usage in $name", (kind) => {
  const test = it.live.skipIf(kind.skipped)

  test("are those of a plain list, whoever recorded, whenever, at every window", () =>
    Effect.gen(function* () {
      const random = Random.make(20261121)
      const database = yield* kind.fresh
      const processes = [yield* open(database), yield* open(database), yield* open(database)]
      const recorded: Array<Support.Recorded> = []
      const check = Effect.gen(function* () {
        const { figures } = Random.pick(random, processes)
        const now = Support.moment(random, NOON)
        const [a, b] = [Support.moment(random, NOON), Support.moment(random, NOON)]
        const ranges = [
          ...Object.keys(UsageFigures.windows).map((name) =>
            UsageFigures.last(name as keyof typeof UsageFigures.windows, now)
          ),
          { from: Math.min(a, b), to: Math.max(a, b) + 1 }
        ]
        const conditions = Random.pick<Omit<UsageFigures.UsageSelection, "from" | "to">>(random, [
          {},
          { project: "p2 and é" },
          { project: "p2", product: "rpc", status: 200 },
          { network: "live", method: "eth_call", key: "k2" },
          { outcome: "reverted" },
          { outcome: "ok", network: "live" }
        ])
        for (const range of ranges) {
          const selection = { ...range, ...conditions }
          const expected = Support.select(recorded, selection)
          const about = JSON.stringify(selection)
          assert.deepStrictEqual((yield* figures.totals(selection)).totals, Support.sum(expected), about)

          const by = Random.pick<Array<keyof Usage.UsageDimensions>>(random, [
            ["network"],
            ["method", "status"],
            ["project", "key"],
            ["outcome"],
            ["project", "product", "network", "method", "status", "key", "outcome"]
          ])
          const grouped = yield* figures.by({ ...selection, by })
          const groups = Support.group(expected, ({ usage }) => by.map((name) => usage[name]))
          assert.deepStrictEqual(
            new Map(
              grouped.rows.map(({ bytesIn, bytesOut, calls, credits, downloaded, uploaded, ...of }) => [
                JSON.stringify(by.map((name) => of[name])),
                { calls, credits, bytesIn, bytesOut, uploaded, downloaded }
              ])
            ),
            new Map([...groups].map(([key, group]) => [key, Support.sum(group)])),
            about
          )
          assert.deepStrictEqual(grouped.totals, Support.sum(expected), about)
        }
      })
      for (let round = 0; round < Random.runs(10); round++) {
        // Usages of one moment arrive at several processes. From one moment to the next the clock may jump in any
        // direction.
        for (let moments = 0; moments < 8; moments++) {
          const at = Support.moment(random, NOON)
          const usages = Array.from({ length: 1 + Random.int(random, 4) }, () => Support.usage(random))
          yield* Effect.forEach(
            usages,
            (usage) => Support.at(at)(Random.pick(random, processes).metering.record(usage)),
            { concurrency: "unbounded" }
          )
          recorded.push(...usages.map((usage) => ({ at, usage })))
        }
        yield* check
      }
    }).pipe(Effect.scoped))

  test("over time are those of a plain list, in buckets of any length", () =>
    Effect.gen(function* () {
      const random = Random.make(7)
      const { figures, metering } = yield* open(yield* kind.fresh)
      const recorded = Array.from({ length: Random.runs(25) * 8 }, () => ({
        at: Support.moment(random, NOON),
        usage: Support.usage(random)
      }))
      // The usages are recorded in several batches.
      for (let i = 0; i < 4; i++) {
        const some = recorded.filter((_, n) => n % 4 === i)
        yield* Effect.forEach(some, ({ at, usage }) => record(metering, at, usage), { concurrency: "unbounded" })
      }
      for (const [window, every] of [
        ["15m", MINUTE],
        ["1h", 5 * MINUTE],
        ["24h", HOUR],
        ["24h", 7 * MINUTE],
        ["7d", 6 * HOUR],
        ["7d", 90 * MINUTE],
        ["30d", DAY],
        ["30d", 7 * DAY]
      ] as const) {
        const range = UsageFigures.last(window, NOON - Random.int(random, 3 * MINUTE))
        const about = `${window} ${every}`
        const there = Support.select(recorded, range)
        const bucket = ({ at }: Support.Recorded) => at - (at % every)

        const plain = yield* figures.series({ ...range, every })
        const first = range.from - (range.from % every)
        assert.deepStrictEqual(
          plain.times,
          Array.from({ length: Math.ceil((range.to - first) / every) }, (_, i) => first + i * every),
          about
        )
        const buckets = Support.group(there, bucket)
        assert.deepStrictEqual(
          plain.lines,
          [{ of: {}, counts: plain.times.map((at) => Support.sum(buckets.get(String(at)) ?? [])) }],
          about
        )

        const lines = yield* figures.series({ ...range, every, by: ["method"], top: 3, order: "bytesOut" })
        const methods = [...Support.group(there, ({ usage }) => usage.method)]
          .map(([name, group]) => ({ name: JSON.parse(name) as string, sum: Support.sum(group).bytesOut, group }))
          .sort((a, b) => (a.sum === b.sum ? (a.name < b.name ? -1 : 1) : a.sum > b.sum ? -1 : 1))
          .slice(0, 3)
        assert.deepStrictEqual(
          lines.lines,
          methods.map(({ group, name }) => {
            const buckets = Support.group(group, bucket)
            return { of: { method: name }, counts: plain.times.map((at) => Support.sum(buckets.get(String(at)) ?? [])) }
          }),
          about
        )

        const stored = yield* figures.stored({ ...range, every, project: "p2" })
        const levels = Support.group(
          there.filter(({ usage }) => usage.project === "p2" && usage.ipfs?.stored !== undefined),
          bucket
        )
        assert.deepStrictEqual(
          stored.levels,
          [...levels]
            .map(([at, group]) => ({
              at: Number(at),
              bytes: BigInt(Math.max(...group.map(({ usage }) => usage.ipfs!.stored!)))
            }))
            .sort((a, b) => a.at - b.at),
          about
        )
      }
    }).pipe(Effect.scoped))

  test("of what is stored are the highest of a time, whichever came last", () =>
    Effect.gen(function* () {
      const { figures, metering } = yield* open(yield* kind.fresh)
      const stores = (at: number, stored: number, project = "p1") =>
        record(metering, at, { project, product: "ipfs", ipfs: { uploaded: 0, downloaded: 0, stored } })
      for (const stored of [5, 9, 3]) yield* stores(NOON, stored)
      yield* stores(NOON + MINUTE, 0)
      yield* stores(NOON + 2 * HOUR, 11)
      yield* stores(NOON + HOUR, 2)
      yield* stores(NOON, 1000, "p2")
      yield* record(metering, NOON + 3 * HOUR)
      const levels = (hours: number, every: number) =>
        Effect.map(figures.stored({ from: NOON, to: NOON + hours * HOUR, every, project: "p1" }), ({ levels }) =>
          levels.map(({ at, bytes }) => [(at - NOON) / MINUTE, bytes])
        )
      assert.deepStrictEqual(yield* levels(1, MINUTE), [
        [0, 9n],
        [1, 0n]
      ])
      assert.deepStrictEqual(yield* levels(12, HOUR), [
        [0, 9n],
        [60, 2n],
        [120, 11n]
      ])
      assert.deepStrictEqual(yield* levels(12, DAY), [[-720, 11n]])
    }).pipe(Effect.scoped))

  test("begin and end with the minute, and the answer says which", () =>
    Effect.gen(function* () {
      const { figures, metering } = yield* open(yield* kind.fresh)
      for (const at of [NOON - 1, NOON, NOON + MINUTE - 1, NOON + MINUTE]) yield* record(metering, at)
      const calls = (from: number, to: number) =>
        Effect.map(figures.totals({ from, to }), ({ from, to, totals }) => [from - NOON, to - NOON, totals.calls])
      assert.deepStrictEqual(yield* calls(NOON, NOON + MINUTE), [0, MINUTE, 2n])
      assert.deepStrictEqual(yield* calls(NOON + 1, NOON + 2), [0, MINUTE, 2n])
      assert.deepStrictEqual(yield* calls(NOON - 1, NOON + MINUTE), [-MINUTE, MINUTE, 3n])
      assert.deepStrictEqual(yield* calls(NOON, NOON + MINUTE + 1), [0, 2 * MINUTE, 3n])
    }).pipe(Effect.scoped))

  test("are exact where a number is not", () =>
    Effect.gen(function* () {
      const { figures, metering } = yield* open(yield* kind.fresh)
      const large = { ...call, bytesOut: 2 ** 44, bytesIn: 2 ** 44 - 1 }
      // The sums exceed 2^53, both in one batch and in one row.
      yield* Support.at(NOON)(metering.recordAll(Array.from({ length: 1025 }, () => large)))
      yield* record(metering, NOON, { bytesOut: 1, bytesIn: 0 })
      const range = { from: NOON, to: NOON + MINUTE }
      const { totals } = yield* figures.totals(range)
      assert.strictEqual(totals.bytesOut, 1025n * 2n ** 44n + 1n)
      assert.strictEqual(totals.bytesIn, 1025n * (2n ** 44n - 1n))
      const report = yield* UsageReport.read(range).pipe(Effect.provideService(UsageFigures.UsageFigures, figures))
      assert.include(UsageReport.toJson(report), `"bytesOut":${1025n * 2n ** 44n + 1n}}`)
    }).pipe(Effect.scoped))

  test("of what is most used come first, with the totals of all", () =>
    Effect.gen(function* () {
      const { figures, metering } = yield* open(yield* kind.fresh)
      const range = { from: NOON, to: NOON + MINUTE }
      for (const [i, method] of ["eth_call", "eth_getProof", "eth_chainId", "eth_getLogs"].entries()) {
        yield* record(metering, NOON, { method, credits: [80, 150, 5, 80][i]!, bytesOut: i })
      }
      const top = (options: { readonly top: number; readonly order?: keyof UsageFigures.UsageCounts }) =>
        Effect.map(figures.by({ ...range, by: ["method"], ...options }), ({ rows, totals }) => [
          rows.map(({ method }) => method),
          totals.credits
        ])
      assert.deepStrictEqual(yield* top({ top: 3 }), [["eth_getProof", "eth_call", "eth_getLogs"], 315n])
      assert.deepStrictEqual(yield* top({ top: 1, order: "bytesOut" }), [["eth_getLogs"], 315n])
      assert.deepStrictEqual(yield* figures.by({ ...range, from: NOON - 1, to: NOON, by: ["method"], top: 2 }), {
        from: NOON - MINUTE,
        to: NOON,
        rows: [],
        totals: Support.sum([])
      })
    }).pipe(Effect.scoped))

  test("as a report are the rows and totals of `plumbline usage --json`", () =>
    Effect.gen(function* () {
      const { figures, metering } = yield* open(yield* kind.fresh)
      const day = Date.parse("2026-11-21T00:00:00Z")
      yield* record(metering, day, { method: "eth_call", credits: 80, calls: 30, key: "k1" })
      yield* record(metering, day + HOUR, { method: "eth_call", credits: 80, key: "k2" })
      yield* record(metering, day + HOUR, { method: "eth_call", credits: 0, status: 429 })
      yield* record(metering, day + HOUR, {
        product: "ipfs",
        network: "ipfs",
        method: "pin/add",
        credits: 10,
        ipfs: { uploaded: 1, downloaded: 2, stored: 3 }
      })
      yield* record(metering, day + HOUR, { project: "p0" })
      yield* record(metering, day - 1)
      const read = (project?: string) =>
        UsageReport.read({ from: day, to: day + DAY, project }).pipe(
          Effect.map((report) => JSON.parse(UsageReport.toJson(report)) as unknown),
          Effect.provideService(UsageFigures.UsageFigures, figures)
        )
      const rpc = { project: "p1", product: "rpc", network: "live", method: "eth_call" }
      const bytes = { bytesIn: 180, bytesOut: 4096 }
      const rows = [
        {
          project: "p1",
          product: "ipfs",
          network: "ipfs",
          method: "pin/add",
          status: 200,
          calls: 1,
          credits: 10,
          ...bytes
        },
        { ...rpc, status: 200, calls: 31, credits: 160, bytesIn: 360, bytesOut: 8192 },
        { ...rpc, status: 429, calls: 1, credits: 0, ...bytes }
      ]
      const times = { from: "2026-11-21T00:00:00.000Z", to: "2026-11-22T00:00:00.000Z" }
      assert.deepStrictEqual(yield* read("p1"), {
        ...times,
        rows,
        totals: { calls: 33, credits: 170, bytesIn: 720, bytesOut: 16384 }
      })
      assert.deepStrictEqual(yield* read(), {
        ...times,
        rows: [
          { ...rpc, project: "p0", method: "eth_getProof", status: 200, calls: 1, credits: 150, ...bytes },
          ...rows
        ],
        totals: { calls: 34, credits: 320, bytesIn: 900, bytesOut: 20480 }
      })
      assert.deepStrictEqual(yield* read("p9"), {
        ...times,
        rows: [],
        totals: { calls: 0, credits: 0, bytesIn: 0, bytesOut: 0 }
      })
    }).pipe(Effect.scoped))

  test("of what was forgotten have borders at what is kept, and lack nothing else", () =>
    Effect.gen(function* () {
      const database = yield* kind.fresh
      const { figures, metering } = yield* open(database)
      const store = Context.get(
        yield* Layer.build(MeteringStore.layer().pipe(Layer.provide(Layer.fresh(database.layer)))),
        MeteringStore.MeteringStore
      )
      const random = Random.make(3)
      const recorded = Array.from({ length: 400 }, () => ({
        at: Support.moment(random, NOON),
        usage: Support.usage(random)
      }))
      yield* Effect.forEach(recorded, ({ at, usage }) => record(metering, at, usage), { concurrency: "unbounded" })
      // Keeps the minutes of a little more than one day, and the hours of 7 days.
      yield* store.forget({ minute: NOON - DAY - 20 * MINUTE, hour: NOON - 7 * DAY }, NOON)
      const agrees = (range: UsageFigures.TimeRange, expected: UsageFigures.TimeRange) =>
        Effect.gen(function* () {
          const { from, to, totals } = yield* figures.totals(range)
          assert.deepStrictEqual({ from, to }, expected)
          assert.deepStrictEqual(totals, Support.sum(Support.select(recorded, expected)))
        })
      const midnight = Date.parse("2026-11-21T00:00:00Z")
      yield* agrees({ from: NOON - 5 * MINUTE, to: NOON }, { from: NOON - 5 * MINUTE, to: NOON })
      // Deletion keeps all minutes of an hour, or none.
      const half = NOON - DAY - 30 * MINUTE
      yield* agrees({ from: half, to: NOON - 1 }, { from: half, to: NOON })
      yield* agrees({ from: half - HOUR, to: NOON - 1 }, { from: NOON - DAY - 2 * HOUR, to: NOON })
      yield* agrees(
        { from: NOON - 3 * DAY - MINUTE, to: NOON - 2 * DAY + MINUTE },
        { from: NOON - 3 * DAY - HOUR, to: NOON - 2 * DAY + HOUR }
      )
      yield* agrees(
        { from: midnight - 20 * DAY + HOUR, to: midnight - 18 * DAY + HOUR },
        { from: midnight - 20 * DAY, to: midnight - 17 * DAY }
      )
      // The buckets of a chart are as short as the remaining rows permit.
      const chart = yield* figures.series({ ...UsageFigures.last("7d", NOON - 1), every: "5 minutes" })
      assert.deepStrictEqual([chart.every, chart.times.length, chart.from], [HOUR, 7 * 24, NOON - 7 * DAY])
      assert.deepStrictEqual(
        chart.lines[0]!.counts.reduce((sum, { credits }) => sum + credits, 0n),
        Support.sum(Support.select(recorded, { from: NOON - 7 * DAY, to: NOON })).credits
      )
      // Deleted days are not reported.
      yield* store.forget({ day: midnight - 10 * DAY }, NOON)
      yield* agrees({ from: midnight - 30 * DAY, to: NOON }, { from: midnight - 10 * DAY, to: NOON })
      yield* agrees(
        { from: midnight - 30 * DAY, to: midnight - 20 * DAY },
        { from: midnight - 20 * DAY, to: midnight - 20 * DAY }
      )
      // If the clock is set back, the store still reports the deleted time as deleted.
      yield* store.forget({ minute: 0, hour: 0, day: 0 }, NOON)
      yield* agrees({ from: half - HOUR, to: NOON - 1 }, { from: NOON - DAY - 2 * HOUR, to: NOON })
    }).pipe(Effect.scoped))

  test("that are asked for while something is forgotten lack nothing of what they say they cover", () =>
    Effect.gen(function* () {
      const database = yield* kind.fresh
      const { figures, metering } = yield* open(database)
      const store = Context.get(
        yield* Layer.build(MeteringStore.layer().pipe(Layer.provide(Layer.fresh(database.layer)))),
        MeteringStore.MeteringStore
      )
      const random = Random.make(5)
      const recorded = Array.from({ length: 600 }, () => ({
        at: NOON - Random.int(random, 3 * DAY),
        usage: Support.usage(random)
      }))
      yield* Effect.forEach(recorded, ({ at, usage }) => record(metering, at, usage), { concurrency: "unbounded" })
      const state = { over: false, next: NOON - 3 * DAY }
      const forget = Effect.forEach(
        Array.from({ length: 72 }, (_, i) => NOON - (72 - i) * HOUR),
        (minute) =>
          Effect.suspend(() => {
            state.next = minute
            return store.forget({ minute }, NOON)
          })
      ).pipe(Effect.andThen(Effect.sync(() => (state.over = true))))
      const widened = { no: 0, yes: 0 }
      const ask = Effect.gen(function* () {
        // The query begins in the middle of the hour that is being deleted.
        const from = state.next - HOUR / 2
        const { totals, ...answered } = yield* figures.totals({ from, to: NOON })
        assert.deepStrictEqual(totals, Support.sum(Support.select(recorded, answered)))
        widened[answered.from < from ? "yes" : "no"]++
      })
      // Queries run before the deletion, during it, and after it.
      yield* ask
      yield* Effect.all([Effect.repeat(ask, { until: () => state.over }), forget], { concurrency: "unbounded" })
      yield* ask
      assert.isAbove(widened.no, 0)
      assert.isAbove(widened.yes, 0)
    }).pipe(Effect.scoped))

  test("that would have no end, or no beginning, are refused", () =>
    Effect.gen(function* () {
      const { figures } = yield* open(yield* kind.fresh)
      const problem = <A>(effect: Effect.Effect<A, UsageFigures.UsageFailure>) =>
        Effect.map(Effect.flip(effect), (error) => "limit" in error && [error.problem, error.limit])
      assert.deepStrictEqual(yield* problem(figures.totals({ from: NOON, to: NOON })), ["EmptyRange", 0])
      for (const [from, to] of [
        [Number.NaN, NOON],
        [-1, NOON],
        [NOON, Number.POSITIVE_INFINITY]
      ] as const) {
        assert.deepStrictEqual(yield* problem(figures.totals({ from, to })), ["EmptyRange", 0])
      }
      const all = yield* figures.series({ from: 0, to: 8.64e15, every: "Infinity" })
      assert.deepStrictEqual([all.from, all.to, all.times], [0, 8.64e15, [0]])
      assert.deepStrictEqual((yield* figures.by({ from: 0, to: 8.64e15, by: ["method"], top: -1 })).rows, [])
      assert.deepStrictEqual(
        yield* problem(figures.series({ from: NOON - 10_001 * MINUTE, to: NOON, every: MINUTE })),
        ["TooManyBuckets", 10_000]
      )
      const most = yield* figures.series({ from: NOON - 10_000 * MINUTE, to: NOON, every: MINUTE })
      assert.strictEqual(most.times.length, 10_000)
    }).pipe(Effect.scoped))
})
