import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Anchor, Evidence, RefutedError } from "@plumbline/verdict"
import { Effect, Layer } from "effect"

import { EthEvidence, TrustedBlock, VerdictEthClient } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import * as Nodes from "../support/node.ts"
import * as Questions from "../support/questions.ts"
import * as State from "../support/state.ts"
import * as World from "../support/world.ts"

const world = World.make(Hardfork.Prague)
const chain = Effect.promise(() => world)

const Seal = Evidence.kind("Seal", ({ of }: { readonly of: string }) => `the seal of ${of}`)

const run = Effect.fnUntraced(function* <A, E>(
  made: World.World,
  resolve: TrustedBlock.TrustedBlock["Service"]["resolve"],
  ask: (eth: VerdictEthClient.Client) => Effect.Effect<A, E>
) {
  const trust = Layer.succeed(TrustedBlock.TrustedBlock, { resolve })
  const eth = VerdictEthClient.layer().pipe(Layer.provide([Nodes.node(made.answers).layer, trust]))
  return yield* Effect.provide(VerdictEthClient.VerdictEthClient.use(ask), eth)
})

describe("an authority that proves its block", () => {
  const authority = (made: World.World, _tag: "Exactly" | "OnChain"): TrustedBlock.TrustedAnswer => {
    const hash = Questions.hashOf(made.block(World.HEAD))
    const anchor = Anchor.lightClient({
      hash,
      checkpoint: "0xcd",
      slot: 7n,
      finality: "optimistic",
      participation: [509, 512],
      age: 14
    })
    return { _tag, hash, by: "a sealed list", anchor, proven: [Seal({ of: "the list" })] }
  }

  it.effect("gives verdicts its own anchor and its own evidence, also those about ancestors", () =>
    Effect.gen(function* () {
      const made = yield* chain
      const exactly = authority(made, "Exactly")
      const onChain = authority(made, "OnChain")
      assert(exactly._tag === "Exactly")
      const verdicts = [
        yield* run(
          made,
          () => Effect.succeed(exactly),
          (eth) => eth.getBlockByNumber("latest")
        ),
        yield* run(
          made,
          () => Effect.succeed(exactly),
          (eth) => eth.getBalance(State.CONTRACT, "latest")
        ),
        yield* run(
          made,
          () => Effect.succeed(onChain),
          (eth) => eth.getBlockByNumber(World.FULL)
        ),
        yield* run(
          made,
          () => Effect.succeed(onChain),
          (eth) => eth.getBlockByNumber(World.HEAD)
        )
      ]
      for (const verdict of verdicts) {
        assert.strictEqual(verdict._tag, "VERIFIED")
        assert.deepStrictEqual(verdict.anchor, exactly.anchor)
        assert.lengthOf(verdict.proven.filter(Seal.is), 1)
        assert.isTrue(verdict.proven.some((one) => EthEvidence.OnChain.is(one) && one.by === "a sealed list"))
      }
    })
  )

  it.effect("adds its evidence to the place of a transaction", () =>
    Effect.gen(function* () {
      const made = yield* chain
      const onChain = authority(made, "OnChain")
      const hash = Questions.hashOf(Made.list(made.block(World.FULL)["transactions"])[0])
      const verdict = yield* run(
        made,
        () => Effect.succeed(onChain),
        (eth) => eth.getTransactionByHash(hash)
      )
      assert.lengthOf(verdict.proven.filter(Seal.is), 1)
    })
  )

  it.effect("fails the read with the lie that it found", () =>
    Effect.gen(function* () {
      const made = yield* chain
      const lie = new RefutedError({ check: "conflict", expected: "0x1", got: "0x2" })
      const failed = yield* Effect.flip(
        run(
          made,
          () => Effect.fail(lie),
          (eth) => eth.getBlockByNumber("latest")
        )
      )
      assert.strictEqual(failed, lie)
    })
  )
})
