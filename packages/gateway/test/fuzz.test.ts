/**
 * Random bytes over HTTP and WebSockets. Every packet is answered or its connection ends, and the service continues to
 * run.
 *
 * `PLUMBLINE_RUNS` is the number of packets (default 200), and `PLUMBLINE_SEED` is the seed.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Seeded from "@plumbline/seeded/Random"
import { Effect } from "effect"

import { ADDRESS, HASH } from "./support/methods.ts"
import * as Service from "./support/service.ts"
import { KEY } from "./support/service.ts"

const RUNS = Seeded.runs(200)
const SEED = Number(process.env["PLUMBLINE_SEED"] ?? 20_261_120)

/** The random choices of one run. */
const randomOf = (seed: number) => {
  const random = Seeded.make(seed)
  return {
    below: (limit: number) => Seeded.int(random, limit),
    bytes: (length: number) => Seeded.bytes(random, length)
  }
}

type Random = ReturnType<typeof randomOf>

const seeds = [
  Service.call("eth_chainId"),
  Service.call("eth_getBlockByHash", [HASH, true], "id"),
  Service.call("eth_getStorageAt", [ADDRESS, "0x00", "latest"], null),
  `[${Service.call("eth_chainId")},1,${Service.call("eth_mine")}]`,
  '{"jsonrpc":"2.0","method":"eth_chainId"}'
]

/** Returns random text, or a valid packet in which a few bytes were changed, removed, doubled or inserted. */
const packet = (random: Random): Uint8Array => {
  if (random.below(4) === 0) return random.bytes(random.below(300))
  let bytes = [...Buffer.from(seeds[random.below(seeds.length)]!)]
  for (let edits = 1 + random.below(4); edits > 0; edits--) {
    const at = random.below(bytes.length + 1)
    switch (random.below(5)) {
      case 0:
        bytes[at % bytes.length] = random.below(256)
        break
      case 1:
        bytes.splice(at, 1 + random.below(8))
        break
      case 2:
        bytes.splice(at, 0, ...bytes.slice(at, at + random.below(40)))
        break
      case 3:
        bytes.splice(
          at,
          0,
          ...'[]{}",:\\0x'
            .slice(random.below(8))
            .split("")
            .map((char) => char.charCodeAt(0))
        )
        break
      default:
        bytes = bytes.slice(0, at)
    }
    if (bytes.length === 0) break
  }
  return Uint8Array.from(bytes)
}

const upstream = {
  call: (_method: string, params: ReadonlyArray<unknown>) =>
    Effect.sync(() => new TextEncoder().encode(JSON.stringify(params)))
}
const GOOD = '{"jsonrpc":"2.0","id":1,"result":[]}'

/** True if a text is a response, a list of responses, or empty. */
const isAnswer = (text: string): boolean => {
  if (text === "") return true
  const value: unknown = JSON.parse(text)
  return (Array.isArray(value) ? value : [value]).every(
    (item: unknown) => typeof item === "object" && item !== null && "id" in item && "result" in item !== "error" in item
  )
}

describe("random bytes", () => {
  it.live("as bodies are answered", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(upstream)
      const random = randomOf(SEED)
      const bodies = Array.from({ length: RUNS }, () => packet(random))
      yield* Effect.forEach(
        bodies,
        (body) =>
          Effect.map(Service.ask(service, { body, headers: { "content-type": "application/json" } }), (answer) => {
            assert.strictEqual(answer.status, 200)
            assert.isTrue(isAnswer(answer.body), Buffer.from(body).toString("base64"))
          }),
        { concurrency: 8 }
      )
      assert.strictEqual((yield* Service.ask(service, { body: Service.call("eth_chainId") })).body, GOOD)
    }).pipe(Effect.scoped)
  )

  it.live("as requests are answered, or ended", () =>
    Effect.gen(function* () {
      const timeouts = { headers: "50 millis", request: "50 millis", idle: "10 millis" } as const
      const service = yield* Service.start(upstream, { timeouts })
      const random = randomOf(SEED + 1)
      const request = Buffer.from(
        `POST /v3/${KEY} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close\r\n` +
          `content-length: ${seeds[0]!.length}\r\n\r\n${seeds[0]}`
      )
      const broken = Array.from({ length: RUNS }, () => {
        const bytes = Uint8Array.from(random.below(3) === 0 ? random.bytes(1 + random.below(200)) : request)
        for (let edits = random.below(4); edits > 0; edits--) bytes[random.below(bytes.length)] = random.below(256)
        return bytes.subarray(0, random.below(4) === 0 ? 1 + random.below(bytes.length) : bytes.length)
      })
      yield* Effect.forEach(
        broken,
        (bytes) =>
          // Every connection ends, and everything received on it is HTTP.
          Effect.map(Service.raw(service, bytes), (heard) =>
            assert.match(heard, /^(?:$|HTTP\/1\.1 [1-5]\d\d )/u, Buffer.from(bytes).toString("base64"))
          ),
        { concurrency: 16 }
      )
      assert.strictEqual((yield* Service.ask(service, { body: Service.call("eth_chainId") })).body, GOOD)
    }).pipe(Effect.scoped)
  )

  it.live("as messages are answered, or close the socket", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(upstream)
      const random = randomOf(SEED + 2)
      for (let left = RUNS; left > 0;) {
        const client = yield* Service.connected(service)
        // Text that is not UTF-8 closes the socket with 1007. The test then continues with a new socket.
        for (; client.socket.readyState === client.socket.OPEN && left > 0; left--) {
          const message = packet(random)
          client.socket.send(message, { binary: random.below(2) === 0 })
          client.socket.send(Service.call("silence", [], "after"))
          for (;;) {
            const heard = yield* Effect.promise(() => Promise.race([client.next(), client.closed]))
            if (typeof heard !== "string") {
              assert.strictEqual(heard.code, 1007)
              break
            }
            if (heard.includes('"id":"after"')) break
            assert.isTrue(isAnswer(heard), Buffer.from(message).toString("base64"))
          }
        }
        client.socket.terminate()
      }
      const last = yield* Service.connected(service)
      last.socket.send(Service.call("eth_chainId"))
      assert.strictEqual(yield* Effect.promise(() => last.next()), GOOD)
    }).pipe(Effect.scoped)
  )

  it.live("as frames end the socket, and no more", () =>
    Effect.gen(function* () {
      // A client in the middle of a frame cannot answer a ping, so the service ends its connection.
      const service = yield* Service.start(upstream, { timeouts: { heartbeat: "50 millis" } })
      const random = randomOf(SEED + 3)
      const upgrade =
        `GET /ws/v3/${KEY} HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n` +
        `sec-websocket-version: 13\r\nsec-websocket-key: ${"A".repeat(22)}==\r\n\r\n`
      yield* Effect.forEach(
        Array.from({ length: RUNS }, () => random.bytes(1 + random.below(200))),
        (bytes) =>
          Effect.map(Service.raw(service, upgrade, bytes), (heard) => assert.match(heard, /^HTTP\/1\.1 101 /u)),
        { concurrency: 8 }
      )
      assert.strictEqual((yield* Service.ask(service, { body: Service.call("eth_chainId") })).body, GOOD)
    }).pipe(Effect.scoped)
  )
})
