/** Tests that no invalid call reaches the node over any transport, and that the service still answers afterwards. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { ADDRESS, HASH } from "../support/methods.ts"
import * as Service from "../support/service.ts"
import { KEY } from "../support/service.ts"

const encoder = new TextEncoder()

/** Makes a node that records its calls, and would answer any call. */
const recording = Effect.sync(() => {
  const asked: Array<string> = []
  return {
    asked,
    upstream: {
      call: (method: string, params: ReadonlyArray<unknown>) =>
        Effect.sync(() => {
          asked.push(`${method} ${JSON.stringify(params)}`)
          return encoder.encode('"answered"')
        })
    }
  }
})

const block = (hash: unknown, full: unknown = true) => Service.call("eth_getBlockByHash", [hash, full])
const slot = (...params: ReadonlyArray<unknown>) => Service.call("eth_getStorageAt", params)

/** Packets that the service must answer itself, with the code of the answer. */
const packets: ReadonlyArray<readonly [name: string, packet: string, code: number]> = [
  ["nothing", "", -32_700],
  ["bad JSON", '{"jsonrpc":"2.0"', -32_700],
  ["a byte order mark", `\uFEFF${Service.call("eth_chainId")}`, -32_700],
  ["half a surrogate pair in bytes", '"\\ud800', -32_700],
  ["an empty batch", "[]", -32_600],
  ["a number", "1", -32_600],
  ["a missing jsonrpc", '{"id":1,"method":"eth_chainId"}', -32_600],
  ["a jsonrpc that is a number", '{"jsonrpc":2.0,"id":1,"method":"eth_chainId"}', -32_600],
  ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"eth_chainId"}', -32_600],
  ["an id that is a boolean", '{"jsonrpc":"2.0","id":true,"method":"eth_chainId"}', -32_600],
  ["a method that is an array", '{"jsonrpc":"2.0","id":1,"method":["eth_chainId"]}', -32_600],
  ["a method by way of the prototype", '{"__proto__":{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}}', -32_600],
  ["params that are text", '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":"[]"}', -32_600],
  ["a nest of arrays", "[".repeat(100_000), -32_700],
  ["a nest of parameters", Service.call("eth_chainId", JSON.parse("[".repeat(80) + "]".repeat(80))), -32_700],
  ["an unknown method", Service.call("anvil_setBalance", [ADDRESS, "0x1"]), -32_601],
  ["a method in another case", Service.call("eth_chainid"), -32_601],
  ["a method with a space", Service.call("eth_chainId "), -32_601],
  ["a method of every object", Service.call("constructor"), -32_601],
  ["a method with a long name", Service.call("x".repeat(2048)), -32_601],
  ["a method with an endless name", Service.call("x".repeat(2049)), -32_600],
  ["too few params", Service.call("eth_getBlockByHash", [HASH]), -32_602],
  ["too many params", Service.call("eth_chainId", [1]), -32_602],
  ["params by the wrong name", Service.call("eth_getBlockByHash", { hash: HASH, whole: true }), -32_602],
  ["an odd number of digits", slot(ADDRESS, "0x1", "latest"), -32_602],
  ["a hash of 31 bytes", block(HASH.slice(0, -2)), -32_602],
  ["a hash of 33 bytes", block(`${HASH}00`), -32_602],
  ["a hash without 0x", block(HASH.slice(2)), -32_602],
  ["a hash with a bad digit", block(`${HASH.slice(0, -1)}g`), -32_602],
  ["a hash behind a line break", block(`${HASH}\n`), -32_602],
  ["a hash in an array", block([HASH]), -32_602],
  ["a flag that is text", block(HASH, "true"), -32_602],
  ["null for a hash", block(null), -32_602],
  ["a number for a block", slot(ADDRESS, "0x00", 1), -32_602],
  ["a decimal block", slot(ADDRESS, "0x00", "1"), -32_602],
  ["a block with leading zeros", slot(ADDRESS, "0x00", "0x01"), -32_602],
  ["an unknown tag", slot(ADDRESS, "0x00", "newest"), -32_602],
  ["an address of 21 bytes", slot(`${ADDRESS}00`, "0x00", "latest"), -32_602],
  ["a call without its address", Service.call("eth_call", [{ data: "0x" }]), -32_602]
]

/**
 * Packets that are invalid as an item of a batch, but leave the rest of the batch valid. A batch inside a batch is
 * refused as a whole.
 */
const items = packets.filter(([name, packet]) => {
  try {
    const value: unknown = JSON.parse(packet)
    return typeof value === "object" && !Array.isArray(value) && !name.startsWith("a nest")
  } catch {
    return false
  }
})

const requests: ReadonlyArray<readonly [name: string, ask: Service.Ask, status: number]> = [
  ["a body over the limit", { body: Service.call("eth_chainId").padEnd(1_000_001) }, 413],
  ["GET", { method: "GET" }, 405],
  ["GET with a body", { method: "GET", body: Service.call("eth_chainId") }, 405],
  ["a wrong content type", { body: Service.call("eth_chainId"), headers: { "content-type": "text/plain" } }, 415],
  ["a compressed body", { body: Service.call("eth_chainId"), headers: { "content-encoding": "gzip" } }, 415],
  ["no key", { path: "/v3", body: Service.call("eth_chainId") }, 401],
  ["a wrong key", { path: `/v3/${KEY}0`, body: Service.call("eth_chainId") }, 401],
  ["a wrong secret", { body: Service.call("eth_chainId"), headers: { authorization: "Basic Og==" } }, 401]
]

const limits = { bodyBytes: 1_000_000, batch: 50 }

describe("what is bad", () => {
  it.live("never reaches the node over HTTP", () =>
    Effect.gen(function* () {
      const { asked, upstream } = yield* recording
      const service = yield* Service.start(upstream, { limits })
      for (const [name, packet, code] of packets) {
        const answer = yield* Service.ask(service, { body: packet, headers: { "content-type": "application/json" } })
        assert.strictEqual(answer.status, 200, name)
        assert.strictEqual(JSON.parse(answer.body).error.code, code, name)
      }
      for (const [name, ask, status] of requests) {
        assert.strictEqual((yield* Service.ask(service, ask)).status, status, name)
      }
      assert.deepStrictEqual(asked, [])
      const good = yield* Service.ask(service, { body: Service.call("eth_chainId") })
      assert.strictEqual(good.body, '{"jsonrpc":"2.0","id":1,"result":"answered"}')
      assert.deepStrictEqual(asked, ["eth_chainId []"])
    }).pipe(Effect.scoped)
  )

  it.live("never reaches the node in a batch, which does not keep the good from it", () =>
    Effect.gen(function* () {
      const { asked, upstream } = yield* recording
      const service = yield* Service.start(upstream, { limits })
      const bad = items.map(([, packet]) => packet)
      const answer = yield* Service.ask(service, {
        body: `[${[...bad, Service.call("eth_chainId", [], "good")].join(",")}]`
      })
      const answers: ReadonlyArray<{ readonly error?: { readonly code: number } }> = JSON.parse(answer.body)
      assert.deepStrictEqual(
        answers.map(({ error }) => error?.code),
        [...items.map(([, , code]) => code), undefined]
      )
      assert.deepStrictEqual(asked, ["eth_chainId []"])

      const many = yield* Service.ask(service, {
        body: `[${Array.from({ length: 51 }, () => Service.call("eth_chainId")).join(",")}]`
      })
      assert.strictEqual(many.body, '[{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"batch too large"}}]')
      assert.deepStrictEqual(asked, ["eth_chainId []"])
    }).pipe(Effect.scoped)
  )

  it.live("never reaches the node over a WebSocket", () =>
    Effect.gen(function* () {
      const { asked, upstream } = yield* recording
      const service = yield* Service.start(upstream, { limits })
      const client = yield* Service.connected(service)
      for (const [name, packet, code] of packets) {
        client.socket.send(packet)
        assert.strictEqual(JSON.parse(yield* Effect.promise(() => client.next())).error.code, code, name)
      }
      assert.deepStrictEqual(asked, [])
      client.socket.send(Service.call("eth_chainId"))
      assert.include(yield* Effect.promise(() => client.next()), "answered")
    }).pipe(Effect.scoped)
  )
})
