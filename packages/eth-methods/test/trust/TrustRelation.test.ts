import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Transport } from "@plumbline/jsonrpc-core"
import { Anchor, type Verdict } from "@plumbline/verdict"
import { Effect, Result } from "effect"

import {
  type Block,
  EthClient,
  EthReason,
  type TrustedBlock,
  TrustRelation,
  VerdictEthClient
} from "../../src/index.ts"
import * as Nodes from "../support/node.ts"
import * as Questions from "../support/questions.ts"
import * as World from "../support/world.ts"

const worlds = Promise.all([World.make(Hardfork.Prague), World.make(Hardfork.Prague, 1, World.FULL)])

type Resolve = TrustedBlock.TrustedBlock["Service"]["resolve"]

/** Returns the trust in one block, as an authority gives it. */
const onChain = (made: World.World, number: bigint, anchor?: TrustedBlock.AuthorityBlock["anchor"]): Resolve => {
  const hash = Questions.hashOf(made.block(number))
  return () => Effect.succeed({ _tag: "OnChain", hash, by: "the test", anchor })
}

const setting = Effect.fnUntraced(function* (made: World.World, resolve: Resolve) {
  const node = Nodes.node(made.answers)
  const eth = yield* Effect.provideService(EthClient.make, Transport.Transport, node.transport)
  const relate = TrustRelation.make(eth, { resolve })
  /** Reads a block of any world, and proves it by its own hash. */
  const block = Effect.fnUntraced(function* (of: World.World, number: bigint) {
    const { transport } = Nodes.node(of.answers)
    const theirs = yield* Effect.provideService(EthClient.make, Transport.Transport, transport)
    const prover = VerdictEthClient.make(theirs, { resolve: () => Effect.succeed(nothing) })
    const verdict = yield* prover.getBlockByHash(Questions.hashOf(of.block(number)))
    assert(verdict._tag === "VERIFIED" && verdict.value !== null)
    return verdict as Verdict.Verified<Block.WithHashes>
  })
  return { eth, calls: node.calls, relate, block }
})

const nothing: TrustedBlock.TrustedAnswer = { _tag: "Nothing", reason: EthReason.NoTrust({}) }

describe("the relation of a block to trust", () => {
  it.effect("is that of the reads, for blocks up to the trusted one", () =>
    Effect.gen(function* () {
      const [made] = yield* Effect.promise(() => worlds)
      const resolve = onChain(made, World.HEAD)
      const { block, eth, relate } = yield* setting(made, resolve)
      for (const number of [World.FIRST, World.FULL, World.HEAD]) {
        const relation = yield* relate(yield* block(made, number))
        assert(relation._tag === "Vouched")
        assert.strictEqual(relation.before, number === World.HEAD ? undefined : World.HEAD)
        const read = yield* VerdictEthClient.make(eth, { resolve }).getBlockByNumber(number)
        assert.deepStrictEqual(read.anchor, relation.anchor)
        assert.isUndefined(TrustRelation.unprovenBy(relation))
      }
    })
  )

  it.effect("extends the trusted block after it, by a walk, or by the relation of the parent without a call", () =>
    Effect.gen(function* () {
      const [made] = yield* Effect.promise(() => worlds)
      const { block, calls, relate } = yield* setting(made, onChain(made, World.FIRST))
      const trusted = Questions.hashOf(made.block(World.FIRST))
      const parent = yield* block(made, World.HEAD - 1n)
      const relation = yield* relate(parent)
      assert.deepStrictEqual<TrustRelation.BlockRelation>(relation, { _tag: "Extends", trusted })
      const head = yield* block(made, World.HEAD)
      const before = calls.length
      assert.deepStrictEqual(yield* relate(head, { hash: parent.value.hash!, relation }), relation)
      assert.strictEqual(calls.length, before)
    })
  )

  it.effect("is refuted for a block of another branch, before the trusted block and after it", () =>
    Effect.gen(function* () {
      const [made, other] = yield* Effect.promise(() => worlds)
      for (const trusted of [World.HEAD, World.FULL]) {
        const { block, relate } = yield* setting(made, onChain(made, trusted))
        const refuted = yield* Effect.flip(relate(yield* block(other, World.FULL)))
        assert.strictEqual(refuted._tag, "RefutedError")
      }
    })
  )

  it.effect("is another branch, and no lie, as long as the trusted block can be reorganised", () =>
    Effect.gen(function* () {
      const [made, other] = yield* Effect.promise(() => worlds)
      // an honest node after a reorganisation still has the blocks of the old branch
      const reorganised = Nodes.node((method, params) => other.answers(method, params) ?? made.answers(method, params))
      const eth = yield* Effect.provideService(EthClient.make, Transport.Transport, reorganised.transport)
      const { block } = yield* setting(made, onChain(made, World.HEAD))
      const places = [
        [World.HEAD, World.HEAD],
        [World.HEAD, World.FULL],
        [World.FULL, World.HEAD]
      ] as const
      const rollup = (l1: Anchor.LightClientAnchor) =>
        Anchor.rollup({
          hash: l1.hash,
          chainId: 10n,
          state: "settled",
          game: "0x0f",
          gameType: 0,
          resolvedAt: 7n,
          contracts: {},
          l1,
          age: 700_000
        })
      for (const finality of ["optimistic", "forced", "finalized", "checkpoint"] as const) {
        for (const [trusted, number, isRollup] of places.flatMap((place) => [
          [...place, false] as const,
          [...place, true] as const
        ])) {
          const hash = Questions.hashOf(made.block(trusted))
          const signed = { checkpoint: "0xcd", slot: 7n, participation: [509, 512], age: 14 } as const
          const l1 = Anchor.lightClient({ hash, finality, ...signed })
          // a rollup's block is as final as the block of its parent chain
          const resolve = onChain(made, trusted, isRollup ? rollup(l1) : l1)
          const outcome = yield* Effect.result(TrustRelation.make(eth, { resolve })(yield* block(other, number)))
          const read = yield* Effect.result(VerdictEthClient.make(eth, { resolve }).getBlockByNumber(number))
          const name = `${finality} ${trusted} ${number} ${isRollup}`
          if (finality === "finalized" || finality === "checkpoint") {
            assert.strictEqual(Result.isFailure(outcome) && outcome.failure._tag, "RefutedError", name)
            continue
          }
          assert(Result.isSuccess(outcome), name)
          const named = Questions.hashOf(made.block(number < trusted ? number : trusted))
          assert.deepStrictEqual(outcome.success, { _tag: "Another", by: "the test", hash: named })
          if (number > trusted) continue
          assert(Result.isFailure(read) && read.failure._tag === "JsonRpcError", name)
          assert.strictEqual(read.failure.reason._tag, "MovedError", name)
        }
      }
    })
  )

  it.effect("tells an authority that is behind from one that names another block or none", () =>
    Effect.gen(function* () {
      const [made, other] = yield* Effect.promise(() => worlds)
      const hash = Questions.hashOf(other.block(World.HEAD))
      const anchor = Anchor.lightClient({
        hash,
        checkpoint: "0xcd",
        slot: 7n,
        finality: "optimistic",
        participation: [509, 512],
        age: 14
      })
      const cases: ReadonlyArray<readonly [Resolve, TrustRelation.BlockRelation["_tag"], mayImprove: boolean]> = [
        [() => Effect.succeed(nothing), "Unverified", false],
        [() => Effect.succeed({ ...nothing, isYet: true }), "Behind", true],
        [() => Effect.succeed({ _tag: "Exactly", hash, by: "the test" }), "Another", true],
        // the node does not have the trusted block; it may still get that of a light client
        [onChain(other, World.HEAD), "Unverified", false],
        [onChain(other, World.HEAD, anchor), "Behind", true]
      ]
      for (const [resolve, tag, mayImprove] of cases) {
        const { block, relate } = yield* setting(made, resolve)
        const relation = yield* relate(yield* block(made, World.HEAD))
        assert.strictEqual(relation._tag, tag)
        assert.strictEqual(TrustRelation.mayImprove(relation), mayImprove)
      }
    })
  )
})
