/** Compressed answers: another implementation decompresses them, and large answers do not block the event loop. */
import { execFileSync } from "node:child_process"
import * as http from "node:http"
import { type AddressInfo, connect } from "node:net"
import { brotliDecompressSync } from "node:zlib"

import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Queue, Schedule, Scope } from "effect"

import type { CallExchange } from "../../src/http/callDoor.ts"
import { isFree, negotiate } from "../../src/http/compression.ts"
import * as HttpListener from "../../src/http/httpListener.ts"
import * as Service from "../support/service.ts"
import { known } from "./lane/memorySocket.ts"

const BODY = Service.call("eth_chainId")

/** Returns a result of this size in bytes. It compresses about as well as a block. */
const resultOf = (bytes: number): Uint8Array => {
  const text = Array.from({ length: Math.ceil(bytes / 16) }, (_, index) =>
    (index * 2_654_435_761).toString(16).padStart(16, "0")
  )
  return new TextEncoder().encode(JSON.stringify(text.join("").slice(0, bytes - 2)))
}

const answered = (result: Uint8Array): string => `{"jsonrpc":"2.0","id":1,"result":${new TextDecoder().decode(result)}}`

interface Raw {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

const ask = ({ port }: { readonly port: number }, accepted?: string) =>
  Effect.promise(
    () =>
      new Promise<Raw>((resolve, reject) => {
        const headers = {
          "content-type": "application/json",
          ...(accepted === undefined ? {} : { "accept-encoding": accepted })
        }
        const request = http.request(
          { host: "127.0.0.1", port, method: "POST", path: `/v3/${Service.KEY}`, headers, agent: false },
          (response) => {
            const chunks: Array<Buffer> = []
            response.on("data", (chunk: Buffer) => chunks.push(chunk))
            response.once("error", reject)
            response.once("end", () =>
              resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
            )
          }
        )
        request.once("error", reject)
        request.end(BODY)
      })
  )

/**
 * Decompresses a body with the program `gzip`, or with Node's Brotli decoder. The gateway does not use this code.
 */
const opened = ({ body, headers }: Raw): string => {
  const coding = headers["content-encoding"]
  if (coding === "gzip") return execFileSync("gzip", ["-dc"], { input: body, maxBuffer: 2 ** 28 }).toString("utf8")
  return (coding === "br" ? brotliDecompressSync(body) : body).toString("utf8")
}

const started = (result: Uint8Array, compressFrom?: number) =>
  Service.start({ call: () => Effect.succeed(result) }, { compressFrom, limits: { answerBytes: 2 ** 28 } })

// one after the other, because all services of this process share the compressions at a time
describe("an answer", { concurrent: false }, () => {
  it.live("is compressed as the caller prefers, from a size on", () =>
    Effect.gen(function* () {
      const result = resultOf(20_000)
      const service = yield* started(result)
      for (const [accepted, coding] of [
        ["gzip", "gzip"],
        ["br", "br"],
        ["gzip, deflate, br", "br"],
        ["gzip;q=1, br;q=0.5", "gzip"],
        ["deflate", undefined],
        ["identity", undefined],
        [undefined, undefined]
      ] as const) {
        const answer = yield* ask(service, accepted)
        assert.strictEqual(answer.headers["content-encoding"], coding, accepted)
        assert.strictEqual(answer.headers.vary, "accept-encoding")
        assert.strictEqual(answer.headers["content-length"], String(answer.body.length))
        assert.strictEqual(opened(answer), answered(result))
        if (coding !== undefined) assert.isBelow(answer.body.length, 15_000)
      }
    })
  )

  it.live("leaves as it is below that size, and without compression", () =>
    Effect.gen(function* () {
      const small = yield* ask(yield* started(resultOf(1000)), "gzip")
      assert.deepStrictEqual([small.headers["content-encoding"], small.headers.vary], [undefined, undefined])
      const off = yield* ask(yield* started(resultOf(20_000), 0), "gzip")
      assert.deepStrictEqual([off.headers["content-encoding"], off.headers.vary], [undefined, undefined])
      const all = yield* ask(yield* started(resultOf(100), 1), "gzip")
      assert.strictEqual(opened(all), answered(resultOf(100)))
    })
  )

  it.live("of many megabytes is compressed in pieces, while others are answered", () =>
    Effect.gen(function* () {
      const result = resultOf(8 * 1024 * 1024)
      let calls = 0
      const service = yield* Service.start({
        call: () => Effect.succeed(calls++ === 0 ? result : new TextEncoder().encode("1"))
      })
      const large = yield* Effect.forkChild(ask(service, "br"))
      yield* Effect.sleep("1 millis")
      let quick = 0
      while (large.pollUnsafe() === undefined) {
        yield* ask(service)
        quick++
      }
      const answer = yield* Fiber.join(large)
      assert.strictEqual(answer.headers["content-encoding"], "br")
      assert.strictEqual(answer.headers["transfer-encoding"], "chunked")
      assert.strictEqual(opened(answer), answered(result))
      assert.isAbove(quick, 10)
    })
  )

  it.live("is sent to each of many callers at a time", () =>
    Effect.gen(function* () {
      const result = resultOf(300_000)
      const service = yield* started(result)
      const answers = yield* Effect.all(
        Array.from({ length: 60 }, () => ask(service, "gzip, br")),
        { concurrency: 60 }
      )
      assert.isTrue(answers.every((answer) => opened(answer) === answered(result)))
      assert.isAbove(answers.filter(({ headers }) => headers["content-encoding"] === "br").length, 0)
    })
  )

  it.live("leaves while the service ends", () =>
    Effect.gen(function* () {
      const result = resultOf(3_000_000)
      const begun = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      const call = () => Effect.as(Deferred.succeed(begun, undefined), result)
      const service = yield* Service.start({ call }, { timeouts: { drain: 1 } }).pipe(Scope.provide(scope))
      const asked = yield* Effect.forkChild(ask(service, "br"))
      yield* Deferred.await(begun)
      yield* Scope.close(scope, Exit.void)
      const answer = yield* Fiber.join(asked)
      assert.deepStrictEqual([answer.status, opened(answer)], [200, answered(result)])
    })
  )

  it.live("that its caller does not wait for is given up", () =>
    Effect.gen(function* () {
      const result = resultOf(8 * 1024 * 1024)
      const service = yield* started(result)
      const left = yield* Effect.callback<void>((resume) => {
        const headers = { "content-type": "application/json", "accept-encoding": "br" }
        const request = http.request(
          { port: service.port, method: "POST", path: `/v3/${Service.KEY}`, headers },
          (response) => {
            response.once("data", () => {
              request.destroy()
              resume(Effect.void)
            })
            response.on("error", () => undefined)
          }
        )
        request.on("error", () => undefined)
        request.end(BODY)
      })
      assert.isUndefined(left)
      yield* Effect.repeat(service.metrics, { until: (text) => text.includes("plumbline_http_requests_in_flight 0\n") })
      assert.strictEqual(opened(yield* ask(service, "gzip")).length, answered(result).length)
    })
  )

  for (const lane of [true, false]) {
    it.live(`that comes after its caller has left takes no thread, ${lane ? "with" : "without"} the lane`, () =>
      Effect.gen(function* () {
        const { port, waiting } = yield* held(lane)
        const body = resultOf(5 * 1024 * 1024)
        const head = `POST /v3/key HTTP/1.1\r\nhost: a\r\naccept-encoding: br\r\ncontent-length: 2\r\n\r\n{}`
        // twice as many as may be compressed at a time
        for (let left = 32; left > 0; left--) {
          const socket = connect(port, "127.0.0.1")
          socket.write(head)
          const exchange = yield* Queue.take(waiting)
          socket.resetAndDestroy()
          yield* Effect.repeat(
            Effect.sync(() => exchange.isGone),
            { until: (isGone) => isGone, schedule: Schedule.spaced("1 millis") }
          )
          exchange.answer({ _tag: "Answer", status: 200, headers: [], body })
        }
        assert.isTrue(isFree())
      }).pipe(Effect.scoped)
    )
  }
})

/** A listener whose exchanges wait for the test. */
const held = Effect.fnUntraced(function* (lane: boolean) {
  const waiting = yield* Queue.unbounded<CallExchange>()
  const take = (exchange: CallExchange) => {
    exchange.isAccountedFor = true
    Queue.offerUnsafe(waiting, exchange)
    return true
  }
  const listener = HttpListener.make(
    () => ({
      limits: { bodyBytes: 1024, bufferedBytes: 1024 * 1024, connections: 100 },
      timeouts: { headers: 10_000, request: 10_000, idle: 10_000, write: 10_000 },
      callerOf: () => "",
      mounts: [],
      tls: undefined,
      compressFrom: 1024,
      accessLog: false,
      lane
    }),
    Effect.runFork
  )
  listener.serve([{ serve: take, door: { headOf: () => ({ ...known }), serve: take } }])
  yield* HttpListener.open(listener, { host: "127.0.0.1", port: 0 })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      listener.connections.destroyAll()
      listener.server.close()
    })
  )
  return { port: (listener.server.address() as AddressInfo).port, waiting }
})

describe("the coding of an answer", () => {
  const rows: ReadonlyArray<readonly [string | undefined, "br" | "gzip" | undefined]> = [
    [undefined, undefined],
    ["", undefined],
    ["gzip", "gzip"],
    ["GZIP ; q=0.2", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br;q=0, gzip;q=0", undefined],
    ["*", "br"],
    ["*;q=0", undefined],
    ["br;q=0, *", "gzip"],
    ["gzip;q=0.9, br;q=0.8", "gzip"],
    ["gzip;q=x", undefined],
    ["constructor, __proto__", undefined],
    ["deflate, zstd, identity;q=0", undefined],
    [`${"a,".repeat(100_000)}gzip`, undefined]
  ]
  for (const [accepted, coding] of rows) {
    it(`for "${String(accepted).slice(0, 40)}" is ${String(coding)}`, () => {
      assert.strictEqual(negotiate(accepted), coding)
    })
  }
})
