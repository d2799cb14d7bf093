/** Tests of answers that are accepted or refused. */
import { gzipSync } from "node:zlib"

import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Result } from "effect"

import * as HttpServer from "../httpServer.ts"
import { CALL, error, failure, result, asking, type Subject } from "./subject.ts"

export const answers = ({ name, make, traits }: Subject): void => {
  const { unpacks } = traits
  const { failureOf, failuresOf } = asking(make)

  describe(`${name}: an answer`, () => {
    it.effect("is an answer only to the call that it names", () =>
      Effect.gen(function* () {
        const ids = [2, 999_999, "1", null, undefined, true, [1], { id: 1 }]
        for (const failure of yield* failuresOf(ids.map((id) => () => Response.json(result(id, "0x1"))))) {
          assert.strictEqual(failure.message, "m: the answer has another id than the call")
        }
      })
    )

    it.effect("has version 2.0 and exactly one of result and error", () =>
      Effect.gen(function* () {
        const cases: ReadonlyArray<readonly [unknown, string]> = [
          [{ id: 1, result: 1 }, 'the answer has no jsonrpc "2.0"'],
          [{ jsonrpc: "1.0", id: 1, result: 1 }, 'the answer has no jsonrpc "2.0"'],
          [{ id: 1, error: { code: 1, message: "m" } }, 'the answer has no jsonrpc "2.0"'],
          [{ jsonrpc: "2.0", id: 1 }, "the answer has no result and no error"],
          [{ ...result(1, null), error: null }, "the answer has both result and error"],
          [{ ...result(1, 1), ...error(1) }, "the answer has both result and error"],
          [{ jsonrpc: "2.0", id: 1, error: null }, "the error has no code or no message"],
          [{ jsonrpc: "2.0", id: 1, error: "no" }, "the error has no code or no message"],
          [{ jsonrpc: "2.0", id: 1, error: { code: "1", message: "m" } }, "the error has no code or no message"],
          [{ jsonrpc: "2.0", id: 1, error: { code: 1.5, message: "m" } }, "the error has no code or no message"],
          [{ jsonrpc: "2.0", id: 1, error: { code: 1 } }, "the error has no code or no message"],
          [[result(1, 1)], "an array in answer to a single call"],
          [null, "the answer is not an object"],
          ["0x1", "the answer is not an object"],
          [JSON.parse('{"__proto__":{"jsonrpc":"2.0","id":1,"result":1}}'), 'the answer has no jsonrpc "2.0"']
        ]
        const failures = yield* failuresOf(
          cases.map(
            ([body]) =>
              () =>
                Response.json(body)
          )
        )
        assert.deepStrictEqual(
          failures.map(({ message, retryable }) => [message, retryable]),
          cases.map(([, detail]) => [`m: ${detail}`, false])
        )
      })
    )

    it.effect("that is not JSON says what it is", () =>
      Effect.gen(function* () {
        const json = "application/json"
        const cases: ReadonlyArray<readonly [BodyInit | null, string, string]> = [
          [null, json, "the answer is empty"],
          ["", json, "the answer is empty"],
          [" \n", json, "the answer is empty"],
          ["<html>hunter2</html>", json, "the answer is HTML, not JSON"],
          ["\n <!doctype html>", "text/html", "the answer is HTML, not JSON"],
          ["pong hunter2", json, "the answer is not JSON"],
          ["pong hunter2", "Text/Plain; charset=utf-8", "the answer is not JSON (content type text/plain)"],
          ["pong hunter2", "what the hunter2", "the answer is not JSON"],
          ['{"a":1} hunter2', "text/plain", "the answer is not JSON (content type text/plain)"],
          ['{"jsonrpc":"2.0","id":1,"result":"0x', json, "the answer is JSON that breaks off"],
          ['{"jsonrpc":"2.0","id":1,"result":"\\"}', json, "the answer is JSON that breaks off"],
          ['[{"jsonrpc":"2.0","id":1,"result":"}]"}', json, "the answer is JSON that breaks off"],
          [new Uint8Array([0x22, 0xff, 0x22]), json, "the answer is not UTF-8"],
          [new Uint8Array([0x22, 0xe2, 0x82]), json, "the answer is not UTF-8"]
        ]
        const failures = yield* failuresOf(
          cases.map(
            ([body, type]) =>
              () =>
                new Response(body, { headers: { "content-type": type } })
          )
        )
        assert.deepStrictEqual(
          failures.map(({ message }) => message),
          cases.map(([, , detail]) => `m: ${detail}`)
        )
      })
    )

    it.effect("that is JSON is one, whatever its content type says", () =>
      Effect.gen(function* () {
        const url = yield* HttpServer.responding(({ json }) => {
          const body = `\ufeff${JSON.stringify(result(json.id, 7))}`
          return json.params[0] === undefined
            ? new Response(new TextEncoder().encode(body))
            : new Response(body, { headers: { "content-type": json.params[0] } })
        })
        const transport = yield* make({ url })
        for (const params of [[], ["text/plain"], ["text/html; charset=latin1"], ["what"]]) {
          assert.strictEqual(yield* transport.call({ method: "m", params }), 7)
        }
      })
    )

    it.effect("may be an error without an id that could be read", () =>
      Effect.gen(function* () {
        const [unread, absent, other] = yield* failuresOf([
          () => Response.json(error(null, -32700, "parse error")),
          () => Response.json(error(undefined, -32700, "parse error")),
          () => Response.json(error(7))
        ])
        assert.strictEqual(unread!.message, "m: parse error (code -32700)")
        assert.strictEqual(absent!.message, "m: parse error (code -32700)")
        assert.strictEqual(other!.message, "m: the answer has another id than the call")
      })
    )

    it.effect("keeps what an error has beside its message as data", () =>
      Effect.gen(function* () {
        const cases: ReadonlyArray<readonly [object, unknown]> = [
          [{ data: [1] }, [1]],
          [{ data: null }, null],
          [{}, undefined],
          [
            { event: -33000, details: "no credits" },
            { event: -33000, details: "no credits" }
          ],
          [{ data: 1, details: "no credits" }, 1]
        ]
        const failures = yield* failuresOf(
          cases.map(
            ([member]) =>
              () =>
                Response.json({ jsonrpc: "2.0", id: 1, error: { code: 402, message: "m", ...member } })
          )
        )
        assert.deepStrictEqual(
          failures.map(({ reason }) => (reason._tag === "RemoteError" ? reason.data : reason)),
          cases.map(([, data]) => data)
        )
      })
    )

    it.effect("is read no further than the limit", () =>
      Effect.gen(function* () {
        const gone = yield* Deferred.make<void>()
        const endless = yield* HttpServer.make((_, response) => {
          response.writeHead(200)
          const more = (): void => {
            while (!response.destroyed && response.write(Buffer.alloc(1000, " "))) {
              // The loop writes until the buffer is full. `drain` starts it again once the client has read.
            }
          }
          response.on("drain", more)
          response.on("close", () => Deferred.doneUnsafe(gone, Effect.void))
          more()
        })
        const streamed = yield* failure(yield* make({ url: endless, maxBytes: 10_000 }))
        assert.strictEqual(streamed.message, "m: the answer is larger than 10000 bytes")
        assert.isFalse(streamed.retryable)
        yield* Deferred.await(gone)

        // An answer that announces too large a size is refused at once.
        const boaster = yield* HttpServer.raw((socket) =>
          socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10001\r\n\r\n")
        )
        const announced = yield* failure(yield* make({ url: boaster, maxBytes: 10_000 }))
        assert.strictEqual(announced.message, "m: the answer is larger than 10000 bytes")

        const body = JSON.stringify(result(1, "x"))
        const whole = yield* make({
          url: yield* HttpServer.responding(() => new Response(body)),
          maxBytes: body.length
        })
        assert.strictEqual(yield* whole.call(CALL), "x")
      })
    )

    it.effect("may come in pieces that cut its characters", () =>
      Effect.gen(function* () {
        const value = "漢字 😀 é".repeat(20)
        const bytes = new TextEncoder().encode(JSON.stringify(result(1, value)))
        const url = yield* HttpServer.raw((socket) => {
          socket.setNoDelay(true)
          const pieces = Array.from(bytes, (byte) => Buffer.from([byte]))
          const send = (at: number): void => {
            if (at < pieces.length) {
              socket.write(`1\r\n`)
              socket.write(pieces[at]!)
              socket.write("\r\n", () => send(at + 1))
            } else {
              socket.write("0\r\n\r\n")
            }
          }
          socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", () => send(0))
        })
        assert.strictEqual(yield* (yield* make({ url })).call(CALL), value)
      })
    )

    it.effect("survives data that is nested too deeply to be looked through", () =>
      Effect.gen(function* () {
        const levels = 200_000
        const body = `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":${"[".repeat(levels)}${"]".repeat(levels)}}}`
        const failure = yield* failureOf(() => new Response(body))
        assert.strictEqual(failure.message, "m: m (code 1)")
      })
    )

    it.effect(unpacks ? "may be compressed" : "that is compressed says so, for it was not asked for", () =>
      Effect.gen(function* () {
        const url = yield* HttpServer.responding(
          ({ json }) =>
            new Response(gzipSync(JSON.stringify(result(json.id, "0x1"))), { headers: { "content-encoding": "gzip" } })
        )
        const outcome = yield* Effect.result((yield* make({ url })).call(CALL))
        assert.strictEqual(
          Result.isSuccess(outcome) ? outcome.success : outcome.failure.message,
          unpacks ? "0x1" : "m: the answer is not UTF-8 (content encoding gzip)"
        )
      })
    )
  })
}
