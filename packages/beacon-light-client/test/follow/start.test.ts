/** Tests the start of a light client over made chains, with a test clock. */
import { assert, describe, it } from "@effect/vitest"
import { type BeaconNode, BeaconNodes, Clock, LightClient, TrustStore } from "@plumbline/beacon-light-client"
import { Deferred, Effect, Exit, Layer, Result } from "effect"
import { TestClock } from "effect/testing"

import { allForks } from "../support/networks.ts"
import { CHECKPOINT, checkOf, deadNode, honest, network, oneSlot, options, slotsOf, start } from "../support/plain.ts"
import * as Plain from "../support/plain.ts"
import { sized } from "../support/random.ts"
import * as Worlds from "../support/world.ts"

describe("LightClient: its start", () => {
  it.effect("goes from a checkpoint through all forks to the present, step by step", () =>
    Effect.gen(function* () {
      const periods = BigInt(Math.max(sized(100), 20))
      const world = Worlds.world(allForks)
      const present = 64n * periods + 40n
      yield* Worlds.setSlot(allForks, present)
      const seen: Array<LightClient.CatchUpProgress> = []
      const light = yield* Worlds.follow({
        network: allForks,
        nodes: [Worlds.node(world, [40n])],
        options: {
          checkpoint: world.chain.root(40n),
          onProgress: (progress) => Effect.sync(() => void seen.push(progress))
        }
      })
      const heads = yield* light.heads
      assert.deepStrictEqual(yield* slotsOf(light), [world.finalized(present - 1n), present - 1n])
      assert.strictEqual(heads.period, periods)
      assert.isTrue(heads.knowsNextCommittee)
      assert.strictEqual(heads.optimistic.beaconRoot, world.chain.root(present - 1n, world.finalized(present - 1n)))
      assert.deepStrictEqual(heads.optimistic.support, {
        _tag: "Optimistic",
        signed: 32,
        of: 32,
        attestedSlot: present - 1n,
        bits: "0xffffffff"
      })
      assert.strictEqual(heads.finalized.support._tag, "Finalized")
      assert.strictEqual(heads.finalized.by, "honest")
      assert.deepStrictEqual(seen.at(0), { from: 0n, period: 0n, target: periods })
      assert.strictEqual(seen.at(-1)!.period, periods)
      assert.isAtLeast(seen.length, Number(periods))
    })
  )

  it.effect("asks for no committee of a later period if it does not learn ahead, until that committee signs", () =>
    Effect.gen(function* () {
      const asked: Array<bigint> = []
      const watched: BeaconNode.BeaconNode = {
        ...honest,
        updates: (from, count) => {
          asked.push(from)
          return honest.updates(from, count)
        }
      }
      const eager = yield* start(CHECKPOINT + 15n)
      const light = yield* start(CHECKPOINT + 15n, {
        nodes: [watched],
        options: { ...options, learnsAhead: false }
      })
      const [expected, heads] = [yield* eager.heads, yield* light.heads]
      assert.deepStrictEqual(asked, [])
      assert.isTrue(expected.knowsNextCommittee)
      assert.isFalse(heads.knowsNextCommittee)
      assert.deepStrictEqual(heads.optimistic, expected.optimistic)
      assert.deepStrictEqual(heads.finalized, expected.finalized)
      for (let slot = 0; slot < 40; slot++) yield* oneSlot
      const { period } = yield* light.heads
      assert.deepStrictEqual(yield* slotsOf(light), yield* slotsOf(eager))
      assert.strictEqual(period, Clock.periodOf(network, CHECKPOINT) + 1n)
      assert.deepStrictEqual([...new Set(asked)], [period - 1n])
      assert.isUndefined(yield* light.problem)
    })
  )

  it.effect("asks for both heads at once", () =>
    Effect.gen(function* () {
      const isAsked = yield* Deferred.make<void>()
      const node: BeaconNode.BeaconNode = {
        ...honest,
        // this answer waits for the other question, so it never arrives if the questions are asked one after the other
        finalityUpdate: Effect.andThen(Deferred.await(isAsked), honest.finalityUpdate),
        optimisticUpdate: Effect.andThen(Deferred.succeed(isAsked, undefined), honest.optimisticUpdate)
      }
      const light = yield* start(CHECKPOINT + 15n, { nodes: [node] })
      assert.strictEqual((yield* slotsOf(light))[1], CHECKPOINT + 14n)
    })
  )

  it.effect("gets there with nodes that answer one update at a time", () =>
    Effect.gen(function* () {
      const asked: Array<readonly [bigint, number]> = []
      const slow: BeaconNode.BeaconNode = {
        ...honest,
        updates: (from, count) => {
          asked.push([from, count])
          return honest.updates(from, 1)
        }
      }
      const light = yield* start(CHECKPOINT + 640n, { nodes: [slow] })
      assert.strictEqual((yield* slotsOf(light))[1], CHECKPOINT + 639n)
      assert.isAtLeast(asked.length, 10)
    })
  )

  it.effect("never asks for more than 128 updates at a time", () =>
    Effect.gen(function* () {
      const asked: Array<readonly [bigint, number]> = []
      const watched: BeaconNode.BeaconNode = {
        ...honest,
        updates: (from, count) => {
          asked.push([from, count])
          return deadNode("honest").updates(from, count)
        }
      }
      yield* Effect.flip(start(CHECKPOINT + 64n * 200n, { nodes: [watched] }))
      assert.deepStrictEqual(asked, [[15n, 128]])
    })
  )

  it.effect("asks the next node for what the first does not have", () =>
    Effect.gen(function* () {
      const empty: BeaconNode.BeaconNode = {
        ...Worlds.node(Plain.world, [], "without bootstraps"),
        updates: () => Effect.succeed([])
      }
      const light = yield* start(CHECKPOINT + 300n, { nodes: [empty, honest] })
      assert.strictEqual((yield* slotsOf(light))[1], CHECKPOINT + 299n)
      const [first, second] = yield* light.nodes
      assert.deepInclude(first, { name: "without bootstraps", failed: 1, refuted: 0 })
      assert.deepInclude(second, { name: "honest", failed: 0, refuted: 0 })
    })
  )

  it.effect("refuses an old checkpoint unless it is told otherwise, and says how old it is", () =>
    Effect.gen(function* () {
      const days = (count: number) => CHECKPOINT + BigInt((count * 86_400) / network.secondsPerSlot)
      const near = { ...options, maxCheckpointAge: "1 hour" as const }
      const hour = BigInt(3600 / network.secondsPerSlot)
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(Effect.scoped(start(CHECKPOINT + hour, { options: near })))))
      const late = yield* Effect.flip(start(CHECKPOINT + hour + 1n, { options: near }))
      assert(late._tag === "CheckpointAgeError")
      assert.include(late.message, "checkpoint-age: the checkpoint is 0.0 days old")
      const byDefault = yield* Effect.flip(start(days(14) + 1n))
      assert(byDefault._tag === "CheckpointAgeError")
      assert.include(byDefault.message, "the checkpoint is 14.0 days old, and at most 14.0 days are allowed")
    })
  )

  it.effect("refuses a bootstrap that is not the checkpoint, one of the future, and no checkpoint at all", () =>
    Effect.gen(function* () {
      const other: BeaconNode.BeaconNode = {
        ...Worlds.node(Plain.world, [CHECKPOINT], "another"),
        bootstrap: () => Effect.succeed(Plain.world.chain.bootstrap(CHECKPOINT + 8n))
      }
      const lie = yield* Effect.flip(start(1200n, { nodes: [other] }))
      assert.strictEqual(checkOf(lie), "checkpoint-root")
      assert.include(lie.message, "another")
      assert.strictEqual(checkOf(yield* Effect.flip(start(CHECKPOINT - 1n))), "future-slot")
      assert.strictEqual((yield* Effect.flip(start(1200n, { options: {} })))._tag, "NoCheckpointError")
    })
  )

  it.effect("takes a checkpoint as plain text, and fails where it is no hash", () =>
    Effect.gen(function* () {
      const never = Layer.mergeAll(
        Layer.succeed(BeaconNodes.BeaconNodes, {} as never),
        Layer.succeed(TrustStore.TrustStore, {} as never)
      )
      for (const checkpoint of ["0x12", `0x${"1".repeat(63)}`, `0x${"1".repeat(65)}`, `0x${"g".repeat(64)}`] as const) {
        const error = yield* Effect.flip(Effect.provide(Layer.build(LightClient.layer({ checkpoint })), never))
        assert.strictEqual(error._tag, "CheckpointError")
        assert.match(error.message, /hex|bytes|digit/u, checkpoint)
      }
    })
  )

  it.effect("tolerates a clock that is half a second slow, and no slower", () =>
    Effect.gen(function* () {
      const begin = 1000 * Number(Clock.timeOf(network, CHECKPOINT))
      yield* TestClock.setTime(begin - 501)
      const setting = { network, nodes: [honest], options }
      assert.strictEqual(checkOf(yield* Effect.flip(Worlds.follow(setting))), "future-slot")
      yield* TestClock.setTime(begin - 500)
      const late = yield* Effect.result(Worlds.follow(setting))
      assert.isFalse(Result.isFailure(late) && checkOf(late.failure) === "future-slot")
    })
  )

  it.effect("fails if no node answers, with a lie before silence", () =>
    Effect.gen(function* () {
      const dead: BeaconNode.BeaconNode = deadNode("dead")
      const alone = yield* Effect.flip(start(1200n, { nodes: [dead] }))
      assert.strictEqual(alone._tag, "BeaconApiError")
      const liar: BeaconNode.BeaconNode = {
        ...deadNode("liar"),
        bootstrap: () => Effect.succeed(Plain.world.chain.bootstrap(CHECKPOINT + 8n))
      }
      for (const nodes of [
        [dead, liar],
        [liar, dead]
      ]) {
        assert.strictEqual(checkOf(yield* Effect.flip(start(1200n, { nodes }))), "checkpoint-root")
      }
    })
  )
})
