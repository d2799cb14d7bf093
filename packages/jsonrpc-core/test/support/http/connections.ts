/** Connections that break. */
import { assert, describe, it } from "@effect/vitest"
import type { JsonRpcError } from "@plumbline/jsonrpc-core"
import { Effect, Result } from "effect"

import * as HttpServer from "../httpServer.ts"
import { CALL, failure, result, type Subject } from "./subject.ts"

type Fault = Parameters<typeof HttpServer.raw>[0]

export const connections = ({ name, make }: Subject): void => {
  describe(`${name}: a connection`, () => {
    const answer = JSON.stringify(result(1, "0x1"))
    const ok = "HTTP/1.1 200 OK\r\n"
    const CODE = String.raw`\([A-Z][A-Z0-9_]+\)`

    /** Faults after a request was read, and the error that the caller gets. */
    const faults: ReadonlyArray<
      readonly [title: string, fault: Fault, message: string, retryable: boolean | undefined]
    > = [
      ["that is closed before an answer", (socket) => socket.end(), `connection failed ${CODE}`, true],
      ["that is reset before an answer", (socket) => socket.resetAndDestroy(), `connection failed ${CODE}`, true],
      ["that is closed within the head", (socket) => socket.end(`${ok}content-le`), `connection failed ${CODE}`, true],
      [
        "that sends hints and is closed",
        (socket) => socket.end("HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n"),
        `connection failed ${CODE}`,
        true
      ],
      [
        "that is closed before the length is reached",
        (socket) => socket.end(`${ok}content-length: 1000\r\n\r\n${answer}`),
        `the answer was cut off ${CODE}`,
        true
      ],
      [
        "that is half closed before the length is reached, and then silent",
        (socket) => socket.write(`${ok}content-length: 1000\r\n\r\n{"json`, () => socket.end()),
        `the answer was cut off ${CODE}`,
        true
      ],
      [
        "that is reset in the middle of an answer",
        (socket) =>
          socket.write(`${ok}content-length: 1000\r\n\r\n{"json`, () => setTimeout(() => socket.resetAndDestroy(), 20)),
        `the answer was cut off ${CODE}`,
        true
      ],
      [
        "that is closed before the last chunk",
        (socket) => socket.end(`${ok}transfer-encoding: chunked\r\n\r\n${answer.length.toString(16)}\r\n${answer}\r\n`),
        `the answer was cut off ${CODE}`,
        true
      ],
      [
        "that announces less than it brings",
        (socket) => socket.write(`${ok}content-length: 20\r\n\r\n${answer}`),
        "the answer is JSON that breaks off",
        false
      ],
      [
        "with rubbish before the status line",
        (socket) => socket.write(`rubbish\r\n${ok}content-length: ${answer.length}\r\n\r\n${answer}`),
        "the answer is not HTTP",
        false
      ],
      [
        "that speaks another protocol",
        (socket) => socket.write("SSH-2.0-OpenSSH_9.6\r\n"),
        "the answer is not HTTP",
        false
      ],
      [
        "with a head that has no bounds",
        (socket) => socket.write(`${ok}x-a: ${"a".repeat(200_000)}\r\ncontent-length: 0\r\n\r\n`),
        `connection failed ${CODE}`,
        false
      ],
      [
        "with a chunk of no size",
        (socket) => socket.write(`${ok}transfer-encoding: chunked\r\n\r\nzz\r\n`),
        // node:http reports this like any other answer that breaks off.
        `(?:the answer is not HTTP|the answer was cut off ${CODE})`,
        undefined
      ]
    ]
    for (const [title, fault, message, retryable] of faults) {
      it.effect(`${title} is a typed error`, () =>
        Effect.gen(function* () {
          const url = yield* HttpServer.raw(fault)
          const failed = yield* failure(yield* make({ url }))
          assert.match(failed.message, new RegExp(`^m: ${message}$`))
          assert.strictEqual(failed.retryable, retryable ?? failed.message.includes("cut off"))
        })
      )
    }

    const answers: ReadonlyArray<readonly [title: string, fault: Fault]> = [
      [
        "that sends hints first",
        (socket) =>
          socket.write(
            `HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n${ok}content-length: ${answer.length}\r\n\r\n${answer}`
          )
      ],
      ["whose answer ends with it", (socket) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${answer}`)]
    ]
    for (const [title, fault] of answers) {
      it.effect(`${title} brings an answer`, () =>
        Effect.gen(function* () {
          const transport = yield* make({ url: yield* HttpServer.raw(fault) })
          assert.strictEqual(yield* transport.call(CALL), "0x1")
        })
      )
    }

    /** Answers each request with its number, except that requests of these numbers end the connection. */
    const closing = (...closed: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const requests: Array<number> = []
        const url = yield* HttpServer.raw((socket, { nth, ids }) => {
          requests.push(nth)
          if (closed.includes(nth)) {
            socket.destroy()
          } else {
            const results = ids.map((id) => result(id, nth))
            const body = JSON.stringify(results.length === 1 ? results[0] : results)
            socket.write(`${ok}content-length: ${body.length}\r\n\r\n${body}`)
          }
        })
        return { transport: yield* make({ url }), requests }
      })

    const closedEarly = (error: JsonRpcError.JsonRpcError): void => {
      assert.match(error.reason.message, /^connection failed \((?:UND_ERR_SOCKET|ECONNRESET)\)$/)
      assert.strictEqual(error.reason._tag === "TransportError" && error.reason.closed, true)
      assert.isTrue(error.retryable)
    }

    it.effect("that was kept and is closed at the next request is replaced, and the request is sent again", () =>
      Effect.gen(function* () {
        const { requests, transport } = yield* closing(1, 3)
        assert.strictEqual(yield* transport.call(CALL), 0)
        assert.strictEqual(yield* transport.call(CALL), 2)
        const packet = yield* transport.callAll([CALL, { ...CALL, idempotent: true }])
        assert.deepStrictEqual(packet.map(Result.getOrUndefined), [4, 4])
        assert.deepStrictEqual(requests, [0, 1, 2, 3, 4])
      })
    )

    it.effect("that is closed twice in a row is told of, and the request is sent no third time", () =>
      Effect.gen(function* () {
        const { requests, transport } = yield* closing(1, 2)
        assert.strictEqual(yield* transport.call(CALL), 0)
        closedEarly(yield* failure(transport))
        assert.strictEqual(yield* transport.call(CALL), 3)
        assert.deepStrictEqual(requests, [0, 1, 2, 3])
      })
    )

    it.effect("that is closed at a call that must not be repeated is told of, and nothing is sent twice", () =>
      Effect.gen(function* () {
        const { requests, transport } = yield* closing(1, 3)
        const once = { ...CALL, idempotent: false }
        assert.strictEqual(yield* transport.call(once), 0)
        closedEarly(yield* Effect.flip(transport.call(once)))
        assert.strictEqual(yield* transport.call(once), 2)
        for (const outcome of yield* transport.callAll([CALL, once])) {
          closedEarly(Result.isFailure(outcome) ? outcome.failure : assert.fail("answered"))
        }
        assert.deepStrictEqual(requests, [0, 1, 2, 3])
      })
    )

    it.effect("that is closed in the middle of an answer is told of, and nothing is sent twice", () =>
      Effect.gen(function* () {
        let requests = 0
        const url = yield* HttpServer.raw((socket) => {
          requests++
          socket.end(`${ok}content-length: 1000\r\n\r\n{"json`)
        })
        const { reason } = yield* failure(yield* make({ url }))
        assert.match(reason.message, /^the answer was cut off/)
        assert.strictEqual(requests, 1)
      })
    )

    it.effect("cannot bring the answer to a call before it is asked", () =>
      Effect.gen(function* () {
        const message = (id: number, value: string): string => {
          const body = JSON.stringify(result(id, value))
          return `${ok}content-length: ${body.length}\r\n\r\n${body}`
        }
        const url = yield* HttpServer.raw((socket, { id }) => {
          socket.write(message(id, "asked") + message(id + 1, "not asked"))
        })
        const transport = yield* make({ url })
        const outcomes = yield* Effect.forEach([1, 2, 3], () => Effect.result(transport.call(CALL)))
        for (const outcome of outcomes) {
          assert.isTrue(Result.isFailure(outcome) ? outcome.failure.retryable : outcome.success === "asked")
        }
      })
    )

    it.effect("that is refused keeps its code", () =>
      Effect.gen(function* () {
        const closed = yield* Effect.scoped(HttpServer.make(() => {}))
        const failed = yield* failure(yield* make({ url: closed }))
        assert.strictEqual(failed.message, "m: connection failed (ECONNREFUSED)")
        assert.isTrue(failed.retryable)
      })
    )
  })
}
