import { assert, describe, it } from "@effect/vitest"
import { Accessor, FlawedValueError, Layout, Location, Value } from "@plumbline/storage-layout"
import { Result } from "effect"
import { assertType } from "vitest"

import * as Reading from "../support/reading.ts"

/** solc's layout of a contract, with fields from the syntax tree. */
const json = {
  storage: [
    { label: "total", offset: 0, slot: "0", type: "t_uint256" },
    { label: "open", offset: 0, slot: "1", type: "t_bool" },
    { label: "color", offset: 1, slot: "1", type: "t_enum(Color)9" },
    { label: "price", offset: 2, slot: "1", type: "t_userDefinedValueType(Price)6" },
    { label: "name", offset: 0, slot: "2", type: "t_string_storage" },
    { label: "owners", offset: 0, slot: "3", type: "t_mapping(t_string,t_address)" },
    { label: "byColor", offset: 0, slot: "4", type: "t_mapping(t_enum,t_struct)" },
    { label: "list", offset: 0, slot: "5", type: "t_array(t_struct)dyn_storage" },
    { label: "grid", offset: 0, slot: "6", type: "t_array(t_uint256)3_storage" },
    { label: "tree", offset: 0, slot: "9", type: "t_struct(Tree)8_storage" },
    { label: "byTag", offset: 0, slot: "11", type: "t_mapping(t_tag,t_bool)" }
  ],
  types: {
    t_address: { encoding: "inplace", label: "address", numberOfBytes: "20" },
    "t_array(t_struct)dyn_storage": {
      encoding: "dynamic_array",
      label: "struct A.Item[]",
      numberOfBytes: "32",
      base: "t_struct(Item)7_storage"
    },
    "t_array(t_uint256)3_storage": { encoding: "inplace", label: "uint256[3]", numberOfBytes: "96", base: "t_uint256" },
    t_bool: { encoding: "inplace", label: "bool", numberOfBytes: "1" },
    "t_enum(Color)9": { encoding: "inplace", label: "enum Color", numberOfBytes: "1", enumMembers: ["Red", "Green"] },
    "t_mapping(t_enum,t_struct)": {
      encoding: "mapping",
      label: "mapping(enum Color => struct A.Item)",
      numberOfBytes: "32",
      key: "t_enum(Color)9",
      value: "t_struct(Item)7_storage"
    },
    "t_mapping(t_string,t_address)": {
      encoding: "mapping",
      label: "mapping(string => address)",
      numberOfBytes: "32",
      key: "t_string_storage",
      value: "t_address"
    },
    t_string_storage: { encoding: "bytes", label: "string", numberOfBytes: "32" },
    "t_struct(Item)7_storage": {
      encoding: "inplace",
      label: "struct A.Item",
      numberOfBytes: "96",
      members: [
        { label: "size", offset: 0, slot: "0", type: "t_uint256" },
        { label: "on", offset: 0, slot: "1", type: "t_bool" },
        { label: "of", offset: 0, slot: "2", type: "t_mapping(t_string,t_address)" }
      ]
    },
    "t_struct(Tree)8_storage": {
      encoding: "inplace",
      label: "struct Tree",
      numberOfBytes: "64",
      members: [
        { label: "value", offset: 0, slot: "0", type: "t_uint256" },
        { label: "kids", offset: 0, slot: "1", type: "t_array(t_struct(Tree)8_storage)dyn_storage" }
      ]
    },
    "t_array(t_struct(Tree)8_storage)dyn_storage": {
      encoding: "dynamic_array",
      label: "struct Tree[]",
      numberOfBytes: "32",
      base: "t_struct(Tree)8_storage"
    },
    "t_mapping(t_tag,t_bool)": {
      encoding: "mapping",
      label: "mapping(Tag => bool)",
      numberOfBytes: "32",
      key: "t_userDefinedValueType(Tag)5",
      value: "t_bool"
    },
    "t_userDefinedValueType(Tag)5": { encoding: "inplace", label: "Tag", numberOfBytes: "3" },
    t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" },
    "t_userDefinedValueType(Price)6": { encoding: "inplace", label: "Price", numberOfBytes: "12", underlying: "uint96" }
  }
} as const

const layout = Result.getOrThrow(Layout.fromSolc(json))
const vault = Accessor.make(json)

describe("a typed path", () => {
  it("is the text of the path", () => {
    const paths = [
      [vault.total, "total"],
      [vault.owners.get('a "quoted" name'), `owners["a \\"quoted\\" name"]`],
      [vault.byColor.get("Green").size, "byColor[Green].size"],
      [vault.byColor.get("Red").of.get("x"), `byColor[Red].of["x"]`],
      [vault.list.at(3).on, "list[3].on"],
      [vault.list.at(2n ** 70n), `list[${2n ** 70n}]`],
      [vault.list.length, "list.length"],
      [vault.name.length, "name.length"],
      [vault.grid.at(2), "grid[2]"],
      [vault.tree.kids.at(1).kids.at(2).value, "tree.kids[1].kids[2].value"]
    ] as const
    for (const [ref, path] of paths) {
      assert.strictEqual(Accessor.path(ref), path)
      assert.isTrue(Result.isSuccess(Location.locate(layout, path)), path)
    }
  })

  it("has the type of the value", () => {
    assertType<Accessor.Ref<bigint>>(vault.total)
    assertType<Accessor.Ref<boolean>>(vault.open)
    assertType<Accessor.Ref<"Red" | "Green">>(vault.color)
    assertType<Accessor.Ref<bigint>>(vault.price)
    assertType<Accessor.Ref<string>>(vault.name)
    assertType<Accessor.Ref<`0x${string}`>>(vault.owners.get("x"))
    assertType<Accessor.Ref<{ readonly size: bigint; readonly on: boolean }>>(vault.list.at(0))
    assertType<Accessor.Ref<ReadonlyArray<bigint>>>(vault.grid)
    assert.deepStrictEqual(Object.keys(vault.list.at(0)), ["size", "on", "of"])
  })

  it("is refused by the compiler where the contract has nothing of the kind", () => {
    const wrong = [
      // @ts-expect-error the contract has no such variable
      () => vault.totals,
      // @ts-expect-error the struct has no such member
      () => vault.list.at(0).sizes,
      // @ts-expect-error the enum has no such member
      () => vault.byColor.get("Blue"),
      // @ts-expect-error the key must be a number, not a text
      () => vault.owners.get(7n),
      // @ts-expect-error the length of a fixed array is not in storage
      () => vault.grid.length,
      // @ts-expect-error a mapping has no value
      () => Accessor.path(vault.owners),
      // @ts-expect-error the underlying type of Tag is unknown
      () => vault.byTag.get("0x010203"),
      // @ts-expect-error the value is a number, not a text
      () => assertType<Accessor.Ref<string>>(vault.total)
    ]
    assert.lengthOf(wrong, 8)
  })

  it("gives the value that was read, or its flaws", async () => {
    const read = (path: Accessor.Ref<unknown>, word: bigint) => Reading.read(layout, Accessor.path(path), () => word)
    // price is 5, color is Green, open is true
    const word = (5n << 16n) | 0x0101n
    assert.deepStrictEqual<unknown>(Accessor.value(vault.color, await read(vault.color, word)), Result.succeed("Green"))
    assert.deepStrictEqual<unknown>(Accessor.value(vault.price, await read(vault.price, word)), Result.succeed(5n))
    const flawed = Result.flip(Accessor.value(vault.open, await read(vault.open, 2n)))
    assert.instanceOf(Result.getOrThrow(flawed), FlawedValueError.FlawedValueError)
    assert.strictEqual(Result.getOrThrow(flawed).message, "open: NotABool at open")
    const { value } = await read(vault.open, 2n)
    assert.instanceOf(value, Value.Flaw)
  })
})
