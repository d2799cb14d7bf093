/** Tests records of other forms than the current one. Form 2 is read; any other form is refused with advice. */
import { readFileSync } from "node:fs"

import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "@noble/hashes/sha2.js"
import { Bls, LightClientStore, MadeChain, TrustRecord } from "@plumbline/beacon-light-client"
import { Result } from "effect"

import { minimal } from "../support/networks.ts"

const network = minimal(0n, ["altair", "bellatrix", "capella", "deneb", "electra"])
const chain = MadeChain.make(network)

/**
 * Returns a record of form 2, written by the version before seats were kept. 30 of 32 members signed for finalized slot
 * 104, and 29 signed slot 115.
 */
const form2 = (): Uint8Array => readFileSync(new URL("records/form-2.light-client", import.meta.url))

const options = (currentSlot: bigint): LightClientStore.LightClientStoreOptions => ({
  network,
  currentSlot,
  bls: Bls.noble
})

/** Returns the record with changed JSON and the matching digest. */
const withJson = (record: Uint8Array, change: (json: any) => void): Uint8Array => {
  const length = new DataView(record.buffer, record.byteOffset + 40).getUint32(0, true)
  const json = JSON.parse(new TextDecoder().decode(record.subarray(44, 44 + length)))
  change(json)
  const text = new TextEncoder().encode(JSON.stringify(json))
  const rest = Buffer.concat([new Uint8Array(4), text, record.subarray(44 + length)])
  new DataView(rest.buffer, rest.byteOffset).setUint32(0, text.length, true)
  return Buffer.concat([record.subarray(0, 8), sha256(rest), rest])
}

const refusalOf = (bytes: Uint8Array): string => {
  const read = TrustRecord.decode(bytes, network)
  assert(Result.isFailure(read))
  assert.strictEqual(read.failure.problem, "Damaged")
  return read.failure.message
}

describe("a record of form 2", () => {
  it("is read: both heads and their signers, without seats", () => {
    const bytes = form2()
    assert.strictEqual(bytes[7], 2)
    const { checkpoint, givenAt, store } = Result.getOrThrow(TrustRecord.decode(bytes, network))
    assert.strictEqual(checkpoint, chain.root(100n))
    assert.strictEqual(givenAt, 1_600_000_000_000)
    assert.deepStrictEqual(store.finalized, {
      header: chain.bootstrap(104n).header,
      support: { _tag: "Finalized", signed: 30, of: 32, attestedSlot: 110n, bits: undefined }
    })
    assert.deepStrictEqual(store.optimistic, {
      header: chain.optimisticUpdate({ attested: 115n }).attestedHeader,
      support: { _tag: "Optimistic", signed: 29, of: 32, attestedSlot: 115n, bits: undefined }
    })
    assert.deepStrictEqual(store.nextSyncCommittee, chain.committee(2n))
  })

  it("is written again as form 3, and the next update brings the seats", () => {
    const old = Result.getOrThrow(TrustRecord.decode(form2(), network))
    const again = TrustRecord.encode(old, network)
    assert.strictEqual(again[7], 3)
    assert.deepStrictEqual(Result.getOrThrow(TrustRecord.decode(again, network)), old)
    const update = chain.update({ attested: 120n, finalized: 112n, signers: [...Array(30).keys()].map((at) => at + 2) })
    const store = Result.getOrThrow(LightClientStore.process(old.store, update, options(121n)))
    const { finalized, optimistic } = Result.getOrThrow(
      TrustRecord.decode(TrustRecord.encode({ ...old, store }, network), network)
    ).store
    for (const { support } of [finalized, optimistic]) assert.deepInclude(support, { signed: 30, bits: "0xfcffffff" })
  })
})

describe("a record that is not read", () => {
  it.each([1, 4, 0x32])("of form %i is refused by name, with the way out", (form) => {
    const bytes = form2()
    bytes[7] = form
    const message = refusalOf(bytes)
    assert.include(message, `expected a record of form 2 or 3, got one of form ${form}`)
    assert.match(message, /Remove the record, and begin again from a checkpoint that you trust\.$/)
  })

  it("of another program, cut short or damaged is refused with the same way out", () => {
    const damaged = form2()
    damaged[damaged.length - 1]! ^= 1
    for (const [bytes, got] of [
      [new Uint8Array(0), "other bytes"],
      [new TextEncoder().encode("PLUMBLE\u0002"), "other bytes"],
      [form2().subarray(0, 7), "other bytes"],
      [form2().subarray(0, 8), "a damaged one"],
      [form2().subarray(0, 4000), "a damaged one"],
      [damaged, "a damaged one"]
    ] as const) {
      const message = refusalOf(bytes)
      assert.include(message, got)
      assert.include(message, "Remove the record")
    }
  })

  it("names other seats than it counts, or another size of the committee", () => {
    const old = Result.getOrThrow(TrustRecord.decode(form2(), network))
    const signers = [...Array(30).keys()]
    const update = chain.update({ attested: 120n, finalized: 112n, signers })
    const store = Result.getOrThrow(LightClientStore.process(old.store, update, options(121n)))
    const record = TrustRecord.encode({ ...old, store }, network)
    assert.isTrue(
      Result.isSuccess(
        TrustRecord.decode(
          withJson(record, () => undefined),
          network
        )
      )
    )
    for (const [change, says] of [
      [(support: any) => (support.bits = "0xffffff7f"), "expected 30 of 32 seats, got 31 of 32"],
      [(support: any) => (support.bits = "0xffffff3f00"), "expected 30 of 32 seats, got 30 of 40"],
      [(support: any) => (support.signed = 31), "expected 31 of 32 seats, got 30 of 32"],
      [(support: any) => (support.of = 512), "got 30 of 512"],
      [(support: any) => (support.bits = "seats"), "JSON of form 3"]
    ] as const) {
      for (const head of ["finalized", "optimistic"] as const) {
        const message = refusalOf(withJson(record, (json) => change(json[head].support)))
        assert.include(message, says)
      }
    }
    const more = withJson(form2(), (json) => (json.finalized.support.signed = 33))
    assert.include(refusalOf(more), "at most 32 members, got 33 of 32")
  })
})
