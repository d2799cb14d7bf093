/** Tests that a light client, which checks every branch and signature, can follow the embedded beacon chain. */
import { assert, describe, it } from "@effect/vitest"
import { Bls, Clock, Codec, BeaconHeader, LightClientStore, SyncCommittee } from "@plumbline/beacon-light-client"
import type { Hash32 } from "@plumbline/codec"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"

import { BeaconChain, HistoryChain } from "../../src/index.ts"
import * as Beacon from "../support/beacon.ts"
import "../support/shared.ts"

const start = Effect.fnUntraced(function* (options: BeaconChain.BeaconChainOptions = {}) {
  yield* TestClock.setTime(1_700_000_000_000)
  const node = yield* Beacon.execution
  const chain = yield* Effect.provide(BeaconChain.make({ seed: new Uint8Array([7]), ...options }), node.layer)
  return { node, chain }
})

/** Advances the time second by second, so that each slot gets its block before the next one begins. */
const pass = (seconds: number) => Effect.repeat(TestClock.adjust("1 second"), { times: seconds - 1 })

/** Settings with periods of 8 slots. */
const SHORT = { slotsPerEpoch: 2, epochsPerSyncCommitteePeriod: 4 }

describe("a beacon chain", () => {
  it.effect("is followed from its checkpoint at once: the newest block is signed, and one is finalized", () =>
    Effect.gen(function* () {
      const { chain, node } = yield* start()
      const checkpoint = yield* chain.checkpoint
      const client = yield* Beacon.follow(chain.network, Beacon.bootstrap(chain, checkpoint), checkpoint)
      yield* client.take(Beacon.finalityUpdate(chain))
      assert.strictEqual(Beacon.hashOf(client.store.optimistic), HistoryChain.blocks[60]!.hash)
      const before = client.store.finalized.header.beacon.slot
      assert.strictEqual(client.store.finalized.support._tag, "Finalized")

      node.head = 61
      yield* pass(1)
      yield* client.take(Beacon.optimisticUpdate(chain))
      assert.strictEqual(Beacon.hashOf(client.store.optimistic), HistoryChain.blocks[61]!.hash)
      assert.strictEqual(Beacon.numberOf(client.store.finalized), 60n)

      yield* pass(12)
      yield* client.take(Beacon.finalityUpdate(chain))
      assert.strictEqual(Beacon.numberOf(client.store.finalized), 61n)
      assert.isTrue(client.store.finalized.header.beacon.slot > before)
    })
  )

  it.effect("changes its committee with the period, and a client that has one of any period follows to the head", () =>
    Effect.gen(function* () {
      const { chain } = yield* start(SHORT)
      const checkpoint = yield* chain.checkpoint
      const first = Beacon.bootstrap(chain, checkpoint)
      yield* pass(44)
      const client = yield* Beacon.follow(chain.network, first, checkpoint)
      const roots = new Set<string>()
      const signed = new Set<number>()
      for (const update of Beacon.updates(chain, 0n, 128)) {
        yield* client.take(update)
        roots.add(update.nextSyncCommittee.pubkeys.toString())
        signed.add(SyncCommittee.signers(update.syncAggregate).length)
      }
      yield* client.take(Beacon.finalityUpdate(chain))
      assert.strictEqual(roots.size, 7)
      assert.isAbove(signed.size, 2)
      assert.isAtLeast(Math.min(...signed), 507)
      const head = Clock.slotAt(chain.network, 1_700_000_044) - 1n
      assert.strictEqual(client.store.optimistic.header.beacon.slot, head)

      // a light client can also start from a later checkpoint of the chain
      const later = yield* chain.checkpoint
      const young = yield* Beacon.follow(chain.network, Beacon.bootstrap(chain, later), later)
      const period = Clock.periodOf(chain.network, young.store.finalized.header.beacon.slot)
      for (const update of Beacon.updates(chain, period, 128)) yield* young.take(update)
      yield* young.take(Beacon.finalityUpdate(chain))
      assert.strictEqual(young.store.optimistic.header.beacon.slot, head)
    })
  )

  it.effect("makes up the blocks of periods through which it slept, and a client passes over none", () =>
    Effect.gen(function* () {
      const { chain, node } = yield* start(SHORT)
      const checkpoint = yield* chain.checkpoint
      const client = yield* Beacon.follow(chain.network, Beacon.bootstrap(chain, checkpoint), checkpoint)
      node.head = undefined
      yield* pass(30)
      const asleep = Beacon.json(chain, "/eth/v1/beacon/headers/head").data.header.message.slot
      node.head = 65
      yield* pass(1)
      assert.isAbove(Number(Beacon.json(chain, "/eth/v1/beacon/headers/head").data.header.message.slot), Number(asleep))
      for (const update of Beacon.updates(chain, 0n, 128)) yield* client.take(update)
      yield* client.take(Beacon.finalityUpdate(chain))
      assert.strictEqual(Beacon.numberOf(client.store.optimistic), 65n)
    })
  )

  it.effect("is another network at every start, unless it has the same seed", () =>
    Effect.gen(function* () {
      const root = Effect.map(start({ seed: undefined }), ({ chain }) => chain.network.genesisValidatorsRoot)
      assert.notStrictEqual(yield* root, yield* root)
      const [one, two] = [yield* start(), yield* start()]
      assert.deepStrictEqual(one.chain.network, two.chain.network)
    })
  )

  it.effect("cannot be taken for another one: its checkpoint, its committee and its signature are its own", () =>
    Effect.gen(function* () {
      const [ours, other] = [yield* start(), yield* start({ seed: new Uint8Array([8]) })]
      const checkpoint = yield* ours.chain.checkpoint
      const [own, foreign] = [ours, other].map(({ chain }) => Beacon.finalityUpdate(chain))
      const read = (start: typeof ours.chain, root: Hash32.Hash32) =>
        LightClientStore.fromBootstrap(Beacon.bootstrap(start, root), checkpoint, ours.chain.network)
      const wrong = read(other.chain, yield* other.chain.checkpoint)
      assert.strictEqual(Result.isFailure(wrong) && wrong.failure.check, "checkpoint-root")
      const options = { network: ours.chain.network, bls: Bls.noble, currentSlot: own!.signatureSlot }
      const store = Result.getOrThrow(read(ours.chain, checkpoint))
      const refused = LightClientStore.process(store, foreign!, options)
      assert.strictEqual(Result.isFailure(refused) && refused.failure.check, "signature")
      const changed = { ...own!, finalizedHeader: own!.attestedHeader }
      const lied = LightClientStore.process(store, changed, options)
      assert.strictEqual(Result.isFailure(lied) && lied.failure.check, "finality-branch")
    })
  )
})

describe("its API", () => {
  it.effect("says the same in JSON and in SSZ", () =>
    Effect.gen(function* () {
      const { chain } = yield* start()
      const checkpoint = yield* chain.checkpoint
      const light = "/eth/v1/beacon/light_client"
      const read = <A>(codec: Codec.ContainerCodec<A>, { data, version }: any): A => {
        assert.strictEqual(version, "electra")
        return Result.getOrThrow(codec.fromJson(data, Beacon.FORM))
      }
      assert.deepStrictEqual(
        read(Codec.bootstrap, Beacon.json(chain, `${light}/bootstrap/${checkpoint}`)),
        Beacon.bootstrap(chain, checkpoint)
      )
      const listed = Beacon.json(chain, `${light}/updates?start_period=0&count=1`)
      assert.deepStrictEqual(
        listed.map((item: unknown) => read(Codec.update, item)),
        Beacon.updates(chain, 0n, 1)
      )
      assert.deepStrictEqual(
        read(Codec.finalityUpdate, Beacon.json(chain, `${light}/finality_update`)),
        Beacon.finalityUpdate(chain)
      )
      assert.deepStrictEqual(
        read(Codec.optimisticUpdate, Beacon.json(chain, `${light}/optimistic_update`)),
        Beacon.optimisticUpdate(chain)
      )
    })
  )

  it.effect("answers in the form that weighs more, and in JSON if neither does", () =>
    Effect.gen(function* () {
      const { chain } = yield* start()
      const target = "/eth/v1/beacon/light_client/finality_update"
      const typeFor = (accept: string) => chain.answer({ target, accept }).headers["content-type"]
      assert.strictEqual(typeFor("application/octet-stream;q=1, application/json;q=0.9"), "application/octet-stream")
      assert.strictEqual(typeFor("application/octet-stream;q=0.5, application/json;q=0.9"), "application/json")
      assert.strictEqual(typeFor("*/*"), "application/json")
      assert.strictEqual(chain.answer({ target, accept: "" }).headers["eth-consensus-version"], "electra")
    })
  )

  it.effect("tells its network and its headers", () =>
    Effect.gen(function* () {
      const { chain } = yield* start()
      const { network } = chain
      const checkpoint = yield* chain.checkpoint
      assert.deepStrictEqual(Beacon.json(chain, "/eth/v1/beacon/genesis").data, {
        genesis_time: String(network.genesisTime),
        genesis_validators_root: network.genesisValidatorsRoot,
        genesis_fork_version: network.forks[0]!.version
      })
      const { data } = Beacon.json(chain, "/eth/v1/config/spec")
      assert.strictEqual(data.SECONDS_PER_SLOT, "1")
      assert.strictEqual(data.ELECTRA_FORK_VERSION, network.forks.at(-1)!.version)
      const finalized = Beacon.json(chain, "/eth/v1/beacon/headers/finalized")
      assert.isTrue(finalized.finalized)
      assert.deepStrictEqual(Beacon.json(chain, `/eth/v1/beacon/headers/${finalized.data.root}`), finalized)
      const first = Beacon.json(chain, `/eth/v1/beacon/headers/${checkpoint}`)
      assert.deepStrictEqual([first.data.root, first.finalized], [checkpoint, true])
      assert.isBelow(Number(first.data.header.message.slot), Number(finalized.data.header.message.slot))
      const { slot } = finalized.data.header.message
      assert.deepStrictEqual(Beacon.json(chain, `/eth/v1/beacon/headers/${slot}`), finalized)
      const head = Beacon.json(chain, "/eth/v1/beacon/headers/head")
      assert.isFalse(head.finalized)
      const { attestedHeader } = Beacon.optimisticUpdate(chain)
      assert.strictEqual(head.data.header.message.state_root, attestedHeader.beacon.stateRoot)
      assert.isDefined(BeaconHeader.blockHash(attestedHeader))
    })
  )

  it.effect("refuses what it does not have", () =>
    Effect.gen(function* () {
      const { chain } = yield* start()
      const light = "/eth/v1/beacon/light_client"
      const head = Beacon.json(chain, "/eth/v1/beacon/headers/head").data.root
      for (const [target, status] of [
        [`${light}/bootstrap/${head}`, 404],
        [`${light}/bootstrap/0x12`, 400],
        [`${light}/bootstrap/`, 400],
        [`${light}/updates`, 400],
        [`${light}/updates?start_period=-1&count=1`, 400],
        [`${light}/updates?start_period=0&count=1e3`, 400],
        ["/eth/v1/beacon/headers/999999", 404],
        ["/eth/v1/beacon/headers/justified", 404],
        ["/eth/v2/beacon/blocks/head", 404],
        ["/", 404],
        ["//", 404]
      ] as const) {
        const answer = chain.answer({ target, accept: "application/octet-stream" })
        assert.strictEqual(answer.status, status, target)
        assert.strictEqual(JSON.parse(new TextDecoder().decode(answer.body)).code, status)
      }
      assert.deepStrictEqual(Beacon.json(chain, `${light}/updates?start_period=7&count=1`), [])
    })
  )
})
