import { assert, describe, it } from "@effect/vitest"
import { Cid } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"
import { base32 } from "multiformats/bases/base32"
import { base58btc } from "multiformats/bases/base58"
import { CID } from "multiformats/cid"

import * as BaseEncoders from "../../src/cid/baseEncoders.ts"

describe("texts", () => {
  it("writes bytes of every length as multiformats does, also with zeros in front", () => {
    const random = Random.make(58)
    for (let length = 0; length <= 160; length++) {
      const bytes = Random.bytes(random, length)
      for (const zeros of [0, 1, Math.min(7, length), length]) {
        bytes.fill(0, 0, zeros)
        assert.strictEqual(BaseEncoders.base32("b", bytes), base32.encode(bytes))
        assert.strictEqual(BaseEncoders.base58(bytes), base58btc.baseEncode(bytes))
      }
    }
    const long = Random.bytes(random, 10_000)
    assert.strictEqual(BaseEncoders.base32("b", long), base32.encode(long))
    assert.strictEqual(
      BaseEncoders.base58(new Uint8Array(32).fill(255)),
      base58btc.baseEncode(new Uint8Array(32).fill(255))
    )
  })

  it("reads CIDs of the usual forms as multiformats does, wherever they are in a larger buffer", () => {
    const random = Random.make(59)
    for (let i = 0; i < Random.runs(300); i++) {
      const size = Random.pick(random, [0, 1, 20, 32, 64, 127])
      const [codec, hash] = [Random.int(random, 128), Random.int(random, 128)]
      const isV0 = i % 3 === 0
      const head = isV0 ? [0x12, 0x20] : [1, codec, hash, size]
      const bytes = Uint8Array.of(...head, ...Random.bytes(random, isV0 ? 32 : size))
      const around = Buffer.concat([Random.bytes(random, 5), bytes, Random.bytes(random, 5)])
      const cid = Result.getOrThrow(Cid.fromBytes(around.subarray(5, 5 + bytes.length)))
      const expected = CID.decode(bytes)
      assert.isTrue(cid.equals(expected))
      for (const one of [cid, expected]) {
        assert.deepStrictEqual(
          [one.version, one.code, one.multihash.code, one.multihash.size, Cid.toText(one)],
          [expected.version, expected.code, expected.multihash.code, expected.multihash.size, expected.toString()]
        )
      }
      assert.deepStrictEqual(
        [cid.bytes, cid.multihash.bytes, cid.multihash.digest].map((part) => [...part]),
        [expected.bytes, expected.multihash.bytes, expected.multihash.digest].map((part) => [...part])
      )
      assert.strictEqual(CID.asCID(cid), cid)
    }
  })
})
