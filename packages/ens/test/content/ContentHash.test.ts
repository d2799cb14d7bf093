/** Content hashes. multiformats makes the CIDs and the varints; @ensdomains/content-hash reads and writes whole ones. */
import { assert, describe, it } from "@effect/vitest"
import * as contentHash from "@ensdomains/content-hash"
import { Hex } from "@plumbline/codec"
import { ContentHash } from "@plumbline/ens"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"
import { varint } from "multiformats"
import { base36 } from "multiformats/bases/base36"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"

const encode = (codec: number, value: Uint8Array): Uint8Array => {
  const head = varint.encodeTo(codec, new Uint8Array(varint.encodingLength(codec)))
  return Uint8Array.from([...head, ...value])
}

const sha256 = (fill: number) => Digest.create(0x12, new Uint8Array(32).fill(fill))

const reasonOf = (bytes: ReadonlyArray<number> | Uint8Array) => {
  const read = ContentHash.fromBytes(Uint8Array.from(bytes))
  return Result.isFailure(read) ? read.failure.reason : undefined
}

const textOf = (bytes: Uint8Array) => Result.map(ContentHash.fromBytes(bytes), ContentHash.toText)

const identity = (text: string) => CID.createV1(0x70, Digest.create(0, new TextEncoder().encode(text))).bytes

describe("a content hash", () => {
  it("is a CID of IPFS, of any codec and hash", () => {
    for (const code of [0x70, 0x55, 0x71, 0x0129]) {
      for (const digest of [
        sha256(7),
        Digest.create(0x13, new Uint8Array(64)),
        Digest.create(0xb220, new Uint8Array(32))
      ]) {
        const cid = CID.createV1(code, digest)
        assert.deepStrictEqual(textOf(encode(0xe3, cid.bytes)), Result.succeed(`ipfs://${cid.toString()}`))
      }
    }
  })

  it("is a name of IPNS: a key in base36, or a name of DNS", () => {
    const key = CID.createV1(0x72, sha256(1))
    assert.deepStrictEqual(textOf(encode(0xe5, key.bytes)), Result.succeed(`ipns://${key.toString(base36)}`))
    assert.deepStrictEqual(textOf(encode(0xe5, identity("app.uniswap.org"))), Result.succeed("ipns://app.uniswap.org"))
    for (const text of [
      "",
      "localhost",
      "a b.org",
      "../../etc",
      "a..org",
      "-a.org",
      "é.org",
      `${"a".repeat(64)}.org`
    ]) {
      assert.strictEqual(reasonOf(encode(0xe5, identity(text))), "Name", text)
    }
    // a CID of content is no name
    assert.strictEqual(reasonOf(encode(0xe5, CID.createV1(0x70, sha256(1)).bytes)), "Name")
  })

  it("is what the library of ENS writes and reads", () => {
    const cid = CID.createV1(0x70, sha256(9))
    const key = CID.createV1(0x72, sha256(9)).toString(base36)
    for (const [codec, value, text] of [
      ["ipfs", cid.toString(), `ipfs://${cid.toString()}`],
      ["ipfs", cid.toV0().toString(), `ipfs://${cid.toString()}`],
      ["ipns", key, `ipns://${key}`],
      ["swarm", "d1de9994b4d039f6548d191eb26786769f580809256b4685ef316805265ea162", undefined],
      ["onion", "zqktlwi4fecvo6ri", undefined],
      ["onion3", "p53lf57qovyuvwsc6xnrppyply3vtqm7l6pcobkmyqsiofyeznfu5uqd", undefined],
      ["skynet", "CABAB_1Dt0FJsxqsu_J4TodNCbCGvtFf1Uys_3EgzOlTcg", undefined],
      ["arweave", "ys32Pt8uC7TrVxHdOLByOspfPEq2LO63wREHQIM9SJQ", undefined]
    ] as const) {
      const read = Result.getOrThrow(ContentHash.fromBytes(Hex.toBytesUnsafe(`0x${contentHash.encode(codec, value)}`)))
      if (text !== undefined) assert.strictEqual(ContentHash.toText(read), text)
      assert.strictEqual(read._tag === "Other" ? read.codec : codec, codec)
    }
  })

  it("can be of another network", () => {
    for (const [codec, name] of [
      [0xe4, "swarm"],
      [0x01bc, "onion"],
      [0x01bd, "onion3"],
      [0xb19910, "skynet"],
      [0xb29910, "arweave"],
      [0x05, "0x5"]
    ] as const) {
      const value = Uint8Array.of(1, 2, 3)
      assert.deepStrictEqual<unknown>(
        ContentHash.fromBytes(encode(codec, value)),
        Result.succeed({ _tag: "Other", codec: name, value })
      )
    }
  })

  it("is refused, with the reason", () => {
    const cid = CID.createV1(0x70, sha256(7)).bytes
    for (const [what, bytes, reason] of [
      ["no bytes", [], "Empty"],
      ["too many", new Uint8Array(1025).fill(0xe4), "TooLong"],
      ["no end of the codec", [0xe3], "Codec"],
      ["a codec of 5 bytes", [0x80, 0x80, 0x80, 0x80, 0x01, 0], "Codec"],
      ["a codec in a longer form", [0xe3, 0x81, 0x00, ...cid], "Codec"],
      ["no CID", [0xe3, 0x01], "Cid"],
      ["CID of version 0", [0xe3, 0x01, 0x12, 0x20, ...new Uint8Array(32)], "Cid"],
      ["a byte too few", encode(0xe3, cid.subarray(0, -1)), "Cid"],
      ["a byte too many", [...encode(0xe3, cid), 0], "Cid"],
      ["a version in a longer form", [0xe3, 0x01, 0x81, 0x00, ...cid.subarray(1)], "Cid"],
      ["a digest shorter than it says", [0xe3, 0x01, 0x01, 0x70, 0x12, 0x21, ...new Uint8Array(32)], "Cid"]
    ] as const) {
      assert.strictEqual(reasonOf(bytes), reason, what)
    }
  })

  it("is read from no bytes but its own, whatever the bytes are", () => {
    const random = Random.make(2)
    let read = 0
    for (let run = 0; run < Random.runs(5000); run++) {
      const cid = CID.createV1(Random.pick(random, [0x70, 0x55, 0x72]), sha256(Random.int(random, 256)))
      const bytes = encode(Random.pick(random, [0xe3, 0xe3, 0xe5]), cid.bytes)
      // one changed, missing or further byte, or none
      const at = Random.int(random, bytes.length)
      const changed = [...bytes]
      const kind = Random.int(random, 4)
      if (kind === 0) changed[at] = Random.int(random, 256)
      if (kind === 1) changed.splice(at, 1)
      if (kind === 2) changed.splice(at, 0, Random.int(random, 256))
      const result = ContentHash.fromBytes(Uint8Array.from(changed))
      if (Result.isFailure(result) || result.success._tag !== "Ipfs") continue
      read += 1
      // the bytes follow from what was read
      assert.deepStrictEqual([...encode(0xe3, result.success.cid.bytes)], changed)
    }
    assert.isAbove(read, 0)
  })
})
