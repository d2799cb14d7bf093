/** Tests a light client with lying nodes beside an honest node. */
import { assert, describe, it } from "@effect/vitest"
import {
  type BeaconNode,
  Clock,
  type BeaconHeader,
  MadeChain,
  HashTreeRoot,
  SigningDomain,
  SyncCommittee,
  type Update
} from "@plumbline/beacon-light-client"
import { Hash32, Hex } from "@plumbline/codec"
import { Effect, Stream } from "effect"

import * as MadeCommittees from "../../src/make/madeCommittees.ts"
import { CHECKPOINT, honest, network, oneSlot, slotsOf, start } from "../support/plain.ts"
import * as Plain from "../support/plain.ts"
import * as Worlds from "../support/world.ts"

describe("LightClient: liars beside an honest node", () => {
  /** Makes a node that is honest while the light client starts, and then lies about new heads. */
  const lying = (change: (update: Update.FinalityUpdate) => Update.FinalityUpdate): BeaconNode.BeaconNode => {
    const honest = Worlds.node(Plain.world, [CHECKPOINT], "liar")
    return {
      ...honest,
      finalityUpdate: Effect.map(honest.finalityUpdate, change),
      optimisticUpdate: Effect.map(honest.finalityUpdate, change)
    }
  }

  it.effect("counts a lie against its node, and goes on with the honest one", () =>
    Effect.gen(function* () {
      const lies: ReadonlyArray<readonly [string, (update: Update.FinalityUpdate) => Update.FinalityUpdate]> = [
        ["future-slot", (update) => ({ ...update, signatureSlot: update.signatureSlot + 1n })],
        [
          "participation",
          (update) => ({
            ...update,
            syncAggregate: { ...update.syncAggregate, syncCommitteeBits: "0x00000000" }
          })
        ],
        [
          "signature",
          (update) => ({
            ...update,
            syncAggregate: { ...update.syncAggregate, syncCommitteeBits: "0xfffffffe" }
          })
        ],
        [
          "execution-branch",
          (update) => ({ ...update, attestedHeader: { ...update.attestedHeader, executionBranch: [] } as never })
        ]
      ]
      for (const [check, change] of lies) {
        const light = yield* start(1200n, { nodes: [lying(change), honest] })
        yield* oneSlot
        assert.strictEqual((yield* slotsOf(light))[1], 1200n, check)
        const [liar, other] = yield* light.nodes
        // both updates are refused, at the start and in the next slot
        assert.strictEqual(liar!.refuted, 4, check)
        assert(liar!.last?._tag === "RefutedError")
        assert.strictEqual(liar!.last.check, check)
        assert.include(liar!.last.message, "liar: ")
        assert.strictEqual(other!.refuted, 0)
      }
    })
  )

  it.effect("keeps the good updates before a bad one, and counts the bad one", () =>
    Effect.gen(function* () {
      const halfway: BeaconNode.BeaconNode = {
        ...honest,
        name: "halfway",
        updates: (from, count) =>
          Effect.map(honest.updates(from, count), (updates) =>
            updates.map((update, at) => (at < 2 ? update : { ...update, signatureSlot: update.signatureSlot + 1000n }))
          )
      }
      const light = yield* start(1500n, { nodes: [halfway, honest] })
      assert.strictEqual((yield* slotsOf(light))[1], 1499n)
      assert.isAtLeast((yield* light.nodes)[0]!.refuted, 1)
    })
  )

  it.effect("stops at two finalized blocks of one slot that the committee signed, and shows both", () =>
    Effect.gen(function* () {
      // the same committees sign another chain: other execution blocks in the same slots
      const forged = Worlds.world(network, {}, { execution: (slot) => forgedExecution(slot) })
      const traitor: BeaconNode.BeaconNode = { ...Worlds.node(forged, []), name: "other" }
      const light = yield* start(1200n, { nodes: [honest, traitor] })
      const failed = yield* Effect.flip(light.heads)
      assert.strictEqual(failed.check, "conflict")
      assert.include(failed.message, "honest and other")
      const conflict = yield* light.conflict
      assert.strictEqual(conflict?.about, "finalized")
      assert.notStrictEqual(conflict?.known.root, conflict?.other.root)
      assert.deepStrictEqual([conflict?.known.by, conflict?.other.by], ["honest", "other"])
      for (const side of [conflict?.known, conflict?.other]) {
        assert.strictEqual(side?.root, HashTreeRoot.beaconBlock(side!.update!.finalizedHeader!.beacon))
      }
      // the light client stays stopped
      yield* oneSlot
      assert.strictEqual((yield* Effect.flip(light.refresh))._tag, "RefutedError")
      assert.strictEqual((yield* Effect.flip(Stream.runCollect(light.changes))).check, "conflict")
    })
  )

  it.effect("stops at another committee for a known period, if two thirds of the current one signed it", () =>
    Effect.gen(function* () {
      const swapped = (signers: number): BeaconNode.BeaconNode => ({
        ...honest,
        name: "other",
        finalityUpdate: Effect.succeed(betrayal(1195n, signers))
      })
      const few = yield* start(1200n, { nodes: [honest, swapped(21)] })
      assert.isUndefined(yield* few.conflict)
      assert.strictEqual((yield* few.nodes)[1]!.refuted, 1)
      const many = yield* start(1200n, { nodes: [honest, swapped(22)] })
      assert.strictEqual((yield* many.conflict)?.about, "next-committee")
    })
  )
})

/** Returns the execution payload of a slot with other extra data, and so with another hash. */
const forgedExecution = (slot: bigint): BeaconHeader.ExecutionPayloadHeader => {
  const { header } = Plain.world.chain.bootstrap(slot)
  assert(header._tag === "WithPayload")
  return { ...header.execution, extraData: "0xbad0", blockHash: Hash32.ZERO }
}

/**
 * Returns an update whose next committee comes from another chain. Members of this chain's committee sign the update.
 */
const betrayal = (attested: bigint, count: number): Update.Update => {
  const other = MadeChain.make(network, { seed: "another" })
  const update = other.update({ attested, signers: count })
  const root = HashTreeRoot.beaconBlock(update.attestedHeader.beacon)
  const message = SigningDomain.signingRoot(network, root, update.signatureSlot)!
  const period = Clock.periodOf(network, attested)
  const committee = MadeCommittees.make(`plumbline ${period}`, network.syncCommitteeSize)
  const signature = committee.sign(message, SyncCommittee.signers(update.syncAggregate))
  return {
    ...update,
    syncAggregate: { ...update.syncAggregate, syncCommitteeSignature: Hex.fromBytes(signature) }
  }
}
