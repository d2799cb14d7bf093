/** Response times of calls: their histograms, and the figures of any range over both databases. */
import { assert, describe, it } from "@effect/vitest"
import { LatencyHistogram, Metering, MeteringStore, StateError, UsageFigures } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import * as LatencyRecorder from "../../../src/metering/latency/latencyRecorder.ts"
import * as Databases from "../../support/databases.ts"
import * as FakeNode from "../../support/fakeNode.ts"
import * as Metered from "../../support/metered.ts"
import * as Support from "../../support/metering.ts"
import { ADDRESS, HASH } from "../../support/methods.ts"
import * as Service from "../../support/service.ts"

/** Returns the time within which this percentage of the calls ended, from the complete list of times. */
const exact = (times: ReadonlyArray<number>, percent: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil((times.length * percent) / 100) - 1]!

const add = (latencies: Metering.LatencyRecorder, network: string, method: string, millis: number) =>
  LatencyRecorder.timesOf(latencies.of(network), method).add(millis)

/** Returns a random time from a tenth of a millisecond to a minute; most times are short. */
const time = (random: Random.Random): number => 0.1 * 2 ** (random() * random() * 19)

describe("a histogram", () => {
  it("has every time in the one bucket whose end is not below it", () => {
    const random = Random.make(1)
    for (let i = 0; i < Random.runs(2000); i++) {
      const millis = time(random)
      const bucket = LatencyHistogram.bucketOf(millis)
      assert.isAtMost(millis, LatencyHistogram.endOf(bucket) * (1 + 1e-12))
      if (bucket > 0) assert.isAbove(millis, LatencyHistogram.endOf(bucket - 1) * (1 - 1e-12))
    }
    for (const odd of [0, -1, Number.NaN]) assert.strictEqual(LatencyHistogram.bucketOf(odd), 0)
    assert.strictEqual(LatencyHistogram.bucketOf(Infinity), LatencyHistogram.BUCKETS - 1)
    assert.isAbove(LatencyHistogram.endOf(LatencyHistogram.BUCKETS - 1), 120_000)
  })

  it("gives quantiles that are right to within the width of a bucket, merged or not", () => {
    const random = Random.make(2)
    for (let run = 0; run < Random.runs(40); run++) {
      const times = Array.from({ length: 1 + Random.int(random, 500) }, () => time(random))
      const counts = new Map<number, bigint>()
      for (const millis of times) {
        const bucket = LatencyHistogram.bucketOf(millis)
        counts.set(bucket, (counts.get(bucket) ?? 0n) + 1n)
      }
      const figure = LatencyHistogram.figureOf(counts)!
      assert.strictEqual(Number(figure.calls), times.length)
      for (const [name, percent] of [
        ["p50", 50],
        ["p90", 90],
        ["p99", 99]
      ] as const) {
        const expected = exact(times, percent)
        const ratio = figure[name] / expected
        assert.isTrue(expected < 0.125 || (ratio > 0.84 && ratio < 1.19), `${name} ${figure[name]} ${expected}`)
      }
      assert.isTrue(figure.p50 <= figure.p90 && figure.p90 <= figure.p99)
    }
    assert.isUndefined(LatencyHistogram.figureOf(new Map()))
  })
})

describe.each(Databases.kinds)("latencies over $name", (kind) => {
  const test = it.live.skipIf(kind.skipped)

  test("are those of a plain list, whoever wrote, at every window", () =>
    Effect.gen(function* () {
      const random = Random.make(3)
      const { layer } = yield* kind.fresh
      const open = Effect.map(
        Layer.build(
          UsageFigures.layer().pipe(
            Layer.provideMerge(Layer.fresh(MeteringStore.layer())),
            Layer.provide(Layer.fresh(layer))
          )
        ),
        (context) => ({
          store: Context.get(context, MeteringStore.MeteringStore),
          figures: Context.get(context, UsageFigures.UsageFigures)
        })
      )
      const processes = [yield* open, yield* open]
      const all: Array<{ at: number; network: string; method: string; millis: number }> = []
      const writes = Array.from({ length: 30 }, () => {
        const at = Support.moment(random, Support.NOON)
        const latencies = new LatencyRecorder.LatencyRecorder()
        for (let call = 0; call < 40; call++) {
          const one = {
            at: at - (at % Support.MINUTE),
            network: Random.pick(random, ["live", "history"]),
            method: Random.pick(random, ["eth_call", "eth_getProof", "eth_chainId"]),
            millis: time(random)
          }
          all.push(one)
          add(latencies, one.network, one.method, one.millis)
        }
        return { minute: at - (at % Support.MINUTE), rows: latencies.take() }
      })
      yield* Effect.forEach(
        writes,
        ({ minute, rows }) => Random.pick(random, processes).store.addLatencies(minute, rows),
        { concurrency: 4 }
      )
      for (const window of ["15m", "1h", "24h", "7d", "30d"] as const) {
        const range = UsageFigures.last(window, Support.NOON)
        const width = window === "30d" ? 6 * Support.HOUR : Support.HOUR
        for (const [selection, key] of [
          [{ by: ["network"] }, ({ network }: (typeof all)[number]) => network],
          [{ by: ["network", "method"] }, ({ method, network }: (typeof all)[number]) => `${network} ${method}`],
          [{}, () => ""],
          [{ network: "live", by: ["method"] }, ({ method }: (typeof all)[number]) => method]
        ] as const) {
          const within = all.filter(
            ({ at, network }) =>
              at >= range.from && at < range.to && (!("network" in selection) || network === selection.network)
          )
          const groups = Map.groupBy(within, key)
          const { figures } = Random.pick(random, processes)
          const found = yield* figures.latencies({ ...range, ...selection, every: width })
          assert.strictEqual(found.lines.length, groups.size)
          for (const { all: whole, buckets, of } of found.lines) {
            const group = groups.get(Object.values(of).join(" "))!
            assert.strictEqual(Number(whole.calls), group.length)
            const ratio =
              whole.p90 /
              exact(
                group.map(({ millis }) => millis),
                90
              )
            assert.isTrue(ratio > 0.5 && ratio < 1.19, String(ratio))
            assert.deepStrictEqual(
              buckets.map((figure) => Number(figure?.calls ?? 0)),
              found.times.map((start) => group.filter(({ at }) => at - (at % width) === start).length)
            )
          }
          const calls = found.lines.map((line) => line.all.calls)
          assert.deepStrictEqual(
            calls,
            calls.toSorted((a, b) => Number(b - a))
          )
        }
      }
    }).pipe(Effect.scoped))

  test("are forgotten with the minutes, and stay in the days", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      const context = yield* Layer.build(
        UsageFigures.layer().pipe(Layer.provideMerge(MeteringStore.layer()), Layer.provide(layer))
      )
      const { addLatencies, forget } = Context.get(context, MeteringStore.MeteringStore)
      const figures = Context.get(context, UsageFigures.UsageFigures)
      const row = { network: "live", method: "eth_call", bucket: 7, calls: 3 }
      yield* addLatencies(Support.NOON, [row])
      yield* addLatencies(Support.NOON, [row, { ...row, bucket: 9 }])
      const calls = Effect.map(
        figures.latencies({ from: Support.NOON, to: Support.NOON + 1, by: ["method"] }),
        (found) => [found.to - found.from, found.lines.map(({ all, of }) => [of.method, Number(all.calls)])]
      )
      assert.deepStrictEqual(yield* calls, [Support.MINUTE, [["eth_call", 9]]])
      yield* forget({ minute: Support.NOON + Support.DAY }, Support.NOON)
      assert.deepStrictEqual(yield* calls, [Support.HOUR, [["eth_call", 9]]])
      yield* forget({ hour: Support.NOON + Support.DAY }, Support.NOON)
      assert.deepStrictEqual(yield* calls, [Support.DAY, [["eth_call", 9]]])
    }).pipe(Effect.scoped))
})

describe("times of calls", () => {
  const failing = new StateError.StateError({ problem: "Unavailable", detail: "test" })

  it.effect("are written every ten seconds and at the end, and kept while the store is down", () =>
    Effect.gen(function* () {
      const written: Array<readonly [minute: number, calls: number]> = []
      let isDown = false
      const store = MeteringStore.MeteringStore.of({
        commit: () => Effect.void,
        addLatencies: (minute, rows) =>
          isDown
            ? Effect.fail(failing)
            : Effect.sync(() => written.push([minute, rows.reduce((sum, { calls }) => sum + calls, 0)])),
        ping: Effect.void,
        forget: () => Effect.void
      })
      yield* TestClock.setTime(Support.NOON)
      yield* Effect.gen(function* () {
        const context = yield* Layer.build(
          Metering.layer({ gather: 0 }).pipe(Layer.provide(Layer.succeed(MeteringStore.MeteringStore, store)))
        )
        const { latencies } = Context.get(context, Metering.Metering)
        add(latencies, "live", "eth_call", 5)
        add(latencies, "live", "eth_call", 5000)
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(written.splice(0), [[Support.NOON, 2]])
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(written.splice(0), [])
        isDown = true
        add(latencies, "live", "eth_call", 5)
        yield* TestClock.adjust("10 seconds")
        isDown = false
        add(latencies, "live", "eth_call", 5)
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(written.splice(0), [[Support.NOON + Support.MINUTE, 2]])
        add(latencies, "live", "eth_call", 5)
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(written, [[Support.NOON + Support.MINUTE, 1]])
    })
  )

  it.live("are those of the node, and calls that it is not asked have none", () =>
    Effect.gen(function* () {
      const behaviour: FakeNode.Behaviour =
        ({ id, method }) =>
        (response) => {
          const answer = JSON.stringify({
            jsonrpc: "2.0",
            id,
            ...(method === "eth_chainId" ? { error: { code: 3, message: "no" } } : { result: null })
          })
          if (method === "eth_getBlockByHash") setTimeout(() => FakeNode.json(response, answer), 500)
          else FakeNode.json(response, answer)
        }
      const service = yield* Metered.start({ node: behaviour })
      const slow = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByHash", params: [HASH, true] }
      const quick = { ...slow, id: 2, method: "eth_getStorageAt", params: [ADDRESS, "0x00", "latest"] }
      const batch = [slow, quick, { ...slow, params: [] }, { ...slow, method: "eth_unheardOf" }, 1]
      yield* Service.ask(service, { body: JSON.stringify(batch) })
      yield* Service.ask(service, { body: JSON.stringify(quick) })
      yield* Service.ask(service, { body: Service.call("eth_chainId") })
      const rows = service.metering.latencies.take()
      assert.deepStrictEqual(new Set(rows.map(({ network }) => network)), new Set(["live"]))
      const found = new Map(
        [...Map.groupBy(rows, ({ method }) => method)].map(([method, rows]) => [
          method,
          LatencyHistogram.figureOf(new Map(rows.map(({ bucket, calls }) => [bucket, BigInt(calls)])))!
        ])
      )
      assert.deepStrictEqual([...found].map(([name, { calls }]) => `${name} ${calls}`).toSorted(), [
        "eth_chainId 1",
        "eth_getBlockByHash 1",
        "eth_getStorageAt 2"
      ])
      const { p50 } = found.get("eth_getBlockByHash")!
      assert.isTrue(p50 > 400 && p50 < 60_000, String(p50))
      assert.isBelow(found.get("eth_getStorageAt")!.p50, p50)
    }).pipe(Effect.scoped)
  )
})
