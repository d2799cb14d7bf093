import { assert, it } from "@effect/vitest"
import {
  Bls,
  Clock,
  Fork,
  BeaconHeader,
  LightClientStore,
  MadeChain,
  Network,
  HashTreeRoot
} from "@plumbline/beacon-light-client"
import { Result } from "effect"

import { fastest } from "../support/engines.ts"
import { allForks, minimal } from "../support/networks.ts"
import { sized } from "../support/random.ts"

const SLOTS = 64n

const chain = MadeChain.make(allForks)

const at = (network: Network.Network, currentSlot: bigint): LightClientStore.LightClientStoreOptions => ({
  network,
  currentSlot,
  bls: fastest
})

const started = (made: MadeChain.MadeChain, slot: bigint): LightClientStore.LightClientStore =>
  Result.getOrThrow(LightClientStore.fromBootstrap(made.bootstrap(slot), made.root(slot), made.network))

/** Returns the store after an update, which must be valid. */
const next = (
  store: LightClientStore.LightClientStore,
  made: MadeChain.MadeChain,
  choice: MadeChain.MadeUpdateOptions
): LightClientStore.LightClientStore => {
  const update = made.update(choice)
  return Result.getOrThrow(LightClientStore.process(store, update, at(made.network, update.signatureSlot)))
}

it("follows a chain through all forks, period by period, with the hash of each execution block", () => {
  let store = started(chain, 5n)
  const forks = new Set<string>()
  const last = Clock.periodOf(allForks, 90n * 8n)
  for (let period = 0n; period <= last; period++) {
    const finalized = period * SLOTS + 24n
    const attested = finalized + 17n
    store = next(store, chain, { attested, finalized, signers: 22 })
    const { header } = store.finalized
    assert.strictEqual(header.beacon.slot, finalized)
    const bits = "0xffff3f00"
    const support = { _tag: "Finalized", signed: 22, of: 32, attestedSlot: attested, bits } as const
    assert.deepStrictEqual(store.finalized.support, support)
    assert.strictEqual(HashTreeRoot.beaconBlock(header.beacon), chain.root(finalized))
    const fork = Clock.forkAt(allForks, finalized)!
    forks.add(fork)
    assert.strictEqual(BeaconHeader.blockHash(header) === undefined, !Fork.isFrom(fork, "capella"))
    assert.strictEqual(
      HashTreeRoot.syncCommittee(store.currentSyncCommittee),
      HashTreeRoot.syncCommittee(chain.committee(period))
    )
    assert.strictEqual(
      HashTreeRoot.syncCommittee(store.nextSyncCommittee!),
      HashTreeRoot.syncCommittee(chain.committee(period + 1n))
    )
  }
  assert.deepStrictEqual([...forks], [...Fork.all])
})

it("takes headers of every fork in the containers of every later one", () => {
  for (const [index, schedule] of allForks.forks.entries()) {
    const slot = schedule.epoch * 8n + 2n
    assert(Fork.isFork(schedule.name))
    for (const fork of Fork.all.slice(index)) {
      const bootstrap = chain.bootstrap(slot, fork)
      const store = Result.getOrThrow(LightClientStore.fromBootstrap(bootstrap, chain.root(slot), allForks))
      const update = chain.update({ attested: slot + 20n, finalized: slot + 8n, fork })
      const after = Result.getOrThrow(LightClientStore.process(store, update, at(allForks, slot + 21n)))
      assert.strictEqual(after.finalized.header.beacon.slot, slot + 8n, `${schedule.name} in ${fork}`)
      const hash = BeaconHeader.blockHash(after.finalized.header)
      const isNone = hash === undefined || hash === `0x${"0".repeat(64)}`
      assert.strictEqual(isNone, !Fork.isFrom(schedule.name, "capella"), `${schedule.name} in ${fork}`)
    }
  }
})

it("crosses each fork between the finalized, the attested and the signing slot", () => {
  for (const { epoch, name } of allForks.forks.slice(1)) {
    const first = epoch * 8n
    assert(Fork.isFork(name))
    // members sign the head of the previous slot, so a signature in the first slot of a fork still uses the old version
    for (const attested of [first - 2n, first - 1n, first, first + 1n]) {
      // a fork may begin at the start of a period, whose committee must be known before
      const known = next(started(chain, first - 30n), chain, { attested: first - 28n, finalized: first - 29n })
      const after = next(known, chain, { attested, finalized: first - 16n, fork: name })
      assert.strictEqual(after.optimistic.header.beacon.slot, attested, `${name} ${attested}`)
      assert.strictEqual(after.finalized.header.beacon.slot, first - 16n, `${name} ${attested}`)
    }
  }
})

it("follows a hundred periods, restarted in the middle, with finality lost and regained", () => {
  const network = minimal(600n)
  const made = MadeChain.make(network, { seed: "long" })
  const periods = BigInt(sized(100))
  const middle = periods / 2n
  let store = started(made, 1n)
  for (let period = 0n; period < periods; period++) {
    if (period === middle) {
      // a second client, which starts from the last finalized block, has the same store except for updates that it has
      // not seen
      const { slot } = store.finalized.header.beacon
      store = started(made, slot)
      assert.isUndefined(store.nextSyncCommittee)
      store = next(store, made, { attested: slot + 16n, finalized: slot })
    }
    const attested = period * SLOTS + 40n
    const before = store.finalized
    // only half of the members sign, so the block becomes neither a head nor final
    store = next(store, made, { attested: attested - 9n, finalized: attested - 20n, signers: 16 })
    assert.strictEqual(store.finalized, before)
    store = next(store, made, { attested, finalized: attested - 16n, signers: 32 })
    assert.strictEqual(store.finalized.header.beacon.slot, attested - 16n)
    assert.strictEqual(store.optimistic.header.beacon.slot, attested)
    const head = made.optimisticUpdate({ attested: attested + 5n, signers: 31 })
    store = Result.getOrThrow(LightClientStore.process(store, head, at(network, attested + 6n)))
    assert.strictEqual(store.optimistic.header.beacon.slot, attested + 5n)
  }
  assert.strictEqual(Clock.periodOf(network, store.finalized.header.beacon.slot), periods - 1n)
})

it("follows a network's own sizes, 512 members, into Gloas, with both engines alike", () => {
  const network = Network.sepolia
  const made = MadeChain.make(network)
  // on Sepolia, Gloas begins at the start of a period
  const first = 353024n * 32n
  const known = next(started(made, first - 200n), made, { attested: first - 100n, finalized: first - 164n })
  const update = made.update({ attested: first + 50n, finalized: first - 14n, signers: 342 })
  const [slow, fast] = [Bls.noble, fastest].map((bls) =>
    Result.getOrThrow(LightClientStore.process(known, update, { network, currentSlot: first + 51n, bls }))
  )
  assert.deepStrictEqual(slow, fast)
  assert.strictEqual(slow!.finalized.header._tag, "WithBlockHash")
  assert.deepStrictEqual(slow!.optimistic.support, {
    _tag: "Optimistic",
    signed: 342,
    of: 512,
    attestedSlot: first + 50n,
    bits: `0x${"ff".repeat(42)}3f${"00".repeat(21)}`
  })
})
