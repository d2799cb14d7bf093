/** Timeouts, interruption, and waiting. */
import { assert, describe, it } from "@effect/vitest"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import * as HttpServer from "../httpServer.ts"
import { CALL, failure, result, type Subject } from "./subject.ts"

export const times = ({ name, make }: Subject): void => {
  describe(`${name}: time`, () => {
    /**
     * A server that sends nothing, sends too slowly, or sends without an end. It reports when its client disconnects.
     */
    const slow = (begin: (write: (text: string) => void) => void) =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const gone = yield* Deferred.make<void>()
        const url = yield* HttpServer.raw((socket) => {
          begin((text) => socket.writable && socket.write(text))
          Deferred.doneUnsafe(asked, Effect.void)
          socket.on("end", () => Deferred.doneUnsafe(gone, Effect.void))
          socket.on("close", () => Deferred.doneUnsafe(gone, Effect.void))
        })
        return { url, asked, gone }
      })

    const head = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"
    const cases: ReadonlyArray<readonly [string, (write: (text: string) => void) => void]> = [
      ["for a server that is silent", () => {}],
      ["for a head that has no end", (write) => write("HTTP/1.1 200 OK\r\nx-a")],
      ["for a body that stops in the middle", (write) => write(`${head}{"jsonrpc":`)],
      [
        "for a body that drips",
        (write) => {
          write(head)
          const drip = setInterval(() => write(" "), 1)
          setTimeout(() => clearInterval(drip), 900)
        }
      ]
    ]
    for (const [title, begin] of cases) {
      it.effect(`runs out ${title}, and the request is aborted`, () =>
        Effect.gen(function* () {
          const { url, asked, gone } = yield* slow(begin)
          const transport = yield* make({ url, timeout: "5 seconds" })
          const fiber = yield* Effect.forkChild(failure(transport))
          yield* Deferred.await(asked)
          yield* TestClock.adjust("4999 millis")
          assert.isUndefined(fiber.pollUnsafe())
          yield* TestClock.adjust("1 millis")
          const { message, reason, retryable } = yield* Fiber.join(fiber)
          assert.strictEqual(message, "m: no answer within 5s")
          assert(reason._tag === "TimeoutError")
          assert.deepStrictEqual(reason.after, Duration.seconds(5))
          assert.isTrue(retryable)
          yield* Deferred.await(gone)
        })
      )
    }

    it.effect("is half a minute where nothing else is said", () =>
      Effect.gen(function* () {
        const { url, asked } = yield* slow(() => {})
        const fiber = yield* Effect.forkChild(Effect.flatMap(make({ url }), failure))
        yield* Deferred.await(asked)
        yield* TestClock.adjust(HttpTransport.defaults.timeout)
        assert.strictEqual((yield* Fiber.join(fiber)).message, "m: no answer within 30s")
      })
    )

    it.live("runs out by the platform's clock too", () =>
      Effect.gen(function* () {
        const { url, gone } = yield* slow(() => {})
        // long enough for a busy machine to connect, because the server must see the client disconnect
        const failed = yield* failure(yield* make({ url, timeout: "200 millis" }))
        assert.strictEqual(failed.message, "m: no answer within 200ms")
        yield* Deferred.await(gone)
      })
    )

    it.live("may be without end", () =>
      Effect.gen(function* () {
        const url = yield* HttpServer.responding(({ json }) => Response.json(result(json.id, 1)))
        for (const timeout of ["infinity", "100 days"] as const) {
          const transport = yield* make({ url, timeout: timeout === "infinity" ? Duration.infinity : timeout })
          assert.strictEqual(yield* transport.call(CALL), 1)
        }
      })
    )

    it.effect("that the caller does not want to wait ends the request in the middle of an answer", () =>
      Effect.gen(function* () {
        const { url, asked, gone } = yield* slow((write) => write(`${head}{"jsonrpc":`))
        const fiber = yield* Effect.forkChild(failure(yield* make({ url })))
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(gone)
      })
    )
  })
}
