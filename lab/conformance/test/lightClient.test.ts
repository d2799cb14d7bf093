/** Tests the beacon light client with recorded data of mainnet, and with the sync tests of the specification. */
import { assert, it } from "@effect/vitest"
import {
  Bls,
  Clock,
  Codec,
  BeaconHeader,
  LightClientStore,
  Network,
  HashTreeRoot,
  SyncCommittee
} from "@plumbline/beacon-light-client"
import { Result } from "effect"

import * as Mainnet from "./lightClient/mainnet.ts"
import * as SpecTests from "./lightClient/specTests.ts"
import { conformance } from "./support/fixtures.ts"

const mainnet = Network.mainnet
const options = { network: mainnet, currentSlot: 2n ** 40n, bls: Bls.noble }

/** Starts a store from a bootstrap. Its checkpoint is the root of the bootstrap itself. */
const started = (bootstrap: Mainnet.Recorded<any>["value"]): LightClientStore.LightClientStore =>
  Result.getOrThrow(
    LightClientStore.fromBootstrap(bootstrap, HashTreeRoot.beaconBlock(bootstrap.header.beacon), mainnet)
  )

conformance("light client", () => {
  it("reads and writes every recorded container without change, as SSZ and as JSON", () => {
    const check = <A>(codec: Codec.ContainerCodec<A>, recorded: ReadonlyArray<Mainnet.Recorded<A>>): void => {
      for (const { bytes, file, form, value } of recorded) {
        const encoded = codec.encode(value, form)
        if (bytes !== undefined) assert.isTrue(Buffer.from(encoded).equals(bytes), file)
        assert.deepStrictEqual(Result.getOrThrow(codec.decode(encoded, form)), value)
        const json = JSON.parse(JSON.stringify(codec.toJson(value, form)))
        assert.deepStrictEqual(Result.getOrThrow(codec.fromJson(json, form)), value)
      }
    }
    check(Codec.bootstrap, Mainnet.bootstraps())
    check(Codec.update, Mainnet.updates())
  })

  it("verifies every bootstrap, every update whose committee is known, and the heads of mainnet", () => {
    const stores = new Map<bigint, LightClientStore.LightClientStore>()
    const bootstraps = Mainnet.bootstraps()
    for (const { value } of bootstraps) stores.set(Clock.periodOf(mainnet, value.header.beacon.slot), started(value))
    const updates = Mainnet.updates().toSorted((a, b) => Number(a.value.signatureSlot - b.value.signatureSlot))
    const unknown: Array<bigint> = []
    for (const { file, value } of updates) {
      const period = Clock.periodOf(mainnet, value.attestedHeader.beacon.slot)
      const store = stores.get(period)
      if (store === undefined) {
        unknown.push(period)
        continue
      }
      assert.isAtLeast(SyncCommittee.signers(value.syncAggregate).length, 507)
      const after = LightClientStore.process(store, value, options)
      if (Result.isFailure(after)) assert.fail(`${file} ${period}: ${after.failure.message}`)
      const next = stores.get(period + 1n)?.currentSyncCommittee ?? value.nextSyncCommittee
      assert.strictEqual(
        HashTreeRoot.syncCommittee(value.nextSyncCommittee),
        HashTreeRoot.syncCommittee(next),
        `${file} ${period}`
      )
      // the protocol learns the next committee only from an update that finalizes a block of the same period; the proof
      // of the committee is valid without that, so the test takes the committee from the update itself
      if (!stores.has(period + 1n)) {
        stores.set(period + 1n, { ...after.success, nextSyncCommittee: value.nextSyncCommittee })
      }
    }
    assert.deepStrictEqual([bootstraps.length, updates.length, unknown], [9, 29, [1408n]])

    for (const { file, value } of Mainnet.heads()) {
      const period = Clock.periodOf(mainnet, value.signatureSlot)
      const store = stores.get(period) ?? assert.fail(`${file} has no committee for ${period}`)
      const after = Result.getOrThrow(LightClientStore.process(store, value, options))
      assert.strictEqual(after.optimistic.header, value.attestedHeader, file)
    }
  })

  for (const test of SpecTests.all()) {
    it(`takes every step of the specification's test: ${test.name}`, () => {
      let store = Result.getOrThrow(
        LightClientStore.fromBootstrap(Result.getOrThrow(test.bootstrap), test.trustedRoot as never, test.network)
      )
      const { network } = test
      let checks = 0
      for (const { currentSlot, finalized, optimistic, update } of test.steps) {
        if (update === undefined) {
          store = LightClientStore.force(store, currentSlot, network)
        } else {
          const valid = Result.getOrThrow(update)
          store = Result.getOrThrow(LightClientStore.process(store, valid, { network, currentSlot, bls: Bls.noble }))
        }
        for (const [head, expected] of [
          [store.finalized.header, finalized],
          [store.optimistic.header, optimistic]
        ] as const) {
          checks++
          assert.strictEqual(head.beacon.slot, expected.slot)
          assert.strictEqual<string>(HashTreeRoot.beaconBlock(head.beacon), expected.beaconRoot)
          if (head._tag !== "WithPayload") assert.fail(`no payload: ${BeaconHeader.blockHash(head)}`)
          assert.strictEqual<string>(HashTreeRoot.executionPayload(head.execution, "deneb"), expected.executionRoot!)
        }
      }
      assert.strictEqual(checks, 2 * test.steps.length)
      assert.isAtLeast(checks, 2)
    })
  }
})
