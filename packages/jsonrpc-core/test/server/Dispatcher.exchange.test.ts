import { assert, describe, it } from "@effect/vitest"
import { Dispatcher, ErrorObject } from "@plumbline/jsonrpc-core"
import { Effect, Fiber, Latch, Result } from "effect"
import { TestClock } from "effect/testing"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const request = (id: unknown, method = "m"): string => JSON.stringify({ jsonrpc: "2.0", id, method })

/** Makes a peer that records its events. */
const makePeer = () => {
  const events: Array<any> = []
  const peer: Dispatcher.ConnectionPeer = {
    send: (packet) => Effect.sync(() => void events.push(JSON.parse(new TextDecoder().decode(packet)))),
    subscribe: () => assert.fail(),
    unsubscribe: () => false
  }
  const opening = (
    name: string,
    begun: Result.Result<Uint8Array, ErrorObject.ErrorObject>
  ): Dispatcher.OpeningResult => ({
    begin: () => {
      events.push(`${name} begins`)
      return begun
    },
    sent: () => void events.push(`${name} is known`)
  })
  return { events, peer, opening }
}

describe("exchange", () => {
  it.effect("sends the answer, and nothing for a notification", () =>
    Effect.gen(function* () {
      const { events, peer } = makePeer()
      const { exchange } = Dispatcher.make({ call: (call) => Effect.succeed(bytes(String(call.peer === peer))) })
      yield* exchange(request(1), peer)
      yield* exchange(request(undefined), peer)
      yield* exchange("no JSON", peer)
      assert.deepStrictEqual(events, [
        { jsonrpc: "2.0", id: 1, result: true },
        { jsonrpc: "2.0", id: null, error: { code: -32700, message: "parse error" } }
      ])
    })
  )

  it.effect("passes over responses, so that two servers do not answer each other for ever", () =>
    Effect.gen(function* () {
      const { events, peer } = makePeer()
      const { exchange, handle } = Dispatcher.make({ call: () => Effect.succeed(bytes("1")) })
      const responses = [
        '{"jsonrpc":"2.0","id":1,"result":"pong"}',
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}',
        '{"error":{}}',
        '[{"jsonrpc":"2.0","id":1,"result":null},{"jsonrpc":"2.0","id":2,"error":{}}]'
      ]
      yield* Effect.forEach(responses, (response) => exchange(response, peer))
      assert.deepStrictEqual(events, [])
      yield* exchange(`[${responses[0]},${request(5)}]`, peer)
      assert.deepStrictEqual(events, [[{ jsonrpc: "2.0", id: 5, result: 1 }]])
      // Without a connection, as over HTTP, a packet with only a response is answered with an error.
      assert.include(new TextDecoder().decode(yield* handle(responses[0]!)), '"id":1,"error":{"code":-32600')
    })
  )

  it.effect("begins what a result begins when its answer is certain, and says when it was sent", () =>
    Effect.gen(function* () {
      const { events, opening, peer } = makePeer()
      const { exchange } = Dispatcher.make({
        call: ({ method }) => Effect.succeed(opening(method, Result.succeed(bytes('"0x1"'))))
      })
      yield* exchange(request(1, "a"), peer)
      yield* exchange(`[${request(2, "b")},${request(3, "c")}]`, peer)
      const answer = (id: number) => ({ jsonrpc: "2.0", id, result: "0x1" })
      assert.deepStrictEqual(events, [
        "a begins",
        answer(1),
        "a is known",
        "b begins",
        "c begins",
        [answer(2), answer(3)],
        "b is known",
        "c is known"
      ])
    })
  )

  it.effect("answers with the error of what could not begin", () =>
    Effect.gen(function* () {
      const { events, opening, peer } = makePeer()
      const full = Result.fail(ErrorObject.make(-32005, "full"))
      const { exchange } = Dispatcher.make({ call: ({ method }) => Effect.succeed(opening(method, full)) })
      yield* exchange(request(1, "a"), peer)
      assert.deepStrictEqual(events, ["a begins", { jsonrpc: "2.0", id: 1, error: { code: -32005, message: "full" } }])
    })
  )

  it.effect("begins nothing for a notification, nor for a call whose answer is another", () =>
    Effect.gen(function* () {
      const { events, opening, peer } = makePeer()
      const { exchange } = Dispatcher.make({
        limits: { timeout: "1 second", maxAnswerBytes: 1, concurrency: 2 },
        call: ({ method }) =>
          method === "long"
            ? Effect.succeed(bytes("1"))
            : Effect.as(
                method === "late" ? Effect.sleep("2 seconds") : Effect.yieldNow,
                opening(method, Result.succeed(bytes("1")))
              )
      })
      yield* exchange(request(undefined, "notified"), peer)
      yield* exchange(`[${request(1, "slower")},${request(2, "long")}]`, peer)
      const late = yield* Effect.forkChild(exchange(request(3, "late"), peer))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(late)
      assert.deepStrictEqual(events, [
        [
          { jsonrpc: "2.0", id: 1, error: { code: -32003, message: "response too large" } },
          { jsonrpc: "2.0", id: 2, result: 1 }
        ],
        { jsonrpc: "2.0", id: 3, error: { code: -32002, message: "request timed out" } }
      ])
    })
  )

  it.effect("begins nothing for a call that could not be interrupted when the batch was closed", () =>
    Effect.gen(function* () {
      const { events, opening, peer } = makePeer()
      const open = yield* Latch.make()
      const { exchange } = Dispatcher.make({
        limits: { timeout: "1 second", concurrency: 2 },
        call: () => Effect.uninterruptible(Effect.as(open.await, opening("late", Result.succeed(bytes("1")))))
      })
      const fiber = yield* Effect.forkChild(exchange(`[${request(1)},${request(2)}]`, peer))
      yield* TestClock.adjust("1 second")
      yield* open.open
      yield* Fiber.join(fiber)
      assert.lengthOf(events, 1)
    })
  )

  it.effect("answers in time, but is not done before the abandoned call is", () =>
    Effect.gen(function* () {
      const { events, peer } = makePeer()
      const open = yield* Latch.make()
      const { exchange } = Dispatcher.make({
        limits: { timeout: "1 second" },
        call: () => Effect.uninterruptible(Effect.as(open.await, bytes("1")))
      })
      for (const packet of [request(1), `[${request(1)}]`]) {
        yield* open.close
        const fiber = yield* Effect.forkChild(exchange(packet, peer))
        yield* TestClock.adjust("1 second")
        assert.strictEqual([events.pop()].flat()[0].error.code, -32002)
        assert.isUndefined(fiber.pollUnsafe())
        yield* open.open
        yield* Fiber.join(fiber)
      }
    })
  )
})
