import { assert, it } from "@effect/vitest"
import * as History from "@plumbline/devnet/history/History"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as Integrity from "@plumbline/gateway/integrity/Integrity"
import type { Upstream } from "@plumbline/gateway/networks/Upstream"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

import * as EmbeddedLies from "../../src/service/EmbeddedLies.ts"

const PARAMS = [`0x${HistoryChain.head.number.toString(16)}`, false] as const

/** The state root in the header of the last block, as the chain recorded it. */
const stateRoot = "0xfe7d6469af1716d83ff9796797376bed9a1711a65ca77eac05082ccdb4334e9d"

/** Checks the answers of one node of the chain. */
const checkedBy = (upstream: Upstream) =>
  Effect.flatMap(Effect.provide(TrustedBlock.TrustedBlock, TrustedBlock.layerNone()), (trust) =>
    Integrity.make([{ name: "history", upstream }], {
      network: "history",
      mode: "check",
      chainId: BigInt(HistoryChain.chainId),
      trust
    })
  )

it.effect("a node lies for a minute when it is told to, no caller gets the lie, and it ends by itself", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const lies = yield* EmbeddedLies.make
      const upstream = lies.around("history", yield* History.make)
      const {
        around,
        lies: caught,
        members
      } = yield* Integrity.make([{ name: "history", upstream }], {
        network: "history",
        mode: "check",
        chainId: BigInt(HistoryChain.chainId),
        trust: yield* Effect.provide(TrustedBlock.TrustedBlock, TrustedBlock.layerNone())
      })
      const checked = around(members[0]!)
      const rootIn = (answer: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(answer)).stateRoot
      assert.strictEqual(rootIn(yield* checked.call("eth_getBlockByNumber", PARAMS)), stateRoot)
      assert.strictEqual(lies.left("history"), 0)
      lies.begin("history", "ops")
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(lies.left("history"), 1000)
      const told = rootIn(yield* upstream.call("eth_getBlockByNumber", PARAMS))
      assert.notStrictEqual(told, stateRoot)
      const refused = yield* Effect.flip(checked.call("eth_getBlockByNumber", PARAMS))
      assert.match(refused.message, /header hash/u)
      assert.deepStrictEqual(
        caught().map(({ check, count, drill, isLying, node }) => [node, check, count, drill, isLying]),
        [["history", "header hash", 1, { by: "ops", at: 0, until: 60_000 }, true]]
      )
      // another order meanwhile changes nothing
      lies.begin("history", "other")
      // other methods, and other nodes, stay honest
      assert.strictEqual(
        new TextDecoder().decode(yield* checked.call("eth_blockNumber", [])),
        `"0x${HistoryChain.head.number.toString(16)}"`
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual(lies.left("history"), 0)
      assert.strictEqual(rootIn(yield* checked.call("eth_getBlockByNumber", PARAMS)), stateRoot)
      // its first right answer after the usual rest makes it trusted again
      assert.isTrue(caught()[0]?.isLying)
      yield* TestClock.adjust("9 seconds")
      yield* checked.call("eth_getBlockByNumber", PARAMS)
      const [{ isLying, trustedSince } = {}] = caught()
      assert.deepStrictEqual([isLying, trustedSince], [false, 69_000])
    })
  )
)

it.effect("a lie ends after a minute although the machine's clock is set back", () =>
  Effect.gen(function* () {
    const lies = yield* EmbeddedLies.make
    const upstream = lies.around("history", yield* History.make)
    const rootOf = Effect.map(
      Effect.suspend(() => upstream.call("eth_getBlockByNumber", PARAMS)),
      (answer): unknown => JSON.parse(new TextDecoder().decode(answer)).stateRoot
    )
    yield* TestClock.setTime(3_600_000)
    lies.begin("history", "ops")
    assert.notStrictEqual(yield* rootOf, stateRoot)
    yield* TestClock.setTime(0)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* rootOf, stateRoot)
  }).pipe(Effect.scoped)
)

it.effect("only the lies that were ordered are a drill", () =>
  Effect.gen(function* () {
    const lies = yield* EmbeddedLies.make
    const honest = yield* History.make
    let isFalse = false
    // a node that lies by itself, in a method that no order changes
    const own: typeof honest = {
      ...honest,
      call: (method, params) =>
        isFalse && method === "eth_getTransactionByHash"
          ? Effect.map(honest.call(method, params), (answer) =>
              new TextEncoder().encode(new TextDecoder().decode(answer).replace('"nonce":"0x', '"nonce":"0x1'))
            )
          : honest.call(method, params)
    }
    const { around, lies: caught, members } = yield* checkedBy(lies.around("history", own))
    const checked = around(members[0]!)
    const transaction = HistoryChain.transactions("0x2").at(-1)!.hash
    lies.begin("history", "ops")
    isFalse = true
    yield* Effect.flip(checked.call("eth_getBlockByNumber", PARAMS))
    yield* TestClock.adjust("1 second")
    yield* Effect.flip(checked.call("eth_getTransactionByHash", [transaction]))
    assert.deepStrictEqual(
      caught().map(({ drill, method }) => [method, drill?.by]),
      [
        ["eth_getTransactionByHash", undefined],
        ["eth_getBlockByNumber", "ops"]
      ]
    )
  }).pipe(Effect.scoped)
)

it.effect("each call counts by its own answer: a lie beside a drill is no drill, and a new order takes over none", () =>
  Effect.gen(function* () {
    const lies = yield* EmbeddedLies.make
    const honest = yield* History.make
    const released = yield* Deferred.make<void>()
    let isFalse = false
    // a node that lies by itself about a transaction, and answers about blocks only once it is released
    const own: typeof honest = {
      ...honest,
      call: (method, params) =>
        method === "eth_getBlockByNumber"
          ? Effect.andThen(Deferred.await(released), honest.call(method, params))
          : Effect.map(honest.call(method, params), (answer) =>
              isFalse
                ? new TextEncoder().encode(new TextDecoder().decode(answer).replace('"nonce":"0x', '"nonce":"0x1'))
                : answer
            )
    }
    const { around, lies: caught, members } = yield* checkedBy(lies.around("history", own))
    const checked = around(members[0]!)
    const transaction = HistoryChain.transactions("0x2").at(-1)!.hash
    lies.begin("history", "first")
    const slow = yield* Effect.forkChild(Effect.flip(checked.call("eth_getBlockByNumber", PARAMS)), {
      startImmediately: true
    })
    isFalse = true
    yield* TestClock.adjust("61 seconds")
    lies.begin("history", "second")
    yield* Deferred.succeed(released, undefined)
    // within the same moment: a false answer by order, and one that nobody ordered
    const both = [Fiber.join(slow), Effect.flip(checked.call("eth_getTransactionByHash", [transaction]))]
    yield* Effect.all(both, { concurrency: "unbounded" })
    yield* Effect.flip(checked.call("eth_getTransactionByHash", [transaction]))
    assert.deepStrictEqual(
      caught().map(({ count, drill, method }) => [method, count, drill?.by]),
      [
        ["eth_getTransactionByHash", 2, undefined],
        ["eth_getBlockByNumber", 1, "first"]
      ]
    )
  }).pipe(Effect.scoped)
)

it.live("calls that share a read of a proof are refuted by one drill", () =>
  Effect.gen(function* () {
    const lies = yield* EmbeddedLies.make
    const honest = yield* History.make
    const slow: typeof honest = {
      ...honest,
      call: (method, params) => Effect.delay(honest.call(method, params), "30 millis")
    }
    const trust = yield* Effect.provide(TrustedBlock.TrustedBlock, TrustedBlock.layerPinned(HistoryChain.head.hash))
    const nodes = [{ name: "history", upstream: lies.around("history", slow) }]
    const chainId = BigInt(HistoryChain.chainId)
    const {
      around,
      lies: caught,
      members
    } = yield* Integrity.make(nodes, {
      network: "history",
      mode: "prove",
      chainId,
      trust
    })
    const checked = around(members[0]!)
    lies.begin("history", "ada")
    const params = [HistoryChain.contracts.cabinet.address, PARAMS[0]]
    const calls = Array.from({ length: 5 }, () => Effect.flip(checked.call("eth_getBalance", params)))
    yield* Effect.all(calls, { concurrency: "unbounded" })
    assert.deepStrictEqual(
      caught().map(({ count, drill }) => [count, drill?.by]),
      [[5, "ada"]]
    )
  }).pipe(Effect.scoped)
)

it.effect("an answer that an order did not change is no drill", () =>
  Effect.gen(function* () {
    const lies = yield* EmbeddedLies.make
    const honest = yield* History.make
    // the node already tells what an order would make it tell
    const own: typeof honest = {
      ...honest,
      call: (method, params) =>
        Effect.map(honest.call(method, params), (answer) =>
          new TextEncoder().encode(
            JSON.stringify({ ...JSON.parse(new TextDecoder().decode(answer)), stateRoot: `0x${"42".repeat(32)}` })
          )
        )
    }
    const { around, lies: caught, members } = yield* checkedBy(lies.around("history", own))
    lies.begin("history", "ops")
    yield* Effect.flip(around(members[0]!).call("eth_getBlockByNumber", PARAMS))
    assert.deepStrictEqual(
      caught().map(({ count, drill }) => [count, drill]),
      [[1, undefined]]
    )
  }).pipe(Effect.scoped)
)
