/** Pools of real HTTP servers that limit calls, hang, break connections and send garbage. */
import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { HttpUpstream, UpstreamPool } from "@plumbline/gateway"
import { Effect } from "effect"

import * as FakeNode from "../../support/fakeNode.ts"
import { answerOf, quiet } from "../../support/poolNodes.ts"
import * as Service from "../../support/service.ts"

/** Makes a pool of a node with the given behaviour and of a node that answers `0x2`. */
const pool = Effect.fnUntraced(function* (first: FakeNode.Behaviour) {
  const nodes = [yield* FakeNode.make(first), yield* FakeNode.make(() => ({ result: "0x2" }))]
  const members = yield* Effect.forEach(nodes, ({ url }, index) =>
    Effect.map(HttpUpstream.make({ url, timeout: "8 seconds" }), (upstream) => ({ name: String(index), upstream }))
  )
  const upstream = yield* UpstreamPool.make(members, {
    methods: EthMethods.group,
    tryTimeout: "1500 millis",
    failures: 2
  })
  return { nodes, upstream, ask: answerOf(upstream.call("eth_chainId", [])) }
})

const limits: ReadonlyArray<
  readonly [name: string, status: number, header: () => string, least: number, most: number]
> = [
  ["429, in seconds", 429, () => "7", 6900, 7000],
  ["503, in seconds", 503, () => "2", 1900, 2000],
  ["429, as a date", 429, () => new Date(Date.now() + 60_000).toUTCString(), 58_000, 60_000],
  ["429, for a year", 429, () => "31536000", 299_000, 300_000]
]

describe("a node behind HTTP", () => {
  it.live.each(limits)("rests when it answers %s", ([, status, header, least, most]) =>
    Effect.gen(function* () {
      const { ask, nodes, upstream } = yield* pool(() => (response) => {
        response.writeHead(status, { "retry-after": header() })
        response.end("slow down")
      })
      const began = Date.now()
      for (const _ of [1, 2, 3]) assert.strictEqual(yield* ask, '"0x2"')
      assert.strictEqual(nodes[0]!.asked.length, 1)
      const [health] = upstream.health!()
      assert.strictEqual(health!.state, "up")
      assert.isAtLeast(health!.nextAttemptAt! - began, least)
      assert.isAtMost(health!.nextAttemptAt! - Date.now(), most)
    }).pipe(Effect.scoped, quiet)
  )

  const faults: ReadonlyArray<readonly [name: string, behaviour: FakeNode.Behaviour]> = [
    ["hangs", () => () => undefined],
    ["breaks off", () => (response) => response.destroy()],
    [
      "sends half an answer",
      () => (response) => {
        response.writeHead(200, { "content-length": 100 })
        response.write('{"jsonrpc":"2.0","id":1,"result":"0x')
        setTimeout(() => response.destroy(), 20)
      }
    ],
    [
      "garbles its result",
      ({ id }) =>
        (response) =>
          FakeNode.json(response, `{"jsonrpc":"2.0","id":${id},"result":{"a":tru}}`)
    ]
  ]
  it.live.each(faults)("that %s leaves its calls to the next, and is down after its faults", ([, behaviour]) =>
    Effect.gen(function* () {
      const { ask, nodes, upstream } = yield* pool(behaviour)
      for (const _ of [1, 2, 3, 4]) assert.strictEqual(yield* ask, '"0x2"')
      assert.strictEqual(nodes[0]!.asked.length, 2)
      assert.deepStrictEqual(
        upstream.health!().map(({ faults, state }) => [state, faults]),
        [
          ["down", 2],
          ["up", 0]
        ]
      )
    }).pipe(Effect.scoped, quiet)
  )

  it.live("that garbles a result spoils one answer of a batch, and 503 tells that all nodes rest", () =>
    Effect.gen(function* () {
      const garbling = yield* FakeNode.make(({ id, method }) =>
        method === "eth_chainId"
          ? { result: "0x1" }
          : (response) => FakeNode.json(response, `{"jsonrpc":"2.0","id":${id},"result":[1,]}`)
      )
      const service = yield* Service.start(yield* HttpUpstream.make({ url: garbling.url }))
      const batch = [1, 2, 3].map((id) =>
        id === 2
          ? Service.call("eth_getBlockByHash", [`0x${"ab".repeat(32)}`, false], id)
          : Service.call("eth_chainId", [], id)
      )
      const answer = yield* Service.ask(service, { body: `[${batch.join()}]` })
      assert.deepStrictEqual(JSON.parse(answer.body), [
        { jsonrpc: "2.0", id: 1, result: "0x1" },
        { jsonrpc: "2.0", id: 2, error: { code: -32_603, message: "internal error" } },
        { jsonrpc: "2.0", id: 3, result: "0x1" }
      ])

      const limiting = yield* FakeNode.make(() => (response) => {
        response.writeHead(429, { "retry-after": "60" })
        response.end()
      })
      const only = yield* HttpUpstream.make({ url: limiting.url })
      const resting = yield* UpstreamPool.make([{ name: "only", upstream: only }], { methods: EthMethods.group })
      const limited = yield* Service.start(resting)
      // The node refuses the first call because of its limit. The second call is not sent to the node.
      for (let turn = 0; turn < 2; turn++) {
        const refused = yield* Service.ask(limited, { body: Service.call("eth_chainId") })
        assert.strictEqual(refused.status, 503)
        assert.deepStrictEqual(JSON.parse(refused.body).error, {
          code: -32_005,
          message: "the nodes of this network are over their limits"
        })
      }
      assert.strictEqual(limiting.asked.length, 1)
      const health = yield* Service.ask(limited, { path: "/health", method: "GET" })
      assert.deepStrictEqual(JSON.parse(health.body).networks[0].upstreams, [{ name: "only", state: "up" }])
    }).pipe(Effect.scoped, quiet)
  )
})
