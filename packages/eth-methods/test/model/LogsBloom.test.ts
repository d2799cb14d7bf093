import { assert, describe, it } from "@effect/vitest"
import { bytesToHex } from "@ethereumjs/util"
import { Bloom } from "@ethereumjs/vm"
import { Address, Hash32, Hex, Keccak256 } from "@plumbline/codec"
import * as Random from "@plumbline/seeded/Random"

import { LogsBloom } from "../../src/index.ts"
import * as Receipts from "../support/receipts.ts"

const address = (n: number) => Address.fromBytesUnsafe(Receipts.address(n))
const topic = (n: number) => Hash32.fromBytesUnsafe(Receipts.topic(n))

describe("LogsBloom", () => {
  it("has the bits of geth's test (core/types/bloom9_test.go, TestBloomExtensively)", () => {
    const text = new TextEncoder()
    const topics = Array.from(
      { length: 100 },
      (_, i) => Hex.fromBytes(text.encode(`xxxxxxxxxx data ${i} yyyyyyyyyyyyyy`)) as Hash32.Hash32
    )
    // geth's test vector contains only these texts and no address, so the first text is passed as the address
    const [bloom, base] = LogsBloom.ofEach([[{ address: topics[0] as never, topics: topics.slice(1) }], []])
    assert.deepStrictEqual(base, new Uint8Array(256))
    const expected = "0xc8d3ca65cdb4874300a9e39475508f23ed6da09fdbc487f89a2dcf50b09eb263"
    assert.strictEqual(Keccak256.hashHex(bloom!), expected)
  })

  it("agrees with ethereumjs about random logs, one by one and together", () => {
    const random = Random.make(7)
    const lists = Array.from({ length: Random.runs(60) }, () =>
      Array.from({ length: Random.int(random, 5) }, () => ({
        address: address(Random.int(random, 40)),
        topics: Array.from({ length: Random.int(random, 5) }, () => topic(Random.int(random, 40)))
      }))
    )
    const all = new Bloom()
    const blooms = LogsBloom.ofEach(lists)
    for (const [i, logs] of lists.entries()) {
      const bloom = new Bloom()
      for (const log of logs) for (const text of [log.address, ...log.topics]) bloom.add(Hex.toBytesUnsafe(text))
      assert.deepStrictEqual(blooms[i], new Uint8Array(bloom.bitvector))
      all.or(bloom)
    }
    assert.deepStrictEqual(LogsBloom.union(blooms), new Uint8Array(all.bitvector))
  })

  it("excludes a filter only where ethereumjs finds one of its parts missing", () => {
    const random = Random.make(8)
    let excluded = 0
    for (let run = 0; run < Random.runs(60); run++) {
      const bloom = new Bloom()
      for (let i = 0; i < 12; i++) bloom.add(Receipts.topic(Random.int(random, 30)))
      for (let i = 0; i < 4; i++) bloom.add(Receipts.address(Random.int(random, 8)))
      const addresses = [Random.int(random, 8), Random.int(random, 8)]
      const topics = [Random.int(random, 30), Random.int(random, 30), Random.int(random, 30)] as const
      const filter = {
        address: addresses.map(address),
        topics: [topic(topics[0]), null, [topic(topics[1]), topic(topics[2])], []]
      }
      const expected =
        addresses.some((n) => bloom.check(Receipts.address(n))) &&
        bloom.check(Receipts.topic(topics[0])) &&
        topics.slice(1).some((n) => bloom.check(Receipts.topic(n)))
      assert.strictEqual(LogsBloom.mayMatch(bytesToHex(bloom.bitvector), filter), expected)
      if (!expected) excluded++
    }
    assert.isAbove(excluded, 5)
  })

  it("never excludes a filter that takes anything", () => {
    const none = Hex.fromBytes(new Uint8Array(256))
    for (const filter of [{}, { address: null }, { address: [] }, { topics: null }, { topics: [null, []] }]) {
      assert.isTrue(LogsBloom.mayMatch(none, filter))
    }
    assert.isFalse(LogsBloom.mayMatch(none, { address: address(1) }))
  })
})
