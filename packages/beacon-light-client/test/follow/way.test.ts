/** Tests a light client that follows a made chain, slot by slot. */
import { assert, describe, it } from "@effect/vitest"
import { type BeaconNode, Clock } from "@plumbline/beacon-light-client"
import { Effect, Fiber, Stream } from "effect"

import { CHECKPOINT, deadNode, honest, network, oneSlot, options, slotsOf, start } from "../support/plain.ts"
import * as Plain from "../support/plain.ts"
import * as Worlds from "../support/world.ts"

describe("LightClient: its way", () => {
  it.effect("follows slot by slot, tells of moved heads, and only goes forward", () =>
    Effect.gen(function* () {
      const light = yield* start(1200n)
      const told = yield* Stream.runCollect(Stream.take(light.changes, 20)).pipe(Effect.forkChild)
      yield* Effect.yieldNow
      for (let slot = 0; slot < 20; slot++) yield* oneSlot
      const heads = yield* Fiber.join(told)
      const slots = heads.map(({ optimistic }) => optimistic.header.beacon.slot)
      assert.deepStrictEqual(
        slots,
        Array.from({ length: 20 }, (_, at) => 1199n + BigInt(at))
      )
      const finalized = heads.map((one) => one.finalized.header.beacon.slot)
      assert.deepStrictEqual(
        finalized,
        finalized.toSorted((a, b) => Number(a - b))
      )
      assert.strictEqual(finalized.at(-1), Plain.world.finalized(slots.at(-1)!))
      assert.isUndefined(yield* light.problem)
    })
  )

  it.effect("crosses periods while it follows, and catches up after a long sleep", () =>
    Effect.gen(function* () {
      let isAsleep = false
      const dead = deadNode("honest")
      const node: BeaconNode.BeaconNode = {
        ...honest,
        finalityUpdate: Effect.suspend(() => (isAsleep ? dead.finalityUpdate : honest.finalityUpdate)),
        optimisticUpdate: Effect.suspend(() => (isAsleep ? dead.optimisticUpdate : honest.optimisticUpdate)),
        updates: (from, count) => (isAsleep ? dead.updates(from, count) : honest.updates(from, count))
      }
      const light = yield* start(1270n, { nodes: [node] })
      for (let slot = 0; slot < 40; slot++) yield* oneSlot
      assert.strictEqual((yield* slotsOf(light))[1], 1309n)
      assert.strictEqual((yield* light.heads).period, Clock.periodOf(network, Plain.world.finalized(1309n)))
      isAsleep = true
      yield* Worlds.setSlot(network, 2000n)
      isAsleep = false
      yield* light.refresh
      assert.deepStrictEqual(yield* slotsOf(light), [Plain.world.finalized(1999n), 1999n])
      assert.strictEqual((yield* light.nodes)[0]!.refuted, 0)
    })
  )

  it.effect("does not blame a node that lacks the updates which lead to its newest one", () =>
    Effect.gen(function* () {
      let isPruned = false
      const node: BeaconNode.BeaconNode = {
        ...honest,
        updates: (from, count) => (isPruned ? Effect.succeed([]) : honest.updates(from, count))
      }
      const light = yield* start(1270n, { nodes: [node] })
      isPruned = true
      yield* Worlds.setSlot(network, 1400n)
      const failure = yield* Effect.flip(light.refresh)
      assert.deepStrictEqual(
        [Plain.checkOf(failure), failure.message],
        ["BeaconApiError", "honest: updates: the node does not have it"]
      )
      assert.strictEqual((yield* light.nodes)[0]!.refuted, 0)
      isPruned = false
      yield* light.refresh
      assert.deepStrictEqual(yield* slotsOf(light), [Plain.world.finalized(1399n), 1399n])
    })
  )

  it.effect("keeps its heads while nodes are silent or stale, and says what the problem is", () =>
    Effect.gen(function* () {
      let isDead = false
      const dead = deadNode("honest")
      const sometimes: BeaconNode.BeaconNode = {
        ...honest,
        finalityUpdate: Effect.suspend(() => (isDead ? dead.finalityUpdate : honest.finalityUpdate)),
        optimisticUpdate: Effect.suspend(() => (isDead ? dead.optimisticUpdate : honest.optimisticUpdate))
      }
      const light = yield* start(1200n, { nodes: [sometimes] })
      isDead = true
      yield* oneSlot
      assert.strictEqual((yield* light.problem)?._tag, "BeaconApiError")
      assert.strictEqual((yield* slotsOf(light))[1], 1199n)
      isDead = false
      yield* oneSlot
      assert.isUndefined(yield* light.problem)
      assert.strictEqual((yield* slotsOf(light))[1], 1201n)
    })
  )

  it.effect("loses finality and regains it", () =>
    Effect.gen(function* () {
      // from slot 1250 up to slot 1270, fewer than two thirds sign
      const isWeak = (slot: bigint): boolean => slot >= 1250n && slot < 1270n
      const world = Worlds.world(network, {
        signers: (slot) => (isWeak(slot) ? 20 : 32),
        finalized: (head) => (head >= 1250n && head < 1286n ? 1232n : Plain.world.finalized(head))
      })
      const light = yield* start(1240n, { nodes: [Worlds.node(world, [CHECKPOINT])] })
      yield* Worlds.setSlot(network, 1269n)
      yield* light.refresh
      assert.deepStrictEqual(yield* slotsOf(light), [1232n, 1268n])
      const { optimistic } = yield* light.heads
      assert.deepInclude(optimistic.support, { _tag: "Optimistic", signed: 20, of: 32 })
      yield* Worlds.setSlot(network, 1300n)
      yield* light.refresh
      assert.deepStrictEqual(yield* slotsOf(light), [Plain.world.finalized(1299n), 1299n])
    })
  )

  it.effect("asks for more signers than the protocol if the reader does", () =>
    Effect.gen(function* () {
      const world = Worlds.world(network, { signers: () => 30 })
      const nodes = [Worlds.node(world, [CHECKPOINT])]
      const strict = yield* start(1020n, { nodes, options: { ...options, finalityQuorum: 31, optimisticQuorum: 31 } })
      assert.deepStrictEqual(yield* slotsOf(strict), [CHECKPOINT, CHECKPOINT])
      const lenient = yield* start(1020n, { nodes, options: { ...options, finalityQuorum: 30, optimisticQuorum: 30 } })
      assert.deepStrictEqual(yield* slotsOf(lenient), [
        Plain.world.finalized(1019n) > CHECKPOINT ? Plain.world.finalized(1019n) : CHECKPOINT,
        1019n
      ])
    })
  )

  it.effect("forces a head after a period without finality only if it is told to, and says so", () =>
    Effect.gen(function* () {
      const world = Worlds.world(network, { signers: (slot) => (slot > 1010n ? 20 : 32) })
      const nodes = [Worlds.node(world, [CHECKPOINT])]
      for (const force of [false, true]) {
        const light = yield* start(1010n, { nodes, options: { ...options, force } })
        const before = yield* slotsOf(light)
        yield* Worlds.setSlot(network, 1060n)
        yield* light.refresh
        assert.strictEqual((yield* slotsOf(light))[0], before[0])
        yield* Worlds.setSlot(network, 1068n)
        yield* Effect.ignore(light.refresh)
        const { finalized } = yield* light.heads
        if (force) {
          assert.deepInclude(finalized.support, { _tag: "Forced", signed: 20, of: 32 })
          assert.isAbove(Number(finalized.header.beacon.slot), Number(before[0]))
        } else assert.strictEqual(finalized.header.beacon.slot, before[0])
      }
    })
  )
})
