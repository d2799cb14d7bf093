/**
 * Tests lies in one of the two newest updates while the other one is true: each is named, unless another node told the
 * truth.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  type BeaconNode,
  LightClientEvidence,
  LightClientTrust,
  TrustStore,
  type Update
} from "@plumbline/beacon-light-client"
import { Hash32, Hex } from "@plumbline/codec"
import { Effect } from "effect"

import { CHECKPOINT, checkOf, honest, network, oneSlot, slotsOf, start } from "../support/plain.ts"
import * as Plain from "../support/plain.ts"
import * as Worlds from "../support/world.ts"

const OTHER = Hash32.fromHexUnsafe(`0x${"ab".repeat(32)}`)

type Header = Update.FinalityUpdate["attestedHeader"]

const inHeader = (header: Header): ReadonlyArray<readonly [string, Header]> => {
  assert(header._tag === "WithPayload")
  const { beacon, execution, executionBranch } = header
  return [
    ...(["parentRoot", "stateRoot", "bodyRoot"] as const).map(
      (field) => [field, { ...header, beacon: { ...beacon, [field]: OTHER } }] as const
    ),
    ["proposerIndex", { ...header, beacon: { ...beacon, proposerIndex: 7n } }],
    ["slot", { ...header, beacon: { ...beacon, slot: beacon.slot - 1n } }],
    ["blockHash", { ...header, execution: { ...execution, blockHash: OTHER } }],
    ["blockNumber", { ...header, execution: { ...execution, blockNumber: 1n } }],
    ["stateRoot of the execution block", { ...header, execution: { ...execution, stateRoot: OTHER } }],
    ["executionBranch", { ...header, executionBranch: executionBranch.with(1, OTHER) }]
  ]
}

/** Returns every way to change an update, with the name of the changed part. */
const liesOf = (update: Update.OptimisticUpdate & Partial<Update.FinalityUpdate>) => {
  const { attestedHeader, finalityBranch, finalizedHeader, syncAggregate } = update
  const signature = Hex.toBytesUnsafe(syncAggregate.syncCommitteeSignature)
  signature[50]! ^= 1
  return [
    ...inHeader(attestedHeader).map(([name, header]) => [`attested ${name}`, { attestedHeader: header }] as const),
    ...(finalizedHeader === undefined
      ? []
      : inHeader(finalizedHeader).map(([name, header]) => [`finalized ${name}`, { finalizedHeader: header }] as const)),
    ...(finalityBranch === undefined
      ? []
      : finalityBranch.map((_, at) => [`branch ${at}`, { finalityBranch: finalityBranch.with(at, OTHER) }] as const)),
    ["signature", { syncAggregate: { ...syncAggregate, syncCommitteeSignature: Hex.fromBytes(signature) } }] as const,
    ["bits", { syncAggregate: { ...syncAggregate, syncCommitteeBits: Hex.Hex.make("0xfffffffe") } }] as const,
    ["future", { signatureSlot: update.signatureSlot + 1n }] as const,
    ["order", { signatureSlot: attestedHeader.beacon.slot }] as const
  ]
}

const KINDS = ["finalityUpdate", "optimisticUpdate"] as const

const lying = (kind: (typeof KINDS)[number], change: object): BeaconNode.BeaconNode => ({
  ...Worlds.node(Plain.world, [CHECKPOINT], "liar"),
  [kind]: Effect.map(honest[kind] as Effect.Effect<object>, (update) => ({ ...update, ...change }))
})

describe.each(KINDS)("a lie in the %s alone", (kind) => {
  it.effect("is named by its check at the start", () =>
    Effect.gen(function* () {
      yield* Worlds.setSlot(network, 1200n)
      const lies = liesOf(yield* honest[kind])
      assert.isAtLeast(lies.length, 13)
      for (const [name, change] of lies) {
        const failed = yield* Effect.flip(Effect.scoped(start(1200n, { nodes: [lying(kind, change)] })))
        assert.strictEqual(failed._tag, "RefutedError", name)
        assert.include(failed.message, "liar: ", name)
      }
    })
  )

  it.effect("is in the evidence if another node told the truth", () =>
    Effect.gen(function* () {
      yield* Worlds.setSlot(network, 1200n)
      for (const [name, change] of liesOf(yield* honest[kind]).slice(-4)) {
        for (const nodes of [
          [lying(kind, change), honest],
          [honest, lying(kind, change)]
        ]) {
          const light = yield* start(1200n, { nodes })
          const trusted = yield* LightClientTrust.make(light, [undefined as never]).resolve("latest")
          assert(trusted._tag === "Exactly", name)
          const lie = trusted.proven!.find(LightClientEvidence.BeaconLie.is)
          assert.deepInclude(lie, {
            by: "liar",
            check: (yield* light.nodes).find(({ name }) => name === "liar")!.lie!.check
          })
          assert.include(lie!.sentence, "liar was refuted")
        }
      }
    })
  )

  it.effect("is the problem of a light client that runs, and the true update still moves its head", () =>
    Effect.gen(function* () {
      let lies = false
      const nodes = [
        {
          ...honest,
          [kind]: Effect.map(honest[kind] as Effect.Effect<Update.OptimisticUpdate>, (update) =>
            lies ? { ...update, signatureSlot: update.signatureSlot + 1n } : update
          )
        }
      ]
      const light = yield* start(1200n, { nodes })
      assert.isUndefined(yield* light.problem)
      lies = true
      yield* oneSlot
      assert.strictEqual((yield* slotsOf(light))[1], 1200n)
      const problem = yield* light.problem
      assert.strictEqual(problem === undefined ? undefined : checkOf(problem), "future-slot")
      lies = false
      yield* oneSlot
      assert.isUndefined(yield* light.problem)
    })
  )
})

describe("an honest node", () => {
  it.effect("that is behind is not blamed", () =>
    Effect.gen(function* () {
      const store = yield* Effect.provide(TrustStore.TrustStore, TrustStore.layerMemory())
      yield* Effect.scoped(start(1200n, { store }))
      for (const behind of [1n, 30n, 150n]) {
        yield* Worlds.setSlot(network, 1200n - behind)
        const old = yield* Effect.all([honest.finalityUpdate, honest.optimisticUpdate])
        const nodes = [{ ...honest, finalityUpdate: Effect.succeed(old[0]), optimisticUpdate: Effect.succeed(old[1]) }]
        const light = yield* start(1200n, { nodes, store })
        assert.strictEqual((yield* light.nodes)[0]!.refuted, 0, `${behind}`)
        assert.strictEqual((yield* slotsOf(light))[1], 1199n)
      }
    })
  )

  it.effect("has each signature checked once, though it sends each in two updates", () =>
    Effect.gen(function* () {
      let checks = 0
      const bls = { name: "counting", verify: () => (checks++, true) }
      yield* start(1200n, { bls })
      const before = checks
      yield* oneSlot
      assert.strictEqual(checks - before, 1)
    })
  )
})
