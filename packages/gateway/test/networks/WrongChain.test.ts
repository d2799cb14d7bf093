/** Nodes of a wrong chain: they get no calls, and are reported without their URL. */
import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { type Upstream, UpstreamError, UpstreamPool } from "@plumbline/gateway"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import * as Service from "../support/service.ts"

const text = (json: string) => new TextEncoder().encode(json)
const unreachable = new UpstreamError.UpstreamError({ reason: { _tag: "Unreachable", code: "ECONNREFUSED" } })

/** A node whose chain id can be changed. If the id is undefined, the node is down. The node records its calls. */
const node = (initial: string | undefined) => {
  const state = { id: initial, asked: [] as Array<string> }
  const upstream: Upstream.Upstream = {
    call: (method) =>
      Effect.suspend(() => {
        state.asked.push(method)
        if (state.id === undefined) return Effect.fail(unreachable)
        return Effect.succeed(text(method === "eth_chainId" ? state.id : '"0x10"'))
      })
  }
  return { state, upstream }
}

const pool = (id: number | string, ...nodes: ReadonlyArray<ReturnType<typeof node>>) =>
  UpstreamPool.make(
    nodes.map(({ upstream }, index) => ({ name: `node-${index + 1}`, upstream })),
    { methods: EthMethods.group, failures: 1, chain: { method: "eth_chainId", id } }
  )

const states = ({ health }: Upstream.Upstream) => health!().map(({ state }) => state)

describe("a node of another chain", () => {
  it.effect("gets no calls while there is one of the right chain", () =>
    Effect.gen(function* () {
      const [wrong, right] = [node('"0x539"'), node('"0x5"')]
      const upstream = yield* pool(5, wrong, right)
      for (let count = 0; count < 3; count++) yield* upstream.call("eth_blockNumber", [])
      assert.notInclude(wrong.state.asked, "eth_blockNumber")
      assert.deepStrictEqual(states(upstream), ["wrong", "up"])
      assert.strictEqual(upstream.health!()[0]!.problem, "the node is of another chain: its id is 0x539, expected 0x5")
    }).pipe(Effect.scoped)
  )

  it.effect("is the reason why a network without another has no answers", () =>
    Effect.gen(function* () {
      for (const id of ['"0x539"', "1337", '"mainnet"', "null", "{}"]) {
        const wrong = node(id)
        const upstream = yield* pool(5, wrong)
        const error = yield* Effect.flip(upstream.call("eth_blockNumber", []))
        assert.instanceOf(error, UpstreamError.UpstreamError)
        assert.strictEqual(error.reason._tag, "WrongChain")
        assert.notInclude(wrong.state.asked, "eth_blockNumber")
        const service = yield* Service.start(upstream)
        const answer = yield* Service.ask(service, { body: Service.call("eth_chainId") })
        assert.strictEqual(answer.status, 502)
        assert.deepStrictEqual(JSON.parse(answer.body).error, {
          code: -32_002,
          message: "the nodes of this network are of another chain"
        })
        const health = JSON.parse((yield* Service.ask(service, { path: "/health", method: "GET" })).body)
        assert.strictEqual(health.status, "degraded")
        assert.match(health.degraded.join("\n"), /no node answers\n.*node node-1 is of another chain: .*expected 0x5/u)
        assert.strictEqual(health.networks[0].upstream, "wrong")
        assert.strictEqual((yield* Service.ask(service, { path: "/ready", method: "GET" })).status, 503)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is asked again, gets calls when it has come right, and loses them when another takes its place", () =>
    Effect.gen(function* () {
      const only = node('"0x539"')
      const upstream = yield* pool(5, only)
      yield* Effect.flip(upstream.call("eth_blockNumber", []))
      only.state.id = '"0x5"'
      yield* TestClock.adjust("61 seconds")
      yield* upstream.call("eth_blockNumber", [])
      assert.deepStrictEqual(states(upstream), ["up"])
      // The node goes down, and a node of another chain answers at its address. The second node gets no calls.
      only.state.id = undefined
      yield* Effect.flip(upstream.call("eth_blockNumber", []))
      only.state.id = '"0x539"'
      only.state.asked.length = 0
      const error = yield* Effect.flip(upstream.call("eth_getBlockByNumber", ["latest", false]))
      assert.include(error.message, "another chain")
      assert.notInclude(only.state.asked, "eth_getBlockByNumber")
    }).pipe(Effect.scoped)
  )

  it.effect("is told from one that is down, and from one that does not say", () =>
    Effect.gen(function* () {
      const down = yield* pool(5, node(undefined))
      const fault = yield* Effect.flip(down.call("eth_blockNumber", []))
      assert.strictEqual((fault as UpstreamError.UpstreamError).reason._tag, "Unreachable")
      assert.deepStrictEqual(states(down), ["down"])
      const silent: Upstream.Upstream = {
        call: (method) =>
          method === "eth_chainId"
            ? Effect.fail({ code: -32_601, message: "not here" })
            : Effect.succeed(text('"0x10"'))
      }
      const taken = yield* UpstreamPool.make([{ name: "a", upstream: silent }], {
        methods: EthMethods.group,
        chain: { method: "eth_chainId", id: 5 }
      })
      yield* taken.call("eth_blockNumber", [])
      assert.deepStrictEqual(states(taken), ["up"])
    }).pipe(Effect.scoped)
  )

  it.effect("is found on a second chain too, whose ids are texts", () =>
    Effect.gen(function* () {
      // The answer of a node of Starknet's main network: the bytes of SN_MAIN in hex.
      const main = '"0x534e5f4d41494e"'
      yield* (yield* pool("SN_MAIN", node(main))).call("eth_blockNumber", [])
      yield* Effect.flip((yield* pool("SN_SEPOLIA", node(main))).call("eth_blockNumber", []))
    }).pipe(Effect.scoped)
  )

  it.effect("keeps no caller waiting longer than a try, if it does not answer", () =>
    Effect.gen(function* () {
      const hanging: Upstream.Upstream = { call: () => Effect.never }
      const right = node('"0x5"')
      const upstream = yield* UpstreamPool.make(
        [
          { name: "hanging", upstream: hanging },
          { name: "right", upstream: right.upstream }
        ],
        { methods: EthMethods.group, tryTimeout: "3 seconds", chain: { method: "eth_chainId", id: 5 } }
      )
      const call = yield* Effect.forkChild(upstream.call("eth_blockNumber", []))
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(call)
    }).pipe(Effect.scoped)
  )

  it.effect("is asked for its id once, however many callers wait, leave early or fail with the probe", () =>
    Effect.gen(function* () {
      let asked: Array<string> = []
      let outcome: Effect.Effect<Uint8Array, UpstreamError.UpstreamError> = Effect.never
      const upstream = yield* UpstreamPool.make(
        [
          {
            name: "slow",
            upstream: {
              call: (method) => {
                asked.push(method)
                return method === "eth_chainId" ? outcome : Effect.succeed(text('"0x10"'))
              }
            }
          }
        ],
        { methods: EthMethods.group, failures: 2, tryTimeout: "4 seconds", chain: { method: "eth_chainId", id: 5 } }
      )
      const only = (method: string) => asked.filter((one) => one === method).length
      for (let count = 0; count < 20; count++) {
        const caller = yield* Effect.forkChild(upstream.call("eth_blockNumber", []))
        yield* TestClock.adjust("10 millis")
        yield* Fiber.interrupt(caller)
      }
      assert.strictEqual(only("eth_chainId"), 1)

      // The probe has its own time limit, and callers that waited for it count its fault once.
      const together = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 5 }, () => Effect.flip(upstream.call("eth_gasPrice", []))),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("4 seconds")
      assert.isTrue((yield* Fiber.join(together)).every((error) => error instanceof UpstreamError.UpstreamError))
      assert.strictEqual(only("eth_chainId"), 1)
      const { faults, state } = upstream.health!()[0]!
      assert.deepStrictEqual([faults, state], [1, "untried"])

      asked = []
      outcome = Effect.delay(Effect.succeed(text('"0x5"')), "1 second")
      const answered = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 5 }, () => upstream.call("eth_gasPrice", [])),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(answered)).length, 5)
      assert.deepStrictEqual([only("eth_chainId"), only("eth_gasPrice")], [1, 5])
    }).pipe(Effect.scoped)
  )
})
