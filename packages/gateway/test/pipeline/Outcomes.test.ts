/** The recorded outcomes of calls: answers, errors with HTTP 200, and the limit that refused a call. */
import { assert, describe, it } from "@effect/vitest"
import { MeteringStore, Usage, UsageFigures } from "@plumbline/gateway"
import * as ProviderRefusal from "@plumbline/provider/node/ProviderRefusal"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import * as UsageTables from "../../src/metering/usageTables.ts"
import * as CallPackets from "../../src/pipeline/callPackets.ts"
import * as Migrations from "../../src/state/Migrations.ts"
import * as Databases from "../support/databases.ts"
import type * as FakeNode from "../support/fakeNode.ts"
import * as Metered from "../support/metered.ts"
import { ADDRESS, HASH } from "../support/methods.ts"
import * as Service from "../support/service.ts"

const storage = ["eth_getStorageAt", [ADDRESS, "0x00", "latest"]] as const

const execute = (data: string) => ["eth_call", [{ to: ADDRESS, data }, "latest"]] as const

/**
 * A node whose answer depends on the data of a call. It reverts on 0x01, refuses 0x02, breaks the connection on 0x03,
 * and answers all other calls.
 */
const node: FakeNode.Behaviour = ({ params }) => {
  const { data } = (params[0] ?? {}) as { readonly data?: string }
  switch (data) {
    case "0x01":
      return { error: { code: 3, message: "execution reverted: no", data: "0x08c379a0" } }
    case "0x02":
      return { error: { code: -32_000, message: "missing trie node" } }
    case "0x03":
      return (response) => response.destroy()
    default:
      return { result: "0x" }
  }
}

/** Returns a line for each row: `method status outcome calls`. */
const outcomes = (service: Metered.Metered) =>
  Effect.map(
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      service.figures.by({ ...UsageFigures.last("24h", now), by: ["method", "status", "outcome"] })
    ),
    ({ rows }) => rows.map(({ calls, method, outcome, status }) => `${method} ${status} ${outcome} ${calls}`)
  )

const send = (service: Metered.Metered, ...calls: ReadonlyArray<readonly [method: string, params: unknown]>) =>
  Effect.forEach(calls, ([method, params]) => Service.ask(service, { body: Service.call(method, params) }), {
    discard: true
  })

describe("usage", () => {
  it.live("tells results, reverts, errors and failures apart, alone and in batches", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start({ node })
      const calls = [
        storage,
        storage,
        execute("0x01"),
        execute("0x02"),
        execute("0x03"),
        // This call is refused before the node is asked, with an error object and status 200.
        ["eth_getBlockByHash", [HASH]],
        ["eth_unheardOf", []]
      ] as const
      yield* send(service, ...calls)
      const alone = [
        "eth_call 200 error 1",
        "eth_call 200 reverted 1",
        "eth_call 502 failed 1",
        "eth_getBlockByHash 200 error 1",
        "eth_getStorageAt 200 ok 2",
        "unknown 200 error 1"
      ]
      assert.deepStrictEqual(yield* outcomes(service), alone)
      const batch = calls.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }))
      yield* Service.ask(service, { body: JSON.stringify([...batch, "no request"]) })
      assert.deepStrictEqual(yield* outcomes(service), [
        "batch 200 ok 0",
        ...alone.slice(0, 5).map((line) => line.replace(/\d$/u, (calls) => String(2 * Number(calls)))),
        "invalid 200 error 1",
        "unknown 200 error 2"
      ])
    }).pipe(Effect.scoped)
  )

  it.live("names the limit that refused a call, and the method", () =>
    Effect.gen(function* () {
      for (const [limits, outcome] of [
        [{ creditsPerDay: 10 }, "day"],
        [{ creditsPerSecond: 10 }, "burst"],
        [{ creditsPerSecond: 1, burst: 100 }, "rate"]
      ] as const) {
        const service = yield* Metered.start({ node, project: { limits } })
        yield* send(service, execute("0x"), execute("0x"), ["eth_unheardOf", []])
        const refused = (yield* outcomes(service)).filter((line) => line.includes("429"))
        const first = outcome === "rate" ? 1 : 2
        assert.deepStrictEqual(refused, [`eth_call 429 ${outcome} ${first}`, `unknown 429 ${outcome} 1`], outcome)
      }
      const hung = yield* Metered.start({
        node: () => () => undefined,
        project: { limits: { concurrency: 1 } },
        gateway: { timeouts: { drain: "10 millis" } }
      })
      const first = yield* Effect.forkChild(send(hung, execute("0x")), { startImmediately: true })
      yield* Effect.promise(() => hung.node.wasAsked(1))
      yield* send(hung, storage)
      assert.deepStrictEqual(yield* outcomes(hung), ["eth_getStorageAt 429 concurrency 1"])
      assert.isUndefined(first.pollUnsafe())
    }).pipe(Effect.scoped)
  )

  it.live("names a refused method, if it is of the table", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start({
        node,
        project: { allowlist: { networks: [], methods: ["eth_chainId"], addresses: [], origins: [], userAgents: [] } }
      })
      yield* send(service, storage, ["eth_unheardOf", []], ["eth_chainId", []])
      assert.deepStrictEqual(yield* outcomes(service), [
        "eth_chainId 200 ok 1",
        "eth_getStorageAt 403 refused 1",
        "unknown 200 error 1"
      ])
    }).pipe(Effect.scoped)
  )

  it("knows the reverts of several nodes", () => {
    for (const [code, message] of [
      [3, "execution reverted"],
      [-32_015, "VM execution error."],
      [-32_000, "Execution reverted"],
      [-32_603, "VM Exception while processing transaction: reverted with reason string 'no'"],
      [40, "Contract error"],
      [41, "Transaction execution error"]
    ] as const) {
      assert.strictEqual(CallPackets.outcomeOf({ code, message }), "reverted", message)
    }
    for (const [code, message] of [
      [-32_000, "header not found"],
      [-32_602, "invalid params"],
      [-32_000, "out of gas"],
      [-32_000, "nonce too low"]
    ] as const) {
      assert.strictEqual(CallPackets.outcomeOf({ code, message }), "error", message)
    }
  })

  it("knows an answer that a check refuted from a node's own error with the same code", () => {
    const refuted = ProviderRefusal.refuted("eth_getBalance", { check: "balance", expected: "0x1", got: "0x2" })
    assert.strictEqual(CallPackets.outcomeOf(refuted), "refuted")
    assert.strictEqual(CallPackets.outcomeOf({ ...refuted }), "error")
  })

  it("derives an outcome from every status that has none of its own", () => {
    const known = new Set<string>(Usage.outcomes)
    for (let status = 100; status < 600; status++) {
      for (const product of ["rpc", "ipfs"] as const) {
        const outcome = Usage.outcomeOf({ product, status })
        assert.isTrue(known.has(outcome))
        assert.strictEqual(outcome === "ok", status < 400)
      }
    }
    assert.strictEqual(Usage.outcomeOf({ product: "ipfs", status: 500 }), "error")
    assert.deepStrictEqual(["day", "rate", "tomorrow"].map(Usage.overLimit), ["day", "rate", "limited"])
  })
})

describe.each(Databases.kinds)("usage of an earlier version in $name", (kind) => {
  it.live.skipIf(kind.skipped)("stays what it was, with outcomes that nobody told", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      const context = yield* Layer.build(layer)
      const sql = Context.get(context, SqlClient.SqlClient)
      const before = { ...UsageTables.migrations, steps: UsageTables.migrations.steps.slice(0, 1) }
      const at = Date.parse("2026-11-21T12:34:00Z")
      yield* Migrations.run(before).pipe(Effect.provide(context))
      const rows: ReadonlyArray<Record<string, string | number>> = [200, 403, 429].map((status) => ({
        project: "p1",
        product: "rpc",
        network: "live",
        method: "eth_call",
        status,
        key: "k1",
        calls: status,
        credits: 80,
        bytes_in: 1,
        bytes_out: 2,
        uploaded: 0,
        downloaded: 0
      }))
      for (const { unit, usage } of UsageTables.grains) {
        for (const row of rows) yield* sql`INSERT INTO ${sql(usage)} ${sql.insert({ at: at - (at % unit), ...row })}`
      }
      const state = yield* Layer.build(UsageFigures.layer().pipe(Layer.provideMerge(MeteringStore.layer()))).pipe(
        Effect.provide(context)
      )
      const figures = Context.get(state, UsageFigures.UsageFigures)
      for (const range of [
        { from: at, to: at + 1 },
        { from: at - 86_400_000, to: at + 86_400_000 }
      ]) {
        const { rows: found } = yield* figures.by({ ...range, by: ["status", "outcome"] })
        assert.deepStrictEqual(
          found.map(({ calls, outcome, status }) => [status, outcome, Number(calls)]),
          [
            [200, "unknown", 200],
            [403, "unknown", 403],
            [429, "unknown", 429]
          ]
        )
      }
      const { commit } = Context.get(state, MeteringStore.MeteringStore)
      const added: MeteringStore.UsageRow = [at, "p1", "rpc", "live", "eth_call", 200, "k1", "ok", 1, 80, 1, 2, 0, 0]
      yield* commit({ writer: "w", number: 1, at, rows: [added, added], levels: [] })
      const { rows: after } = yield* figures.by({ from: at, to: at + 1, by: ["outcome"], status: 200 })
      assert.deepStrictEqual(
        after.map(({ calls, outcome }) => [outcome, Number(calls)]),
        [
          ["ok", 2],
          ["unknown", 200]
        ]
      )
    }).pipe(Effect.scoped)
  )
})
