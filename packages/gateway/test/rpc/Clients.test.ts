/** Clients by other authors call the real methods. The service behaves as these clients expect. */
import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { HttpUpstream, Limiter } from "@plumbline/gateway"
import { Effect, Layer } from "effect"
import { createPublicClient, http, type Transport, webSocket } from "viem"

import * as FakeNode from "../support/fakeNode.ts"
import * as Metered from "../support/metered.ts"
import { ADDRESS, HASH } from "../support/methods.ts"
import * as Service from "../support/service.ts"
import { KEY } from "../support/service.ts"

const VALUE = `0x${"00".repeat(31)}2a`

/** Starts a service with the Ethereum methods. Returns its node too. */
const ethereum = Effect.gen(function* () {
  const node = yield* FakeNode.make(({ method, params }) => {
    switch (method) {
      case "eth_chainId":
        return { result: "0x7a69" }
      case "eth_blockNumber":
        return { result: "0x10" }
      case "eth_getStorageAt":
        return params[2] === "0xff" ? { error: { code: -32_000, message: "header not found" } } : { result: VALUE }
      default:
        return { result: null }
    }
  })
  const upstream = yield* HttpUpstream.make({ url: node.url })
  const service = yield* Service.start([{ ...Service.network(upstream), methods: EthMethods.group }])
  return { node, service }
})

/** Returns the values that viem reads, and the error that viem reports. */
const read = (transport: Transport) =>
  Effect.promise(async () => {
    const client = createPublicClient({ transport, batch: { multicall: false } })
    const address = ADDRESS as `0x${string}`
    const failure = await client
      .getStorageAt({ address, slot: "0x0", blockNumber: 255n })
      .catch((error: Error) => error)
    const missing = await client.getBlock({ blockHash: HASH as `0x${string}` }).catch((error: Error) => error.name)
    const [chainId, blockNumber, value] = await Promise.all([
      client.getChainId(),
      client.getBlockNumber({ cacheTime: 0 }),
      client.getStorageAt({ address, slot: "0x0" })
    ])
    return { chainId, blockNumber, value, missing, failure: failure instanceof Error ? failure.message : failure }
  })

const check = (seen: Effect.Success<ReturnType<typeof read>>) => {
  assert.strictEqual(seen.chainId, 31_337)
  assert.strictEqual(seen.blockNumber, 16n)
  assert.strictEqual(seen.value, VALUE)
  assert.strictEqual(seen.missing, "BlockNotFoundError")
  assert.include(String(seen.failure), "header not found")
}

describe("viem", () => {
  it.live("reads over HTTP", () =>
    Effect.gen(function* () {
      const { service } = yield* ethereum
      check(yield* read(http(`${service.url}/v3/${KEY}`, { retryCount: 0 })))
    }).pipe(Effect.scoped)
  )

  it.live("reads over HTTP in batches", () =>
    Effect.gen(function* () {
      const { service } = yield* ethereum
      check(yield* read(http(`${service.url}/v3/${KEY}`, { retryCount: 0, batch: true })))
    }).pipe(Effect.scoped)
  )

  it.live("reads over a WebSocket", () =>
    Effect.gen(function* () {
      const { service } = yield* ethereum
      const transport = webSocket(`${service.wsUrl}/ws/v3/${KEY}`, {
        retryCount: 0,
        reconnect: false,
        keepAlive: false
      })
      check(yield* read(transport))
    }).pipe(Effect.scoped)
  )

  it.live("comes back when it is told to, and then is let through", () =>
    Effect.gen(function* () {
      let refusedAt: number | undefined
      const limiter = Layer.succeed(Limiter.Limiter, {
        admit: () =>
          Effect.suspend(() => {
            refusedAt ??= performance.now()
            // Timers have coarse clocks, so the wait may be one millisecond shorter.
            if (performance.now() - refusedAt >= 999)
              return Effect.succeed({ _tag: "Admission", reservation: undefined })
            const exceeded = { limit: "rate", allowed: 80, current: 160, retryAfter: 1000, at: 0 } as const
            return Effect.fail({ _tag: "LimitExceeded", ...exceeded } as const)
          }),
        settle: () => Effect.void,
        admitAddress: () => Effect.void,
        state: () => ({ store: "up", whenDown: "closed" }),
        standing: () => Effect.undefined,
        keyStanding: () => Effect.undefined,
        accountStanding: () => Effect.undefined
      })
      const service = yield* Metered.start({ instead: limiter, node: () => ({ result: VALUE }) })
      const statuses: Array<number> = []
      const transport = http(`${service.url}/v3/${KEY}`, {
        retryCount: 1,
        // The client's own pause is far too short, so the client must use the pause that the service names.
        retryDelay: 1,
        onFetchResponse: ({ status }) => void statuses.push(status)
      })
      const client = createPublicClient({ transport })
      const value = yield* Effect.promise(() =>
        client.getStorageAt({ address: ADDRESS as `0x${string}`, slot: "0x00" })
      )
      assert.strictEqual(value, VALUE)
      assert.deepStrictEqual(statuses, [429, 200])
    }).pipe(Effect.scoped)
  )

  it.live("is told that its key is wrong", () =>
    Effect.gen(function* () {
      const { service } = yield* ethereum
      const client = createPublicClient({ transport: http(`${service.url}/v3/nobody`, { retryCount: 0 }) })
      const error = yield* Effect.promise(() => client.getChainId().catch((error: Error) => error.message))
      assert.include(String(error), "Status: 401")
      assert.include(String(error), "invalid project id")
    }).pipe(Effect.scoped)
  )
})

describe("fetch", () => {
  it.live("reads as a page in a browser does", () =>
    Effect.gen(function* () {
      const { service } = yield* ethereum
      const response = yield* Effect.promise(() =>
        fetch(`${service.url}/v3/${KEY}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: Service.call("eth_chainId")
        })
      )
      assert.deepStrictEqual(yield* Effect.promise(() => response.json()), { jsonrpc: "2.0", id: 1, result: "0x7a69" })
    }).pipe(Effect.scoped)
  )
})

describe("the Ethereum methods", () => {
  it.live("reach the node in canonical form", () =>
    Effect.gen(function* () {
      const { node, service } = yield* ethereum
      yield* Service.ask(service, { body: Service.call("eth_getProof", [ADDRESS, ["0x0"], "latest"]) })
      yield* Service.ask(service, { body: Service.call("eth_getStorageAt", [ADDRESS, "0x1", "0x10"]) })
      const key = (digit: number) => `0x${String(digit).padStart(64, "0")}`
      assert.deepStrictEqual(
        node.asked.map(({ method, params }) => [method, params]),
        [
          ["eth_getProof", [ADDRESS, [key(0)], "latest"]],
          ["eth_getStorageAt", [ADDRESS, key(1), "0x10"]]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("do not reach it with what is none", () =>
    Effect.gen(function* () {
      const { node, service } = yield* ethereum
      for (const [method, params] of [
        ["eth_getBlockByHash", [HASH.slice(0, -2), true]],
        ["eth_getBlockByHash", [HASH.slice(2), true]],
        ["eth_getBlockByHash", [HASH]],
        ["eth_getTransactionByBlockHashAndIndex", [HASH, "0"]],
        ["eth_getTransactionByBlockHashAndIndex", [HASH, 0]],
        ["eth_getStorageAt", [ADDRESS, `0x${"00".repeat(33)}`, "latest"]],
        ["eth_getStorageAt", [`${ADDRESS}0`, "0x0", "latest"]],
        ["eth_getProof", [ADDRESS, "0x0", "latest"]],
        ["eth_getProof", [ADDRESS, Array.from({ length: 1025 }, () => "0x0"), "latest"]],
        ["eth_getUncleByBlockNumberAndIndex", ["0x01", "0x0"]],
        ["eth_blockNumber", [1]]
      ] as const) {
        const answer = yield* Service.ask(service, { body: Service.call(method, params) })
        assert.strictEqual(JSON.parse(answer.body).error?.code, -32_602, `${method} ${JSON.stringify(params)}`)
      }
      assert.deepStrictEqual(node.asked, [])
    }).pipe(Effect.scoped)
  )
})
