/**
 * Tests that variables that share bytes lose their meaning, alone, and that the cost of a layout is linear in its size.
 */
import { assert, describe, it } from "@effect/vitest"
import { Layout, Location, Readable, StorageType } from "@plumbline/storage-layout"
import { Result } from "effect"

import { compile } from "../support/solidity.ts"

const types = {
  t_uint8: { encoding: "inplace", label: "uint8", numberOfBytes: "1" },
  t_uint128: { encoding: "inplace", label: "uint128", numberOfBytes: "16" },
  t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" },
  t_string_storage: { encoding: "bytes", label: "string", numberOfBytes: "32" },
  "t_array(t_uint256)3_storage": { encoding: "inplace", label: "uint256[3]", numberOfBytes: "96", base: "t_uint256" },
  t_struct: {
    encoding: "inplace",
    label: "struct S",
    numberOfBytes: "64",
    members: [
      { label: "a", offset: 0, slot: "0", type: "t_uint128" },
      { label: "b", offset: 0, slot: "1", type: "t_uint256" }
    ]
  }
}

type Place = readonly [label: string, slot: bigint, offset: number, type: keyof typeof types]

const made = (places: ReadonlyArray<Place>) =>
  Layout.fromSolc({
    storage: places.map(([label, slot, offset, type]) => ({ label, slot: String(slot), offset, type })),
    types
  })

const END = 2n ** 256n

describe("variables in the same bytes", () => {
  const overlapping: ReadonlyArray<readonly [string, ReadonlyArray<Place>]> = [
    [
      "the same place",
      [
        ["a", 1n, 0, "t_uint256"],
        ["b", 1n, 0, "t_uint256"]
      ]
    ],
    [
      "a part of the other",
      [
        ["a", 1n, 0, "t_uint128"],
        ["b", 1n, 15, "t_uint8"]
      ]
    ],
    [
      "within an array",
      [
        ["a", 1n, 0, "t_array(t_uint256)3_storage"],
        ["b", 3n, 31, "t_uint8"]
      ]
    ],
    [
      "behind one that is within it too",
      [
        ["a", 1n, 0, "t_array(t_uint256)3_storage"],
        ["b", 9n, 0, "t_uint8"],
        ["c", 2n, 0, "t_uint8"]
      ]
    ],
    [
      "within a struct, where no member is",
      [
        ["a", 1n, 0, "t_struct"],
        ["b", 1n, 16, "t_uint128"]
      ]
    ],
    [
      "in another order",
      [
        ["b", 2n, 0, "t_uint8"],
        ["a", 1n, 0, "t_struct"]
      ]
    ],
    [
      "over the end of storage",
      [
        ["b", 0n, 3, "t_uint8"],
        ["a", END - 2n, 0, "t_array(t_uint256)3_storage"]
      ]
    ]
  ]
  for (const [name, places] of overlapping) {
    it(`are bytes without a meaning, and no other variable is: ${name}`, () => {
      const apart: Place = ["apart", 77n, 3, "t_uint8"]
      const layout = Result.getOrThrow(made([...places, apart]))
      const typeOf = (path: string) => Result.getOrThrow(Location.locate(layout, path)).type
      for (const path of ["a", name === "behind one that is within it too" ? "c" : "b"]) {
        const type = typeOf(path)
        const word = type._tag === "FixedArray" ? layout.types.get(type.base)! : type
        assert.match(word._tag === "Opaque" ? word.reason : "", /^the layout puts \w and \w in the same bytes$/)
      }
      assert.deepStrictEqual(typeOf("apart"), { _tag: "Uint", label: "uint8", size: 1 })
      if (name === "behind one that is within it too") assert.strictEqual(typeOf("b")._tag, "Uint")
    })
  }

  it("keep their number of bytes, so that a layout that is written and read again is the same", () => {
    const layout = Result.getOrThrow(
      made([
        ["a", 1n, 0, "t_array(t_uint256)3_storage"],
        ["b", 3n, 31, "t_uint8"]
      ])
    )
    const slots = (path: string) => StorageType.slots(Result.getOrThrow(Location.locate(layout, path)).type)
    assert.deepStrictEqual([slots("a"), slots("b")], [3n, 1n])
    assert.deepInclude(Result.getOrThrow(Location.locate(layout, "b")), { offset: 31 })
  })

  it("are so in Vyper's layouts, and so are sizes that the type does not have", () => {
    const one = { type: "uint256", n_slots: 1, slot: 4 }
    const list = { type: "DynArray[uint256, 3]", n_slots: 4, slot: 2 }
    const owner = { type: "address", n_slots: 1, slot: 0 }
    const reasonOf = (storage_layout: object, path: string) => {
      const layout = Result.getOrThrow(Layout.fromVyper({ storage_layout }))
      assert.strictEqual(Result.getOrThrow(Location.locate(layout, "owner")).type._tag, "Address")
      const { type } = Result.getOrThrow(Location.locate(layout, path))
      const word = type._tag === "FixedArray" ? layout.types.get(type.base)! : type
      return word._tag === "Opaque" ? word.reason : ""
    }
    assert.strictEqual(reasonOf({ owner, list, one }, "one"), "the layout puts one and list in the same bytes")
    assert.strictEqual(reasonOf({ owner, list, one }, "list"), "the layout puts list and one in the same bytes")
    assert.strictEqual(
      reasonOf({ owner, list: { ...list, n_slots: 2 } }, "list"),
      "the layout gives list 2 slots, and its type DynArray[uint256, 3] has 4"
    )
  })

  it("are none where they only touch, in any order, around the end of storage too", () => {
    const fine: ReadonlyArray<Place> = [
      ["c", 2n, 0, "t_string_storage"],
      ["a", 1n, 0, "t_uint128"],
      ["b", 1n, 16, "t_uint128"],
      ["d", 0n, 0, "t_uint8"],
      ["e", END - 3n, 0, "t_array(t_uint256)3_storage"],
      ["f", 0n, 1, "t_uint8"]
    ]
    assert.isTrue(Result.isSuccess(made(fine)))
    assert.isTrue(Result.isSuccess(made([["e", END - 2n, 0, "t_array(t_uint256)3_storage"]])))
  })

  it("are none in what solc packs, moves, inherits, or keeps for the transaction alone", () => {
    const { contract, output } = compile(`
      contract B { uint24 private shadow; bool on; }
      contract C is B layout at 0x1000 {
        uint8 private shadow; uint64 a; struct P { uint128 x; uint8 y; } P p; uint8 last; uint8[3][2] grid; mapping(uint => P) m;
        uint256 transient lock; address transient who;
        /// @custom:storage-location erc7201:example.main
        struct Main { uint256 first; P second; }
      }`)
    const layout = Layout.fromSolcOutput(output, "C")
    assert.deepStrictEqual(
      Result.getOrThrow(layout).variables.map(({ name }) => name),
      contract("C").storageLayout.storage.map(({ label }: { readonly label: string }) => label)
    )
    assert.isTrue(Result.isSuccess(Layout.fromSolcOutput(output, "C", { area: "transient" })))
  })
})

describe("a layout of many variables", () => {
  /** Locates every variable of a layout with `count` variables, and returns how often `declaredIn` was read. */
  const looks = (count: number): number => {
    let seen = 0
    const layout = Result.getOrThrow(Layout.fromSolc({ storage: [], types }))
    const variables = Array.from({ length: count }, (_, i) => ({
      name: "shadow",
      get declaredIn() {
        seen++
        return `C${i}`
      },
      slot: BigInt(i),
      offset: 0,
      type: "t_uint256"
    }))
    const located = Readable.variables({ ...layout, variables })
    assert.strictEqual(located.length, count)
    assert.strictEqual(located.at(-1)?.path, `C${count - 1}.shadow`)
    return seen
  }

  it("is located with as many looks at each, however many there are", () => {
    const [few, many] = [looks(100), looks(3200)]
    assert.isAtMost(many / 3200, 1.1 * (few / 100))
    assert.isAtMost(few / 100, 32)
  })

  it("says what is wrong with a path in a message that does not grow", () => {
    const names = Array.from({ length: 5000 }, (_, i) => [`v${i}`, BigInt(i), 0, "t_uint256"] as const)
    const layout = Result.getOrThrow(made(names))
    const wrong = Location.locate(layout, "nothing.like.it")
    assert.isBelow(Result.isFailure(wrong) ? wrong.failure.message.length : Infinity, 300)
  })
})
