import { assert, describe, it } from "@effect/vitest"
import { Codec, Fork, Form, HashTreeRoot } from "@plumbline/beacon-light-client"
import { Hex } from "@plumbline/codec"
import { Result } from "effect"

import * as Oracle from "../support/oracle.ts"
import { Random, sized } from "../support/random.ts"
import * as Values from "../support/values.ts"

const FAMILIES = ["altair", "capella", "deneb", "electra", "gloas"] as const
const KINDS = ["bootstrap", "update", "finalityUpdate", "optimisticUpdate"] as const
const CODECS: Readonly<Record<(typeof KINDS)[number], Codec.ContainerCodec<any>>> = {
  bootstrap: Codec.bootstrap,
  update: Codec.update,
  finalityUpdate: Codec.finalityUpdate,
  optimisticUpdate: Codec.optimisticUpdate
}
const SIZE = 32

const formOf = (fork: Fork.Fork, syncCommitteeSize = SIZE): Form.ContainerForm => ({ fork, syncCommitteeSize })

/** Makes a random container of each kind and family, as JSON. Returns it with our codec and with the oracle's type. */
const samples = (random: Random, size = SIZE) =>
  FAMILIES.flatMap((family) => {
    const types = Oracle.containers(family, size)
    const values = Values.containers(random, family, size, Oracle.DEPTHS[family])
    return KINDS.map((kind) => ({
      name: `${kind} ${family}`,
      codec: CODECS[kind],
      form: formOf(family, size),
      type: types[kind],
      json: values[kind]
    }))
  })

const checkOf = (result: Result.Result<unknown, { readonly check: string }>): string =>
  Result.isFailure(result) ? result.failure.check : "accepted"

describe("Codec", () => {
  it("reads and writes the bytes and the JSON that another implementation does", () => {
    for (let run = 0; run < sized(60); run++) {
      for (const { codec, form, json, name, type } of samples(new Random(`values ${run}`))) {
        const theirs = type.fromJson(json)
        const bytes = type.serialize(theirs as never)
        const value = Result.getOrThrow(codec.fromJson(json, form))
        assert.strictEqual(Hex.fromBytes(codec.encode(value, form)), Hex.fromBytes(bytes), name)
        assert.deepStrictEqual(Result.getOrThrow(codec.decode(bytes, form)), value, name)
        assert.deepStrictEqual(codec.toJson(value, form), type.toJson(theirs as never), name)
      }
    }
  })

  it("reads containers of 512 members, and holds none of the bytes that it read", () => {
    for (const { codec, form, json, name, type } of samples(new Random("large"), 512)) {
      const bytes = type.serialize(type.fromJson(json) as never)
      const value = Result.getOrThrow(codec.decode(bytes, form))
      bytes.fill(0xee)
      assert.deepStrictEqual(value, Result.getOrThrow(codec.fromJson(json, form)), name)
    }
  })

  it("knows which forks share their containers", () => {
    assert.deepStrictEqual(Fork.all.map(Form.familyOf), [
      "altair",
      "altair",
      "capella",
      "deneb",
      "electra",
      "electra",
      "gloas"
    ])
  })

  it("refuses bytes that are cut off or have more behind, at every length", () => {
    for (const { codec, form, json, name, type } of samples(new Random("lengths"))) {
      const bytes = type.serialize(type.fromJson(json) as never)
      const random = new Random(name)
      const lengths = [
        0,
        1,
        3,
        4,
        bytes.length - 1,
        ...Array.from({ length: sized(200) }, () => random.below(bytes.length))
      ]
      for (const length of lengths) {
        const read = codec.decode(bytes.subarray(0, length), form)
        // extra data is the last part of a payload, so cutting it off gives a valid payload with shorter extra data
        const isShorter = Result.isSuccess(read) && length >= bytes.length - 32
        assert.isTrue(isShorter || checkOf(read) === "shape", `${name} ${length}`)
        if (Result.isSuccess(read)) assert.strictEqual(codec.encode(read.success, form).length, length)
      }
      const huge = new Uint8Array(bytes.length + 65)
      huge.set(bytes)
      assert.strictEqual(checkOf(codec.decode(huge, form)), "bounds", name)
    }
  })

  it("refuses every other offset", () => {
    for (const { codec, form, json, name, type } of samples(new Random("offsets"))) {
      const bytes = type.serialize(type.fromJson(json) as never)
      // one byte is changed: if the bytes can still be read, writing the value must give the changed bytes, because no
      // byte is ignored
      const random = new Random(`${name} bytes`)
      for (let run = 0; run < sized(300); run++) {
        const lie = bytes.with(run < 8 ? run : random.below(bytes.length), random.below(256))
        const read = codec.decode(lie, form)
        if (Result.isSuccess(read)) {
          assert.strictEqual(Hex.fromBytes(codec.encode(read.success, form)), Hex.fromBytes(lie), name)
        }
      }
    }
    const { codec, form, json, type } = samples(new Random("offset")).find(({ name }) => name === "bootstrap electra")!
    const bytes = type.serialize(type.fromJson(json) as never)
    for (const other of [0, 1, 5, 255]) {
      if (bytes[0] !== other) assert.strictEqual(checkOf(codec.decode(bytes.with(0, other), form)), "shape")
    }
  })

  it("refuses JSON of another shape, and numbers and texts out of their ranges", () => {
    const form = formOf("electra")
    const json = Values.containers(new Random("json"), "electra", SIZE, Oracle.DEPTHS.electra).finalityUpdate
    const { attested_header, sync_aggregate } = json
    const withSlot = (slot: unknown) => ({
      ...json,
      attested_header: { ...attested_header, beacon: { ...attested_header.beacon, slot } }
    })
    const withBits = (sync_committee_bits: unknown) => ({
      ...json,
      sync_aggregate: { ...sync_aggregate, sync_committee_bits }
    })
    const withExtra = (extra_data: unknown) => ({
      ...json,
      attested_header: { ...attested_header, execution: { ...(attested_header as any).execution, extra_data } }
    })
    const check = (lie: unknown): string => checkOf(Codec.finalityUpdate.fromJson(lie, form))
    assert.strictEqual(check(json), "accepted")
    assert.strictEqual(check({ ...json, more: 1 }), "accepted")
    for (const slot of [5, null, undefined, "", "01", "-1", "1.0", "0x5", " 5", "5 ", "1e3", {}, ["5"]]) {
      assert.strictEqual(check(withSlot(slot)), "shape", JSON.stringify(slot))
    }
    assert.strictEqual(check(withSlot("18446744073709551615")), "accepted")
    for (const slot of ["18446744073709551616", "9".repeat(21), "9".repeat(1_000_000)]) {
      assert.strictEqual(check(withSlot(slot)), "bounds")
    }
    for (const bits of ["0x", "0x000000", "0x0000000000", "00000000", "0x0000000g", 0, null, []]) {
      assert.strictEqual(check(withBits(bits)), "shape", JSON.stringify(bits))
    }
    assert.strictEqual(check(withBits("0xABCDEF01")), "accepted")
    assert.strictEqual(check(withExtra(`0x${"00".repeat(33)}`)), "bounds")
    assert.strictEqual(check(withExtra("0x0")), "shape")
    for (const branch of [[], {}, json.finality_branch.slice(1), [...json.finality_branch, "0x"], null]) {
      assert.strictEqual(check({ ...json, finality_branch: branch }), "shape")
    }
    for (const value of [null, undefined, [], "{}", 7]) assert.strictEqual(check(value), "shape")
    const inherited = Object.create(json)
    assert.strictEqual(check(inherited), "shape")
  })

  it("gives the same value for either case of letters", () => {
    const json = Values.containers(new Random("case"), "deneb", SIZE, Oracle.DEPTHS.deneb).optimisticUpdate
    const upper = JSON.parse(
      JSON.stringify(json).replaceAll(/0x[0-9a-f]+/gu, (hex) => `0x${hex.slice(2).toUpperCase()}`)
    )
    const read = (value: unknown) => Result.getOrThrow(Codec.optimisticUpdate.fromJson(value, formOf("deneb")))
    assert.deepStrictEqual(read(upper), read(json))
  })

  it("stores headers and committees", () => {
    const random = new Random("stored")
    const form = formOf("electra")
    const { header, current_sync_committee } = Values.containers(
      random,
      "electra",
      SIZE,
      Oracle.DEPTHS.electra
    ).bootstrap
    const value = Result.getOrThrow(Codec.header.fromJson(header, form))
    assert.deepStrictEqual(Result.getOrThrow(Codec.header.decode(Codec.header.encode(value, form), form)), value)
    const committee = Result.getOrThrow(Codec.syncCommittee.fromJson(current_sync_committee, form))
    const bytes = Codec.syncCommittee.encode(committee, form)
    assert.strictEqual(bytes.length, 33 * 48)
    assert.deepStrictEqual(Result.getOrThrow(Codec.syncCommittee.decode(bytes, formOf("gloas"))), committee)
  })
})

describe("Root", () => {
  it("computes the roots that another implementation does", () => {
    for (let run = 0; run < sized(200); run++) {
      const random = new Random(`roots ${run}`)
      const form = formOf("deneb")
      const json = Values.containers(random, "deneb", SIZE, Oracle.DEPTHS.deneb).bootstrap
      const { currentSyncCommittee, header } = Result.getOrThrow(Codec.bootstrap.fromJson(json, form))
      const same = (got: string, type: any, value: unknown): void =>
        assert.strictEqual(got, Hex.fromBytes(type.hashTreeRoot(type.fromJson(value))))
      same(HashTreeRoot.beaconBlock(header.beacon), Oracle.beaconBlockHeader, json.header.beacon)
      same(HashTreeRoot.syncCommittee(currentSyncCommittee), Oracle.syncCommittee(SIZE), json.current_sync_committee)
      if (header._tag !== "WithPayload") assert.fail(header._tag)
      const { execution } = json.header as any
      same(HashTreeRoot.executionPayload(header.execution, "deneb"), Oracle.denebPayload, execution)
      same(HashTreeRoot.executionPayload(header.execution, "capella"), Oracle.capellaPayload, execution)
    }
    const committee = Values.committee(new Random("512"), 512)
    const read = Result.getOrThrow(Codec.syncCommittee.fromJson(committee, formOf("fulu", 512)))
    const type = Oracle.syncCommittee(512)
    assert.strictEqual<string>(
      HashTreeRoot.syncCommittee(read),
      Hex.fromBytes(type.hashTreeRoot(type.fromJson(committee)))
    )
  })
})
