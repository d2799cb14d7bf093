import { assert, it } from "@effect/vitest"
import * as History from "@plumbline/devnet/history/History"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as Integrity from "@plumbline/gateway/integrity/Integrity"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

import * as EmbeddedLies from "../../src/service/EmbeddedLies.ts"

const PARAMS = [`0x${HistoryChain.head.number.toString(16)}`, false] as const

/** The state root in the header of the last block, as the chain recorded it. */
const stateRoot = "0xfe7d6469af1716d83ff9796797376bed9a1711a65ca77eac05082ccdb4334e9d"

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
      lies.begin("history")
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(lies.left("history"), 1000)
      const told = rootIn(yield* upstream.call("eth_getBlockByNumber", PARAMS))
      assert.notStrictEqual(told, stateRoot)
      const refused = yield* Effect.flip(checked.call("eth_getBlockByNumber", PARAMS))
      assert.match(refused.message, /header hash/u)
      assert.deepStrictEqual(
        caught().map(({ check, count, node }) => [node, check, count]),
        [["history", "header hash", 1]]
      )
      // other methods, and other nodes, stay honest
      assert.strictEqual(
        new TextDecoder().decode(yield* checked.call("eth_blockNumber", [])),
        `"0x${HistoryChain.head.number.toString(16)}"`
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual(lies.left("history"), 0)
      assert.strictEqual(rootIn(yield* checked.call("eth_getBlockByNumber", PARAMS)), stateRoot)
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
    lies.begin("history")
    assert.notStrictEqual(yield* rootOf, stateRoot)
    yield* TestClock.setTime(0)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* rootOf, stateRoot)
  }).pipe(Effect.scoped)
)
