/** Reads of one block's state that several calls make at the same time. */
import { assert, describe, it } from "@effect/vitest"
import { type Block, EthClient, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import type { Verdict } from "@plumbline/verdict"
import { CallBounds } from "@plumbline/verified-calls"
import { Deferred, Effect, Fiber, Layer } from "effect"

import * as BlockState from "../src/state/blockState.ts"
import { makeCodeStore } from "../src/state/provenValues.ts"
import * as StateView from "../src/state/stateView.ts"
import { CONTRACT } from "./support/calling.ts"
import * as MadeNode from "./support/madeNode.ts"

const { word } = MadeNode

/** Makes the state of a block, over a node whose proofs of several slots `hang` or not, and records their keys. */
const open = Effect.fnUntraced(function* (hang = false) {
  const made = yield* Effect.promise(() => MadeNode.make({ [CONTRACT]: { code: "0x00", storage: { 1: 10n, 2: 3n } } }))
  const proofs: Array<ReadonlyArray<string>> = []
  const begun = yield* Deferred.make<void>()
  const answers: MadeNode.Answers = async (method, params) => {
    if (method !== "eth_getProof") return made.answers(method, params)
    proofs.push(params[1])
    if (!hang || params[1].length < 2) return made.answers(method, params)
    Deferred.doneUnsafe(begun, Effect.void)
    return new Promise(() => {})
  }
  const { layer } = MadeNode.serve(answers)
  const clients = Layer.mergeAll(VerdictEthClient.layer(), EthClient.layer()).pipe(
    Layer.provide([layer, TrustedBlock.layerNone()])
  )
  const [node, block] = yield* Effect.provide(
    Effect.all([EthClient.EthClient, VerdictEthClient.VerdictEthClient.use((eth) => eth.getBlockByHash(made.hash))]),
    clients
  )
  const verified = block as Verdict.Verified<Block.WithHashes>
  return { begun, proofs, state: BlockState.make(node, verified, makeCodeStore(), CallBounds.defaults) }
})

const slot = (number: number): StateView.Reads => {
  const reads = StateView.noReads()
  StateView.addAccount(reads, CONTRACT, word(number))
  return reads
}

const valueOf = (state: BlockState.BlockState, number: number) => state.account(CONTRACT)?.slots.get(word(number))

describe("reads of one account", () => {
  it.effect("that are made in the same turn are one proof", () =>
    Effect.gen(function* () {
      const { proofs, state } = yield* open()
      yield* Effect.forEach([1, 2, 1], (number) => state.acquire(slot(number), { proofBytes: 0 }), {
        concurrency: "unbounded"
      })
      assert.deepEqual(proofs, [[word(1), word(2)]])
      assert.deepEqual([valueOf(state, 1), valueOf(state, 2)], [10n, 3n])
    })
  )

  it.effect("go on when the call that asked for all of them is interrupted", () =>
    Effect.gen(function* () {
      const { begun, proofs, state } = yield* open(true)
      const acquire = (number: number) => state.acquire(slot(number), { proofBytes: 0 })
      const first = yield* Effect.forkChild(acquire(1), { startImmediately: true })
      const second = yield* Effect.forkChild(acquire(2), { startImmediately: true })
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(first)
      yield* Fiber.join(second)
      // the second call finds its slot missing, and asks for it alone
      assert.isUndefined(valueOf(state, 2))
      yield* acquire(2)
      assert.strictEqual(valueOf(state, 2), 3n)
      assert.deepEqual(proofs, [[word(1), word(2)], [word(2)]])
    })
  )
})
