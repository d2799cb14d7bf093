/** Tests heads that too few members signed or that are too old: they name no block. */
import { assert, describe, it } from "@effect/vitest"
import {
  type BeaconNode,
  type LightClient,
  LightClientEvidence,
  LightClientReason,
  LightClientTrust
} from "@plumbline/beacon-light-client"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { CHECKPOINT, network, options } from "../support/plain.ts"
import * as Worlds from "../support/world.ts"

const ignorant = { getBlockByHash: () => Effect.succeed(null) } as never

/** Starts a light client at a slot, and returns it with its trust. */
const begin = Effect.fnUntraced(function* (
  slot: bigint,
  change: (node: BeaconNode.BeaconNode) => BeaconNode.BeaconNode,
  { more = {}, signers }: { readonly more?: Partial<LightClient.LightClientOptions>; readonly signers?: number } = {}
) {
  const world = Worlds.world(network, signers === undefined ? {} : { signers: () => signers })
  yield* Worlds.setSlot(network, slot)
  const nodes = [change(Worlds.node(world, [CHECKPOINT]))]
  const light = yield* Worlds.follow({ network, nodes, options: { ...options, ...more } })
  return { light, trust: LightClientTrust.make(light, [ignorant]) }
})

/** A node that has no finality update and no update of a whole period. */
const withoutFinality = (node: BeaconNode.BeaconNode): BeaconNode.BeaconNode => ({
  ...node,
  updates: () => Effect.succeed([]),
  finalityUpdate: Effect.map(node.finalityUpdate, ({ attestedHeader, signatureSlot, syncAggregate }) => ({
    attestedHeader,
    signatureSlot,
    syncAggregate
  })) as never
})

describe("a thin head", () => {
  for (const [signers, isTrusted] of [
    [1, false],
    [21, false],
    [22, true]
  ] as const) {
    it.effect(`of ${signers} of 32 signers right after the checkpoint is ${isTrusted ? "trusted" : "a claim"}`, () =>
      Effect.gen(function* () {
        const { light, trust } = yield* begin(CHECKPOINT + 9n, withoutFinality, { signers })
        const { optimistic } = yield* light.heads
        assert.strictEqual(optimistic.header.beacon.slot, CHECKPOINT + 8n)
        const latest = yield* trust.resolve("latest")
        const between = yield* trust.resolve(CHECKPOINT + 1n)
        if (isTrusted) {
          assert(latest._tag === "Exactly" && between._tag === "OnChain" && latest.anchor?._tag === "LightClient")
          assert.deepStrictEqual(latest.anchor.participation, [signers, 32])
          return
        }
        for (const trusted of [latest, between]) {
          assert(trusted._tag === "Nothing" && LightClientReason.ThinHead.is(trusted.reason), trusted._tag)
          assert.isTrue(trusted.isYet)
          assert.deepInclude(trusted.reason, { signed: signers, size: 32, needed: 22, slot: CHECKPOINT + 8n })
          assert.include(trusted.reason.sentence, `only ${signers} of 32 members`)
        }
        // the checkpoint itself is the reader's word
        assert.strictEqual((yield* trust.resolve(CHECKPOINT))._tag, "OnChain")
      })
    )
  }

  it.effect("is trusted if the reader asks for fewer signers by name, and the evidence says how few", () =>
    Effect.gen(function* () {
      const { trust } = yield* begin(CHECKPOINT + 9n, withoutFinality, { signers: 1, more: { minParticipation: 1 } })
      const trusted = yield* trust.resolve("latest")
      assert(trusted._tag === "Exactly" && trusted.anchor?._tag === "LightClient")
      assert.deepStrictEqual(trusted.anchor.participation, [1, 32])
      const [signed] = trusted.proven!
      assert(LightClientEvidence.CommitteeSigned.is(signed!))
      assert.include(signed.sentence, "1 of 32 members of the sync committee, fewer than two thirds,")
    })
  )

  it.effect("is a claim below a higher threshold too", () =>
    Effect.gen(function* () {
      const { trust } = yield* begin(1200n, (node) => node, { signers: 30, more: { minParticipation: 31 } })
      assert.strictEqual((yield* trust.resolve("latest"))._tag, "Nothing")
      assert.strictEqual((yield* trust.resolve("finalized"))._tag, "Exactly")
    })
  )
})

describe("a stale head", () => {
  // slots take 6 seconds, and epochs 48
  const resolve = (trust: Effect.Success<ReturnType<typeof begin>>["trust"]) =>
    Effect.map(Effect.all([trust.resolve("latest"), trust.resolve("finalized"), trust.resolve("safe")]), (all) =>
      all.map(({ _tag }) => _tag)
    )

  it.effect("names nothing for its tags beyond its bound, and says its age", () =>
    Effect.gen(function* () {
      yield* Worlds.setSlot(network, 1193n)
      const world = Worlds.world(network)
      const honest = Worlds.node(world, [CHECKPOINT])
      let isSilent = false
      const silenced = Object.fromEntries(
        (["finalityUpdate", "optimisticUpdate"] as const).map((name) => [
          name,
          Effect.suspend(() => (isSilent ? Effect.never : (honest[name] as Effect.Effect<never>)))
        ])
      )
      const light = yield* Worlds.follow({ network, nodes: [{ ...honest, ...silenced }], options })
      const trust = LightClientTrust.make(light, [ignorant])
      isSilent = true
      // the optimistic head is slot 1192, and the finalized head slot 1176
      assert.deepStrictEqual(yield* resolve(trust), ["Exactly", "Exactly", "Exactly"])
      yield* TestClock.adjust("54 seconds")
      assert.deepStrictEqual(yield* resolve(trust), ["Exactly", "Exactly", "Exactly"])
      const still = yield* trust.resolve("latest")
      assert(still._tag === "Exactly" && still.anchor?._tag === "LightClient" && still.anchor.age === 60)
      yield* TestClock.adjust("1 second")
      const stale = yield* trust.resolve("latest")
      assert(stale._tag === "Nothing" && LightClientReason.StaleHead.is(stale.reason))
      assert.deepInclude(stale.reason, { head: "newest", slot: 1192n, age: 61, maxAge: 60 })
      assert.include(stale.reason.sentence, "1m 1s old")
      // blocks after the finalized one rest on the old head, and older ones are final
      assert.strictEqual((yield* trust.resolve(1185n))._tag, "Nothing")
      assert.strictEqual((yield* trust.resolve(1100n))._tag, "OnChain")
      assert.deepStrictEqual(yield* resolve(trust), ["Nothing", "Exactly", "Exactly"])
      yield* TestClock.adjust("10 days")
      assert.deepStrictEqual(yield* resolve(trust), ["Nothing", "Nothing", "Nothing"])
      const finalized = yield* trust.resolve("finalized")
      assert(finalized._tag === "Nothing" && LightClientReason.StaleHead.is(finalized.reason))
      assert.deepInclude(finalized.reason, { head: "finalized", maxAge: 192 })
      assert.strictEqual((yield* trust.resolve(1100n))._tag, "OnChain")
    })
  )

  it.effect("is trusted at any age if the reader says so", () =>
    Effect.gen(function* () {
      const { light } = yield* begin(1193n, (node) => node, { more: { maxHeadAge: "Infinity" } })
      const later = { ...light, bounds: { ...light.bounds!, now: Effect.succeed(8e12) } }
      assert.deepStrictEqual(yield* resolve(LightClientTrust.make(later, [ignorant])), [
        "Exactly",
        "Exactly",
        "Exactly"
      ])
    })
  )

  it.effect("has the bound that the reader gives", () =>
    Effect.gen(function* () {
      const { trust } = yield* begin(1193n, (node) => node, { more: { maxHeadAge: "5 seconds" } })
      assert.deepStrictEqual(yield* resolve(trust), ["Nothing", "Exactly", "Exactly"])
    })
  )
})
