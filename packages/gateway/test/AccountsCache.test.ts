import { assert, it } from "@effect/vitest"
import { type Account, Allowlist, Limits, StateError } from "@plumbline/gateway"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"

import * as AccountsCache from "../src/internal/accountsCache.ts"

const holderOf = (name: string, endsAt: number | null = null): Account.Holder => ({
  account: { id: "a", name, card: false },
  project: {
    id: "p",
    account: "a",
    name,
    suspended: false,
    secretRequired: false,
    allowlist: Allowlist.none,
    limits: Limits.none
  },
  key: { id: "k", project: "p", start: "0000", createdAt: 0, endsAt },
  secretHash: ""
})

const down = new StateError.StateError({ problem: "Unavailable", detail: "down" })

/** A store that another process changes, which counts what it is asked. */
const store = () => {
  const holders = new Map<string, AccountsCache.Found>()
  const state = { revision: 0, up: true, finds: 0 }
  const source: AccountsCache.Source = {
    revision: Effect.suspend(() => (state.up ? Effect.succeed(state.revision) : Effect.fail(down))),
    find: (digest) =>
      Effect.suspend(() => {
        state.finds += 1
        return state.up ? Effect.succeed(holders.get(digest)) : Effect.fail(down)
      })
  }
  const change = (digest: string, holder: Account.Holder | undefined, until = Infinity) => {
    state.revision += 1
    if (holder === undefined) holders.delete(digest)
    else holders.set(digest, { holder, until })
  }
  return { source, state, change }
}

it.effect("what was asked for is remembered, also that nobody has a key", () =>
  Effect.gen(function* () {
    const { change, source, state } = store()
    change("d", holderOf("one"))
    const cache = yield* AccountsCache.make(source)
    yield* TestClock.adjust("1 second")
    for (let minute = 0; minute < 5; minute++) {
      assert.strictEqual((yield* cache.lookup("d"))?.project.name, "one")
      assert.isUndefined(yield* cache.lookup("none"))
      yield* TestClock.adjust("1 minute")
    }
    assert.strictEqual(state.finds, 2)
    // What is remembered needs no fiber.
    assert.isTrue(Exit.isExit(cache.lookup("d")))
  }).pipe(Effect.scoped)
)

it.effect("a change of another process is seen within a second, at whatever moment it is made", () =>
  Effect.gen(function* () {
    const { change, source } = store()
    const cache = yield* AccountsCache.make(source)
    for (let step = 0; step < 60; step++) {
      const expected = step % 3 === 2 ? undefined : holderOf(`name ${step}`)
      change("d", expected)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* cache.lookup("d"))?.project.name, expected?.project.name)
      yield* TestClock.adjust(`${step * 17} millis`)
      yield* cache.lookup("d")
    }
  }).pipe(Effect.scoped)
)

it.effect("a change of this process is seen at once", () =>
  Effect.gen(function* () {
    const { change, source } = store()
    const cache = yield* AccountsCache.make(source)
    assert.isUndefined(yield* cache.lookup("d"))
    change("d", holderOf("new"))
    yield* cache.forget
    assert.strictEqual((yield* cache.lookup("d"))?.project.name, "new")
  }).pipe(Effect.scoped)
)

it.effect("when the store is down, what is known is used for a second, and then the store's error is the answer", () =>
  Effect.gen(function* () {
    const { change, source, state } = store()
    change("d", holderOf("one"))
    const cache = yield* AccountsCache.make(source)
    yield* cache.lookup("d")
    yield* cache.lookup("none")
    yield* TestClock.adjust("10 seconds")
    state.up = false
    assert.isDefined(yield* cache.lookup("d"))
    yield* TestClock.adjust("1 second")
    for (const digest of ["d", "none", "other"]) {
      assert.strictEqual(yield* Effect.flip(cache.lookup(digest)), down)
    }
    change("d", undefined)
    state.up = true
    assert.isUndefined(yield* cache.lookup("d"))
    yield* TestClock.adjust("1 second")
    assert.isUndefined(yield* cache.lookup("d"))
  }).pipe(Effect.scoped)
)

it.effect("a store that hangs is as one that is down", () =>
  Effect.gen(function* () {
    const { change, source, state } = store()
    change("d", holderOf("one"))
    let hangs = false
    let brokenOff = 0
    const slow = <A, E>(effect: Effect.Effect<A, E>) => Effect.suspend(() => (hangs ? Effect.never : effect))
    const cache = yield* AccountsCache.make({
      revision: slow(source.revision),
      find: (digest) => slow(source.find(digest)).pipe(Effect.onInterrupt(() => Effect.sync(() => (brokenOff += 1))))
    })
    yield* cache.lookup("d")
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(state.finds, 1)
    hangs = true
    yield* TestClock.adjust("1 second")
    const fiber = yield* Effect.forkChild(Effect.flip(cache.lookup("d")))
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* Fiber.join(fiber)).problem, "Unavailable")
    assert.strictEqual(brokenOff, 1)
    hangs = false
    assert.isDefined(yield* cache.lookup("d"))
    // It is asked for changes again, and for nothing else.
    yield* TestClock.adjust("10 seconds")
    assert.isDefined(yield* cache.lookup("d"))
    assert.strictEqual(state.finds, 2)
  }).pipe(Effect.scoped)
)

it.effect("nobody waits for a question that cannot be broken off", () =>
  Effect.gen(function* () {
    const { source } = store()
    const cache = yield* AccountsCache.make({
      ...source,
      find: () => Effect.uninterruptible(Effect.as(Effect.sleep("8 seconds"), undefined))
    })
    const first = yield* Effect.forkChild(Effect.flip(cache.lookup("d")))
    yield* TestClock.adjust("500 millis")
    const second = yield* Effect.forkChild(Effect.flip(cache.lookup("d")))
    for (const [fiber, left] of [
      [first, "4500 millis"],
      [second, "500 millis"]
    ] as const) {
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(left)
      assert.strictEqual((yield* Fiber.join(fiber)).problem, "Unavailable")
    }
    yield* TestClock.adjust("10 seconds")
  }).pipe(Effect.scoped)
)

it.effect("an answer that is on its way while something changes is not remembered", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const { change, source, state } = store()
    change("d", holderOf("old"))
    const cache = yield* AccountsCache.make({
      ...source,
      find: (digest) =>
        Effect.flatMap(source.find(digest), (found) =>
          found?.holder.project.name === "old" ? Effect.as(Deferred.await(gate), found) : Effect.succeed(found)
        )
    })
    yield* TestClock.adjust("1 second")
    const first = yield* Effect.forkChild(cache.lookup("d"))
    yield* TestClock.adjust("1 milli")
    change("d", holderOf("new"))
    yield* TestClock.adjust("1 second")
    // Who asks now does not wait for the old answer either.
    assert.strictEqual((yield* cache.lookup("d"))?.project.name, "new")
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual((yield* Fiber.join(first))?.project.name, "old")
    assert.strictEqual((yield* cache.lookup("d"))?.project.name, "new")
    assert.strictEqual(state.finds, 2)
  }).pipe(Effect.scoped)
)

it.effect("many who ask at the same time are one question, and it goes on when the first of them leaves", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const { change, source, state } = store()
    change("d", holderOf("one"))
    const cache = yield* AccountsCache.make({
      ...source,
      find: (digest) => Effect.tap(source.find(digest), () => Deferred.await(gate))
    })
    const [first, ...others] = yield* Effect.forEach(Array.from({ length: 50 }), () =>
      Effect.forkChild(cache.lookup("d"), { startImmediately: true })
    )
    yield* Fiber.interrupt(first!)
    yield* Deferred.succeed(gate, undefined)
    for (const other of others) assert.strictEqual((yield* Fiber.join(other))?.project.name, "one")
    assert.strictEqual(state.finds, 1)
  }).pipe(Effect.scoped)
)

it.effect("a key ends at its time, also while it is remembered", () =>
  Effect.gen(function* () {
    const { change, source, state } = store()
    change("d", holderOf("one", 60_000))
    const cache = yield* AccountsCache.make(source)
    yield* TestClock.adjust("59999 millis")
    assert.isDefined(yield* cache.lookup("d"))
    yield* TestClock.adjust("1 milli")
    assert.isUndefined(yield* cache.lookup("d"))
    assert.strictEqual(state.finds, 1)
    yield* cache.forget
    assert.isUndefined(yield* cache.lookup("d"))
  }).pipe(Effect.scoped)
)

it.effect("what is good until a time is asked for again from then on, and not before", () =>
  Effect.gen(function* () {
    const { change, source, state } = store()
    change("d", holderOf("one"), 60_000)
    const cache = yield* AccountsCache.make(source)
    yield* cache.lookup("d")
    yield* TestClock.adjust("59999 millis")
    assert.isDefined(yield* cache.lookup("d"))
    assert.strictEqual(state.finds, 1)
    change("d", holderOf("two"))
    state.revision -= 1
    yield* TestClock.adjust("1 milli")
    assert.strictEqual((yield* cache.lookup("d"))?.project.name, "two")
    yield* TestClock.adjust("1 minute")
    yield* cache.lookup("d")
    assert.strictEqual(state.finds, 2)
  }).pipe(Effect.scoped)
)

it.effect("many keys that nobody has drive out none that somebody has, and are not all remembered", () =>
  Effect.gen(function* () {
    const { change, source, state } = store()
    change("d", holderOf("one"))
    const cache = yield* AccountsCache.make(source)
    yield* cache.lookup("d")
    for (let n = 0; n <= 10_000; n++) yield* cache.lookup(`guess ${n}`)
    assert.strictEqual(state.finds, 10_002)
    yield* cache.lookup("d")
    yield* cache.lookup("guess 10000")
    assert.strictEqual(state.finds, 10_002)
    // The oldest guess had to go.
    yield* cache.lookup("guess 0")
    assert.strictEqual(state.finds, 10_003)
  }).pipe(Effect.scoped)
)
