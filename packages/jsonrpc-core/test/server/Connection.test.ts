import { assert, describe, it } from "@effect/vitest"
import { Connection, Dispatcher } from "@plumbline/jsonrpc-core"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Latch, Ref, Scope } from "effect"
import { TestClock } from "effect/testing"

import { make, request, result } from "../support/connected.ts"

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

/** A server that answers each call with its method. */
const echo = Dispatcher.make({ call: ({ method }) => Effect.succeed(json(method)) })

/** Makes a server whose calls wait until the test releases them by method. */
const held = () => {
  const latches = new Map<string, Latch.Latch>()
  const begun: Array<string> = []
  const latch = (method: string): Latch.Latch => {
    const known = latches.get(method) ?? Latch.makeUnsafe()
    latches.set(method, known)
    return known
  }
  const server = Dispatcher.make({
    call: ({ method }) =>
      Effect.suspend(() => {
        begun.push(method)
        return Effect.as(latch(method).await, json(method))
      })
  })
  return { begun, server, release: (method: string) => latch(method).open }
}

describe("Connection", () => {
  it.effect("answers text and bytes, batches in one packet, and notifications not at all", () =>
    Effect.gen(function* () {
      const { give, take, waiting } = yield* make(echo)
      yield* give(request(1, "a"))
      assert.deepStrictEqual(yield* take, result(1, "a"))
      yield* give(request(undefined, "b"))
      yield* give([request(undefined, "b")])
      yield* give([request(2, "c"), request(undefined, "d"), request(3, "e")])
      assert.deepStrictEqual(yield* take, [result(2, "c"), result(3, "e")])
      yield* give("{")
      assert.strictEqual((yield* take).error.code, -32700)
      assert.strictEqual(yield* waiting, 0)
    })
  )

  it.effect("answers in the order in which the work is done", () =>
    Effect.gen(function* () {
      const { release, server } = held()
      const { give, take } = yield* make(server)
      for (const method of ["a", "b", "c"]) yield* give(request(method, method))
      for (const method of ["b", "c", "a"]) {
        yield* release(method)
        assert.deepStrictEqual(yield* take, result(method, method))
      }
    })
  )

  it.effect("takes no more packets than the limit; the next one waits until an answer was sent", () =>
    Effect.gen(function* () {
      const reader = yield* Latch.make()
      const { begun, release, server } = held()
      const { give } = yield* make(server, { send: () => reader.await, limits: { concurrency: 2 } })
      yield* give(request(1, "a"))
      yield* give([request(2, "b"), request(3, "c")])
      const next = yield* Effect.forkChild(give(request(4, "d")))
      yield* Effect.yieldNow
      assert.isUndefined(next.pollUnsafe())
      yield* release("a")
      yield* Effect.yieldNow
      assert.deepStrictEqual(begun, ["a", "b", "c"])
      assert.isUndefined(next.pollUnsafe())
      yield* reader.open
      yield* Fiber.join(next)
      assert.deepStrictEqual(begun, ["a", "b", "c", "d"])
    })
  )

  it.effect("does not take a packet whose receive was interrupted", () =>
    Effect.gen(function* () {
      const { begun, release, server } = held()
      const { give, take } = yield* make(server, { limits: { concurrency: 1 } })
      yield* give(request(1, "a"))
      const given = yield* Effect.forkChild(give(request(2, "b")))
      const kept = yield* Effect.forkChild(give(request(3, "c")))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(given)
      yield* release("a")
      yield* take
      yield* Fiber.join(kept)
      assert.deepStrictEqual(begun, ["a", "c"])
    })
  )

  it.effect("never sends two packets at once", () =>
    Effect.gen(function* () {
      const sending = yield* Ref.make(0)
      const sent = yield* Ref.make(0)
      const { give } = yield* make(echo, {
        send: () =>
          Effect.gen(function* () {
            assert.strictEqual(yield* Ref.updateAndGet(sending, (n) => n + 1), 1)
            yield* Effect.sleep("1 millis")
            yield* Ref.update(sending, (n) => n - 1)
            yield* Ref.update(sent, (n) => n + 1)
          })
      })
      for (let id = 0; id < 20; id++) yield* give(request(id, "m"))
      yield* TestClock.adjust("20 millis")
      assert.strictEqual(yield* Ref.get(sent), 20)
    })
  )

  it.effect("answers ten thousand calls, however they come", () =>
    Effect.gen(function* () {
      const count = 10_000
      const server = Dispatcher.make({
        call: ({ method }) => (method === "now" ? Effect.succeed(json(1)) : Effect.as(Effect.yieldNow, json(1)))
      })
      for (const method of ["now", "soon"]) {
        const { give, take } = yield* make(server)
        const ids = Array.from({ length: count }, (_, id) => id)
        yield* Effect.forkChild(Effect.forEach(ids, (id) => give(request(id, method)), { concurrency: "unbounded" }))
        const answered = new Set<number>()
        while (answered.size < count) answered.add((yield* take).id)
        assert.strictEqual(answered.size, count)
      }
    })
  )

  it.effect("takes ten thousand packets that waited in a row, without a stack as deep", () =>
    Effect.gen(function* () {
      const count = 10_000
      const open = yield* Latch.make()
      const server = Dispatcher.make({
        call: ({ method }) => (method === "first" ? Effect.as(open.await, json(1)) : Effect.succeed(json(1)))
      })
      const { give, take } = yield* make(server, { limits: { concurrency: 1 } })
      yield* give(request(0, "first"))
      const ids = Array.from({ length: count }, (_, id) => id)
      yield* Effect.forkChild(Effect.forEach(ids, (id) => give(request(id, "m")), { concurrency: "unbounded" }))
      yield* Effect.yieldNow
      yield* open.open
      assert.deepStrictEqual(yield* take, result(0, 1))
      for (const id of ids) assert.deepStrictEqual(yield* take, result(id, 1))
    })
  )

  it.effect("keeps the place of a call that was given up and cannot be interrupted", () =>
    Effect.gen(function* () {
      const open = yield* Latch.make()
      const server = Dispatcher.make({
        limits: { timeout: "1 second" },
        call: () => Effect.uninterruptible(Effect.as(open.await, json(1)))
      })
      const { give, take } = yield* make(server, { limits: { concurrency: 1 } })
      yield* give(request(1, "m"))
      const next = yield* Effect.forkChild(give(request(2, "m")))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* take).error.code, -32002)
      assert.isUndefined(next.pollUnsafe())
      yield* open.open
      yield* Fiber.join(next)
      assert.deepStrictEqual(yield* take, result(2, 1))
    })
  )

  it.effect("gives calls the context in which it was made", () =>
    Effect.gen(function* () {
      class Name extends Context.Service<Name, string>()("test/Name") {}
      const server = Dispatcher.make({ call: () => Effect.map(Name, json) })
      const { give, take } = yield* Effect.provideService(make(server), Name, "plumb")
      yield* give(request(1, "m"))
      assert.deepStrictEqual(yield* take, result(1, "plumb"))
    })
  )

  it.effect("does not talk for ever with another server", () =>
    Effect.gen(function* () {
      let packets = 0
      const ends: Array<Connection.Connection> = []
      for (const other of [1, 0]) {
        const send = (packet: Uint8Array): Effect.Effect<void> =>
          Effect.suspend(() => {
            packets++
            return ends[other]!.receive(packet)
          })
        ends.push(yield* Connection.make(echo, { send }))
      }
      for (const packet of ["{", "[1,2]", "{}", '{"id":{}}', JSON.stringify([request(1, "m"), 7])]) {
        yield* ends[0]!.receive(packet)
      }
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(packets, 5)
    })
  )
})

describe("the end of a connection", () => {
  it.effect("is the closing of its scope: work is interrupted, waiting packets are dropped", () =>
    Effect.gen(function* () {
      const interrupted = yield* Ref.make(0)
      const scope = yield* Scope.make()
      const server = Dispatcher.make({
        call: () => Effect.onInterrupt(Effect.never, () => Ref.update(interrupted, (n) => n + 1)),
        onDefect: () => Effect.die("an interruption from outside is not a defect")
      })
      const { ended, give, waiting } = yield* Scope.provide(make(server, { limits: { concurrency: 2 } }), scope)
      yield* give(request(1, "m"))
      yield* give([request(2, "m"), request(3, "m")])
      const next = yield* Effect.forkChild(give(request(4, "m")))
      yield* Effect.yieldNow
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* Ref.get(interrupted), 3)
      yield* Fiber.join(next)
      yield* give(request(5, "m"))
      assert.deepStrictEqual(yield* ended, { _tag: "Closed" })
      assert.strictEqual(yield* waiting, 0)
    })
  )

  it.effect("does not wait for a reader that reads no more", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { give } = yield* Scope.provide(make(echo, { send: () => Effect.never }), scope)
      yield* give(request(1, "m"))
      yield* give(request(2, "m"))
      yield* Scope.close(scope, Exit.void)
    })
  )

  it.effect("may come from within send", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const closed = yield* Deferred.make<void>()
      const close = Effect.andThen(Scope.close(scope, Exit.void), Deferred.succeed(closed, undefined))
      const send = (): Effect.Effect<void> => Effect.uninterruptible(Effect.andThen(Effect.yieldNow, close))
      const { ended, give } = yield* Scope.provide(make(echo, { send }), scope)
      yield* give(request(1, "m"))
      assert.deepStrictEqual(yield* ended, { _tag: "Closed" })
      yield* Deferred.await(closed)
    })
  )

  it.effect("is a send that dies, or throws", () =>
    Effect.gen(function* () {
      const defect = new Error("gone")
      const sends: ReadonlyArray<() => Effect.Effect<void>> = [
        () => Effect.die(defect),
        () => Effect.andThen(Effect.yieldNow, Effect.die(defect)),
        () => {
          throw defect
        }
      ]
      for (const send of sends) {
        const told = yield* Deferred.make<Connection.ConnectionEnd>()
        const { ended, give } = yield* make(echo, { send })
        yield* Effect.forkChild(Deferred.complete(told, ended))
        yield* give(request(1, "m"))
        const why = yield* Deferred.await(told)
        assert(why._tag === "SendDied")
        assert.strictEqual(Cause.squash(why.cause), defect)
        yield* give(request(2, "m"))
      }
    })
  )
})

describe("a peer that floods", () => {
  it.effect("is not read on while it does not read: no more packets are taken than the limit", () =>
    Effect.gen(function* () {
      let taken = 0
      const server = Dispatcher.make({
        call: () => {
          taken++
          return Effect.succeed(json("x".repeat(1000)))
        }
      })
      const { give } = yield* make(server, { send: () => Effect.never, limits: { concurrency: 7 } })
      let given = 0
      const flood = Array.from({ length: 1000 }, (_, id) =>
        Effect.suspend(() => {
          given++
          return give(request(id, "m"))
        })
      )
      const flooding = yield* Effect.forkChild(Effect.all(flood))
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(flooding.pollUnsafe())
      assert.deepStrictEqual([taken, given], [7, 8])
    })
  )
})
