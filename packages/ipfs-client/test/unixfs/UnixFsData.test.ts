import { assert, describe, it } from "@effect/vitest"
import { UnixFsData } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"
import { UnixFS } from "ipfs-unixfs"

const TYPES = {
  raw: "raw",
  directory: "directory",
  file: "file",
  symlink: "symlink",
  "hamt-shard": "hamt-sharded-directory"
} as const

describe("UnixFsData", () => {
  it("reads what ipfs-unixfs writes, and writes the same bytes", () => {
    const random = Random.make(12)
    for (let i = 0; i < Random.runs(200); i++) {
      const kind = Random.pick(random, Object.keys(TYPES) as ReadonlyArray<keyof typeof TYPES>)
      const data = Random.int(random, 3) === 0 ? undefined : Random.bytes(random, 1 + Random.int(random, 300))
      const blockSizes = Array.from({ length: Random.int(random, 5) }, () => sizeOf(random))
      const other = new UnixFS({
        type: TYPES[kind],
        ...(data === undefined ? {} : { data }),
        blockSizes: blockSizes.map(BigInt),
        ...(kind === "hamt-shard" ? { hashType: 0x22n, fanout: 256n } : {}),
        ...(i % 3 === 0 ? { mode: 0o755 - (i % 2), mtime: { secs: BigInt(i - 50), nsecs: 1 + i } } : {})
      })
      const bytes = other.marshal()
      const decoded = Result.getOrThrow(UnixFsData.decode(bytes))
      assert.strictEqual(decoded.kind, kind)
      assert.deepStrictEqual(decoded.blockSizes, blockSizes)
      assert.deepStrictEqual(decoded.data === undefined ? undefined : [...decoded.data], data && [...data])
      if (kind === "file" || kind === "raw") assert.strictEqual(decoded.fileSize, Number(other.fileSize()))
      if (i % 3 === 0) assert.deepStrictEqual(decoded.mtime, { seconds: BigInt(i - 50), nanoseconds: 1 + i })
      assert.deepStrictEqual([...UnixFsData.encode(decoded)], [...bytes])
    }
  })

  it("writes sizes of 2 to 4 GiB too, where ipfs-unixfs loses bits", () => {
    // 3 GiB is 0xc0000000, written as a varint with the lowest seven bits first
    const message = Uint8Array.of(8, 2, 24, 0x80, 0x80, 0x80, 0x80, 0x0c)
    assert.deepStrictEqual(UnixFsData.encode({ kind: "file", fileSize: 3 * 2 ** 30, blockSizes: [] }), message)
    assert.strictEqual(Result.getOrThrow(UnixFsData.decode(message)).fileSize, 3 * 2 ** 30)
  })

  it("reads block sizes that are packed, and passes over fields that it does not know", () => {
    const packed = Uint8Array.of(8, 2, 34, 3, 1, 0x80, 1, 0x7a, 2, 9, 9)
    const { blockSizes, kind } = Result.getOrThrow(UnixFsData.decode(packed))
    assert.deepStrictEqual([kind, blockSizes], ["file", [1, 128]])
  })

  it("refuses what is not a message of the specification", () => {
    const bad = [
      [],
      [8],
      [8, 6],
      [8, 2, 8, 2],
      [24, 1],
      [8, 2, 18, 5, 1],
      [8, 2, 16, 1],
      [10, 1, 2],
      [8, 2, 24, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
      [8, 2, 24, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
      [8, 2, 34, 1, 0x80],
      [8, 2, 66, 0],
      [8, 2, 66, 7, 8, 1, 21, 0xff, 0xff, 0xff, 0xff],
      [0, 0],
      [8, 2, 27]
    ]
    for (const bytes of bad) {
      assert.isTrue(Result.isFailure(UnixFsData.decode(Uint8Array.from(bytes))), bytes.join(" "))
    }
  })

  it("never throws", () => {
    const random = Random.make(13)
    for (let i = 0; i < Random.runs(2000); i++) {
      const bytes = Uint8Array.of(8, Random.int(random, 6), ...Random.bytes(random, Random.int(random, 30)))
      assert.doesNotThrow(() => UnixFsData.decode(bytes))
    }
  })
})

/** Returns sizes of every magnitude, except those that ipfs-unixfs 13.1.1 (protons-runtime 7) writes wrongly. */
const sizeOf = (random: Random.Random): number => {
  const size = Math.floor(random() ** 8 * 2 ** 45)
  return size >= 2 ** 31 && size < 2 ** 32 ? size - 2 ** 31 : size
}
