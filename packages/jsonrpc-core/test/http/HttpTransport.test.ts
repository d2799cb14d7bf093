import { assert, describe, it } from "@effect/vitest"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

import * as HttpServer from "../support/httpServer.ts"
import * as HttpSuite from "../support/HttpSuite.ts"
import { suite } from "../support/TransportSuite.ts"

suite("HttpTransport", ({ handle }) =>
  Layer.unwrap(Effect.map(HttpServer.dispatching(handle), (url) => HttpTransport.layer({ url })))
)

HttpSuite.suite("HttpTransport", HttpTransport.make, { unpacks: true, follows: false })

type Fetch = typeof globalThis.fetch

const URL_OF_NODE = "https://node.example/"
const CALL = { method: "m", params: [] }

describe("a fetch of one's own", () => {
  it.effect("is given what the platform's would be", () =>
    Effect.gen(function* () {
      const requests: Array<[unknown, RequestInit | undefined]> = []
      const fetch: Fetch = async (url, init) => {
        requests.push([url, init])
        return Response.json({ jsonrpc: "2.0", id: 1, result: "0x1" })
      }
      const transport = yield* HttpTransport.make({ url: "https://u:p@node.example/v3", fetch })
      assert.strictEqual(yield* transport.call(CALL), "0x1")
      const [[url, init]] = requests as [(typeof requests)[0]]
      assert.strictEqual(url, "https://node.example/v3")
      assert.strictEqual(init?.method, "POST")
      assert.strictEqual(init?.redirect, "manual")
      assert.deepStrictEqual(
        [...new Headers(init?.headers)],
        [
          ["accept", "application/json"],
          ["authorization", "Basic dTpw"],
          ["content-type", "application/json"]
        ]
      )
    })
  )

  it.effect("may unpack a body, so that its first piece is as long as the packed body by chance", () =>
    Effect.gen(function* () {
      const bytes = new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result":"\u20ac\ufeff1"}')
      for (let first = 1; first < bytes.length; first++) {
        const fetch: Fetch = async () => {
          const body = new ReadableStream({
            start: (controller) => {
              controller.enqueue(bytes.subarray(0, first))
              controller.enqueue(bytes.subarray(first))
              controller.close()
            }
          })
          return new Response(body, { headers: { "content-length": `${first}` } })
        }
        const transport = yield* HttpTransport.make({ url: URL_OF_NODE, fetch })
        assert.strictEqual(yield* transport.call(CALL), "\u20ac\ufeff1")
      }
    })
  )

  it.effect("is told when time has run out, and its late answer does not count", () =>
    Effect.gen(function* () {
      const aborted = yield* Deferred.make<void>()
      const answered = yield* Deferred.make<void>()
      const fetch: Fetch = (_, init) =>
        new Promise((resolve) => {
          init?.signal?.addEventListener("abort", () => {
            resolve(Response.json({ jsonrpc: "2.0", id: 1, result: "late" }))
            Deferred.doneUnsafe(aborted, Effect.void)
            queueMicrotask(() => Deferred.doneUnsafe(answered, Effect.void))
          })
        })
      const transport = yield* HttpTransport.make({ url: URL_OF_NODE, fetch, timeout: "5 seconds" })
      const fiber = yield* Effect.forkChild(Effect.flip(transport.call(CALL)))
      yield* TestClock.adjust("5 seconds")
      yield* Deferred.await(aborted)
      yield* Deferred.await(answered)
      assert.strictEqual((yield* Fiber.join(fiber)).message, "m: no answer within 5s")
    })
  )

  it.effect("that does not heed its signal is not read any further", () =>
    Effect.gen(function* () {
      const reading = yield* Deferred.make<ReadableStreamDefaultController>()
      const cancelled = yield* Deferred.make<void>()
      const fetch: Fetch = async () =>
        new Response(
          new ReadableStream({
            start: (controller) => Deferred.doneUnsafe(reading, Effect.succeed(controller)),
            cancel: () => void Deferred.doneUnsafe(cancelled, Effect.void)
          })
        )
      const transport = yield* HttpTransport.make({ url: URL_OF_NODE, fetch })
      const fiber = yield* Effect.forkChild(transport.call(CALL))
      const controller = yield* Deferred.await(reading)
      yield* Fiber.interrupt(fiber)
      controller.enqueue(new Uint8Array(1))
      yield* Deferred.await(cancelled)
    })
  )

  it.effect("may hide where a redirect leads, as browsers do", () =>
    Effect.gen(function* () {
      const fetch: Fetch = async () => Object.defineProperty(new Response(), "status", { value: 0 })
      const transport = yield* HttpTransport.make({ url: URL_OF_NODE, fetch })
      const { message, reason } = yield* Effect.flip(transport.call(CALL))
      assert.strictEqual(message, "m: redirected: give the final URL")
      assert.notProperty(reason, "status")
    })
  )

  it.effect("may follow redirects against its orders, and what it brings is refused", () =>
    Effect.gen(function* () {
      const fetch: Fetch = async () => {
        const response = Response.json({ jsonrpc: "2.0", id: 1, result: "from elsewhere" })
        return Object.defineProperty(response, "redirected", { value: true })
      }
      const transport = yield* HttpTransport.make({ url: URL_OF_NODE, fetch })
      const { message } = yield* Effect.flip(transport.call(CALL))
      assert.strictEqual(message, "m: redirected: give the final URL")
    })
  )

  it.effect("may know what a relative URL is relative to, as browsers do", () =>
    Effect.gen(function* () {
      const fetch: Fetch = async (url) => Response.json({ jsonrpc: "2.0", id: 1, result: url })
      const transport = yield* HttpTransport.make({ url: "/v3/key", fetch })
      assert.strictEqual(yield* transport.call(CALL), "/v3/key")
    })
  )
})
