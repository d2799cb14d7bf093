/** The acknowledgement and refusal of calls, over a store that the test controls. */
import { assert, describe, it } from "@effect/vitest"
import { Metering, MeteringStore, StateError, Usage } from "@plumbline/gateway"
import { Context, Deferred, Effect, Exit, Fiber, Latch, Layer, Result, Scope } from "effect"
import { TestClock } from "effect/testing"

import { DAY, HOUR, call } from "../support/metering.ts"

const broken = new StateError.StateError({ problem: "Unavailable", detail: "no connection" })

/**
 * Makes a store that records the calls in its batches. `commit` is the outcome of a batch; by default the batch is
 * stored.
 */
const fake = (
  commit: (batch: MeteringStore.UsageBatch, tries: number) => Effect.Effect<void, StateError.StateError>
) => {
  const asked: Array<MeteringStore.UsageBatch> = []
  const state = { pings: 0, up: true }
  const store: MeteringStore.UsageStore = {
    commit: (batch) =>
      Effect.suspend(() => {
        asked.push(batch)
        return commit(batch, asked.length)
      }),
    ping: Effect.suspend(() => {
      state.pings++
      return state.up ? Effect.void : Effect.fail(broken)
    }),
    addLatencies: () => Effect.void,
    forget: () => Effect.void
  }
  return { asked, state, store }
}

const build = (store: MeteringStore.UsageStore, options: Metering.MeteringOptions = {}) =>
  Effect.map(
    Layer.build(
      Metering.layer({ gather: 0, ...options }).pipe(Layer.provide(Layer.succeed(MeteringStore.MeteringStore, store)))
    ),
    (context) => Context.get(context, Metering.Metering)
  )

/** Opens metering. When a test fails, everything that waits is released, so that the test ends. */
const open = (store: MeteringStore.UsageStore, options?: Metering.MeteringOptions) =>
  Effect.tap(
    build(store, options),
    Effect.addFinalizer(() => Effect.forkDetach(Effect.repeat(TestClock.adjust("1 hour"), { times: 9 })))
  )

/** Returns the number of calls in the rows of a batch. */
const calls = ({ rows }: MeteringStore.UsageBatch): number => rows.reduce((sum, row) => sum + row[8], 0)

const problem = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), (error) => (Reflect.get(error as object, "problem") as string) ?? String(error))

/** Runs all fibers until they wait. */
const settle = Effect.repeat(TestClock.adjust(0), { times: 3 })

const start = <A, E>(effect: Effect.Effect<A, E>) => Effect.tap(Effect.forkScoped(Effect.exit(effect)), () => settle)

const end = <A, E>(fiber: Fiber.Fiber<Exit.Exit<A, E>>) => Effect.flatten(Fiber.join(fiber))

/**
 * Records one call, and three more calls while the first one is written. The three calls form the next batch. The batch
 * after that then waits for three calls too.
 */
const expectThree = Effect.fnUntraced(function* (metering: typeof Metering.Metering.Service, disk: Latch.Latch) {
  yield* disk.close
  const begun = [yield* start(metering.record(call))]
  yield* TestClock.adjust("5 millis")
  for (let i = 0; i < 3; i++) begun.push(yield* start(metering.record(call)))
  yield* disk.open
  for (const recording of begun) yield* end(recording)
})

describe("a call", () => {
  it.effect("is acknowledged when it is durable, and not before", () =>
    Effect.gen(function* () {
      const disk = yield* Latch.make()
      const { asked, store } = fake(() => disk.await)
      const metering = yield* open(store)
      const recording = yield* start(metering.record(call))
      assert.strictEqual(asked.length, 1)
      assert.isUndefined(recording.pollUnsafe())
      assert.deepStrictEqual(yield* metering.status, { store: "up", waiting: 1, rows: 1 })
      yield* disk.open
      yield* end(recording)
      assert.deepStrictEqual(yield* metering.status, { store: "up", waiting: 0, rows: 0 })
    }).pipe(Effect.scoped)
  )

  it.effect("that comes while a batch is on its way is written with all others of that time", () =>
    Effect.gen(function* () {
      const disk = yield* Latch.make()
      const { asked, store } = fake(() => disk.await)
      const metering = yield* open(store)
      const first = yield* start(metering.record(call))
      const others = yield* start(
        Effect.forEach(Array.from({ length: 999 }), (_, i) => metering.record({ ...call, status: 200 + (i % 3) }), {
          concurrency: "unbounded"
        })
      )
      yield* disk.open
      yield* end(first)
      yield* end(others)
      assert.deepStrictEqual(
        asked.map((batch) => [batch.number, batch.rows.length, calls(batch)]),
        [
          [1, 1, 1],
          [2, 3, 999]
        ]
      )
      assert.strictEqual(asked[0]!.writer, asked[1]!.writer)
    }).pipe(Effect.scoped)
  )

  it.effect("that is alone waits for nobody", () =>
    Effect.gen(function* () {
      const { asked, store } = fake(() => Effect.void)
      const metering = yield* open(store, { gather: "5 millis" })
      for (let i = 0; i < 3; i++) yield* end(yield* start(metering.record(call)))
      assert.deepStrictEqual(asked.map(calls), [1, 1, 1])
    }).pipe(Effect.scoped)
  )

  it.effect("waits for as many as there were before, but not longer than it is told", () =>
    Effect.gen(function* () {
      const disk = yield* Latch.make(true)
      const { asked, store } = fake(() => disk.await)
      const metering = yield* open(store, { gather: "5 millis" })
      yield* expectThree(metering, disk)
      assert.deepStrictEqual(asked.splice(0).map(calls), [1, 3])
      const one = yield* start(metering.record(call))
      const two = yield* start(metering.record(call))
      yield* TestClock.adjust("4 millis")
      assert.strictEqual(asked.length, 0)
      yield* TestClock.adjust("1 millis")
      yield* Effect.all([end(one), end(two)])
      assert.deepStrictEqual(asked.splice(0).map(calls), [2])

      yield* expectThree(metering, disk)
      assert.deepStrictEqual(asked.splice(0).map(calls), [1, 3])
      const first = yield* start(metering.record(call))
      const others = yield* start(Effect.all([metering.record(call), metering.record(call)], { concurrency: 2 }))
      yield* Effect.all([end(first), end(others)])
      assert.deepStrictEqual(asked.map(calls), [3])
    }).pipe(Effect.scoped)
  )

  it.effect("stands at the minute at which it was recorded, not written", () =>
    Effect.gen(function* () {
      const disk = yield* Latch.make()
      const { asked, store } = fake(() => disk.await)
      yield* TestClock.setTime(119_999)
      const metering = yield* open(store)
      yield* start(metering.record(call))
      yield* start(metering.record(call))
      yield* TestClock.adjust("1 millis")
      const last = yield* start(metering.record(call))
      yield* disk.open
      yield* end(last)
      assert.deepStrictEqual(
        asked.map(({ rows }) => rows.map((row) => [row[0], row[8]])),
        [
          [[60_000, 1]],
          [
            [60_000, 1],
            [120_000, 1]
          ]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("whose client leaves is counted all the same", () =>
    Effect.gen(function* () {
      const disk = yield* Latch.make()
      const { asked, store } = fake(() => disk.await)
      const metering = yield* open(store)
      const left = yield* start(metering.record(call))
      const leaves = yield* start(metering.record(call))
      const stays = yield* start(metering.record(call))
      yield* Fiber.interrupt(left)
      yield* Fiber.interrupt(leaves)
      yield* disk.open
      yield* end(stays)
      assert.deepStrictEqual(asked.map(calls), [1, 2])
    }).pipe(Effect.scoped)
  )

  it.effect("of a batch is recorded with the others of it, or not at all", () =>
    Effect.gen(function* () {
      const { asked, store } = fake(() => Effect.void)
      const metering = yield* open(store)
      yield* metering.recordAll([])
      assert.strictEqual(yield* problem(metering.recordAll([call, { ...call, calls: -1 }])), "Invalid")
      yield* metering.recordAll([call, { ...call, method: "eth_call" }])
      assert.deepStrictEqual(
        asked.map(({ rows }) => rows.map((row) => row[4])),
        [["eth_getProof", "eth_call"]]
      )
    }).pipe(Effect.scoped)
  )
})

describe("a store that fails", () => {
  it.effect("is asked again, with the same batch and its number", () =>
    Effect.gen(function* () {
      // If the connection is lost during a transaction, the attempt to end the transaction dies with a defect.
      const { asked, store } = fake((_, tries) =>
        tries === 1 ? Effect.fail(broken) : tries === 2 ? Effect.die(new Error("broken pipe")) : Effect.void
      )
      const metering = yield* open(store)
      const one = yield* start(metering.record(call))
      const two = yield* start(metering.record({ ...call, calls: 7 }))
      yield* TestClock.adjust("1 second")
      yield* end(one)
      yield* end(two)
      assert.deepStrictEqual(
        asked.map((batch) => [batch.number, calls(batch)]),
        [
          [1, 1],
          [1, 1],
          [1, 1],
          [2, 7]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("by never answering is asked again, and the answer that comes late changes nothing", () =>
    Effect.gen(function* () {
      const late = yield* Deferred.make<void>()
      const { asked, store } = fake((_, tries) =>
        tries === 1 ? Effect.uninterruptible(Deferred.await(late)) : Effect.void
      )
      const metering = yield* open(store, { attempt: "2 seconds" })
      const recording = yield* start(metering.record(call))
      yield* TestClock.adjust("1999 millis")
      assert.strictEqual(asked.length, 1)
      yield* TestClock.adjust("100 millis")
      yield* end(recording)
      yield* Deferred.succeed(late, undefined)
      yield* metering.record(call)
      assert.deepStrictEqual(
        asked.map(({ number }) => number),
        [1, 1, 2]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("for too long makes calls fail, at once, until it is back; what was refused is not written then", () =>
    Effect.gen(function* () {
      const { asked, state, store } = fake(() => (state.up ? Effect.void : Effect.fail(broken)))
      state.up = false
      const metering = yield* open(store, { timeout: "5 seconds" })
      const sent = yield* start(metering.record(call))
      const collected = yield* start(metering.record(call))
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(sent.pollUnsafe())
      yield* metering.ready
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* problem(end(sent)), "Unavailable")
      assert.strictEqual(yield* problem(end(collected)), "Unavailable")
      // This fails at once, without advancing the clock.
      const error = yield* Effect.flip(metering.record(call))
      assert.strictEqual(
        error.message,
        "the store of usage is not available: the state is not available: no connection"
      )
      assert.strictEqual(yield* problem(metering.ready), "Unavailable")
      assert.deepStrictEqual(yield* metering.status, { store: "down", waiting: 0, rows: 0 })
      const tries = asked.length
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(asked.length, tries)
      // In this minute, the store is pinged about once a second.
      assert.isAtLeast(state.pings, 50)
      assert.isAtMost(state.pings, 70)
      state.up = true
      yield* TestClock.adjust("1 second")
      yield* metering.ready
      yield* metering.record({ ...call, calls: 5 })
      assert.deepStrictEqual(asked.slice(tries).map(calls), [5])
    }).pipe(Effect.scoped)
  )

  it.effect("stays down as long as batches fail, although small changes succeed", () =>
    Effect.gen(function* () {
      let isFull = true
      const { state, store } = fake(() => (isFull ? Effect.fail(broken) : Effect.void))
      const metering = yield* open(store, { timeout: "5 seconds" })
      const standing = Effect.map(metering.status, ({ store }) => store)
      const first = yield* start(metering.record(call))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* problem(end(first)), "Unavailable")
      const seen = new Set<string>()
      for (let second = 0; second < 60; second++) {
        const later = yield* start(metering.record(call))
        // There is a single try, without another wait for `timeout`.
        yield* TestClock.adjust("100 millis")
        assert.strictEqual(yield* problem(end(later)), "Unavailable")
        seen.add(yield* standing)
        yield* TestClock.adjust("900 millis")
        seen.add(yield* standing)
      }
      assert.deepStrictEqual([...seen], ["down"])
      assert.isAbove(state.pings, 30)
      isFull = false
      yield* metering.record(call)
      assert.strictEqual(yield* standing, "up")
      // The next failure gets the full `timeout` again.
      isFull = true
      const next = yield* start(metering.record(call))
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(next.pollUnsafe())
      assert.strictEqual(yield* standing, "up")
    }).pipe(Effect.scoped)
  )

  it.effect("is up a while after its return if no call shows it", () =>
    Effect.gen(function* () {
      const { state, store } = fake(() => Effect.fail(broken))
      state.up = false
      const metering = yield* open(store, { timeout: "5 seconds" })
      const first = yield* start(metering.record(call))
      yield* TestClock.adjust("5 seconds")
      yield* Effect.flip(end(first))
      state.up = true
      yield* TestClock.adjust("2 seconds")
      yield* metering.ready
      assert.strictEqual((yield* metering.status).store, "down")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* metering.status).store, "up")
    }).pipe(Effect.scoped)
  )

  it.effect("and is buffered, is written when it is back, and later calls wait for the disk again", () =>
    Effect.gen(function* () {
      const disk = yield* Latch.make(true)
      const { asked, state, store } = fake(() => (state.up ? disk.await : Effect.fail(broken)))
      state.up = false
      const metering = yield* open(store, { timeout: "5 seconds", whenDown: "buffer", limits: { rows: 2 } })
      const sent = yield* start(metering.record(call))
      const collected = yield* start(metering.record(call))
      yield* TestClock.adjust("5 seconds")
      yield* end(sent)
      yield* end(collected)
      yield* metering.record({ ...call, status: 500 })
      yield* metering.record(call)
      // This row does not fit into the memory any more.
      assert.strictEqual(yield* problem(metering.record({ ...call, status: 501 })), "Unavailable")
      assert.deepStrictEqual(yield* metering.status, { store: "down", waiting: 0, rows: 3 })
      yield* disk.close
      state.up = true
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* metering.status).store, "down")
      yield* disk.open
      yield* settle
      assert.deepStrictEqual(yield* metering.status, { store: "up", waiting: 0, rows: 0 })
      assert.deepStrictEqual(asked.slice(-2).map(calls), [1, 3])
      yield* disk.close
      const after = yield* start(metering.record(call))
      assert.isUndefined(after.pollUnsafe())
      yield* disk.open
      yield* end(after)
    }).pipe(Effect.scoped)
  )

  it.effect("and is buffered, refuses the calls that wait for room, as it does later ones", () =>
    Effect.gen(function* () {
      const { state, store } = fake(() => Effect.fail(broken))
      state.up = false
      const metering = yield* open(store, { timeout: "5 seconds", whenDown: "buffer", limits: { rows: 1 } })
      const sent = yield* start(metering.record(call))
      const collected = yield* start(metering.record(call))
      const forRoom = yield* start(metering.record({ ...call, status: 500 }))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(forRoom.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.isDefined(forRoom.pollUnsafe())
      assert.strictEqual(yield* problem(end(forRoom)), "Unavailable")
      yield* end(sent)
      yield* end(collected)
      assert.deepStrictEqual(yield* metering.status, { store: "down", waiting: 0, rows: 2 })
    }).pipe(Effect.scoped)
  )

  it.effect("and was buffered for, does not acknowledge what joins the buffer after it is back", () =>
    Effect.gen(function* () {
      const disk = yield* Latch.make(true)
      const { state, store } = fake(() => (state.up ? disk.await : Effect.fail(broken)))
      state.up = false
      // After the store is up again, buffered usage waits for `gather`.
      const metering = yield* open(store, { timeout: "5 seconds", whenDown: "buffer", gather: "10 seconds" })
      const sent = yield* start(metering.record(call))
      yield* TestClock.adjust("15 seconds")
      yield* end(sent)
      yield* metering.record(call)
      state.up = true
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* metering.status).store, "up")
      yield* disk.close
      const joins = yield* start(metering.record(call))
      assert.isUndefined(joins.pollUnsafe())
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(joins.pollUnsafe())
      yield* disk.open
      yield* end(joins)
    }).pipe(Effect.scoped)
  )
})

describe("what is in memory", () => {
  it.effect("is bounded: over the rows of a batch calls wait for room, over the calls that wait they fail", () =>
    Effect.gen(function* () {
      const disk = yield* Latch.make()
      const { asked, store } = fake(() => disk.await)
      const metering = yield* open(store, { limits: { rows: 2, waiting: 6 } })
      const record = (status: number) => start(metering.record({ ...call, status }))
      const fibers = [yield* record(200), yield* record(201), yield* record(202)]
      // A usage that is added to an existing row fits. A usage that needs another row does not.
      fibers.push(yield* record(201), yield* record(203), yield* record(203))
      assert.deepStrictEqual(yield* metering.status, { store: "up", waiting: 6, rows: 3 })
      assert.strictEqual(yield* problem(metering.record(call)), "Full")
      assert.strictEqual(yield* problem(metering.ready), "Full")
      yield* disk.open
      yield* Effect.forEach(fibers, end)
      assert.deepStrictEqual(
        asked.map(({ rows }) => rows.map((row) => [row[5], row[8]])),
        [
          [[200, 1]],
          [
            [201, 2],
            [202, 1]
          ],
          [[203, 2]]
        ]
      )
      yield* metering.ready
    }).pipe(Effect.scoped)
  )

  it.effect("counts the usage of a caller that leaves while it waits for room", () =>
    Effect.gen(function* () {
      const disk = yield* Latch.make()
      const { asked, store } = fake(() => disk.await)
      const metering = yield* open(store, { limits: { rows: 1 } })
      const record = (status: number) => start(metering.record({ ...call, status }))
      const fibers = [yield* record(200), yield* record(201)]
      const left = yield* Effect.forkScoped(metering.record({ ...call, status: 202 }))
      yield* settle
      yield* Fiber.interrupt(left)
      assert.strictEqual((yield* metering.status).waiting, 3)
      yield* disk.open
      yield* Effect.forEach(fibers, end)
      yield* settle
      assert.deepStrictEqual(
        asked.map(({ rows }) => rows.map((row) => [row[5], row[8]])),
        [[[200, 1]], [[201, 1]], [[202, 1]]]
      )
      assert.deepStrictEqual(yield* metering.status, { store: "up", waiting: 0, rows: 0 })
    }).pipe(Effect.scoped)
  )

  it.effect("may be more than that if one call has it", () =>
    Effect.gen(function* () {
      const { asked, store } = fake(() => Effect.void)
      const metering = yield* open(store, { limits: { rows: 2 } })
      yield* metering.recordAll([200, 201, 202].map((status) => ({ ...call, status })))
      assert.deepStrictEqual(
        asked.map(({ rows }) => rows.length),
        [3]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is written when the service ends, and then nothing is recorded any more", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const disk = yield* Latch.make()
      const { asked, store } = fake(() => disk.await)
      const metering = yield* build(store, { gather: "1 minute" }).pipe(Scope.provide(scope))
      yield* expectThree(metering, disk)
      asked.length = 0
      // The batch waits for further calls.
      const recording = yield* start(metering.record(call))
      assert.strictEqual(asked.length, 0)
      const closing = yield* start(Scope.close(scope, Exit.void))
      yield* end(closing)
      yield* end(recording)
      assert.deepStrictEqual(asked.map(calls), [1])
      assert.strictEqual(yield* problem(metering.record(call)), "Closed")
      assert.strictEqual(yield* problem(metering.ready), "Closed")
    }).pipe(Effect.scoped)
  )

  it.effect("is refused when the service ends and the store does not answer within its timeout", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { store } = fake(() => Effect.uninterruptible(Effect.never))
      const metering = yield* build(store, { timeout: "10 seconds" }).pipe(Scope.provide(scope))
      const sent = yield* start(metering.record(call))
      const collected = yield* start(metering.record(call))
      const closing = yield* start(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("1 seconds")
      yield* end(closing)
      assert.isDefined(yield* problem(end(sent)))
      assert.isDefined(yield* problem(end(collected)))
    }).pipe(Effect.scoped)
  )
})

describe("what is old", () => {
  it.effect("is forgotten every hour, and a store that cannot is asked again an hour later", () =>
    Effect.gen(function* () {
      const { store } = fake(() => Effect.void)
      const asked: Array<unknown> = []
      yield* TestClock.setTime(10 * DAY)
      const forget: MeteringStore.UsageStore["forget"] = (kept, now) =>
        Effect.suspend(() => {
          asked.push([kept, now])
          return asked.length === 1 ? Effect.fail(broken) : Effect.void
        })
      yield* open({ ...store, forget }, { retention: { minutes: "2 days", days: "9 days" } })
      yield* settle
      yield* TestClock.adjust("1 hour")
      const at = (now: number) => [{ minute: now - 2 * DAY, hour: 0, day: now - 9 * DAY }, now]
      assert.deepStrictEqual(asked, [at(10 * DAY), at(10 * DAY + HOUR)])
    }).pipe(Effect.scoped)
  )
})

describe("a usage", () => {
  it("with counts beyond the maximum is divided, and its sums stay", () => {
    const { MAX_COUNT } = Usage
    const ipfs = { uploaded: 2 * MAX_COUNT + 1, downloaded: 0, stored: 2 ** 50 }
    const large: Usage.Usage = { ...call, calls: 1, bytesOut: MAX_COUNT + 7, ipfs }
    const parts = Usage.parts([call, large])
    assert.strictEqual(parts.length, 4)
    for (const part of parts) assert.isTrue(Result.isSuccess(Usage.check(part)))
    const sum = (of: (usage: Usage.Usage) => number) => parts.slice(1).reduce((sum, part) => sum + of(part), 0)
    assert.strictEqual(
      sum(({ calls }) => calls),
      1
    )
    assert.strictEqual(
      sum(({ bytesOut }) => bytesOut),
      MAX_COUNT + 7
    )
    assert.strictEqual(
      sum(({ ipfs }) => ipfs!.uploaded),
      2 * MAX_COUNT + 1
    )
    // a level is not a count: it is whole in every part
    assert.deepStrictEqual(
      parts.slice(1).map(({ ipfs }) => ipfs!.stored),
      [2 ** 50, 2 ** 50, 2 ** 50]
    )
    const usual = [call]
    assert.strictEqual(Usage.parts(usual), usual)
  })

  it.effect("of a command whose stored level is no number is recorded without the level", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { asked, store } = fake(() => Effect.void)
        const { record } = yield* open(store)
        for (const stored of [2 ** 53, -1, Number.NaN, 2 ** 50]) {
          yield* end(yield* start(record({ ...call, product: "ipfs", ipfs: { uploaded: 5, downloaded: 0, stored } })))
        }
        assert.strictEqual(
          asked.reduce((sum, batch) => sum + calls(batch), 0),
          4
        )
        assert.deepStrictEqual(
          asked.flatMap(({ levels }) => levels.map(([, , bytes]) => bytes)),
          [2 ** 50]
        )
      })
    )
  )

  it("that cannot be is refused, with the name of what is wrong", () => {
    const wrong: ReadonlyArray<readonly [string, Partial<Usage.Usage>]> = [
      ["project", { project: "" }],
      ["product", { product: "web" as never }],
      ["network", { network: "a\0b" }],
      ["method", { method: "m".repeat(257) }],
      ["method", { method: "\ud800" }],
      ["status", { status: 99 }],
      ["status", { status: 600 }],
      ["status", { status: 200.5 }],
      ["key", { key: "" }],
      ["calls", { calls: -1 }],
      ["credits", { credits: 0.5 }],
      ["bytesIn", { bytesIn: Number.NaN }],
      ["bytesOut", { bytesOut: 2 ** 44 + 1 }],
      ["ipfs.uploaded", { ipfs: { uploaded: -1, downloaded: 0 } }],
      ["ipfs.downloaded", { ipfs: { uploaded: 0, downloaded: Number.POSITIVE_INFINITY } }],
      ["ipfs.stored", { ipfs: { uploaded: 0, downloaded: 0, stored: -1 } }]
    ]
    for (const [field, change] of wrong) {
      const error = Result.getOrThrow(Result.flip(Usage.check({ ...call, ...change })))
      assert.deepStrictEqual([error.problem, error.detail], ["Invalid", field])
    }
    for (const right of [
      { method: "m".repeat(256), status: 100, calls: 0 },
      { status: 599, bytesOut: 2 ** 44, project: "é 🪢" },
      { ipfs: { uploaded: 0, downloaded: 2 ** 44, stored: 0 } }
    ]) {
      assert.isTrue(Result.isSuccess(Usage.check({ ...call, ...right })))
    }
  })
})
