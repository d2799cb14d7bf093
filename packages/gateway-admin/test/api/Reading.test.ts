/** Tests that an operator can read a chain without the key of a project. */
import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { Gateway, Sqlite, UpstreamError } from "@plumbline/gateway"
import { AdminServer } from "@plumbline/gateway-admin"
import { OperatorCalls, RuntimeConfig } from "@plumbline/gateway/support/internals"
import * as Service from "@plumbline/gateway/support/service"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import * as Admin from "../support/admin.ts"

const memory = Sqlite.layer({ file: ":memory:" })

const call = (method: string, params: unknown = [], id = 1) => ({ jsonrpc: "2.0", id, method, params }) as const

const attached = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const server = yield* AdminServer.AdminServer
  yield* server.attach({ status: gateway.status, read: gateway.read })
  return yield* Admin.client()
})

describe("an operator", () => {
  it.live("reads a chain, alone and in batches, and no usage comes of it", () =>
    Effect.gen(function* () {
      const admin = yield* attached
      const params = { id: "live" }
      const one = yield* admin.networks.call({ params, payload: call("eth_chainId") })
      assert.deepStrictEqual(one, { jsonrpc: "2.0", id: 1, result: "0x1" })
      const batch = yield* admin.networks.call({
        params,
        payload: [call("eth_chainId"), call("eth_chainId", [1], 2), call("eth_unheardOf", [], 3)]
      })
      assert.deepStrictEqual(
        (batch as ReadonlyArray<{ readonly id: unknown; readonly error?: { readonly code: number } }>).map(
          ({ error, id }) => [id, error?.code]
        ),
        [
          [1, undefined],
          [2, -32_602],
          [3, -32_601]
        ]
      )
      const { totals } = yield* admin.usage.totals({ query: { window: "15m" } })
      assert.strictEqual(totals.calls, 0n)
      const absent = yield* Effect.flip(
        admin.networks.call({ params: { id: "nowhere" }, payload: call("eth_chainId") })
      )
      assert.deepStrictEqual(absent._tag === "NotFound" && absent.kind, "network")
      const many = Array.from({ length: 101 }, (_, id) => call("eth_chainId", [], id))
      const refused = yield* Effect.flip(admin.networks.call({ params, payload: many }))
      assert.strictEqual(refused._tag, "BadRequest")
      const { entries } = yield* admin.service.audit({ query: {} })
      assert.deepStrictEqual(entries, [])
    }).pipe(Effect.provide(Admin.service(memory)), Effect.scoped)
  )

  it.effect("is told when to come back after too many calls", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_800_000_000_000)
      yield* Effect.gen(function* () {
        yield* attached
        const gateway = yield* Gateway.Gateway
        const post = Service.ask(gateway, {
          path: "/admin/v1/networks/live/rpc",
          headers: { authorization: `Bearer ${Admin.TOKEN}` },
          body: JSON.stringify(Array.from({ length: 100 }, (_, id) => call("eth_chainId", [], id)))
        })
        for (let i = 0; i < 10; i++) assert.strictEqual((yield* post).status, 200)
        const over = yield* post
        assert.deepStrictEqual(
          [over.status, JSON.parse(over.body)._tag, JSON.parse(over.body).retryAfter],
          [429, "TooManyCalls", 1]
        )
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* post).status, 200)
      }).pipe(Effect.provide(Admin.service(memory)))
    }).pipe(Effect.scoped)
  )

  it.live("calls nothing that changes something, whatever the network has", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const network = {
        name: "live",
        hosts: [],
        chainId: 1,
        methods: EthMethods.group,
        upstream: {
          call: (method: string) => {
            asked.push(method)
            return Effect.succeed(new TextEncoder().encode("null"))
          }
        }
      }
      const config = RuntimeConfig.make([network], () => network, {} as never, new WeakMap())
      const read = OperatorCalls.make({ current: config })
      const send = (method: string, params: unknown) =>
        Effect.map(read("live", new TextEncoder().encode(JSON.stringify(call(method, params)))), (bytes) =>
          JSON.parse(new TextDecoder().decode(bytes))
        )
      const raw = yield* send("eth_sendRawTransaction", ["0x02"])
      assert.deepStrictEqual([raw.error.code, asked], [-32_601, []])
      const changing = Object.values(EthMethods.group.methods).filter(({ idempotent }) => !idempotent)
      assert.isAbove(changing.length, 0)
      for (const { name } of changing) assert.property(yield* send(name, []), "error")
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual((yield* send("eth_blockNumber", [])).result, null)
      assert.deepStrictEqual(asked, ["eth_blockNumber"])
      assert.strictEqual(config.users.size, 0)
      assert.isUndefined(yield* read("other", new Uint8Array()))
    })
  )

  const faults: ReadonlyArray<readonly [UpstreamError.UpstreamError["reason"], number, string]> = [
    [{ _tag: "Refuted", check: "state root", expected: "0x1", got: "0x2" }, -32_099, "state root"],
    [{ _tag: "Unproven", code: -32_098, message: "not proven: no trust", data: null }, -32_098, "no trust"],
    [{ _tag: "TimedOut", after: 5 }, -32_002, "timed out"],
    [{ _tag: "Limited", after: 5 }, -32_005, "limits"],
    [{ _tag: "BadStatus", status: 429 }, -32_005, "limits"],
    [{ _tag: "BadStatus", status: 500 }, -32_603, "internal error"],
    [{ _tag: "Disagreement", agreed: 1, needed: 2, answered: 2 }, -32_002, "disagree"],
    [{ _tag: "Unconfirmed", head: 2000, tip: 1000 }, -32_002, "not confirmed by the other nodes"],
    [{ _tag: "WrongChain", expected: "0x1", found: "0x2" }, -32_002, "another chain"],
    [{ _tag: "TooLarge", limit: 5 }, -32_003, "too large"],
    [{ _tag: "Unreachable", code: "ECONNREFUSED" }, -32_603, "internal error"]
  ]
  for (const [reason, code, words] of faults) {
    it.live(`gets the error of a caller: ${JSON.stringify(reason)}`, () =>
      Effect.gen(function* () {
        const upstream = { call: () => Effect.fail(new UpstreamError.UpstreamError({ reason })) }
        const network = { name: "live", hosts: [], chainId: 1, methods: EthMethods.group, upstream }
        const read = OperatorCalls.make({
          current: RuntimeConfig.make([network], () => network, {} as never, new WeakMap())
        })
        const bytes = yield* read("live", new TextEncoder().encode(JSON.stringify(call("eth_blockNumber"))))
        const { error } = JSON.parse(new TextDecoder().decode(bytes))
        assert.strictEqual(error.code, code)
        assert.include(error.message, words)
      })
    )
  }
})
