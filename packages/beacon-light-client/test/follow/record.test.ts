/** A light client that goes on from its record. */
import { assert, describe, it } from "@effect/vitest"
import { type BeaconNode, Clock, TrustRecord } from "@plumbline/beacon-light-client"
import { Effect, Exit, Result, type Scope } from "effect"

import { checkOf, checkpoint, deadNode, honest, network, options, start } from "../support/plain.ts"
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
      // later, without naming the checkpoint again
      const later = yield* session(Effect.flatMap(start(1600n, { store, options: {} }), (light) => light.heads))
      assert.strictEqual(later.optimistic.header.beacon.slot, 1599n)
      assert.strictEqual(later.checkpoint.givenAt, begun.checkpoint.givenAt)
    })
  )

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

  it.effect("refuses the record of another network and a damaged one by name", () =>
    Effect.gen(function* () {
      const store = yield* Worlds.memory
      yield* session(start(1200n, { store }))
      const bytes = (yield* store.load("minimal"))!
      const other = Object.assign({}, network, { genesisValidatorsRoot: checkpoint })
      const setting = { network: other, nodes: [honest], options, store }
      const foreign = yield* Effect.flip(session(Worlds.follow(setting)))
      assert.strictEqual(checkOf(foreign), "store")
      bytes[bytes.length - 1]! ^= 1
      yield* store.save("minimal", bytes)
      assert.strictEqual(checkOf(yield* Effect.flip(session(start(1200n, { store })))), "store")
    })
  )
})
