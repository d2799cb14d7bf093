/** Tests a light client that continues from its record. */
import { assert, describe, it } from "@effect/vitest"
import {
  type BeaconNode,
  Clock,
  type BeaconHeader,
  LightClientStore,
  LightClientTrust,
  MadeChain,
  TrustRecord,
  type Update
} from "@plumbline/beacon-light-client"
import { Hash32 } from "@plumbline/codec"
import { Effect, Exit, Result, type Scope } from "effect"

import { allForks } from "../support/networks.ts"
import { CHECKPOINT, checkpoint, deadNode, honest, network, options, start } from "../support/plain.ts"
import * as Plain from "../support/plain.ts"
import * as Worlds from "../support/world.ts"

describe("LightClient: its store", () => {
  const session = <A, E>(work: Effect.Effect<A, E, Scope.Scope>) => Effect.scoped(work)

  it.effect("goes on where it stopped, also in the middle of its way, and knows since when it trusts", () =>
    Effect.gen(function* () {
      const store = yield* Worlds.memory
      let left = 3
      const breaking: BeaconNode.BeaconNode = {
        ...honest,
        updates: (from) => (left-- > 0 ? honest.updates(from, 1) : deadNode("honest").updates(from, 1))
      }
      const broken = yield* Effect.exit(session(start(1500n, { store, nodes: [breaking] })))
      assert.isTrue(Exit.isFailure(broken))
      const record = Result.getOrThrow(TrustRecord.decode((yield* store.load("minimal"))!, network))
      assert.strictEqual(Clock.periodOf(network, record.store.finalized.header.beacon.slot), 17n)
      const begun = yield* session(
        Effect.flatMap(
          start(1500n, { store, nodes: [{ ...honest, bootstrap: deadNode("honest").bootstrap }] }),
          (light) => light.heads
        )
      )
      assert.strictEqual(begun.optimistic.header.beacon.slot, 1499n)
      assert.strictEqual(begun.checkpoint.root, checkpoint)
      assert.strictEqual(begun.checkpoint.givenAt, 1000 * Number(Clock.timeOf(network, 1500n)))
      // the light client starts again later; the options do not name the checkpoint
      const later = yield* session(Effect.flatMap(start(1600n, { store, options: {} }), (light) => light.heads))
      assert.strictEqual(later.optimistic.header.beacon.slot, 1599n)
      assert.strictEqual(later.checkpoint.givenAt, begun.checkpoint.givenAt)
    })
  )

  it.effect("keeps the best update for the force, of any kind and fork, and says so when it forced it", () =>
    Effect.gen(function* () {
      const store = yield* Worlds.memory
      // fewer than two thirds sign after slot 1010, and even fewer after slot 1016
      const world = Worlds.world(network, { signers: (slot) => (slot > 1016n ? 19 : slot > 1010n ? 21 : 32) })
      const nodes = [Worlds.node(world, [CHECKPOINT])]
      yield* session(start(1010n, { store, nodes }))
      yield* session(start(1016n, { store, nodes }))
      const record = Result.getOrThrow(TrustRecord.decode((yield* store.load("minimal"))!, network))
      assert.strictEqual(record.store.bestUpdate?.signatureSlot, 1016n)
      const light = yield* start(1068n, { store, nodes, options: { ...options, force: true } })
      const { finalized } = yield* light.heads
      assert.deepInclude(finalized.support, { _tag: "Forced", signed: 21, of: 32, attestedSlot: 1015n })
      const trusted = yield* LightClientTrust.make(light, [undefined as never]).resolve("finalized")
      assert(trusted._tag === "Exactly" && trusted.anchor?._tag === "LightClient")
      assert.strictEqual(trusted.anchor.finality, "forced")
      assert.isTrue(trusted.proven!.some(({ sentence }) => sentence.includes("by force")))
      // a restart does not make the forced head finalized
      const after = Result.getOrThrow(TrustRecord.decode((yield* store.load("minimal"))!, network))
      assert.strictEqual(after.store.finalized.support._tag, "Forced")
    })
  )

  it("reads back the best update of each kind and fork, and refuses another", () => {
    for (const [fork, family] of [
      ["altair", allForks],
      ["capella", allForks],
      ["deneb", allForks],
      ["electra", allForks],
      ["gloas", allForks]
    ] as const) {
      const chain = MadeChain.make(family)
      const slot = family.forks.find(({ name }) => name === fork)!.epoch * 8n + 20n
      const begun = Result.getOrThrow(LightClientStore.fromBootstrap(chain.bootstrap(slot), chain.root(slot), family))
      const choice = { attested: slot + 9n, finalized: slot - 9n, signers: 12 }
      for (const kind of ["update", "finalityUpdate", "optimisticUpdate"] as const) {
        const bls = { name: "any", verify: () => true }
        const options = { network: family, currentSlot: slot + 10n, bls }
        const held = Result.getOrThrow(LightClientStore.process(begun, chain[kind](choice), options))
        const record = { checkpoint: chain.root(slot), givenAt: 1, advancedAt: 2, store: held }
        const bytes = TrustRecord.encode(record, family)
        const read = Result.getOrThrow(TrustRecord.decode(bytes, family))
        const later = slot + 200n
        const forced = LightClientStore.force(held, later, family)
        assert.deepStrictEqual(LightClientStore.force(read.store, later, family), forced, `${fork} ${kind}`)
        assert.strictEqual(forced.finalized.support._tag, "Forced")
        assert.deepStrictEqual(TrustRecord.encode(read, family).length, bytes.length)
        const other = { ...held, bestUpdate: { ...held.bestUpdate!, attestedHeader: lie(held.bestUpdate!) } }
        const refused = TrustRecord.decode(TrustRecord.encode({ ...record, store: other }, family), family)
        if (fork !== "altair") assert(Result.isFailure(refused) && refused.failure.problem === "Damaged")
      }
    }
  })

  it.effect("names the store as what brought a head that no node has repeated", () =>
    Effect.gen(function* () {
      const store = yield* Worlds.memory
      yield* session(start(1500n, { store }))
      const nodes = [Worlds.node(Plain.world, [])]
      const heads = yield* session(Effect.flatMap(start(1500n, { store, nodes }), (light) => light.heads))
      assert.strictEqual(heads.finalized.by, "store")
    })
  )

  it.effect("refuses a store that is too old, and begins anew from a new checkpoint", () =>
    Effect.gen(function* () {
      const store = yield* Worlds.memory
      const day = { ...options, maxCheckpointAge: "2 hours" as const }
      yield* session(start(1500n, { store, options: day }))
      const old = yield* Effect.flip(session(start(3000n, { store, options: day })))
      assert(old._tag === "CheckpointAgeError")
      assert.strictEqual(old.of, "store")
      const nodes = [Worlds.node(Plain.world, [2900n])]
      const newer = { ...day, checkpoint: Plain.world.chain.root(2900n) }
      const heads = yield* session(
        Effect.flatMap(start(3000n, { store, nodes, options: newer }), (light) => light.heads)
      )
      assert.strictEqual(heads.checkpoint.root, newer.checkpoint)
      assert.strictEqual(heads.optimistic.header.beacon.slot, 2999n)
    })
  )

  it.effect("starts from the checkpoint beside the record of another chain, and blames no node for a damaged one", () =>
    Effect.gen(function* () {
      const store = yield* Worlds.memory
      yield* session(start(1200n, { store }))
      const bytes = (yield* store.load("minimal"))!
      // another chain of the same name, such as that of a development network that was started again
      const other = Object.assign({}, network, { genesisValidatorsRoot: checkpoint })
      const world = Worlds.world(other)
      const placed = { ...store, placeOf: (name: string) => `the file of ${name}` }
      const setting = { network: other, nodes: [Worlds.node(world, [CHECKPOINT])], store: placed }
      const foreign = yield* Effect.flip(session(Worlds.follow({ ...setting, options: {} })))
      assert(foreign._tag === "RecordError")
      assert.deepInclude(foreign, { problem: "OtherChain", place: "the file of minimal" })
      const anew = { ...options, checkpoint: world.chain.root(CHECKPOINT) }
      const light = yield* session(Effect.flatMap(Worlds.follow({ ...setting, options: anew }), ({ heads }) => heads))
      assert.strictEqual(light.checkpoint.root, anew.checkpoint)
      const replaced = yield* session(Effect.flatMap(Worlds.follow({ ...setting, options: {} }), ({ heads }) => heads))
      assert.strictEqual(replaced.checkpoint.root, anew.checkpoint)
      bytes[bytes.length - 1]! ^= 1
      yield* store.save("minimal", bytes)
      const damaged = yield* Effect.flip(session(start(1200n, { store })))
      assert(damaged._tag === "RecordError")
      assert.strictEqual(damaged.problem, "Damaged")
    })
  )
})

/** Returns the signed header with another execution block. */
const lie = ({ attestedHeader }: Update.AnyUpdate): BeaconHeader.LightClientHeader => {
  switch (attestedHeader._tag) {
    case "BeaconOnly":
      return attestedHeader
    case "WithPayload":
      return { ...attestedHeader, execution: { ...attestedHeader.execution, blockHash: Hash32.ZERO } }
    case "WithBlockHash":
      return { ...attestedHeader, executionBlockHash: Hash32.ZERO }
  }
}
