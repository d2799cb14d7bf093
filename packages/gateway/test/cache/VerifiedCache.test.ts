import { assert, describe, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { TrustedBlock } from "@plumbline/eth-methods"
import { type AnswerStore, Integrity, type UpstreamError, VerifiedCache } from "@plumbline/gateway"
import { Deferred, Effect, Exit, Fiber, type Layer } from "effect"

import { block, HASH, lie, type Node, node } from "../support/genesis.ts"

const decoder = new TextDecoder()
const honest = { eth_getBlockByHash: block, eth_getBlockByNumber: block, eth_gasPrice: "0x7" }

const byHash = ["eth_getBlockByHash", [HASH, true]] as const
const byNumber = ["eth_getBlockByNumber", ["0x0", true]] as const

interface Over {
  readonly isFinal?: boolean
  readonly mode?: Integrity.IntegrityMode
  readonly options?: VerifiedCache.VerifiedCacheOptions
  /** Default: a pinned hash. */
  readonly trust?: Layer.Layer<TrustedBlock.TrustedBlock>
}

/** Wraps a node: answers are proven, and then cached. */
const over = (upstream: Node | UpstreamOnly, { isFinal = true, mode = "prove", options, trust = pinned }: Over = {}) =>
  Effect.gen(function* () {
    const trust = yield* TrustedBlock.TrustedBlock
    const { around, members } = yield* Integrity.make([{ name: "a", upstream }], {
      network: "mainnet",
      mode,
      chainId: 1n,
      trust
    })
    const cache = yield* VerifiedCache.make(options)
    const proven = around(members[0]!)
    const { call } = cache.around(proven, {
      id: "mainnet",
      isFinal: ({ anchor }) => isFinal && anchor.hash === HASH
    })
    return { call, cache, proven }
  }).pipe(Effect.provide(trust))

const pinned = TrustedBlock.layerPinned(Hash32.fromHexUnsafe(HASH))

type UpstreamOnly = Pick<Node, "call">

describe("a proven answer", () => {
  it.effect("is asked for once, if the caller named the block by its hash", () =>
    Effect.gen(function* () {
      const upstream = node(honest)
      const { cache, call } = yield* over(upstream, { isFinal: false })
      const first = yield* call(...byHash)
      const asked = upstream.asked.length
      const second = yield* call(...byHash)
      assert.deepStrictEqual(decoder.decode(second), decoder.decode(first))
      assert.strictEqual(upstream.asked.length, asked)
      assert.deepInclude(first.verdict, { word: "VERIFIED", by: "a", anchorText: `block ${HASH}` })
      assert.strictEqual(first.verdict?.anchor?._tag, "Block")
      assert.deepInclude(second.verdict, { word: "VERIFIED", by: "the cache", anchorText: `block ${HASH}` })
      assert.deepInclude(cache.stats(), { hits: 1, asked: 1, entries: 1 })
    })
  )

  it.effect("by a number is kept if it follows from a final block, and only then", () =>
    Effect.gen(function* () {
      for (const isFinal of [true, false]) {
        const upstream = node(honest)
        const { cache, call } = yield* over(upstream, { isFinal })
        yield* call(...byNumber)
        yield* call(...byNumber)
        assert.strictEqual(cache.stats().hits, isFinal ? 1 : 0)
      }
    })
  )

  it.effect("that rests on the word of nodes is never kept, whatever is called final", () =>
    Effect.gen(function* () {
      const word = (name: string) => ({ name, transport: Integrity.transportOf(node(honest)) })
      const trust = TrustedBlock.layerQuorum([word("one"), word("two")], { needed: 2, accept: true })
      const upstream = node(honest)
      const { cache, call } = yield* over(upstream, { trust })
      for (let times = 0; times < 2; times++) {
        assert.deepInclude((yield* call(...byNumber)).verdict, { word: "CLAIMED", anchorText: "quorum 2/2" })
      }
      assert.deepInclude(cache.stats(), { hits: 0, entries: 0 })
      // the caller's own hash proves the same block
      yield* call(...byHash)
      assert.deepInclude((yield* call(...byHash)).verdict, { word: "VERIFIED", anchorText: `block ${HASH}` })
      assert.deepInclude(cache.stats(), { hits: 1, entries: 1 })
    })
  )

  it.effect("of a block that is named by a hash is not an answer for another hash", () =>
    Effect.gen(function* () {
      const other = `0x${"77".repeat(32)}`
      const { call } = yield* over(node(honest))
      yield* call(...byHash)
      const fault = (yield* Effect.flip(call("eth_getBlockByHash", [other, true]))) as UpstreamError.UpstreamError
      assert.deepInclude(fault.reason, { _tag: "Refuted", check: "block.hash" })
    })
  )

  it.effect("is kept by what it proves itself, where nothing else is asked", () =>
    Effect.gen(function* () {
      const upstream = node(honest)
      const { call } = yield* over(upstream, { mode: "check" })
      yield* call(...byHash)
      yield* call(...byHash)
      assert.strictEqual(upstream.asked.length, 1)
      // a block that is read by its number is only CLAIMED, so the answer is not cached
      yield* call(...byNumber)
      yield* call(...byNumber)
      assert.strictEqual(upstream.asked.length, 3)
    })
  )
})

describe("nothing else is kept", () => {
  const cases: ReadonlyArray<
    readonly [name: string, answers: Record<string, unknown>, call: readonly [string, ReadonlyArray<unknown>]]
  > = [
    ["a tag", honest, ["eth_getBlockByNumber", ["latest", true]]],
    ["advice", honest, ["eth_gasPrice", []]],
    ["null", { ...honest, eth_getBlockByHash: null }, byHash],
    ["a field that is only claimed", { ...honest, eth_getBlockByHash: { ...block, totalDifficulty: "0x1" } }, byHash],
    ["a lie", { ...honest, eth_getBlockByHash: lie }, byHash],
    ["an error of the node", { eth_getBlockByHash: { code: -32000, message: "no" } }, byHash]
  ]
  for (const [name, answers, call] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const upstream = node(answers)
        const { cache, call: ask } = yield* over(upstream)
        yield* Effect.exit(ask(...call))
        const before = upstream.asked.length
        yield* Effect.exit(ask(...call))
        assert.isAbove(upstream.asked.length, before)
        assert.strictEqual(cache.stats().entries, 0)
      })
    )
  }
})

it.effect("an orphaned block is not answered under its number: the answer follows the chain", () =>
  Effect.gen(function* () {
    // two blocks with the same number; first the node answers with one, then with the other
    let current: unknown = block
    const upstream = node({ eth_getBlockByNumber: () => JSON.stringify(current) })
    const { call } = yield* over(upstream, { isFinal: false })
    assert.deepStrictEqual(JSON.parse(decoder.decode(yield* call(...byNumber))), block)
    current = lie
    assert.isTrue(Exit.isFailure(yield* Effect.exit(call(...byNumber))), "the node is asked again")
  })
)

describe("calls under way", () => {
  /** A node that answers on command. It counts its calls, and the calls that were interrupted. */
  const slow = Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const counts = { calls: 0, left: 0 }
    const upstream: UpstreamOnly = {
      call: () =>
        Effect.suspend(() => {
          counts.calls++
          return Effect.as(Deferred.await(gate), new TextEncoder().encode(JSON.stringify(block)))
        }).pipe(
          Effect.onInterrupt(() =>
            Effect.sync(() => {
              counts.left++
            })
          )
        )
    }
    return { upstream, counts, open: Deferred.succeed(gate, undefined) }
  })

  it.effect("with the same question are one, and share its outcome", () =>
    Effect.gen(function* () {
      const { counts, open, upstream } = yield* slow
      const { cache, call } = yield* over(upstream, { mode: "check" })
      const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(call(...byHash)))
      yield* Effect.yieldNow
      yield* open
      const answers = yield* Effect.forEach(fibers, Fiber.join)
      assert.strictEqual(new Set(answers).size, 1)
      assert.strictEqual(counts.calls, 1)
      assert.deepInclude(cache.stats(), { joined: 2, asked: 1 })
    })
  )

  it.effect("go on if one of several callers leaves, and end if all do", () =>
    Effect.gen(function* () {
      const { counts, open, upstream } = yield* slow
      const { call } = yield* over(upstream, { mode: "check" })
      const [first, second] = yield* Effect.forEach([1, 2], () => Effect.forkChild(call(...byHash)))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first!)
      assert.strictEqual(counts.left, 0)
      const third = yield* Effect.forkChild(call(...byHash))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(second!)
      yield* Fiber.interrupt(third)
      yield* Effect.yieldNow
      assert.deepStrictEqual(counts, { calls: 1, left: 1 })
      // the next caller starts a new call
      const next = yield* Effect.forkChild(call(...byHash))
      yield* Effect.yieldNow
      yield* open
      yield* Fiber.join(next)
      assert.strictEqual(counts.calls, 2)
    })
  )

  it.effect("for the latest block are not shared: one of them may begin after a change", () =>
    Effect.gen(function* () {
      const { counts, open, upstream } = yield* slow
      const { call } = yield* over(upstream, { mode: "check" })
      const fibers = yield* Effect.forEach([1, 2], () =>
        Effect.forkChild(call("eth_getBlockByNumber", ["latest", true]))
      )
      yield* Effect.yieldNow
      yield* open
      yield* Effect.forEach(fibers, Fiber.join)
      assert.strictEqual(counts.calls, 2)
    })
  )
})

describe("memory", () => {
  it.effect("is bounded by bytes, and the least recently used answer leaves first", () =>
    Effect.gen(function* () {
      const size = JSON.stringify(block).length + 500
      const upstream = node(honest)
      const { cache, proven } = yield* over(upstream, { options: { memory: size * 10 } })
      // the same question on many chains
      const chains = Array.from({ length: 20 }, (_, index) =>
        cache.around(proven, { id: `chain ${index}`, isFinal: () => false })
      )
      for (const { call } of chains) yield* call(...byHash)
      assert.isAtMost(cache.stats().bytes, size * 10)
      assert.isBelow(cache.stats().entries, 20)
      const before = upstream.asked.length
      yield* chains.at(-1)!.call(...byHash)
      assert.strictEqual(upstream.asked.length, before, "the newest is there")
      yield* chains[0]!.call(...byHash)
      assert.isAbove(upstream.asked.length, before, "the oldest is not")
    })
  )

  it.effect("is behind it a store, whose answers are proven ones", () =>
    Effect.gen(function* () {
      const kept = new Map<string, Uint8Array>()
      const store: AnswerStore.AnswerStore = {
        get: (key) => Effect.sync(() => kept.get(key)),
        put: (key, answer) => void kept.set(key, answer),
        stats: () => ({ hits: 0, corrupt: 0, dropped: 0 })
      }
      const first = yield* over(node(honest), { options: { store } })
      yield* first.call(...byHash)
      const upstream = node({})
      const second = yield* over(upstream, { options: { store } })
      assert.deepStrictEqual(JSON.parse(decoder.decode(yield* second.call(...byHash))), block)
      yield* second.call(...byHash)
      assert.deepStrictEqual(upstream.asked, [])
      assert.deepInclude(second.cache.stats(), { stored: 1, hits: 1 })
    })
  )
})
