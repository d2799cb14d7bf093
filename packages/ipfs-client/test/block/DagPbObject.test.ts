/** Tests of dag-pb nodes as `object/get`, `object/data` and `object/stat` return them. */
import { assert, describe, it } from "@effect/vitest"
import { Cid, DagPbObject } from "@plumbline/ipfs-client"
import { Result } from "effect"

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"))

/** Kubo's CID of a file with the text "hello world": 19 bytes without a link. */
const HELLO = Cid.fromTextUnsafe("Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD")
const HELLO_BLOCK = hex("0a11 0802 120b 68656c6c6f20776f726c64 180b")

describe("a dag-pb node", () => {
  it("of a small file has the sizes that js-ipfs says: all of the block that is not data counts as links", () => {
    assert.deepStrictEqual(Result.getOrThrow(DagPbObject.stat(HELLO, HELLO_BLOCK)), {
      cid: Cid.toText(HELLO),
      links: 0,
      blockSize: 19,
      linksSize: 2,
      dataSize: 17,
      cumulativeSize: 19
    })
    assert.deepStrictEqual(Result.getOrThrow(DagPbObject.data(HELLO, HELLO_BLOCK)), HELLO_BLOCK.subarray(2))
    assert.strictEqual(
      Result.getOrThrow(DagPbObject.get(HELLO, HELLO_BLOCK, "text")).data,
      "\b\u0002\u0012\vhello world\u0018\v"
    )
  })

  it("may lack data, names and sizes", () => {
    const empty = Cid.fromTextUnsafe("QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n")
    assert.deepStrictEqual(Result.getOrThrow(DagPbObject.get(empty, new Uint8Array(), "base64")), {
      links: [],
      data: ""
    })
    // One link, with a CID and no other field.
    const link = Buffer.from(HELLO.bytes)
    const block = new Uint8Array(Buffer.concat([hex("12 24 0a 22"), link]))
    const object = Result.getOrThrow(DagPbObject.get(empty, block, "base64"))
    assert.deepStrictEqual(object.links, [{ name: "", cid: Cid.toText(HELLO), size: 0 }])
    assert.strictEqual(Result.getOrThrow(DagPbObject.stat(empty, block)).cumulativeSize, block.length)
  })

  it("is not made of other bytes, and not of another codec", () => {
    const raw = Cid.fromTextUnsafe("bafkqaaqha4")
    const results: ReadonlyArray<Result.Result<unknown, Error>> = [
      DagPbObject.get(HELLO, HELLO_BLOCK.subarray(1), "base64"),
      DagPbObject.data(raw, HELLO_BLOCK),
      DagPbObject.stat(raw, HELLO_BLOCK)
    ]
    for (const result of results) {
      assert(Result.isFailure(result))
      assert.include(result.failure.message, "is not a dag-pb node")
    }
  })

  it("of any size is written in base64 as Node does", () => {
    for (const size of [0, 1, 2, 3, 12_287, 12_288, 12_289, 50_000]) {
      const data = Uint8Array.from({ length: size }, (_, index) => (index * 7) % 256)
      const length = size < 128 ? [size] : size < 16_384 ? [(size & 127) | 128, size >> 7] : varint(size)
      const block = Uint8Array.of(0x0a, ...length, ...data)
      assert.strictEqual(
        Result.getOrThrow(DagPbObject.get(HELLO, block, "base64")).data,
        Buffer.from(data).toString("base64")
      )
    }
  })
})

const varint = (value: number): ReadonlyArray<number> => [(value & 127) | 128, ((value >> 7) & 127) | 128, value >> 14]

describe("data as text", () => {
  // Go's utf8.DecodeRune gives one U+FFFD for each byte that is not part of UTF-8; the Web's decoder gives fewer.
  const cases = [
    ["", ""],
    ["61", "a"],
    ["80", "\ufffd"],
    ["c0af", "\ufffd\ufffd"],
    ["e282", "\ufffd\ufffd"],
    ["e282ac", "€"],
    ["e28261", "\ufffd\ufffda"],
    ["eda080", "\ufffd\ufffd\ufffd"],
    ["f09f9880", "😀"],
    ["f09f98", "\ufffd\ufffd\ufffd"],
    ["f4908080", "\ufffd\ufffd\ufffd\ufffd"],
    ["ff61ff", "\ufffda\ufffd"],
    ["efbbbf61", "\ufeffa"],
    ["efbbbfff", "\ufeff\ufffd"]
  ] as const
  for (const [bytes, expected] of cases) {
    it(`of the bytes "${bytes}" is what Go writes`, () => {
      assert.strictEqual(DagPbObject.text(hex(bytes)), expected)
    })
  }
})
