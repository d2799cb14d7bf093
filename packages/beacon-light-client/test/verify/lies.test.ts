import { assert, describe, it } from "@effect/vitest"
import { Codec, Fork, type Form, LightClientStore, MadeChain, type Update } from "@plumbline/beacon-light-client"
import { Result } from "effect"

import { fastest } from "../support/engines.ts"
import { minimal } from "../support/networks.ts"
import { Random, sized } from "../support/random.ts"

const SIZE = 32

/** A chain whose blocks are all of one fork, with a store of period 1 that knows the committee of period 2. */
const world = (fork: Fork.Fork) => {
  const network = minimal(0n, Fork.all.slice(0, Fork.all.indexOf(fork) + 1))
  const chain = MadeChain.make(network, { seed: fork })
  const options = { network, currentSlot: 189n, bls: fastest }
  const begun = Result.getOrThrow(LightClientStore.fromBootstrap(chain.bootstrap(100n), chain.root(100n), network))
  const first = chain.update({ attested: 110n, finalized: 100n })
  const store = Result.getOrThrow(LightClientStore.process(begun, first, options))
  // the signers are chosen so that every part of the bits has members that sign and members that do not
  const signers = Array.from({ length: 25 }, (_, at) => at + (at > 10 ? 3 : 0))
  const choice = { attested: 150n, finalized: 120n, signature: 157n, signers }
  return { network, chain, options, store, choice, form: { fork, syncCommitteeSize: SIZE } as Form.ContainerForm }
}

/**
 * Returns the name of the check that refused the update, or `accepted`. Throws `believed` if the update was accepted
 * and the heads are not those of `truth`.
 */
const judge = <A extends Update.AnyUpdate>(
  { form, options, store }: ReturnType<typeof world>,
  codec: Codec.ContainerCodec<A>,
  bytes: Uint8Array,
  truth: LightClientStore.LightClientStore
): string => {
  const read = codec.decode(bytes, form)
  if (Result.isFailure(read)) return read.failure.check
  const after = LightClientStore.process(store, read.success, options)
  if (Result.isFailure(after)) return after.failure.check
  const { finalized, optimistic } = after.success
  assert.deepStrictEqual([finalized, optimistic], [truth.finalized, truth.optimistic], "believed")
  return "accepted"
}

/** Returns the position of the signature's slot, which ends the fixed part of every update. */
const slotAt = (bytes: Uint8Array, form: Form.ContainerForm, codec: Codec.ContainerCodec<any>): number => {
  const value = Result.getOrThrow(codec.decode(bytes, form))
  const other = codec.encode({ ...value, signatureSlot: value.signatureSlot ^ 1n }, form)
  return bytes.findIndex((byte, at) => byte !== other[at])
}

for (const fork of ["altair", "capella", "deneb", "electra", "gloas"] as const) {
  describe(`lies in ${fork}`, () => {
    const made = world(fork)
    const { chain, choice, form, options, store } = made
    const kinds = [
      ["update", Codec.update, Codec.update.encode(chain.update(choice), form)],
      ["finality update", Codec.finalityUpdate, Codec.finalityUpdate.encode(chain.finalityUpdate(choice), form)],
      ["optimistic update", Codec.optimisticUpdate, Codec.optimisticUpdate.encode(chain.optimisticUpdate(choice), form)]
    ] as ReadonlyArray<readonly [string, Codec.ContainerCodec<any>, Uint8Array]>

    for (const [name, codec, bytes] of kinds) {
      it(`refuses every changed bit of the ${name}, but for the low bits of the signature's slot`, () => {
        const truth = Result.getOrThrow(
          LightClientStore.process(store, Result.getOrThrow(codec.decode(bytes, form)), options)
        )
        const free = slotAt(bytes, form, codec)
        const tally = new Map<string, number>()
        const random = new Random(`${fork} ${name}`)
        const all = bytes.length * 8
        for (let at = 0; at < all; at += 1 + random.below(2 * Math.ceil(all / sized(1500)))) {
          const place = at >> 3
          const outcome = judge(made, codec, bytes.with(place, bytes[place]! ^ (1 << (at & 7))), truth)
          tally.set(outcome, (tally.get(outcome) ?? 0) + 1)
          if (outcome === "accepted") assert.strictEqual(place, free, `bit ${at} of ${name}`)
        }
        for (const bit of [0, 1, 2]) {
          assert.strictEqual(judge(made, codec, bytes.with(free, bytes[free]! ^ (1 << bit)), truth), "accepted")
        }
        for (const bit of [4, 7]) {
          const outcome = judge(made, codec, bytes.with(free, bytes[free]! ^ (1 << bit)), truth)
          assert.include(["slot-order", "future-slot", "period"], outcome)
        }
        assert.isAtLeast(tally.size, name === "optimistic update" ? 2 : 3, JSON.stringify([...tally]))
      })
    }

    it("refuses a bootstrap with any changed bit", () => {
      const bytes = Codec.bootstrap.encode(chain.bootstrap(100n), form)
      const root = chain.root(100n)
      const random = new Random(fork)
      const all = bytes.length * 8
      const checks = new Set<string>()
      for (let at = 0; at < all; at += 1 + random.below(2 * Math.ceil(all / sized(1500)))) {
        const read = Codec.bootstrap.decode(bytes.with(at >> 3, bytes[at >> 3]! ^ (1 << (at & 7))), form)
        const start = Result.flatMap(read, (lie) => LightClientStore.fromBootstrap(lie, root, made.network))
        assert.isTrue(Result.isFailure(start), `bit ${at}`)
        if (Result.isFailure(start)) checks.add(start.failure.check)
      }
      assert.includeMembers([...checks], ["committee-branch", "checkpoint-root"])
    })

    it("refuses each part of another true update, by name", () => {
      const update = chain.update(choice)
      const other = chain.update({ attested: 152n, finalized: 128n, signature: 158n })
      const abroad = MadeChain.make(made.network, { seed: "abroad" }).update(choice)
      const check = (lie: Partial<Update.Update>): string => {
        const after = LightClientStore.process(store, { ...update, ...lie }, options)
        return Result.isFailure(after) ? after.failure.check : "accepted"
      }
      assert.strictEqual(check({}), "accepted")
      assert.strictEqual(check({ attestedHeader: other.attestedHeader }), "finality-branch")
      assert.strictEqual(check({ finalizedHeader: other.finalizedHeader }), "finality-branch")
      assert.strictEqual(check({ finalityBranch: abroad.finalityBranch }), "finality-branch")
      assert.strictEqual(check({ nextSyncCommittee: abroad.nextSyncCommittee }), "next-committee-branch")
      assert.strictEqual(check({ nextSyncCommitteeBranch: abroad.nextSyncCommitteeBranch }), "next-committee-branch")
      assert.strictEqual(check({ syncAggregate: other.syncAggregate }), "signature")
      assert.strictEqual(check(abroad), "signature")
      const { attestedHeader } = update
      if (attestedHeader._tag === "BeaconOnly") return
      const executionBranch = attestedHeader.executionBranch.toReversed()
      assert.strictEqual(check({ attestedHeader: { ...attestedHeader, executionBranch } }), "execution-branch")
      const bare = { _tag: "BeaconOnly", beacon: attestedHeader.beacon } as const
      assert.strictEqual(check({ attestedHeader: bare }), "execution-branch")
    })
  })
}

it("refuses blobs in a header of Capella, and headers of Deneb without them", () => {
  const network = minimal(40n, ["altair", "bellatrix", "capella", "deneb"])
  const slots = { capella: 81n * 8n, deneb: 121n * 8n }
  const chain = MadeChain.make(network)
  const start = (slot: bigint, change: object): string => {
    const bootstrap = chain.bootstrap(slot, "deneb")
    const { header } = bootstrap
    if (header._tag !== "WithPayload") assert.fail(header._tag)
    const execution = { ...header.execution, ...change }
    const lie = { ...bootstrap, header: { ...header, execution } }
    const store = LightClientStore.fromBootstrap(lie, chain.root(slot), network)
    return Result.isFailure(store) ? store.failure.check : "accepted"
  }
  assert.strictEqual(start(slots.capella, {}), "accepted")
  assert.strictEqual(start(slots.capella, { blobGasUsed: 1n }), "execution-branch")
  assert.strictEqual(start(slots.capella, { excessBlobGas: 1n }), "execution-branch")
  assert.strictEqual(start(slots.deneb, {}), "accepted")
  assert.strictEqual(start(slots.deneb, { blobGasUsed: 1n }), "execution-branch")
})

it("refuses execution parts before Capella, and extra words in a branch that are not zero", () => {
  const network = minimal(40n)
  const chain = MadeChain.make(network)
  const start = (slot: bigint, fork: Fork.Fork, change: (header: any) => object): string => {
    const bootstrap = chain.bootstrap(slot, fork)
    const header = { ...bootstrap.header, ...change(bootstrap.header) } as typeof bootstrap.header
    const store = LightClientStore.fromBootstrap({ ...bootstrap, header }, chain.root(slot), network)
    return Result.isFailure(store) ? store.failure.check : "accepted"
  }
  const hash = `0x${"11".repeat(32)}`
  for (const fork of ["capella", "deneb", "fulu"] as const) {
    assert.strictEqual(
      start(8n, fork, () => ({})),
      "accepted"
    )
    assert.strictEqual(
      start(8n, fork, ({ execution }) => ({ execution: { ...execution, blockHash: hash } })),
      "execution-branch"
    )
    assert.strictEqual(
      start(8n, fork, ({ execution }) => ({ execution: { ...execution, gasUsed: 1n } })),
      "execution-branch"
    )
    assert.strictEqual(
      start(8n, fork, ({ execution }) => ({ execution: { ...execution, extraData: "0x00" } })),
      "execution-branch"
    )
    assert.strictEqual(
      start(8n, fork, ({ executionBranch }) => ({ executionBranch: executionBranch.with(0, hash) })),
      "execution-branch"
    )
  }
  assert.strictEqual(
    start(8n, "gloas", () => ({ executionBlockHash: hash })),
    "execution-branch"
  )
  for (const epoch of [81n, 121n, 161n, 201n]) {
    assert.strictEqual(
      start(epoch * 8n, "gloas", () => ({})),
      "accepted",
      `${epoch}`
    )
    const lie = start(epoch * 8n, "gloas", ({ executionBranch }) => ({
      executionBranch: executionBranch.with(0, hash)
    }))
    assert.strictEqual(lie, "execution-branch", `${epoch}`)
    const { currentSyncCommitteeBranch, ...bootstrap } = chain.bootstrap(epoch * 8n, "gloas")
    const padded = { ...bootstrap, currentSyncCommitteeBranch: currentSyncCommitteeBranch.with(0, hash as never) }
    const store = LightClientStore.fromBootstrap(padded, chain.root(epoch * 8n), network)
    assert.strictEqual(Result.isFailure(store) && store.failure.check, "committee-branch", `${epoch}`)
  }
  // a header with a payload proves nothing about a block of Gloas
  const payload = chain.bootstrap(201n * 8n, "fulu").header
  assert.strictEqual(
    start(241n * 8n, "gloas", () => ({ ...payload, beacon: chain.bootstrap(241n * 8n).header.beacon })),
    "execution-branch"
  )
})
