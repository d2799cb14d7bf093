import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Slot } from "@plumbline/storage-layout"
import * as Result from "effect/Result"
import { encodeAbiParameters, encodePacked, hexToBigInt, keccak256, stringToBytes, toHex } from "viem"

const MAX = 2n ** 256n - 1n
const words: ReadonlyArray<bigint> = [0n, 1n, 255n, 2n ** 64n, 2n ** 255n, MAX]

const bits = (random: Random.Random, count: number): bigint => {
  let n = 0n
  for (let i = 0; i < count; i += 16) n = (n << 16n) | BigInt(Random.int(random, 65536))
  return BigInt.asUintN(count, n)
}

describe("a mapping's entry", () => {
  it("is where viem's keccak256(abi.encode(key, slot)) says, for keys of every kind", () => {
    const random = Random.make(1)
    for (let run = 0; run < Random.runs(300); run++) {
      const slot = Random.pick(random, [...words, bits(random, 256)])
      const size = 1 + Random.int(random, 32)
      const at = (type: string, value: unknown) =>
        hexToBigInt(keccak256(encodeAbiParameters([{ type }, { type: "uint256" }], [value, slot])))
      const unsigned = bits(random, size * 8)
      const signed = BigInt.asIntN(size * 8, unsigned)
      assert.strictEqual(Slot.mappingEntry(Slot.numberKey(unsigned), slot), at(`uint${size * 8}`, unsigned))
      assert.strictEqual(Slot.mappingEntry(Slot.numberKey(signed), slot), at(`int${size * 8}`, signed))
      const bytes = toHex(unsigned, { size })
      const raw = Uint8Array.from({ length: size }, (_, i) => Number.parseInt(bytes.slice(2 + 2 * i, 4 + 2 * i), 16))
      assert.strictEqual(Slot.mappingEntry(Slot.fixedBytesKey(raw), slot), at(`bytes${size}`, bytes))
      const address = bits(random, 160)
      assert.strictEqual(Slot.mappingEntry(Slot.numberKey(address), slot), at("address", toHex(address, { size: 20 })))
      const yes = Random.int(random, 2) === 1
      assert.strictEqual(Slot.mappingEntry(Slot.numberKey(yes ? 1n : 0n), slot), at("bool", yes))
    }
  })

  it("is the same as text, for keys of every size and slots as number and as text", () => {
    const random = Random.make(3)
    for (let run = 0; run < Random.runs(300); run++) {
      const slot = Random.pick(random, [...words, bits(random, 256)])
      const size = 1 + Random.int(random, 32)
      const key = bits(random, size * 8)
      const types = [{ type: "uint256" }, { type: "uint256" }]
      const expected = keccak256(encodeAbiParameters(types, [key, slot]))
      for (const mapping of [slot, toHex(slot, { size: 32 })]) {
        assert.strictEqual(Slot.mappingEntryHexUnsafe(toHex(key, { size }), mapping), expected)
        assert.strictEqual(Slot.mappingEntryHexUnsafe(toHex(key, { size: 32 }), mapping), expected)
      }
      // the slot of the inner mapping's entry
      const inner = keccak256(encodeAbiParameters(types, [key, hexToBigInt(expected)]))
      assert.strictEqual(Slot.mappingEntryHexUnsafe(toHex(key, { size }), expected), inner)
    }
  })

  it("is refused as text where the key or the slot is not 0x and at most 32 whole bytes", () => {
    const reason = (key: string, mapping: bigint | string) => {
      const result = Slot.mappingEntryHex(key, mapping)
      return Result.isFailure(result) ? result.failure.reason : "none"
    }
    assert.strictEqual(reason("ab", 1n), "MissingPrefix")
    assert.strictEqual(reason("0xabc", 1n), "OddDigits")
    assert.strictEqual(reason("0xabcg", 1n), "BadDigit")
    assert.strictEqual(reason(`0x${"00".repeat(33)}`, 1n), "WrongSize")
    assert.strictEqual(reason("0xab", "0x1"), "OddDigits")
    assert.strictEqual(reason("0xab", "0x01"), "none")
    assert.throws(() => Slot.mappingEntryHexUnsafe("0xab", "0x\u0130"), "hex digit")
  })

  it("has the raw bytes of a text as its key, of any length", () => {
    for (const length of [0, 1, 31, 32, 33, 200, 255, 256, 257, 5000]) {
      const text = "x".repeat(length)
      const expected = hexToBigInt(keccak256(encodePacked(["string", "uint256"], [text, 7n])))
      assert.strictEqual(Slot.mappingEntry(stringToBytes(text), 7n), expected)
    }
  })

  it("has the slot before the key in Vyper", () => {
    const expected = hexToBigInt(keccak256(encodeAbiParameters([{ type: "uint256" }, { type: "int8" }], [7n, -1])))
    assert.strictEqual(Slot.vyperEntry(Slot.numberKey(-1n), 7n), expected)
    for (const length of [0, 33, 256, 257]) {
      const text = "x".repeat(length)
      const expected = hexToBigInt(keccak256(encodePacked(["uint256", "string"], [MAX, text])))
      assert.strictEqual(Slot.vyperEntry(stringToBytes(text), MAX), expected)
    }
  })

  it("leaves its key as it was, and the keys that were made before", () => {
    const keys = [Slot.numberKey(1n), Slot.numberKey(MAX), Slot.fixedBytesKey(Uint8Array.of(7))]
    for (const key of keys) for (const slot of words) Slot.mappingEntry(key, Slot.vyperEntry(key, slot))
    assert.deepStrictEqual(
      keys.map((key) => toHex(key)),
      [toHex(1n, { size: 32 }), toHex(MAX), `0x07${"00".repeat(31)}`]
    )
  })

  it("takes no bytesN of more than 32 bytes", () => {
    assert.throws(() => Slot.fixedBytesKey(new Uint8Array(33)), RangeError)
  })
})

describe("a dynamic array's data", () => {
  it("is at the hash of its slot", () => {
    for (const slot of words) {
      assert.strictEqual(Slot.data(slot), hexToBigInt(keccak256(encodeAbiParameters([{ type: "uint256" }], [slot]))))
    }
  })
})

describe("elements", () => {
  it("share a slot while they fit, low-order first", () => {
    for (let size = 1; size <= 32; size++) {
      // the values are packed; a value that does not fit begins a new slot
      let slot = MAX
      let offset = 0
      for (let index = 0n; index < 100n; index++) {
        if (offset + size > 32) {
          slot = slot === MAX ? 0n : slot + 1n
          offset = 0
        }
        assert.deepStrictEqual(Slot.packedElement(MAX, index, size), { slot, offset })
        offset += size
      }
    }
  })

  it("go on at slot 0 after the last slot", () => {
    assert.strictEqual(Slot.add(MAX, 1n), 0n)
    assert.strictEqual(Slot.add(0n, -1n), MAX)
    assert.strictEqual(Slot.element(MAX, 2n, 3n), 5n)
  })
})

describe("a namespace", () => {
  it("is at the slot that ERC-7201 and the libraries built on it name", () => {
    const known: ReadonlyArray<readonly [string, bigint]> = [
      ["example.main", 0x183a6125c38840424c4a85fa12bab2ab606c4b6d0e7cc73c0c06ba5300eab500n],
      // @openzeppelin/contracts-upgradeable 5
      ["openzeppelin.storage.ERC20", 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n],
      ["openzeppelin.storage.Ownable", 0x9016d09d72d40fdae2fd8ceac6b6234c7706214fd39c1cd1e609a0528c199300n],
      ["openzeppelin.storage.Initializable", 0xf0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00n]
    ]
    for (const [id, slot] of known) assert.strictEqual(Slot.erc7201(id), slot, id)
  })
})
