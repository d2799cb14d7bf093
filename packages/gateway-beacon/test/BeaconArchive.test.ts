/** Tests what an archive keeps: over honest nodes, over nodes that lie, and after restarts. */
import { assert, describe, it } from "@effect/vitest"
import {
  BeaconApi,
  type BeaconHeader,
  type BeaconNode,
  Clock,
  Codec,
  HashTreeRoot,
  TrustStore,
  type Update
} from "@plumbline/beacon-light-client"
import { Hash32, type Hex } from "@plumbline/codec"
import type { BeaconArchive } from "@plumbline/gateway-beacon"
import * as Databases from "@plumbline/gateway/support/databases"
import * as Service from "@plumbline/gateway/support/service"
import { Effect, Result, Scope, Exit } from "effect"
import { SqlClient } from "effect/sql"

import * as Archive from "./support/archive.ts"

const { START, honest, network, reached } = Archive
const world = Archive.world(network)
const checkpoint = world.chain.root(START)

/** Returns the updates that an archive has from a period on, as values. */
const updatesOf = (archive: BeaconArchive.BeaconArchive, from = 0n, count = 128) =>
  Effect.map(archive.updates(from, count), (found) =>
    found.map((update) => Result.getOrThrow(BeaconApi.decode(Codec.update, update, network)))
  )

/** Returns the slot of the newest head that an archive keeps; undefined if it keeps none. */
const headOf = (archive: BeaconArchive.BeaconArchive) =>
  Effect.map(
    archive.optimisticUpdate,
    (update) =>
      update && Result.getOrThrow(BeaconApi.decode(Codec.optimisticUpdate, update, network)).attestedHeader.beacon.slot
  )

/** Returns the finalized block's root at a slot, as the world's honest node tells it. */
const finalizedAt = (slot: bigint): Hash32.Hash32 => world.chain.root(world.finalized(slot - 1n))

const lies = (archive: BeaconArchive.BeaconArchive, name: string) =>
  Effect.map(archive.status, ({ nodes }) => nodes.find((node) => node.name === name)!)

describe.each(Databases.kinds)("an archive in $name", (kind) => {
  const test = it.effect.skipIf(kind.skipped)

  test("serves a light client that knows only its URL after the nodes are gone, and after a restart", () =>
    Effect.gen(function* () {
      const database = yield* kind.fresh
      const records = yield* Effect.provide(TrustStore.TrustStore, TrustStore.layerMemory())
      let isDown = false
      const node = Archive.mortal(honest(world), () => isDown)
      const opened = { database, records, nodes: [node], options: { checkpoint } }
      // period 11 is of Gloas, and the checkpoint of Electra
      const first = 64n * 8n + 30n
      const last = 64n * 11n + 30n
      yield* Archive.setSlot(network, first)
      const scope = yield* Scope.make()
      const before = yield* Scope.provide(Archive.open(opened), scope)
      yield* reached(before, finalizedAt(first))
      yield* Archive.goTo(before, last)
      yield* reached(before, finalizedAt(last))
      // the newest head is written after the finalized one
      yield* Archive.until(Effect.map(headOf(before), (slot) => slot === last - 1n))
      yield* Scope.close(scope, Exit.void)

      isDown = true
      const archive = yield* Archive.open(opened)
      const { url } = yield* Archive.serve(archive)
      const at = `${url}/live/v3/${Service.KEY}`
      const starts = [checkpoint, finalizedAt(first), finalizedAt(last)]
      for (const start of starts) {
        const light = yield* Archive.reader(at, start)
        const { finalized, optimistic } = yield* light.heads
        assert.strictEqual(HashTreeRoot.beaconBlock(finalized.header.beacon), finalizedAt(last))
        assert.strictEqual(optimistic.header.beacon.slot, last - 1n)
        assert.deepStrictEqual(
          (yield* light.nodes).map(({ failed, refuted }) => [failed, refuted]),
          [[0, 0]]
        )
      }
      const { follows, periods, problem } = yield* archive.status
      assert.deepStrictEqual([follows, periods], [false, { first: 1n, last: 11n }])
      assert.strictEqual(problem, "honest: updates: connection failed")
    }))

  test("goes on where it stopped, and fills the periods that it missed", () =>
    Effect.gen(function* () {
      const database = yield* kind.fresh
      const records = yield* Effect.provide(TrustStore.TrustStore, TrustStore.layerMemory())
      const opened = { database, records, nodes: [honest(world)], options: { checkpoint } }
      for (const slot of [64n * 3n + 30n, 64n * 6n + 40n]) {
        yield* Archive.setSlot(network, slot)
        const scope = yield* Scope.make()
        const archive = yield* Scope.provide(Archive.open(opened), scope)
        yield* reached(archive, finalizedAt(slot))
        yield* Archive.until(Effect.map(archive.updates(1n, 9), (all) => all.length >= Number(slot / 64n)))
        const periods = (yield* updatesOf(archive, 1n)).map(({ attestedHeader }) =>
          Clock.periodOf(network, attestedHeader.beacon.slot)
        )
        assert.deepStrictEqual(
          periods,
          Array.from({ length: Number(slot / 64n) }, (_, at) => BigInt(at + 1))
        )
        yield* Scope.close(scope, Exit.void)
      }
    }))

  test("keeps as much as it is told to, and the first bootstrap of each period", () =>
    Effect.gen(function* () {
      const database = yield* kind.fresh
      const options = { checkpoint, periods: 3, epochs: 2 }
      yield* Archive.setSlot(network, 64n * 2n + 30n)
      const archive = yield* Archive.open({ database, nodes: [honest(world)], options })
      yield* reached(archive, finalizedAt(64n * 2n + 30n))
      const last = 64n * 7n + 40n
      for (const slot of [64n * 5n + 30n, 64n * 6n + 24n, 64n * 6n + 40n, 64n * 7n + 30n, last]) {
        yield* Archive.goTo(archive, slot)
        yield* reached(archive, finalizedAt(slot))
      }
      yield* Archive.until(Effect.map(archive.status, ({ periods }) => periods?.first === 5n))
      assert.deepStrictEqual((yield* archive.status).periods, { first: 5n, last: 7n })
      const slots = Array.from({ length: 61 }, (_, at) => 8n * BigInt(at))
      const kept = yield* Effect.filter(slots, (slot) =>
        Effect.map(archive.bootstrap(world.chain.root(slot)), (found) => found !== undefined)
      )
      const of = (period: bigint) => kept.filter((slot) => Clock.periodOf(network, slot) === period)
      assert.deepStrictEqual([0n, 1n, 2n, 3n, 4n].flatMap(of), [START])
      // the light client may also have seen heads between those of the test, so the first one may be older
      assert.deepStrictEqual([of(5n).length, of(6n).length], [1, 1])
      assert.deepStrictEqual(of(7n).slice(-2), [456n, 464n])
      assert.isAtMost(of(7n).length, 3)
    }))
})

describe("an archive over nodes that lie", () => {
  const slot = 64n * 4n + 40n

  /** The chain of other members, with the same genesis: a node of it signs with keys that no checkpoint leads to. */
  const forged = Archive.world(network, {}, { seed: "another" })

  const flipped = (hex: Hex.Hex): Hex.Hex => `${hex.slice(0, -1)}${hex.endsWith("0") ? "1" : "0"}` as Hex.Hex

  const changing = (node: BeaconNode.BeaconNode, change: <A extends Update.OptimisticUpdate>(update: A) => A) => ({
    ...node,
    name: "liar",
    updates: (start: bigint, count: number) => Effect.map(node.updates(start, count), (all) => all.map(change)),
    finalityUpdate: Effect.map(node.finalityUpdate, change),
    optimisticUpdate: Effect.map(node.optimisticUpdate, change)
  })

  const true_ = honest(world)
  const LIES: Readonly<Record<string, BeaconNode.BeaconNode>> = {
    "another signature": changing(true_, (update) => {
      const { syncCommitteeBits } = update.syncAggregate
      const other = world.chain.optimisticUpdate({ attested: 100n, signers: 25 }).syncAggregate
      return { ...update, syncAggregate: { ...other, syncCommitteeBits } }
    }),
    "more signers than there were": changing(
      Archive.honest(Archive.world(network, { signers: () => 25 })),
      (update) => ({
        ...update,
        syncAggregate: { ...update.syncAggregate, syncCommitteeBits: "0xffffffff" }
      })
    ),
    "a header that nobody signed": changing(true_, (update) => ({
      ...update,
      attestedHeader: {
        ...update.attestedHeader,
        beacon: { ...update.attestedHeader.beacon, proposerIndex: 9n }
      }
    })),
    "another committee": {
      ...true_,
      name: "liar",
      updates: (start, count) =>
        Effect.map(true_.updates(start, count), (all) =>
          all.map((update) => ({ ...update, nextSyncCommittee: world.chain.committee(1n) }))
        )
    },
    "another branch": {
      ...true_,
      name: "liar",
      updates: (start, count) =>
        Effect.map(true_.updates(start, count), (all) =>
          all.map((update) => ({
            ...update,
            nextSyncCommitteeBranch: update.nextSyncCommitteeBranch.map((node) => flipped(node) as Hash32.Hash32)
          }))
        )
    },
    "updates of another network with the same members": {
      ...honest(Archive.world({ ...network, genesisValidatorsRoot: Hash32.fromHexUnsafe(`0x${"6b".repeat(32)}`) })),
      name: "liar",
      bootstrap: true_.bootstrap
    },
    "a whole chain of other members": {
      ...honest(forged),
      name: "liar",
      bootstrap: true_.bootstrap
    }
  }

  it.effect.each(Object.keys(LIES))("keeps nothing of a node that sends %s, and counts it", (name) =>
    Effect.gen(function* () {
      const database = yield* Databases.kinds[0]!.fresh
      yield* Archive.setSlot(network, slot)
      const archive = yield* Archive.open({ database, nodes: [LIES[name]!], options: { checkpoint } })
      yield* Archive.until(Effect.map(archive.status, ({ problem }) => problem !== undefined))
      const { lie, refuted } = yield* lies(archive, "liar")
      assert.isTrue(refuted > 0 && lie !== undefined, `${refuted}`)
      assert.deepStrictEqual(yield* archive.updates(0n, 128), [])
      // a lie about committees leaves the heads true
      if (!name.endsWith("committee") && !name.endsWith("branch")) {
        assert.isUndefined(yield* archive.finalityUpdate)
        assert.isUndefined(yield* archive.optimisticUpdate)
      }
    })
  )

  /** Makes a node that lies about updates of periods only after a light client has started from it. */
  const lateLiar = (lie: BeaconNode.BeaconNode): BeaconNode.BeaconNode => {
    let isLying = false
    return {
      ...true_,
      name: "liar",
      finalityUpdate: Effect.tap(true_.finalityUpdate, () => Effect.sync(() => (isLying = true))),
      updates: (start, count) => Effect.suspend(() => (isLying ? lie : true_).updates(start, count))
    }
  }

  it.effect.each(Object.keys(LIES))("keeps no update of a node that sends %s only after its heads were true", (name) =>
    Effect.gen(function* () {
      const database = yield* Databases.kinds[0]!.fresh
      yield* Archive.setSlot(network, slot)
      const archive = yield* Archive.open({ database, nodes: [lateLiar(LIES[name]!)], options: { checkpoint } })
      yield* reached(archive, finalizedAt(slot))
      assert.isDefined(yield* archive.finalityUpdate)
      assert.deepStrictEqual(yield* archive.updates(0n, 128), [])
      const { lie, refuted } = yield* lies(archive, "liar")
      assert.isTrue(refuted > 0 && lie !== undefined, `${refuted}`)
      // with an honest node beside it, every update is kept, and is the honest one
      const other = yield* Databases.kinds[0]!.fresh
      const nodes = [lateLiar(LIES[name]!), honest(world)]
      const both = yield* Archive.open({ database: other, nodes, options: { checkpoint } })
      yield* reached(both, finalizedAt(slot))
      assert.deepStrictEqual(yield* updatesOf(both, 1n), yield* true_.updates(1n, 4))
      assert.isTrue((yield* lies(both, "liar")).refuted > 0)
    })
  )

  it.effect("keeps the truth of one honest node among liars", () =>
    Effect.gen(function* () {
      const database = yield* Databases.kinds[0]!.fresh
      yield* Archive.setSlot(network, slot)
      const liars = Object.values(LIES).map((node, at) => ({ ...node, name: `liar ${at}` }))
      const archive = yield* Archive.open({ database, nodes: [...liars, true_], options: { checkpoint } })
      yield* reached(archive, finalizedAt(slot))
      yield* Archive.until(Effect.map(archive.updates(1n, 9), (all) => all.length === 4))
      const expected = yield* true_.updates(1n, 4)
      const kept = yield* updatesOf(archive, 1n)
      assert.deepStrictEqual(
        kept.map(({ attestedHeader, nextSyncCommittee }) => [attestedHeader, nextSyncCommittee]),
        expected.map(({ attestedHeader, nextSyncCommittee }) => [attestedHeader, nextSyncCommittee])
      )
      for (const { name } of liars) assert.isTrue((yield* lies(archive, name)).refuted > 0, name)
      assert.strictEqual((yield* lies(archive, "honest")).refuted, 0)
    })
  )

  it.effect("keeps no bootstrap with another committee, and none of another block", () =>
    Effect.gen(function* () {
      const database = yield* Databases.kinds[0]!.fresh
      yield* Archive.setSlot(network, slot)
      const wrong: BeaconNode.BeaconNode = {
        ...true_,
        name: "liar",
        bootstrap: (root) =>
          Hash32.equals(root, checkpoint)
            ? true_.bootstrap(root)
            : Effect.map(true_.bootstrap(root), (bootstrap) => ({
                ...bootstrap,
                currentSyncCommittee: world.chain.committee(1n)
              }))
      }
      const other: BeaconNode.BeaconNode = {
        ...true_,
        name: "other",
        bootstrap: (root) => true_.bootstrap(Hash32.equals(root, checkpoint) ? root : world.chain.root(72n))
      }
      const archive = yield* Archive.open({ database, nodes: [wrong, other], options: { checkpoint } })
      yield* Archive.until(Effect.map(archive.updates(1n, 9), (all) => all.length === 4))
      yield* Archive.until(Effect.map(archive.status, ({ problem }) => problem !== undefined))
      assert.isUndefined(yield* archive.bootstrap(finalizedAt(slot)))
      assert.isUndefined(yield* archive.bootstrap(world.chain.root(72n)))
      assert.match((yield* archive.status).problem!, /(?:committee-branch|checkpoint-root)/u)
      for (const name of ["liar", "other"]) assert.isTrue((yield* lies(archive, name)).refuted > 0, name)
    })
  )

  it.effect("does not take back a newer head for an old answer, which is no lie", () =>
    Effect.gen(function* () {
      const database = yield* Databases.kinds[0]!.fresh
      yield* Archive.setSlot(network, slot)
      let isStale = false
      const old = yield* true_.finalityUpdate
      const node: BeaconNode.BeaconNode = {
        ...true_,
        finalityUpdate: Effect.suspend(() => (isStale ? Effect.succeed(old) : true_.finalityUpdate)),
        optimisticUpdate: Effect.suspend(() => (isStale ? Effect.succeed(old) : true_.optimisticUpdate))
      }
      const archive = yield* Archive.open({ database, nodes: [node], options: { checkpoint } })
      yield* reached(archive, finalizedAt(slot))
      yield* Archive.goTo(archive, slot + 9n)
      yield* reached(archive, finalizedAt(slot + 9n))
      const before = [yield* archive.finalityUpdate, yield* archive.optimisticUpdate]
      isStale = true
      const { asked } = yield* lies(archive, "honest")
      yield* Archive.goTo(archive, slot + 10n)
      yield* Archive.until(Effect.map(lies(archive, "honest"), (now) => now.asked >= asked + 2))
      assert.deepStrictEqual([yield* archive.finalityUpdate, yield* archive.optimisticUpdate], before)
      assert.strictEqual((yield* lies(archive, "honest")).refuted, 0)
    })
  )

  it.effect("replaces an update by a better one of the same period, and never by a worse one", () =>
    Effect.gen(function* () {
      const database = yield* Databases.kinds[0]!.fresh
      yield* Archive.setSlot(network, slot)
      let signers = 25
      const varying = honest(Archive.world(network, { signers: () => signers }))
      const archive = yield* Archive.open({ database, nodes: [varying], options: { checkpoint } })
      yield* reached(archive, finalizedAt(slot))
      const signedNow = Effect.map(updatesOf(archive, 4n, 1), ([update]) => update?.syncAggregate.syncCommitteeBits)
      yield* Archive.until(Effect.map(signedNow, (bits) => bits === "0xffffff01"))
      signers = 31
      const heard = new Set<string>()
      const leave = archive.onHead((kind) => heard.add(kind))
      yield* Archive.goTo(archive, slot + 9n)
      yield* Archive.until(Effect.map(signedNow, (bits) => bits === "0xffffff7f"))
      yield* Archive.until(Effect.sync(() => heard.size === 2))
      leave()
      signers = 28
      yield* Archive.goTo(archive, slot + 17n)
      yield* reached(archive, finalizedAt(slot + 17n))
      yield* Archive.until(Effect.map(archive.status, ({ follows }) => follows))
      assert.strictEqual(yield* signedNow, "0xffffff7f")
    })
  )

  it.effect("stops for good at two chains that the same members signed, says so, and serves on", () =>
    Effect.gen(function* () {
      const database = yield* Databases.kinds[0]!.fresh
      yield* Archive.setSlot(network, slot)
      const twin = Archive.world(network, {}, { execution: otherExecution })
      let isTold = false
      const traitor = Archive.mortal(honest(twin, "traitor"), () => !isTold)
      const archive = yield* Archive.open({ database, nodes: [true_, traitor], options: { checkpoint } })
      yield* reached(archive, finalizedAt(slot))
      yield* Archive.until(Effect.map(archive.updates(1n, 9), (all) => all.length === 4))
      isTold = true
      yield* Archive.goTo(archive, slot + 1n)
      const stopped = yield* archive.status
      assert.deepStrictEqual([stopped.follows, stopped.problem?.includes("conflict")], [false, true])
      assert.isTrue((yield* archive.following).stopped)
      const service = yield* Archive.serve(archive)
      const health = yield* Service.ask(service, { path: "/health", method: "GET" })
      const { beacon, degraded, status } = JSON.parse(health.body)
      assert.deepStrictEqual([status, beacon], ["degraded", [{ name: "live", state: "stopped" }]])
      assert.include(degraded[0], "beacon live: two valid updates contradict each other")
      assert.strictEqual((yield* Service.ask(service, { path: "/readyz", method: "GET" })).status, 200)
      assert.strictEqual((yield* archive.updates(1n, 9)).length, 4)
      assert.isDefined(yield* archive.finalityUpdate)
      // time and silence of one side decide nothing
      isTold = false
      yield* Archive.goTo(archive, slot + 20n)
      assert.isFalse((yield* archive.status).follows)
    })
  )

  it.effect("ends a range before an update of a fork that it does not know, and leaves out none in the middle", () =>
    Effect.gen(function* () {
      const database = yield* Databases.kinds[0]!.fresh
      yield* Archive.setSlot(network, slot)
      const archive = yield* Archive.open({ database, nodes: [true_], options: { checkpoint } })
      yield* reached(archive, finalizedAt(slot))
      yield* Archive.until(Effect.map(archive.updates(1n, 9), (all) => all.length === 4))
      // as a later version of the program leaves it
      yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE beacon_updates SET fork = 'heze' WHERE period = 2`),
        database.layer
      )
      assert.strictEqual((yield* archive.updates(1n, 9)).length, 1)
      assert.strictEqual((yield* archive.updates(2n, 9)).length, 0)
      assert.strictEqual((yield* archive.updates(3n, 9)).length, 2)
    })
  )

  it.effect("removes what another checkpoint proved, if it contradicts the checkpoint of now", () =>
    Effect.gen(function* () {
      const database = yield* Databases.kinds[0]!.fresh
      yield* Archive.setSlot(network, slot)
      const scope = yield* Scope.make()
      const options = { checkpoint: forged.chain.root(START) }
      const before = yield* Scope.provide(Archive.open({ database, nodes: [honest(forged)], options }), scope)
      yield* reached(before, forged.chain.root(world.finalized(slot - 1n)))
      yield* Archive.until(Effect.map(before.updates(1n, 9), (all) => all.length === 4))
      yield* Scope.close(scope, Exit.void)
      const archive = yield* Archive.open({ database, nodes: [true_], options: { checkpoint } })
      yield* reached(archive, finalizedAt(slot))
      assert.isUndefined(yield* archive.bootstrap(forged.chain.root(START)))
      for (const update of yield* updatesOf(archive, 1n)) {
        const period = Clock.periodOf(network, update.attestedHeader.beacon.slot)
        assert.deepStrictEqual(update.nextSyncCommittee, world.chain.committee(period + 1n))
      }
    })
  )
})

/** Returns the execution payload of a slot with other extra data. */
const otherExecution = (slot: bigint): BeaconHeader.ExecutionPayloadHeader => {
  const { header } = world.chain.bootstrap(slot)
  assert(header._tag === "WithPayload")
  return { ...header.execution, extraData: "0xbad0", blockHash: Hash32.ZERO }
}
