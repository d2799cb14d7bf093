/**
 * Reads a contract of Vyper 0.4.3 (Kinds.vy): the value at each path must equal the result of the contract's getter.
 */
import { assert, describe, it } from "@effect/vitest"
import { Layout, Location, Slot } from "@plumbline/storage-layout"
import { Result } from "effect"

import * as Evm from "../support/evm.ts"
import * as Reading from "../support/reading.ts"
import { kinds } from "../support/vyperKinds.ts"

const layout = Result.getOrThrow(Layout.fromVyper(kinds.layout))
const deployed = Evm.deploy(kinds)

const OWNER = "0x00000000219ab540356cBB839Cbe05303d7705Fa"

/** A path, the getter, and its arguments. */
const questions: ReadonlyArray<readonly [path: string, getter: string, args: ReadonlyArray<unknown>]> = [
  ["small", "small", []],
  ["signed", "signed", []],
  ["on", "on", []],
  ["owner", "owner", []],
  ["tag", "tag", []],
  ["word", "word", []],
  ["name", "name", []],
  ["blob", "blob", []],
  ["three[2]", "three", [2n]],
  ["grid[2][0]", "grid", [2n, 0n]],
  ["list[2]", "list", [2n]],
  ["tags[1]", "tags", [1n]],
  ["names[1]", "names", [1n]],
  ["lists[0][1]", "lists", [0n, 1n]],
  [`balances[${OWNER}]`, "balances", [OWNER]],
  ["signs[-2]", "signs", [-2n]],
  ["byTag[0x01020304]", "byTag", ["0x01020304"]],
  [`byName["bob"]`, "byName", ["bob"]],
  ["byBlob[0x0102]", "byBlob", ["0x0102"]],
  [`allowed[${OWNER}][7]`, "allowed", [OWNER, 7n]],
  [`allowed[${OWNER}][8]`, "allowed", [OWNER, 8n]],
  ["after", "after", []]
]

const plain = (value: unknown): unknown =>
  typeof value === "number" ? BigInt(value) : typeof value === "string" ? value.toLowerCase() : value

describe("a contract of Vyper", () => {
  it("is read by name as its getters read it", async () => {
    const { call, word } = await deployed
    for (const [path, getter, args] of questions) {
      const { flaws, value } = await Reading.read(layout, path, word)
      assert.deepStrictEqual(flaws, [], path)
      assert.deepStrictEqual(plain(value), plain(await call(getter, args)), path)
    }
  })

  it("has arrays as values, and their lengths", async () => {
    const { word } = await deployed
    const paths = ["three", "grid", "list", "tags", "names", "lists", "list.length", "name.length"]
    const { values } = await Reading.readMany(layout, paths, word)
    assert.deepStrictEqual(
      values.map(({ value }) => value),
      [
        [1n, 2n, 3n],
        [
          [1n, 2n],
          [3n, 4n],
          [5n, 6n]
        ],
        [7n, 8n, 9n],
        ["0x01020304", "0x05060708"],
        ["one", "two"],
        [[1n, 2n], [3n]],
        3n,
        37n
      ]
    )
  })

  it("has structs and flags as words, with the reason", async () => {
    const { word } = await deployed
    const point = Result.getOrThrow(Location.locate(layout, "point"))
    assert.strictEqual(point.bytes, 64n)
    const hex = (n: bigint) => `0x${BigInt.asUintN(256, n).toString(16).padStart(64, "0")}`
    assert.deepStrictEqual((await Reading.read(layout, "point", word)).value, [hex(9n), hex(-9n)])
    assert.deepStrictEqual((await Reading.read(layout, "role", word)).value, hex(2n))
  })

  it("finds the elements of arrays of structs, whose size follows from that of the array", () => {
    // printed by vyper 0.4.3; Point has two members
    const printed = {
      one: { type: "DynArray[Point, 1]", n_slots: 3, slot: 0 },
      three: { type: "Point[3]", n_slots: 6, slot: 3 },
      many: { type: "DynArray[Point[2], 4]", n_slots: 17, slot: 9 }
    }
    const points = Result.getOrThrow(Layout.fromVyper({ storage_layout: printed }))
    const place = (path: string) => {
      const { bytes, slot } = Result.getOrThrow(Location.locate(points, path))
      return [slot, bytes]
    }
    assert.deepStrictEqual(place("one[0]"), [1n, 64n])
    assert.deepStrictEqual(place("three[2]"), [7n, 64n])
    assert.deepStrictEqual(place("many[3][1]"), [24n, 64n])
  })

  it("flags words that Vyper does not write", async () => {
    const flaws = async (path: string, word: bigint) =>
      (await Reading.read(layout, path, () => word)).flaws.map(({ reason }) => reason)
    assert.deepStrictEqual(await flaws("small", 256n), ["NotPadded"])
    assert.deepStrictEqual(await flaws("signed", 2n ** 127n), ["NotPadded"])
    assert.deepStrictEqual(await flaws("tag", 1n), ["NotPadded"])
    assert.deepStrictEqual(await flaws("on", 2n), ["NotABool"])
    assert.deepStrictEqual(await flaws("name", 41n), ["BadLength"])
    assert.deepStrictEqual(await flaws("list", 6n), ["BadLength"])
  })

  it("has transient variables in a layout of their own", () => {
    const transient = Result.getOrThrow(Layout.fromVyper(kinds.layout, { area: "transient" }))
    assert.deepStrictEqual(
      transient.variables.map(({ name, slot }) => [name, slot]),
      [["lock", 1n]]
    )
  })

  it("has the variables of modules under the names of those, and is read as versions before 0.4 print it", () => {
    // printed by vyper 0.4.3 for a contract that initializes a module
    const printed = {
      storage_layout: {
        Mod: { x: { type: "uint256", n_slots: 1, slot: 0 } },
        y: { type: "uint8", n_slots: 1, slot: 1 },
        "$.nonreentrant_key": { type: "nonreentrant lock", slot: 2, n_slots: 1 }
      }
    }
    const modules = Result.getOrThrow(Layout.fromVyper(printed))
    const slot = (layout: Layout.Layout, path: string) => Result.getOrThrow(Location.locate(layout, path)).slot
    assert.strictEqual(slot(modules, "Mod.x"), 0n)
    assert.strictEqual(slot(modules, "y"), 1n)
    assert.strictEqual(slot(modules, "$.nonreentrant_key"), 2n)
    const old = Result.getOrThrow(Layout.fromVyper({ owner: { type: "address", location: "storage", slot: 4 } }))
    assert.strictEqual(slot(old, "owner"), 4n)
  })

  it("is refused when it is something else", () => {
    const nested = JSON.parse(`${'{"a":'.repeat(80)}{}${"}".repeat(80)}`)
    for (const json of [null, 7, [], { owner: 7 }, { owner: { type: "address", slot: -1 } }, nested]) {
      const made = Layout.fromVyper(json)
      assert.isTrue(Result.isFailure(made) && made.failure.reason === "Malformed", JSON.stringify(json))
    }
  })
})

describe("types of Vyper that are values", () => {
  const word = (value: bigint) => BigInt.asUintN(256, value)

  it("has decimals as exact text, and takes them as keys", async () => {
    const printed = {
      rate: { type: "decimal", n_slots: 1, slot: 0 },
      rates: { type: "DynArray[decimal, 2]", n_slots: 3, slot: 1 },
      byRate: { type: "HashMap[decimal, uint256]", n_slots: 1, slot: 4 }
    }
    const layout = Result.getOrThrow(Layout.fromVyper({ storage_layout: printed }))
    const texts: ReadonlyArray<readonly [bigint, string]> = [
      [15_000_000_000n, "1.5"],
      [-1n, "-0.0000000001"],
      [0n, "0"],
      [-20_000_000_000n, "-2"],
      // vyper: `max_value(decimal)` and `min_value(decimal)`
      [2n ** 167n - 1n, "18707220957835557353007165858768422651595.9365500927"],
      [-(2n ** 167n), "-18707220957835557353007165858768422651595.9365500928"]
    ]
    for (const [units, text] of texts) {
      assert.deepStrictEqual(await Reading.read(layout, "rate", () => word(units)), { value: text, flaws: [] })
      const key = JSON.stringify(text)
      const { slot } = Result.getOrThrow(Location.locate(layout, `byRate[${key}]`))
      assert.strictEqual(slot, Slot.vyperEntry(Slot.numberKey(units), 4n))
    }
    const outside = await Reading.read(layout, "rate", () => 2n ** 167n)
    assert.deepStrictEqual(
      outside.flaws.map(({ reason }) => reason),
      ["NotPadded"]
    )
    for (const key of ['"1.00000000001"', '"1e3"', '"18707220957835557353007165858768422651595.9365500928"', "true"]) {
      assert.isTrue(Result.isFailure(Location.locate(layout, `byRate[${key}]`)), key)
    }
    assert.isTrue(Result.isSuccess(Location.locate(layout, "byRate[-3]")))
  })

  // For a type that the source defines, Vyper writes only the name.
  const printed = {
    token: { type: "IERC20", n_slots: 1, slot: 0 },
    tokens: { type: "IERC20[2]", n_slots: 2, slot: 1 },
    role: { type: "Role", n_slots: 1, slot: 3 },
    vaults: { type: "HashMap[address, Vault]", n_slots: 1, slot: 4 },
    byToken: { type: "HashMap[IERC20, uint256]", n_slots: 1, slot: 5 },
    hidden: { type: "Oracle", n_slots: 1, slot: 6 }
  }
  const getter = (name: string, type: string) => ({ type: "function", name, outputs: [{ type, name: "" }] })
  const abi = [getter("token", "address"), getter("role", "uint256"), getter("vaults", "address")]
  const ast = {
    ast_type: "Module",
    body: [{ ast_type: "InterfaceDef", name: "Oracle" }, { type: { name: "Role", typeclass: "flag" } }]
  }
  const address = 0x219ab540356cbb839cbe05303d7705fan

  it("has interfaces as addresses where the ABI or the tree tells that they are", async () => {
    const tags = (options: Layout.VyperOptions) => {
      const layout = Result.getOrThrow(Layout.fromVyper({ storage_layout: printed }, options))
      return ["token", "tokens[1]", "role", `vaults[${OWNER}]`, "hidden"].map(
        (path) => Result.getOrThrow(Location.locate(layout, path)).type._tag
      )
    }
    assert.deepStrictEqual(tags({ abi }), ["Address", "Address", "Opaque", "Address", "Opaque"])
    assert.deepStrictEqual(tags({ abi, ast: [ast] }), ["Address", "Address", "Opaque", "Address", "Address"])
    assert.deepStrictEqual(tags({ ast: [ast] }), ["Opaque", "Opaque", "Opaque", "Opaque", "Address"])
    const layout = Result.getOrThrow(Layout.fromVyper({ storage_layout: printed }, { abi }))
    const read = await Reading.read(layout, "token", () => address)
    assert.deepStrictEqual(read, { value: OWNER.toLowerCase(), flaws: [] })
  })

  it("does not take a name for an interface that another source means otherwise", () => {
    const other = { body: [{ ast_type: "FlagDef", name: "Oracle" }] }
    const layout = Result.getOrThrow(Layout.fromVyper({ storage_layout: printed }, { ast: [ast, other] }))
    assert.strictEqual(Result.getOrThrow(Location.locate(layout, "hidden")).type._tag, "Opaque")
  })

  it("says where immutables, constants and transient variables are", () => {
    const output = {
      storage_layout: { total: { type: "uint256", n_slots: 1, slot: 0 } },
      transient_storage_layout: { lock: { type: "bool", n_slots: 1, slot: 0 } },
      code_layout: { MADE: { type: "uint256", length: 32, offset: 0 } }
    }
    const constant = { ast_type: "VariableDecl", is_constant: true, target: { id: "SCALE" } }
    // `vyper -f ast` prints the module under `ast`
    for (const tree of [{ body: [constant] }, { ast: { body: [constant] } }]) {
      const layout = Result.getOrThrow(Layout.fromVyper(output, { ast: [tree] }))
      const details = ["MADE", "lock", "SCALE"].map((path) => {
        const { detail, reason } = Result.getOrThrow(Result.flip(Location.locate(layout, path)))
        return [reason, detail.slice(0, detail.indexOf(":"))]
      })
      assert.deepStrictEqual(details, [
        ["Elsewhere", "MADE is immutable"],
        ["Elsewhere", "lock is transient"],
        ["Elsewhere", "SCALE is a constant"]
      ])
    }
    const transient = Result.getOrThrow(Layout.fromVyper(output, { area: "transient" }))
    assert.match(Result.getOrThrow(Result.flip(Location.locate(transient, "total"))).detail, /permanent storage/)
  })

  it("hashes keys that are interfaces or flags: both are numbers in a word", () => {
    const layout = Result.getOrThrow(Layout.fromVyper({ storage_layout: printed }))
    const entry = Result.getOrThrow(Location.locate(layout, `byToken[${OWNER}]`))
    assert.strictEqual(entry.slot, Slot.vyperEntry(Slot.numberKey(address), 5n))
    const flag = Result.getOrThrow(Location.locate(layout, "byToken[2]"))
    assert.strictEqual(flag.slot, Slot.vyperEntry(Slot.numberKey(2n), 5n))
    assert.isTrue(Result.isFailure(Location.locate(layout, "byToken[0x01]")))
  })
})
