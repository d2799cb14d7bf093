/** The tests that every transport must pass. Call `suite` with a layer that reaches a server. */
import { assert, describe, it } from "@effect/vitest"
import { Dispatcher, JsonRpcClient, type JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Deferred, Effect, Fiber, type Layer, Result } from "effect"

import * as Contract from "./contract.ts"

type Server = Dispatcher.Dispatcher<never>

export const suite = (
  name: string,
  layer: (server: Server) => Layer.Layer<Transport.Transport>,
  // A request on a shared connection cannot be cancelled alone.
  { isShared = false }: { readonly isShared?: boolean } = {}
): void => {
  const server = Contract.makeServer()

  const test = <A, E>(title: string, program: Effect.Effect<A, E, Transport.Transport>, to: Server = server): void =>
    it.effect(title, () => Effect.provide(program, layer(to)))

  const call = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.flatMap(Transport.Transport, (transport) => transport.call({ method, params }))

  const callAll = (...calls: ReadonlyArray<Transport.WireCall>) =>
    Effect.flatMap(Transport.Transport, (transport) => transport.callAll(calls))

  describe(`${name} carries calls`, () => {
    test(
      "gives the result",
      Effect.gen(function* () {
        assert.strictEqual(yield* call("ping"), "pong")
        assert.strictEqual(yield* call("subtract", 42, 23), 19)
      })
    )

    test(
      "takes null for the value that it is",
      Effect.gen(function* () {
        assert.isNull(yield* call("echo", null))
      })
    )

    test(
      "keeps values whole, in any script and of any size",
      Effect.gen(function* () {
        const values = [
          '漢字 😀 \u0000 " \\ \u2028',
          { list: Array.from({ length: 20_000 }, (_, n) => `0x${n}`) },
          [[]],
          0.1
        ]
        for (const value of values) {
          assert.deepStrictEqual(yield* call("echo", value), value)
        }
      })
    )

    test(
      "gives a remote error its code, message and data",
      Effect.gen(function* () {
        const error = yield* Effect.flip(call("fail"))
        assert.strictEqual(error.method, "fail")
        assert(error.reason._tag === "RemoteError")
        assert.strictEqual(error.reason.code, -32005)
        assert.strictEqual(error.reason.message, "limit exceeded")
        assert.deepStrictEqual(error.reason.data, { see: "docs" })
        assert.isTrue(error.retryable)
      })
    )

    test(
      "reports unknown methods, bad parameters and defects as the server does",
      Effect.gen(function* () {
        assert.strictEqual(
          describeError(yield* Effect.flip(call("nope"))),
          "nope: the method nope does not exist/is not available (code -32601)"
        )
        assert.strictEqual(
          describeError(yield* Effect.flip(call("subtract", 1))),
          "subtract: missing value for required argument 1 (code -32602)"
        )
        assert.strictEqual(describeError(yield* Effect.flip(call("die"))), "die: internal error (code -32603)")
      })
    )

    test(
      "refuses parameters that are not JSON before they travel",
      Effect.gen(function* () {
        const error = yield* Effect.flip(call("echo", 1n))
        assert.strictEqual(error.reason._tag, "EncodeError")
      })
    )

    test(
      "gives each call of a batch its own outcome, in order",
      Effect.gen(function* () {
        const outcomes = yield* callAll(
          { method: "echo", params: ["first"] },
          { method: "fail", params: [] },
          { method: "echo", params: [1n] },
          { method: "nope", params: [] },
          { method: "echo", params: [null] }
        )
        assert.deepStrictEqual(
          outcomes.map((outcome) => (Result.isSuccess(outcome) ? outcome.success : describeError(outcome.failure))),
          [
            "first",
            "fail: limit exceeded (code -32005)",
            "echo: params: not JSON",
            "nope: the method nope does not exist/is not available (code -32601)",
            null
          ]
        )
      })
    )

    test(
      "takes a batch of none and a batch of one",
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* callAll(), [])
        assert.deepStrictEqual(yield* callAll({ method: "ping", params: [] }), [Result.succeed("pong")])
        const [only] = yield* callAll({ method: "echo", params: [1n] })
        assert(only !== undefined && Result.isFailure(only))
        assert.strictEqual(only.failure.reason._tag, "EncodeError")
      })
    )

    test(
      "answers no batch when none of its calls can travel",
      Effect.gen(function* () {
        const outcomes = yield* callAll({ method: "echo", params: [1n] }, { method: "echo", params: [2n] })
        assert.deepStrictEqual(
          outcomes.map((outcome) => Result.isFailure(outcome) && outcome.failure.reason._tag),
          ["EncodeError", "EncodeError"]
        )
      })
    )

    test(
      "gives every call the reason when a batch is refused as a whole",
      Effect.gen(function* () {
        const outcomes = yield* callAll(...["a", "b", "c"].map((value) => ({ method: "echo", params: [value] })))
        assert.deepStrictEqual(
          outcomes.map((outcome) => Result.isFailure(outcome) && describeError(outcome.failure)),
          Array.from({ length: 3 }, () => "echo: batch too large (code -32600)")
        )
      }),
      Contract.makeServer({ limits: { maxBatch: 2 } })
    )

    test(
      "keeps the answers of calls at the same time apart",
      Effect.gen(function* () {
        const numbers = Array.from({ length: 50 }, (_, index) => index)
        const results = yield* Effect.forEach(numbers, (n) => call("echo", n), { concurrency: "unbounded" })
        assert.deepStrictEqual(results, numbers)
      })
    )

    test(
      "fails when nothing is answered",
      Effect.gen(function* () {
        assert.strictEqual(describeError(yield* Effect.flip(call("ping"))), "ping: the answer is empty")
      }),
      {
        handle: () => Effect.succeed(undefined),
        answer: () => Effect.succeed([]),
        exchange: (_, peer) => peer.send(new Uint8Array())
      }
    )

    if (!isShared) {
      it.effect("stops the server's work when the call is interrupted", () =>
        Effect.gen(function* () {
          const started = yield* Deferred.make<void>()
          const stopped = yield* Deferred.make<void>()
          const server = Dispatcher.make({
            call: () =>
              Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
                Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
              )
          })
          yield* Effect.gen(function* () {
            const fiber = yield* Effect.forkChild(call("hang"))
            yield* Deferred.await(started)
            yield* Fiber.interrupt(fiber)
            yield* Deferred.await(stopped)
          }).pipe(Effect.provide(layer(server)))
          assert.isTrue(yield* Deferred.isDone(stopped))
        })
      )
    }

    test(
      "serves a typed client",
      Effect.gen(function* () {
        const client = yield* JsonRpcClient.make(Contract.group)
        assert.strictEqual(yield* client.subtract(42, 23), 19)
        assert.strictEqual(yield* client.describe("a"), "a, nothing, nothing")
        assert.strictEqual(yield* client.describe("a", undefined, 3), "a, nothing, 3")
        assert.deepStrictEqual(yield* client.get_data(), ["hello", 5])
      })
    )
  })
}

const describeError = (error: JsonRpcError.JsonRpcError): string => error.message
