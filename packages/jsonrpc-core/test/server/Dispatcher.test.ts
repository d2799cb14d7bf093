import { assert, describe, it } from "@effect/vitest"
import { Dispatcher, ErrorObject, Message } from "@plumbline/jsonrpc-core"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Latch, Logger, Ref, Result } from "effect"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (data: Uint8Array | undefined): string | undefined => data && new TextDecoder().decode(data)

const request = (id: number | undefined, method = "m"): string => JSON.stringify({ jsonrpc: "2.0", id, method })
const batch = (count: number): string => `[${Array.from({ length: count }, (_, id) => request(id)).join(",")}]`

const internalError = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}'

describe("Dispatcher", () => {
  it.effect("answers a batch in the order of the requests, whichever call ends first", () =>
    Effect.gen(function* () {
      const latches = yield* Effect.all([Latch.make(), Latch.make(), Latch.make()])
      const { handle } = Dispatcher.make({
        call: ({ method }) => Effect.as(latches[Number(method)]!.await, bytes(method))
      })
      const fiber = yield* Effect.forkChild(handle(`[${[0, 1, 2].map((n) => request(n, String(n))).join(",")}]`))
      for (const latch of latches.toReversed()) {
        yield* latch.open
        yield* Effect.yieldNow
      }
      assert.deepStrictEqual(JSON.parse(text(yield* Fiber.join(fiber))!), [
        { jsonrpc: "2.0", id: 0, result: 0 },
        { jsonrpc: "2.0", id: 1, result: 1 },
        { jsonrpc: "2.0", id: 2, result: 2 }
      ])
    })
  )

  it.effect("runs no more calls of a batch at a time than the limit", () =>
    Effect.gen(function* () {
      const running = yield* Ref.make(0)
      const most = yield* Ref.make(0)
      const { handle } = Dispatcher.make({
        limits: { concurrency: 3 },
        call: () =>
          Effect.gen(function* () {
            const now = yield* Ref.updateAndGet(running, (n) => n + 1)
            yield* Ref.update(most, (n) => Math.max(n, now))
            yield* Effect.yieldNow
            yield* Ref.update(running, (n) => n - 1)
            return bytes("1")
          })
      })
      const answer = yield* handle(batch(20))
      assert.lengthOf(JSON.parse(text(answer)!), 20)
      assert.strictEqual(yield* Ref.get(most), 3)
    })
  )

  it.effect("interrupts the calls when it is interrupted", () =>
    Effect.gen(function* () {
      const interrupted = yield* Ref.make(0)
      const started = yield* Ref.make(0)
      const bothStarted = yield* Deferred.make<void>()
      const { handle } = Dispatcher.make({
        call: () =>
          Effect.gen(function* () {
            if ((yield* Ref.updateAndGet(started, (n) => n + 1)) === 2) {
              yield* Deferred.succeed(bothStarted, undefined)
            }
            return yield* Effect.never
          }).pipe(Effect.onInterrupt(() => Ref.update(interrupted, (n) => n + 1))),
        onDefect: () => Effect.die("an interruption from outside is not a defect")
      })
      const fiber = yield* Effect.forkChild(handle(batch(2)))
      yield* Deferred.await(bothStarted)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* Ref.get(interrupted), 2)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    })
  )

  it.effect("hides a defect from the caller and shows it to the hook", () =>
    Effect.gen(function* () {
      const secret = new Error("hunter2")
      const calls: ReadonlyArray<() => Effect.Effect<Uint8Array, ErrorObject.ErrorObject>> = [
        () => Effect.die(secret),
        () => {
          throw secret
        },
        () => Effect.failCause(Cause.combine(Cause.fail(ErrorObject.parseError("hunter2")), Cause.die(secret))),
        () => Effect.orDie(Effect.fail(secret))
      ]
      for (const call of calls) {
        const seen: Array<unknown> = []
        const { handle } = Dispatcher.make({
          call,
          onDefect: (cause, { method }) => Effect.sync(() => void seen.push(method, Cause.findDefect(cause)))
        })
        assert.strictEqual(text(yield* handle(request(1))), internalError)
        assert.deepStrictEqual(seen, ["m", Result.succeed(secret)])
      }
    })
  )

  it.effect("answers a call that interrupts itself", () =>
    Effect.gen(function* () {
      const { handle } = Dispatcher.make({ call: () => Effect.interrupt, onDefect: () => Effect.void })
      assert.strictEqual(text(yield* handle(request(1))), internalError)
    })
  )

  it.effect("answers even when the hook dies", () =>
    Effect.gen(function* () {
      for (const onDefect of [
        () => Effect.die("hook"),
        (): Effect.Effect<void> => {
          throw new Error("hook")
        }
      ]) {
        const { handle } = Dispatcher.make({ call: () => Effect.die("call"), onDefect })
        assert.strictEqual(text(yield* handle(request(1))), internalError)
      }
    })
  )

  it.effect("logs defects when no hook is given", () =>
    Effect.gen(function* () {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ cause, message }) => void logged.push(message, Cause.pretty(cause)))
      const { handle } = Dispatcher.make({ call: () => Effect.die(new Error("hunter2")) })
      yield* Effect.provide(handle(request(1, "eth_boom")), Logger.layer([logger]))
      assert.include(String(logged[0]), "eth_boom")
      assert.include(String(logged[1]), "hunter2")
    })
  )

  it.effect("does notifications before it ends, and tells the call that nobody waits", () =>
    Effect.gen(function* () {
      const done: Array<boolean> = []
      const { handle } = Dispatcher.make({
        call: ({ notification }) =>
          Effect.as(
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => done.push(notification))
            ),
            bytes("1")
          )
      })
      assert.isUndefined(yield* handle(request(undefined)))
      assert.isUndefined(yield* handle(`[${request(undefined)},${request(undefined)}]`))
      yield* handle(request(1))
      assert.deepStrictEqual(done, [true, true, true, false])
    })
  )

  it.effect("gives calls the context of handle", () =>
    Effect.gen(function* () {
      class Name extends Context.Service<Name, string>()("test/Name") {}
      const { handle } = Dispatcher.make({ call: () => Effect.map(Name, (name) => bytes(JSON.stringify(name))) })
      const answer = yield* Effect.provideService(handle(request(1)), Name, "plumb")
      assert.strictEqual(text(answer), '{"jsonrpc":"2.0","id":1,"result":"plumb"}')
    })
  )

  it.effect("passes results through as bytes", () =>
    Effect.gen(function* () {
      const { handle } = Dispatcher.make({ call: () => Effect.succeed(bytes('{ "a" : 1.00 }')) })
      assert.strictEqual(
        text(yield* handle(batch(2))),
        '[{"jsonrpc":"2.0","id":0,"result":{ "a" : 1.00 }},{"jsonrpc":"2.0","id":1,"result":{ "a" : 1.00 }}]'
      )
    })
  )

  it.effect("answers a packet that was read before, each message apart, and tells calls their places", () =>
    Effect.gen(function* () {
      const places: Array<readonly [string, number]> = []
      const { answer, handle } = Dispatcher.make({
        call: ({ method, place }) => {
          places.push([method, place])
          return method === "bad"
            ? Effect.fail(ErrorObject.methodNotFound(method))
            : Effect.succeed(bytes(`"${method}"`))
        }
      })
      const messages = [request(1, "a"), "7", request(undefined, "b"), request(2, "bad"), '{"id":3,"result":1}']
      const several = Message.parse(`[${messages.join(",")}]`)
      const answers = yield* answer(several)
      assert.deepStrictEqual(answers.map(text), [
        '{"jsonrpc":"2.0","id":1,"result":"a"}',
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}',
        undefined,
        '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"the method bad does not exist/is not available"}}',
        '{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"invalid request"}}'
      ])
      assert.deepStrictEqual(places, [
        ["a", 0],
        ["b", 2],
        ["bad", 3]
      ])
      for (const input of [`[${messages.join(",")}]`, ...messages, `[${request(undefined)}]`, "[]", "{", "[7,8]"]) {
        const packet = Message.parse(input)
        assert.strictEqual(text(Message.join(packet, yield* answer(packet))), text(yield* handle(input)), input)
      }
    })
  )
})
