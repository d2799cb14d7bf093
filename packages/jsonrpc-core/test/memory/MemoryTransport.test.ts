import { assert, describe, it } from "@effect/vitest"
import { Dispatcher, JsonRpcClient, MemoryTransport } from "@plumbline/jsonrpc-core"
import { Context, Deferred, Effect, Fiber, Stream } from "effect"

import * as MemorySocket from "../../src/memory/memorySocket.ts"
import * as Contract from "../support/contract.ts"
import * as SubscriptionSuite from "../support/SubscriptionSuite.ts"
import { suite } from "../support/TransportSuite.ts"

suite("MemoryTransport", MemoryTransport.layer, { isShared: true })

SubscriptionSuite.suite("MemoryTransport", MemoryTransport.layer, { canWait: true })

const call = (method: string, ...params: ReadonlyArray<unknown>) => ({ method, params })

describe("MemoryTransport", () => {
  it.effect("gives the handlers what the layer was given", () =>
    Effect.gen(function* () {
      class Name extends Context.Service<Name, string>()("test/Name") {}
      const server = Dispatcher.make({
        call: () => Effect.map(Name, (name) => new TextEncoder().encode(JSON.stringify(name)))
      })
      const transport = yield* Effect.provideService(MemoryTransport.make(server), Name, "plumb")
      assert.strictEqual(yield* transport.call(call("name")), "plumb")
    })
  )

  it.effect("answers 10,000 calls at a time, and as many one after the other", () =>
    Effect.gen(function* () {
      const { call: send } = yield* MemoryTransport.make(Contract.makeServer())
      const numbers = Array.from({ length: 10_000 }, (_, index) => index)
      const echo = (n: number) => send(call("echo", n))
      assert.deepStrictEqual(yield* Effect.forEach(numbers, echo, { concurrency: "unbounded" }), numbers)
      assert.deepStrictEqual(yield* Effect.forEach(numbers, echo), numbers)
    })
  )

  it.effect("forgets an interrupted call, and has ended the server's work when its scope has closed", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      let stopped = 0
      const server = Dispatcher.make({
        call: ({ method }) =>
          method === "ping"
            ? Effect.succeed(new TextEncoder().encode('"pong"'))
            : Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
                Effect.onInterrupt(() => Effect.sync(() => void stopped++))
              )
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const transport = yield* MemoryTransport.make(server)
          const fiber = yield* Effect.forkChild(transport.call(call("hang")))
          yield* Deferred.await(started)
          yield* Fiber.interrupt(fiber)
          assert.strictEqual(yield* transport.call(call("ping")), "pong")
          assert.strictEqual(stopped, 0)
        })
      )
      assert.strictEqual(stopped, 1)
    })
  )

  it.effect("fails what is under way when its scope closes, and what comes after", () =>
    Effect.gen(function* () {
      const { fiber, transport } = yield* Effect.scoped(
        Effect.gen(function* () {
          const transport = yield* MemoryTransport.make(Contract.makeServer())
          const fiber = yield* Effect.forkDetach(Effect.flip(transport.call(call("hang"))))
          yield* transport.call(call("ping"))
          return { fiber, transport }
        })
      )
      assert.strictEqual((yield* Fiber.join(fiber)).message, "hang: the transport is closed")
      const later = yield* Effect.flip(transport.call(call("ping")))
      assert.strictEqual(later.message, "ping: the transport is closed")
      assert.isTrue(later.notDone)
    })
  )

  it("starts no server for a connection that is closed at once", async () => {
    let forks = 0
    const fork = (work: Effect.Effect<void>): Fiber.Fiber<void> => {
      forks++
      return Effect.runFork(work)
    }
    const open = () => MemorySocket.make({ server: Contract.makeServer(), fork })
    open().close()
    await Promise.resolve()
    assert.strictEqual(forks, 0)
    const socket = open()
    await Promise.resolve()
    assert.strictEqual(forks, 1)
    socket.close()
  })

  it.effect("lets a source run no further ahead of its reader than both buffers reach", () =>
    Effect.gen(function* () {
      let pulled = 0
      let read = 0
      let most = 0
      const server = SubscriptionSuite.serverOf(() =>
        Stream.map(Stream.range(1, 5000, 1), (n) => {
          pulled = n
          most = Math.max(most, pulled - read)
          return BigInt(n)
        }).pipe(Stream.concat(Stream.never))
      )
      const subscribe = JsonRpcClient.subscribe(Contract.subscriptions.numbers)
      const events = Stream.unwrap(Effect.map(subscribe, (subscribe) => subscribe(1)))
      yield* SubscriptionSuite.slowly(events, ({ value }) => ((read = Number(value)), value === 5000n)).pipe(
        Effect.provide(
          MemoryTransport.layer(server, {
            buffer: 16,
            overflow: "wait",
            onSlowReader: "wait",
            limits: { maxBufferedBytes: 2000 }
          })
        )
      )
      assert.strictEqual(read, 5000)
      // 16 notifications wait at the client. At the server, 2000 bytes wait, about 20 notifications of 100 bytes each.
      // Each end also works on one more notification.
      assert.isAtMost(most, 64)
    })
  )
})
