/** Checks the bytes that are hashed for entries of mappings: viem computes the slots and reads the keys. */
import { assert, describe, it } from "@effect/vitest"
import { Layout, Location, SlotPreimage } from "@plumbline/storage-layout"
import { Result } from "effect"
import * as viem from "viem"

import { compile } from "../support/solidity.ts"
import { kinds } from "../support/vyperKinds.ts"

const { output } = compile(`
  type Price is uint96; enum Color { Red, Green }
  contract C {
    uint256 first;
    mapping(address => uint256) balances;
    mapping(int16 => uint256) signed;
    mapping(bool => uint256) flags;
    mapping(bytes4 => uint256) tags;
    mapping(Color => uint256) colors;
    mapping(Price => uint256) prices;
    mapping(string => uint256) names;
    mapping(bytes => uint256) blobs;
    struct P { uint256 x; mapping(uint256 => uint256) inner; }
    mapping(address => mapping(uint256 => P)) nested;
  }`)
const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "C"))
const HOLDER = "0x00000000219ab540356cbb839cbe05303d7705fa"

const locate = (path: string) => Result.getOrThrow(Location.locate(layout, path))
const preimagesOf = (path: string) => Result.getOrThrow(SlotPreimage.ofPath(layout, path))
const slotOf = (preimage: Uint8Array) => BigInt(viem.keccak256(preimage))
const entriesOf = (mapping: string, preimages: ReadonlyArray<Uint8Array>) =>
  SlotPreimage.entries(layout, locate(mapping), SlotPreimage.index(layout, preimages)).map(({ path }) => path)

/** The mapping, the key in the path, and the type and value of the key in the contract's ABI. */
const cases: ReadonlyArray<readonly [mapping: string, key: string, type: string, value: unknown]> = [
  ["balances", HOLDER, "address", HOLDER],
  ["signed", "-2", "int16", -2],
  ["flags", "true", "bool", true],
  ["flags", "false", "bool", false],
  ["tags", "0xdeadbeef", "bytes4", "0xdeadbeef"],
  ["colors", "Green", "uint8", 1],
  ["prices", "79228162514264337593543950335", "uint96", 2n ** 96n - 1n]
]

describe("the preimage of an entry", () => {
  it("hashes to the entry's slot, and its key is read out of it again", () => {
    for (const [mapping, key, type, value] of cases) {
      const whole = `${mapping}[${key}]`
      const [preimage, ...more] = preimagesOf(whole)
      assert.deepStrictEqual(more, [])
      const expected = viem.encodeAbiParameters([{ type }, { type: "uint256" }], [value, locate(mapping).slot])
      assert.strictEqual(viem.bytesToHex(preimage!), expected)
      assert.strictEqual(slotOf(preimage!), locate(whole).slot)
      assert.deepStrictEqual(entriesOf(mapping, [preimage!]), [whole])
    }
  })

  it("has text, and what is not text as hex, with byte order marks and control characters", () => {
    for (const [mapping, key] of [
      ["names", '""'],
      ["names", '"bob"'],
      ["names", '"\u{feff}bob\\n\\u0000"'],
      ["names", '"測鉛"'],
      ["names", "0xff00"],
      ["blobs", "0x"],
      ["blobs", "0x0102"]
    ] as const) {
      const whole = `${mapping}[${key}]`
      const [preimage] = preimagesOf(whole)
      assert.strictEqual(slotOf(preimage!), locate(whole).slot)
      assert.deepStrictEqual(entriesOf(mapping, [preimage!]), [whole])
    }
  })

  it("of a mapping in a mapping comes after that of the outer one, whose hash it ends with", () => {
    const whole = `nested[${HOLDER}][7].inner[9]`
    const preimages = preimagesOf(whole)
    assert.strictEqual(preimages.length, 3)
    const [outer, middle, inner] = preimages.map(slotOf)
    assert.strictEqual(BigInt(viem.bytesToHex(preimages[1]!.subarray(32))), outer)
    assert.strictEqual(BigInt(viem.bytesToHex(preimages[2]!.subarray(32))), middle! + 1n)
    assert.strictEqual(inner, locate(whole).slot)
    assert.deepStrictEqual(entriesOf("nested", preimages), [`nested[${HOLDER}]`])
    assert.deepStrictEqual(entriesOf(`nested[${HOLDER}]`, preimages), [`nested[${HOLDER}][7]`])
    assert.deepStrictEqual(entriesOf(`nested[${HOLDER}][7].inner`, preimages), [whole])
  })

  it("names nothing where its bytes are not a key of the type, or the mapping is another", () => {
    const word = (value: bigint) => viem.hexToBytes(viem.numberToHex(value, { size: 32 }))
    const at = (key: Uint8Array, mapping: string) => viem.concatBytes([key, word(locate(mapping).slot)])
    for (const [mapping, key] of [
      ["balances", word(1n << 160n)],
      ["flags", word(2n)],
      ["colors", word(2n)],
      ["prices", word(1n << 96n)],
      ["signed", word(0xffffn)],
      ["tags", word(1n)],
      ["balances", new Uint8Array(31)],
      ["balances", new Uint8Array(64)]
    ] as const) {
      assert.deepStrictEqual(entriesOf(mapping, [at(key, mapping)]), [], mapping)
    }
    assert.deepStrictEqual(entriesOf("balances", preimagesOf("prices[7]")), [])
    assert.deepStrictEqual(entriesOf("first", preimagesOf("prices[7]")), [])
    assert.deepStrictEqual(entriesOf("names", [new Uint8Array(7), new Uint8Array(0)]), [])
  })

  it("comes once for each entry, whatever else is there", () => {
    const preimages = [...preimagesOf("prices[7]"), ...preimagesOf("prices[8]"), ...preimagesOf("prices[7]")]
    assert.deepStrictEqual(entriesOf("prices", preimages), ["prices[7]", "prices[8]"])
  })

  it("is refused with the path, as locating is", () => {
    const wrong = SlotPreimage.ofPath(layout, "balances[7]")
    assert.strictEqual(Result.isFailure(wrong) && wrong.failure.reason, "BadKey")
  })
})

describe("the preimage of an entry of Vyper", () => {
  const vyper = Result.getOrThrow(Layout.fromVyper(kinds.layout))

  it("has the slot first, and of a text its hash, whose preimage is the text", () => {
    for (const [mapping, key, count] of [
      ["balances", HOLDER, 1],
      ["signs", "-2", 1],
      ["byTag", "0x01020304", 1],
      ["byName", '"bob"', 2],
      ["byBlob", "0x0102", 2]
    ] as const) {
      const whole = `${mapping}[${key}]`
      const preimages = Result.getOrThrow(SlotPreimage.ofPath(vyper, whole))
      const { slot } = Result.getOrThrow(Location.locate(vyper, whole))
      assert.strictEqual(preimages.length, count)
      assert.strictEqual(slotOf(preimages.at(-1)!), slot)
      const of = Result.getOrThrow(Location.locate(vyper, mapping))
      assert.strictEqual(BigInt(viem.bytesToHex(preimages.at(-1)!.subarray(0, 32))), of.slot)
      const entries = SlotPreimage.entries(vyper, of, SlotPreimage.index(vyper, preimages))
      assert.deepStrictEqual(
        entries.map(({ path }) => path),
        [whole]
      )
      // the hash does not contain the text
      const alone = SlotPreimage.entries(vyper, of, SlotPreimage.index(vyper, preimages.slice(-1)))
      assert.strictEqual(alone.length, count === 1 ? 1 : 0)
    }
  })
})
