import { BitArray } from "@chainsafe/ssz"
import { assert, it } from "@effect/vitest"
import {
  Codec,
  type Fork,
  LightClientStore,
  MadeChain,
  HashTreeRoot,
  SyncCommittee,
  type Update
} from "@plumbline/beacon-light-client"
import { Hash32, Hex } from "@plumbline/codec"
import { Result } from "effect"

import { fastest } from "../support/engines.ts"
import { allForks, minimal } from "../support/networks.ts"

const forks: ReadonlyArray<Fork.Fork> = ["altair", "bellatrix", "capella", "deneb", "electra"]
const network = minimal(0n, forks)
const chain = MadeChain.make(network)

const options = (currentSlot: bigint): LightClientStore.LightClientStoreOptions => ({
  network,
  currentSlot,
  bls: fastest
})

/** A store whose finalized block is at slot 100, in period 1. */
const begun = Result.getOrThrow(LightClientStore.fromBootstrap(chain.bootstrap(100n), chain.root(100n), network))

/** The same store, which also knows the committee of period 2. */
const known = Result.getOrThrow(
  LightClientStore.process(begun, chain.update({ attested: 110n, finalized: 100n }), options(111n))
)

const processed = (
  store: LightClientStore.LightClientStore,
  update: Update.AnyUpdate,
  currentSlot = update.signatureSlot,
  more: Partial<LightClientStore.LightClientStoreOptions> = {}
) => LightClientStore.process(store, update, { ...options(currentSlot), ...more })

/** Returns the name of the check that refused, or `accepted`. */
const checkOf = (result: Result.Result<unknown, { readonly check: string }>): string =>
  Result.isFailure(result) ? result.failure.check : "accepted"

it("starts from a checkpoint, in either case of letters, and trusts nothing of a bootstrap besides", () => {
  const bootstrap = chain.bootstrap(100n)
  const root = chain.root(100n)
  const start = (lie: object = {}, checkpoint = root) =>
    LightClientStore.fromBootstrap({ ...bootstrap, ...lie }, checkpoint, network)
  assert.isTrue(Result.isSuccess(start({}, Hash32.fromHexUnsafe(`0x${root.slice(2).toUpperCase()}`))))
  assert.strictEqual(checkOf(start({}, chain.root(101n))), "checkpoint-root")
  assert.strictEqual(checkOf(start({ header: chain.bootstrap(101n).header })), "checkpoint-root")
  assert.strictEqual(checkOf(start({ currentSyncCommittee: chain.committee(2n) })), "committee-branch")
  assert.strictEqual(
    checkOf(start({ currentSyncCommitteeBranch: bootstrap.currentSyncCommitteeBranch.toReversed() })),
    "committee-branch"
  )
  const { header } = bootstrap
  if (header._tag !== "WithPayload") assert.fail(header._tag)
  const execution = { ...header.execution, blockHash: Hash32.ZERO }
  assert.strictEqual(checkOf(start({ header: { ...header, execution } })), "execution-branch")
  assert.deepStrictEqual(begun.finalized.support, { _tag: "Checkpoint" })
  assert.strictEqual(begun.optimistic, begun.finalized)
})

it("counts a checkpoint as finalized as soon as members sign a state that names it, and not before", () => {
  const support = { _tag: "Finalized", signed: 22, of: 32, attestedSlot: 110n, bits: "0xffff3f00" } as const
  for (const [choice, expected] of [
    [{ attested: 110n, finalized: 100n, signers: 22 }, support],
    [{ attested: 110n, finalized: 100n, signers: 21 }, { _tag: "Checkpoint" }],
    [{ attested: 110n, finalized: 96n, signers: 32 }, { _tag: "Checkpoint" }]
  ] as const) {
    for (const update of [chain.update(choice), chain.finalityUpdate(choice)]) {
      const after = Result.getOrThrow(processed(begun, update))
      assert.deepStrictEqual(after.finalized.support, expected)
      assert.strictEqual(after.finalized.header, begun.finalized.header)
      assert.strictEqual(after.optimistic.header.beacon.slot, 110n)
    }
  }
  // a second update does not change the support of a head that is already signed
  const again = Result.getOrThrow(processed(known, chain.finalityUpdate({ attested: 115n, finalized: 100n })))
  assert.strictEqual(again.finalized, known.finalized)
})

it("keeps the seats that signed, and not their number alone", () => {
  const signers = [0, 7, 8, 9, 12, ...Array.from({ length: 16 }, (_, at) => 14 + at), 31]
  const after = Result.getOrThrow(processed(begun, chain.update({ attested: 110n, finalized: 100n, signers })))
  for (const { support } of [after.finalized, after.optimistic]) {
    assert(support._tag !== "Checkpoint")
    const oracle = new BitArray(Hex.toBytesUnsafe(support.bits!), 32)
    assert.deepStrictEqual(oracle.getTrueBitIndexes(), signers)
    assert.deepStrictEqual(SyncCommittee.positions(support.bits!), oracle.toBoolArray())
    assert.strictEqual(support.signed, signers.length)
  }
})

it("refuses a bootstrap from before the network's light client", () => {
  const late = minimal(20n, ["altair", "bellatrix"])
  const moved = minimal(0n, forks, { forks: late.forks.map((fork) => ({ ...fork, epoch: fork.epoch + 20n })) })
  const early = MadeChain.make(late).bootstrap(100n)
  assert.strictEqual(
    checkOf(LightClientStore.fromBootstrap(early, HashTreeRoot.beaconBlock(early.header.beacon), moved)),
    "network"
  )
})

it("finalizes with two thirds of the members, and not with one fewer", () => {
  for (const [signers, isFinal] of [
    [21, false],
    [22, true]
  ] as const) {
    const update = chain.update({ attested: 150n, finalized: 120n, signers })
    const after = Result.getOrThrow(processed(known, update))
    assert.strictEqual(after.finalized.header.beacon.slot, isFinal ? 120n : 100n)
    assert.strictEqual(after.optimistic.header.beacon.slot, 150n)
  }
})

it("holds a stricter quorum if it is told one, and never a laxer one", () => {
  const update = chain.update({ attested: 150n, finalized: 120n, signers: 25 })
  const slots = (more: Partial<LightClientStore.LightClientStoreOptions>) => {
    const { finalized, optimistic } = Result.getOrThrow(processed(known, update, 151n, more))
    return [finalized.header.beacon.slot, optimistic.header.beacon.slot]
  }
  assert.deepStrictEqual(slots({ finalityQuorum: 25, optimisticQuorum: 25 }), [120n, 150n])
  assert.deepStrictEqual(slots({ finalityQuorum: 26 }), [100n, 150n])
  assert.deepStrictEqual(slots({ finalityQuorum: 26, optimisticQuorum: 26 }), [100n, 110n])
  const few = chain.update({ attested: 150n, finalized: 120n, signers: 16 })
  const lax = Result.getOrThrow(processed(known, few, 151n, { finalityQuorum: 1, optimisticQuorum: 1 }))
  assert.deepStrictEqual([lax.finalized, lax.optimistic], [known.finalized, known.optimistic])
})

it("takes a head with more than half of the most that signed in this period or the one before", () => {
  const head = (store: LightClientStore.LightClientStore, attested: bigint, signers: number) =>
    Result.getOrThrow(processed(store, chain.optimisticUpdate({ attested, signers })))
  assert.strictEqual(head(begun, 101n, 1).optimistic.header.beacon.slot, 101n)
  assert.strictEqual(head(known, 151n, 16).optimistic.header.beacon.slot, 110n)
  assert.strictEqual(head(known, 151n, 17).optimistic.header.beacon.slot, 151n)
  // in the next period, the maximum of the previous period still counts
  const next = Result.getOrThrow(processed(known, chain.update({ attested: 150n, finalized: 130n, signers: 22 })))
  assert.deepStrictEqual([next.previousMaxParticipants, next.currentMaxParticipants], [32, 0])
  assert.strictEqual(head(next, 160n, 16).optimistic.header.beacon.slot, 150n)
  assert.strictEqual(head(next, 160n, 17).optimistic.header.beacon.slot, 160n)
})

it("never goes back: an older head, an older finalized block, an update again", () => {
  const newer = Result.getOrThrow(processed(known, chain.update({ attested: 170n, finalized: 150n })))
  const older = Result.getOrThrow(processed(newer, chain.update({ attested: 165n, finalized: 140n })))
  assert.deepStrictEqual([older.finalized, older.optimistic], [newer.finalized, newer.optimistic])
  assert.strictEqual(checkOf(processed(newer, chain.update({ attested: 150n, finalized: 149n }))), "relevance")
  const again = Result.getOrThrow(processed(newer, chain.update({ attested: 170n, finalized: 150n })))
  assert.deepStrictEqual([again.finalized, again.optimistic], [newer.finalized, newer.optimistic])
})

it("refuses slots that are out of their order, or not yet come", () => {
  assert.strictEqual(checkOf(processed(known, chain.update({ attested: 150n, finalized: 120n }), 150n)), "future-slot")
  assert.strictEqual(
    checkOf(processed(known, chain.update({ attested: 150n, finalized: 120n, signature: 150n }))),
    "slot-order"
  )
  assert.strictEqual(checkOf(processed(known, chain.update({ attested: 150n, finalized: 151n }), 160n)), "slot-order")
  assert.isTrue(Result.isSuccess(processed(known, chain.update({ attested: 150n, finalized: 150n }))))
})

it("refuses updates of periods whose committee is not known", () => {
  assert.strictEqual(checkOf(processed(begun, chain.update({ attested: 150n, finalized: 120n }))), "period")
  assert.strictEqual(checkOf(processed(known, chain.update({ attested: 200n, finalized: 180n }))), "period")
  assert.strictEqual(checkOf(processed(known, chain.update({ attested: 60n, finalized: 50n }))), "period")
  assert.isTrue(Result.isSuccess(processed(known, chain.update({ attested: 190n, finalized: 170n }))))
})

it("refuses signatures by no members, by others than it says, and by another committee", () => {
  const update = chain.update({ attested: 150n, finalized: 120n })
  const { syncCommitteeSignature } = update.syncAggregate
  const withBits = (syncCommitteeBits: `0x${string}`) => ({
    ...update,
    syncAggregate: { syncCommitteeBits, syncCommitteeSignature }
  })
  assert.strictEqual(checkOf(processed(known, withBits("0x00000000"))), "participation")
  assert.strictEqual(checkOf(processed(known, withBits("0xfeffffff"))), "signature")
  const other = MadeChain.make(network, { seed: "another" }).update({ attested: 150n, finalized: 120n })
  assert.strictEqual(checkOf(processed(known, { ...update, syncAggregate: other.syncAggregate })), "signature")
  const swapped = { ...known, nextSyncCommittee: known.currentSyncCommittee }
  assert.strictEqual(checkOf(processed(swapped, update)), "signature")
})

it("binds the signature to the network and to the fork", () => {
  const genesisValidatorsRoot = Hash32.fromHexUnsafe(`0x${"5b".repeat(32)}`)
  const elsewhere = minimal(0n, forks, { genesisValidatorsRoot })
  assert.strictEqual(
    checkOf(processed(known, MadeChain.make(elsewhere).update({ attested: 150n, finalized: 120n }))),
    "signature"
  )
  const forked = minimal(0n, forks, { forks: network.forks.map((fork) => ({ ...fork, version: "0x77777777" })) })
  assert.strictEqual(
    checkOf(processed(known, MadeChain.make(forked).update({ attested: 150n, finalized: 120n }))),
    "signature"
  )
})

it("does not bind the slot of the signature but by its epoch and its period", () => {
  const update = chain.update({ attested: 150n, finalized: 120n })
  for (let signatureSlot = 151n; signatureSlot < 192n; signatureSlot++) {
    assert.isTrue(Result.isSuccess(processed(known, { ...update, signatureSlot })), `${signatureSlot}`)
  }
  assert.strictEqual(checkOf(processed(known, { ...update, signatureSlot: 192n })), "period")
  // if a fork begins between the attested slot and the signature slot, the fork version differs
  const made = MadeChain.make(allForks)
  const store = Result.getOrThrow(LightClientStore.fromBootstrap(made.bootstrap(70n), made.root(70n), allForks))
  const before = made.optimisticUpdate({ attested: 90n })
  const at = (signatureSlot: bigint) =>
    LightClientStore.process(
      store,
      { ...before, signatureSlot },
      { network: allForks, currentSlot: 200n, bls: fastest }
    )
  assert.isTrue(Result.isSuccess(at(96n)))
  assert.strictEqual(checkOf(at(97n)), "signature")
})

it("keeps a known next committee, and learns it again only after its period", () => {
  const update = chain.update({ attested: 120n, finalized: 105n })
  const nextSyncCommittee = chain.committee(1n)
  assert.strictEqual(checkOf(processed(known, { ...update, nextSyncCommittee })), "next-committee-changed")
  assert.strictEqual(checkOf(processed(begun, { ...update, nextSyncCommittee })), "next-committee-branch")
  // an update with finality, but without a committee, moves the header into the next period; the committee after that
  // period is then unknown
  const {
    nextSyncCommittee: _,
    nextSyncCommitteeBranch: __,
    ...finality
  } = chain.update({
    attested: 150n,
    finalized: 130n
  })
  const moved = Result.getOrThrow(processed(known, finality))
  assert.strictEqual(moved.currentSyncCommittee, known.nextSyncCommittee)
  assert.isUndefined(moved.nextSyncCommittee)
  // an update with finality in an older period does not bring the next committee, but an update with finality in its
  // own period does
  const old = Result.getOrThrow(processed(moved, chain.update({ attested: 135n, finalized: 127n })))
  assert.isUndefined(old.nextSyncCommittee)
  const own = Result.getOrThrow(processed(moved, chain.update({ attested: 135n, finalized: 129n })))
  assert.deepStrictEqual(own.nextSyncCommittee, chain.committee(3n))
  assert.strictEqual(own.finalized, moved.finalized)
})

it("takes updates without finality or without a committee, and refuses the parts without their branch", () => {
  const form = { fork: "electra", syncCommitteeSize: 32 } as const
  const empty = Result.getOrThrow(Codec.update.decode(zeroUpdate(), form))
  const whole = chain.update({ attested: 150n, finalized: 120n })
  const { finalityBranch, finalizedHeader, nextSyncCommittee, nextSyncCommitteeBranch } = empty
  const parts = [
    [{ finalityBranch }, "finality-branch"],
    [{ finalizedHeader }, "finality-branch"],
    [{ nextSyncCommitteeBranch }, "next-committee-branch"],
    [{ nextSyncCommittee }, "next-committee-branch"]
  ] as const
  for (const [part, check] of parts) assert.strictEqual(checkOf(processed(known, { ...whole, ...part })), check)
  const light = { ...whole, finalityBranch, finalizedHeader, nextSyncCommittee, nextSyncCommitteeBranch }
  const after = Result.getOrThrow(processed(known, light))
  assert.strictEqual(after.finalized, known.finalized)
  assert.strictEqual(after.optimistic.header, whole.attestedHeader)
  const extra = { ...finalizedHeader, beacon: { ...finalizedHeader.beacon, proposerIndex: 1n } }
  assert.strictEqual(checkOf(processed(known, { ...light, finalizedHeader: extra })), "finality-branch")
})

/** Returns an update that is zero except for its offsets, so that its headers are empty. */
const zeroUpdate = (): Uint8Array => {
  const form = { fork: "electra", syncCommitteeSize: 32 } as const
  const bytes = Codec.update.encode(chain.update({ attested: 150n }), form)
  const update = Result.getOrThrow(Codec.update.decode(bytes, form))
  const none = update.finalizedHeader
  const zeros = (branch: ReadonlyArray<Hash32.Hash32>) => branch.map(() => Hash32.ZERO)
  return Codec.update.encode(
    {
      ...update,
      attestedHeader: none,
      finalityBranch: zeros(update.finalityBranch),
      nextSyncCommittee: { pubkeys: new Uint8Array(32 * 48), aggregatePubkey: new Uint8Array(48) },
      nextSyncCommitteeBranch: zeros(update.nextSyncCommitteeBranch)
    },
    form
  )
}

it("takes the finality of a chain that finalized nothing yet: an empty header under a zero root", () => {
  const store = Result.getOrThrow(LightClientStore.fromBootstrap(chain.bootstrap(1n), chain.root(1n), network))
  const update = chain.update({ attested: 12n })
  const after = Result.getOrThrow(processed(store, update))
  assert.strictEqual(after.finalized, store.finalized)
  assert.strictEqual(after.optimistic.header, update.attestedHeader)
  const lie = { ...update.finalizedHeader, beacon: { ...update.finalizedHeader.beacon, proposerIndex: 1n } }
  assert.strictEqual(checkOf(processed(store, { ...update, finalizedHeader: lie })), "finality-branch")
})

it("forces the best update after a period without finality, and says so", () => {
  const poor = Result.getOrThrow(processed(known, chain.update({ attested: 150n, finalized: 120n, signers: 18 })))
  const good = Result.getOrThrow(processed(poor, chain.update({ attested: 152n, finalized: 120n, signers: 20 })))
  const best = Result.getOrThrow(processed(good, chain.update({ attested: 154n, finalized: 120n, signers: 19 })))
  assert.strictEqual(best.bestUpdate?.attestedHeader.beacon.slot, 152n)
  assert.strictEqual(LightClientStore.force(best, 164n, network), best)
  const forced = LightClientStore.force(best, 165n, network)
  const support = { _tag: "Forced", signed: 20, of: 32, attestedSlot: 152n, bits: "0xffff0f00" } as const
  assert.deepStrictEqual(forced.finalized.support, support)
  assert.strictEqual(forced.finalized.header.beacon.slot, 120n)
  assert.isUndefined(forced.bestUpdate)
  assert.strictEqual(LightClientStore.force(forced, 500n, network), forced)
})

it("forces the attested header where nothing newer is finalized, and the next committee with it", () => {
  const stuck = Result.getOrThrow(processed(known, chain.update({ attested: 150n, finalized: 90n, signers: 32 })))
  assert.strictEqual(stuck.finalized, known.finalized)
  const forced = LightClientStore.force(stuck, 165n, network)
  assert.strictEqual(forced.finalized.header.beacon.slot, 150n)
  assert.strictEqual(forced.currentSyncCommittee, known.nextSyncCommittee)
  assert.deepStrictEqual(forced.nextSyncCommittee, chain.committee(3n))
  // a client that lacks the next committee receives it in this way
  const lost = Result.getOrThrow(processed(begun, chain.update({ attested: 115n, finalized: 60n, signers: 30 })))
  assert.isUndefined(lost.nextSyncCommittee)
  assert.deepStrictEqual(LightClientStore.force(lost, 165n, network).nextSyncCommittee, chain.committee(2n))
})

it("keeps the better update for the force: the majority, its own committee, finality, more signers, older", () => {
  const worse = (one: MadeChain.MadeUpdateOptions, two: MadeChain.MadeUpdateOptions): void => {
    for (const [a, b] of [
      [one, two],
      [two, one]
    ] as const) {
      const first = Result.getOrThrow(processed(known, chain.update(a)))
      const both = Result.getOrThrow(processed(first, chain.update(b)))
      const better = chain.update(two)
      assert.deepStrictEqual(both.bestUpdate?.syncAggregate, better.syncAggregate)
      assert.strictEqual(both.bestUpdate?.signatureSlot, better.signatureSlot)
    }
  }
  // the known finalized slot is later than slot 90, so none of these updates is applied
  worse({ attested: 150n, finalized: 90n, signers: 21 }, { attested: 150n, finalized: 90n, signers: 22 })
  worse({ attested: 150n, finalized: 90n, signers: 20 }, { attested: 150n, finalized: 90n, signers: 21 })
  worse(
    { attested: 127n, finalized: 90n, signers: 32, signature: 128n },
    { attested: 150n, finalized: 90n, signers: 22 }
  )
  worse({ attested: 150n, finalized: 90n, signers: 22 }, { attested: 120n, finalized: 90n, signers: 22 })
  worse({ attested: 150n, finalized: 90n, signers: 22 }, { attested: 150n, finalized: 90n, signers: 23 })
  worse({ attested: 151n, finalized: 90n, signers: 22 }, { attested: 150n, finalized: 90n, signers: 22 })
  worse(
    { attested: 150n, finalized: 90n, signers: 22, signature: 152n },
    { attested: 150n, finalized: 90n, signers: 22, signature: 151n }
  )
})
