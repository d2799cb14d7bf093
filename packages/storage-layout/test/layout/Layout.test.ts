import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Layout, Location, Readable, Slot } from "@plumbline/storage-layout"
import { Result } from "effect"

import * as Solidity from "../support/solidity.ts"

const SOURCE = `
type Price is uint96; type Tag is bytes3; enum Color { Red, Green }
abstract contract A { uint8 private same; /// @custom:storage-location erc7201:a.space
  struct Space { uint256 x; } }
contract B is A { uint8 private same; Price price; Tag tag; Color color; mapping(Tag => uint8) byTag; uint256 only;
  mapping(Color => uint8) byColor; uint256 transient lock; Tag transient tagged; uint16[3] three; uint16[] many; string name; }
contract Stranger { /// @custom:storage-location erc7201:stranger.space
  struct Space { uint256 x; } }
contract Colored { /// @custom:storage-location erc7201:colored.space
  struct Space { uint8 x; Color color; } uint256 plain; }
library Lib { /// @custom:storage-location erc7201:library.space
  struct Space { uint256 x; } }
library Used { /// @custom:storage-location erc7201:used.space
  struct Space { uint256 x; } function touch() internal pure returns (uint8) { return further(); } }
library Further { /// @custom:storage-location erc7201:further.space
  struct Space { uint256 x; } function touch() internal pure returns (uint8) { return 1; } }
function further() pure returns (uint8) { return Further.touch(); }
/// @custom:storage-location erc7201:file.space
struct Loose { uint256 x; }
contract User { uint256 constant SCALE = 7; uint256 immutable made = 8; uint256 transient lock; uint256 plain;
  function touch() external pure returns (uint8) { return Used.touch(); } }
library Diamond { struct Kept { address owner; mapping(uint8 => Price) prices; } }
contract Empty {}
struct Knot { Knot[2][] pairs; Knot[][] rows; mapping(uint8 => Knot) named; } contract Knots { Knot knot; }`

const { contract, output } = Solidity.compile(SOURCE)
const ast = [output.sources["Test.sol"].ast]
const solc = contract("B").storageLayout
const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "B"))
const bare = Result.getOrThrow(Layout.fromSolc(solc))

const failed = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const where = (layout: Layout.Layout, path: string) => Location.locate(layout, path)

describe("a layout of solc", () => {
  it("learns from the syntax tree what types stand for", () => {
    const type = (layout: Layout.Layout, path: string) => Result.getOrThrow(where(layout, path)).type
    assert.deepStrictEqual(type(layout, "price"), { _tag: "Uint", label: "Price", size: 12 })
    assert.deepStrictEqual(type(layout, "tag"), { _tag: "FixedBytes", label: "Tag", size: 3 })
    assert.deepStrictEqual(type(layout, "color"), {
      _tag: "Enum",
      label: "enum Color",
      size: 1,
      members: ["Red", "Green"]
    })
    assert.strictEqual(type(bare, "price")._tag, "Opaque")
    assert.deepInclude(type(bare, "color"), { _tag: "Enum", members: undefined })
  })

  it("without the tree refuses keys whose form it does not know, with the reason", () => {
    assert.isTrue(Result.isSuccess(where(layout, "byTag[0x010203]")))
    const error = failed(where(bare, "byTag[0x010203]"))
    assert.strictEqual(error.reason, "OpaqueKey")
    assert.strictEqual(error.at, 6)
    assert.match(error.message, /syntax tree/)
    assert.strictEqual(failed(where(bare, "byColor[Red]")).reason, "BadKey")
    assert.isTrue(Result.isSuccess(where(bare, "byColor[1]")))
  })

  it("tells variables of one name apart by who declares them, if it knows", () => {
    const slot = (path: string) => Result.getOrThrow(where(layout, path)).offset
    assert.deepStrictEqual([slot("A.same"), slot("B.same")], [0, 1])
    const known = failed(where(layout, "same"))
    assert.strictEqual(known.reason, "Ambiguous")
    assert.match(known.message, /A\.same or B\.same/)
    assert.match(failed(where(bare, "same")).message, /only the syntax tree/)
    assert.strictEqual(failed(where(bare, "A.same")).reason, "Unknown")
  })

  it("knows the namespaces of the contract and of the libraries that it uses, and no others", () => {
    const ids = (name: string) =>
      Result.getOrThrow(Layout.fromSolcOutput(output, name))
        .namespaces.map(({ id }) => id)
        .toSorted()
    assert.deepStrictEqual(ids("B"), ["a.space"])
    // `User` calls `Used`, which calls a function outside of contracts, which calls `Further`
    assert.deepStrictEqual(ids("User"), ["further.space", "used.space"])
    assert.deepStrictEqual(ids("Empty"), [])
    assert.isTrue(Result.isSuccess(where(layout, `erc7201("a.space").x`)))
    const error = failed(where(layout, `erc7201("stranger.space").x`))
    assert.deepInclude(error, { reason: "Unknown", at: 8 })
    assert.deepStrictEqual(bare.namespaces, [])
  })

  it("takes no struct outside of contracts for a namespace (ERC-7201)", () => {
    for (const name of ["B", "User", "Empty"]) {
      const { namespaces } = Result.getOrThrow(Layout.fromSolcOutput(output, name))
      assert.notInclude(
        namespaces.map(({ id }) => id),
        "file.space"
      )
    }
  })

  it("tells contracts of one name apart by their sources", () => {
    const source = (name: string) => `contract Token { /// @custom:storage-location erc7201:${name}.space
      struct Space { uint256 ${name}; } uint256 constant ONLY_${name} = 1; uint256 total; }`
    const both = Solidity.compileAll({ "v1/Token.sol": source("one"), "v2/Token.sol": source("two") })
    for (const [path, name, other] of [
      ["v1/Token.sol", "one", "two"],
      ["v2/Token.sol", "two", "one"]
    ] as const) {
      const token = Result.getOrThrow(Layout.fromSolcOutput(both, `${path}:Token`))
      assert.deepStrictEqual(
        token.namespaces.map(({ id }) => id),
        [`${name}.space`]
      )
      assert.isTrue(Result.isSuccess(where(token, `erc7201("${name}.space").${name}`)))
      assert.strictEqual(failed(where(token, `ONLY_${name}`)).reason, "Elsewhere")
      assert.strictEqual(failed(where(token, `ONLY_${other}`)).reason, "Unknown")
    }
    assert.strictEqual(failed(Layout.fromSolcOutput(both, "Token")).reason, "AmbiguousContract")
  })

  it("walks each tree of a run once, for all of its contracts", () => {
    const { sources, ...rest } = output
    let walks = 0
    const counted = Object.fromEntries(
      Object.entries<{ readonly ast: { readonly nodes: unknown } }>(sources as never).map(([source, { ast }]) => {
        const { nodes, ...fields } = ast
        const get = () => (walks++, nodes)
        return [source, { ast: Object.defineProperty(fields, "nodes", { get, enumerable: true }) }]
      })
    )
    const { contracts, layoutOf } = Result.getOrThrow(Layout.openSolcOutput({ ...rest, sources: counted }))
    const once = walks
    assert.isAbove(once, 0)
    assert.isAbove(contracts.length, 3)
    for (const name of contracts) {
      assert.deepStrictEqual(layoutOf(name), Layout.fromSolcOutput(output, name))
    }
    assert.strictEqual(walks, once)
  })

  it("refuses a syntax tree without an end, and reads a deep one", () => {
    const endless: Record<string, unknown> = { id: 1, nodeType: "SourceUnit", nodes: [] }
    endless["nodes"] = [{ left: endless, right: endless }]
    const opened = failed(Layout.openSolcOutput({ ...output, sources: { "a.sol": { ast: endless } } }))
    assert.strictEqual(opened.reason, "Malformed")
    assert.match(opened.message, /^the syntax tree has more than 65536 levels$/)
    assert.strictEqual(failed(Layout.fromSolc(solc, { ast: [endless] })).reason, "Malformed")
    let deep: object = {}
    for (let i = 0; i < 50_000; i++) deep = { leftExpression: deep }
    assert.isTrue(Result.isSuccess(Layout.openSolcOutput({ ...output, sources: { "a.sol": { ast: deep } } })))
  })

  it("says where constants, immutables and the variables of the other area are", () => {
    const user = Result.getOrThrow(Layout.fromSolcOutput(output, "User"))
    const sentence = (path: string) => {
      const error = failed(where(user, path))
      assert.strictEqual(error.reason, "Elsewhere")
      return error.detail
    }
    assert.match(sentence("SCALE"), /^SCALE is a constant: /)
    assert.match(sentence("User.SCALE"), /^SCALE is a constant: /)
    assert.match(sentence("made"), /^made is immutable: /)
    assert.match(sentence("lock"), /^lock is transient: /)
    assert.strictEqual(failed(where(user, "same")).reason, "Unknown")
    const transient = Result.getOrThrow(Layout.fromSolcOutput(output, "User", { area: "transient" }))
    assert.isTrue(Result.isSuccess(where(transient, "lock")))
    assert.match(failed(where(transient, "plain")).detail, /^plain is in permanent storage/)
  })

  it("has a variable for each struct that the reader puts at a slot", () => {
    const slot = 2n ** 255n
    const structs = [{ name: "diamond", struct: "Diamond.Kept", slot }]
    const placed = Result.getOrThrow(Layout.fromSolcOutput(output, "Empty", { structs }))
    assert.strictEqual(Result.getOrThrow(where(placed, "diamond.owner")).slot, slot)
    const priced = Result.getOrThrow(where(placed, "diamond.prices[3]"))
    assert.strictEqual(priced.slot, Slot.mappingEntry(Slot.numberKey(3n), slot + 1n))
    assert.deepStrictEqual(priced.type, { _tag: "Uint", label: "Price", size: 12 })
    const unknown = failed(Layout.fromSolcOutput(output, "Empty", { structs: [{ ...structs[0]!, struct: "Kept" }] }))
    assert.deepInclude(unknown, { reason: "NoStruct" })
    assert.match(unknown.message, /no struct Kept/)
  })

  it("has user-defined types of solc 0.8.8 as bytes without a meaning, beside readable variables", () => {
    // 0.8.8 gave each of these types 32 bytes (SOL-2021-4); the tree says what they stand for
    const wide = Object.entries(solc.types).map(([id, type]: [string, any]) => [
      id,
      id.startsWith("t_userDefinedValueType(Price)") ? { ...type, numberOfBytes: "32" } : type
    ])
    const storage = solc.storage.map((item: any) =>
      item.label === "price" ? { ...item, slot: "900", offset: 0 } : item
    )
    const odd = Result.getOrThrow(Layout.fromSolc({ storage, types: Object.fromEntries(wide) }, { ast }))
    const { type } = Result.getOrThrow(where(odd, "price"))
    assert.match(type._tag === "Opaque" ? type.reason : "", /SOL-2021-4/)
    assert.strictEqual(Result.getOrThrow(where(odd, "color")).type._tag, "Enum")
    const other = Object.entries(solc.types).map(([id, type]: [string, any]) => [
      id,
      id.startsWith("t_userDefinedValueType(Price)") ? { ...type, numberOfBytes: "11" } : type
    ])
    assert.strictEqual(
      failed(Layout.fromSolc({ ...solc, types: Object.fromEntries(other) }, { ast })).reason,
      "WrongAst"
    )
  })

  it("has a namespace without members where its struct needs a source whose tree is not there", () => {
    const nodes = ast[0].nodes.filter((node: any) => node.name !== "Color")
    const colored = contract("Colored").storageLayout
    const missing = Result.getOrThrow(Layout.fromSolc(colored, { ast: [{ ...ast[0], nodes }] }))
    assert.isTrue(Result.isSuccess(where(missing, "plain")))
    const error = failed(where(missing, `erc7201("colored.space").x`))
    assert.deepInclude(error, { reason: "NoSuchStep", at: 25 })
    assert.match(error.message, /the definition of enum Color is missing/)
    const whole = Result.getOrThrow(Layout.fromSolc(colored, { ast }))
    assert.strictEqual(Result.getOrThrow(where(whole, `erc7201("colored.space").color`)).offset, 1)
  })

  it("may hold what the tree tells in fields of its own", () => {
    const [variable] = solc.storage
    const declared = { storage: [{ ...variable, declaredIn: "A" }], types: solc.types }
    const made = Result.getOrThrow(Layout.fromSolc(declared))
    assert.isTrue(Result.isSuccess(where(made, "A.same")))
    // if there is a syntax tree, it takes precedence
    assert.strictEqual(
      failed(Layout.fromSolc({ storage: [{ ...variable, label: "other" }], types: solc.types }, { ast })).reason,
      "WrongAst"
    )
  })

  it("of transient storage is another one, from slot 0 on", () => {
    const transient = Result.getOrThrow(Layout.fromSolcOutput(output, "B", { area: "transient" }))
    assert.strictEqual(transient.area, "transient")
    assert.deepStrictEqual(
      transient.variables.map(({ name, offset, slot }) => [name, slot, offset]),
      [
        ["lock", 0n, 0],
        ["tagged", 1n, 0]
      ]
    )
    assert.deepStrictEqual(transient.namespaces, [])
  })

  it("may have structs that hold arrays of themselves", () => {
    const knots = Result.getOrThrow(Layout.fromSolcOutput(output, "Knots"))
    assert.isTrue(Result.isSuccess(where(knots, "knot.pairs[1][1].rows[2][3].named[4].pairs.length")))
  })

  it("may be empty", () => {
    const empty = Result.getOrThrow(Layout.fromSolcOutput(output, "Empty"))
    assert.deepStrictEqual([empty.contract, empty.variables.length], ["Test.sol:Empty", 0])
    assert.match(failed(where(empty, "x")).message, /it has none/)
  })

  it("is of the contract that was named, in the source that was named", () => {
    const twice = { contracts: { "A.sol": output.contracts["Test.sol"], "B.sol": output.contracts["Test.sol"] } }
    assert.strictEqual(failed(Layout.fromSolcOutput(twice, "B")).reason, "AmbiguousContract")
    assert.strictEqual(Result.getOrThrow(Layout.fromSolcOutput(twice, "B.sol:B")).contract, "B.sol:B")
    assert.strictEqual(failed(Layout.fromSolcOutput(output, "Nobody")).reason, "NoContract")
    const without = { contracts: { "A.sol": { A: {} } } }
    assert.strictEqual(failed(Layout.fromSolcOutput(without, "A")).reason, "NoContract")
  })

  it("is not put together with the tree of another run", () => {
    const other = Solidity.compile(`contract Z { uint8 z; } ${SOURCE}`).output.sources["Test.sol"].ast
    assert.strictEqual(failed(Layout.fromSolc(solc, { ast: [other] })).reason, "WrongAst")
    // The sources differ only in the underlying type of a user-defined type.
    const changed = Solidity.compile(SOURCE.replace("Price is uint96", "Price is uint88")).output.sources["Test.sol"]
      .ast
    assert.strictEqual(failed(Layout.fromSolc(solc, { ast: [changed] })).reason, "WrongAst")
    assert.isTrue(Result.isSuccess(Layout.fromSolc(solc, { ast })))
  })

  it("is refused when it is something else, and says where", () => {
    for (const json of [null, 7, [], {}, { storage: 7 }, { storage: [7] }, { storage: [], types: [] }]) {
      assert.strictEqual(failed(Layout.fromSolc(json)).reason, "Malformed", JSON.stringify(json))
    }
    const slot = failed(Layout.fromSolc({ ...solc, storage: [{ ...solc.storage[0], slot: String(2n ** 256n) }] }))
    assert.match(slot.message, /^layout\.storage\.0\.slot: /)
  })

  it("is refused when reading it would have no end: arrays of nothing, members upon each other", () => {
    const word = { encoding: "inplace", label: "uint256", numberOfBytes: "32" }
    const read = (types: Record<string, unknown>, type: string) =>
      failed(Layout.fromSolc({ storage: [{ label: "x", offset: 0, slot: "0", type }], types: { word, ...types } }))
    const nothing = { encoding: "inplace", label: "uint256[0]", numberOfBytes: "0", base: "word" }
    const many = {
      encoding: "dynamic_array",
      label: "uint256[0][]",
      numberOfBytes: "32",
      base: "t_array(word)0_storage"
    }
    const without = read({ "t_array(word)0_storage": nothing, many }, "many")
    assert.strictEqual(without.message, "the layout contradicts itself: t_array(word)0_storage has no elements")
    const member = (label: string, slot: string, type = "word") => ({ label, offset: 0, slot, type })
    const struct = (...members: ReadonlyArray<unknown>) => ({
      encoding: "inplace",
      label: "struct S",
      numberOfBytes: "64",
      members
    })
    for (const members of [
      [member("a", "0"), member("b", "0")],
      [member("a", "1"), member("b", "0")]
    ]) {
      const upon = read({ S: struct(...members) }, "S")
      assert.strictEqual(upon.message, "the layout contradicts itself: S.b is where another member is")
    }
    const itself = read({ S: struct(member("a", "0", "S")) }, "S")
    assert.match(itself.message, /nested without end/)
  })

  it("may be huge: many variables, and structs that hold each other in very many ways", () => {
    const word = { encoding: "inplace", label: "uint256", numberOfBytes: "32" }
    const storage = Array.from({ length: 30_000 }, (_, i) => ({
      label: `v${i}`,
      offset: 0,
      slot: String(i),
      type: "word"
    }))
    const wide = Result.getOrThrow(Layout.fromSolc({ storage, types: { word } }))
    assert.strictEqual(Readable.locate(wide).locations.length, storage.length)

    const types: Record<string, unknown> = { S0: { ...word, label: "uint256" } }
    for (let i = 1, slots = 1n; i < 50; i++, slots *= 2n) {
      const members = ["0", String(slots)].map((slot, j) => ({ label: `m${j}`, offset: 0, slot, type: `S${i - 1}` }))
      types[`S${i}`] = { encoding: "inplace", label: `struct S${i}`, numberOfBytes: String(64n * slots), members }
    }
    const deep = Layout.fromSolc({ storage: [{ label: "x", offset: 0, slot: "0", type: "S49" }], types })
    const last = Result.getOrThrow(where(Result.getOrThrow(deep), `x${".m1".repeat(49)}`))
    assert.strictEqual(last.slot, 2n ** 49n - 1n)
  })

  it("is refused when it contradicts itself", () => {
    const item = { label: "x", offset: 0, slot: "0", type: "t_x" }
    const inplace = { encoding: "inplace", label: "uint256", numberOfBytes: "32" }
    const struct = { ...inplace, label: "struct X" }
    const wrong: ReadonlyArray<Record<string, object>> = [
      {},
      { t_x: { ...inplace, numberOfBytes: "31" } },
      { t_x: { ...inplace, label: "thing", numberOfBytes: "33" } },
      { t_x: { ...inplace, numberOfBytes: "0", label: "thing" } },
      { t_x: { encoding: "mapping", label: "m", numberOfBytes: "32", key: "t_x" } },
      { t_x: { encoding: "mapping", label: "m", numberOfBytes: "32", key: "t_x", value: "t_x" } },
      { t_x: { encoding: "dynamic_array", label: "a", numberOfBytes: "32", base: "t_none" } },
      { t_x: { encoding: "dynamic_array", label: "a", numberOfBytes: "32", base: "t_x" } },
      { t_x: { ...inplace, label: "uint256[]", base: "t_y" }, t_y: inplace },
      { t_x: { ...inplace, label: "uint256[3]", base: "t_y" }, t_y: inplace },
      { t_x: { ...struct, members: [{ ...item, type: "t_x" }] } },
      { t_x: { ...struct, members: [{ ...item, slot: "1", type: "t_y" }] }, t_y: inplace },
      { t_x: { ...struct, members: [{ ...item, offset: 1, type: "t_y" }] }, t_y: inplace },
      { t_x: { ...struct, numberOfBytes: "0", members: [] } },
      { t_x: inplace, "t_enum(E)3": { ...inplace, label: "enum E", numberOfBytes: "1", enumMembers: ["A", "B", "A"] } }
    ]
    for (const types of wrong) {
      assert.strictEqual(
        failed(Layout.fromSolc({ storage: [item], types })).reason,
        "Inconsistent",
        JSON.stringify(types)
      )
    }
    const offset = failed(Layout.fromSolc({ storage: [{ ...item, offset: 1 }], types: { t_x: inplace } }))
    assert.strictEqual(offset.reason, "Inconsistent")
  })

  it("is made or refused, never more: any change of a good one", () => {
    const random = Random.make(5)
    const values = [null, 7, -1, "", "t_uint256", "x", [], {}, "999999999999999999999", true]
    const objects = (value: any): ReadonlyArray<any> =>
      typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(objects)] : []
    for (let run = 0; run < Random.runs(500); run++) {
      const changed = structuredClone(solc)
      const object = Random.pick(random, objects(changed))
      const key = Random.pick(random, Object.keys(object))
      if (key !== undefined) object[key] = Random.pick(random, values)
      const { types, variables } = Result.getOrElse(Layout.fromSolc(changed, { ast }), () => layout)
      assert.isTrue(variables.every(({ type }) => types.has(type)))
    }
  })
})

describe("a location", () => {
  it("is refused at the character that leads nowhere", () => {
    const wrong: ReadonlyArray<readonly [path: string, reason: string, at: number]> = [
      ["nothing", "Unknown", 0],
      ["B.nothing", "Unknown", 2],
      ["B", "Unknown", 0],
      ["price.x", "NoSuchStep", 6],
      ["price[0]", "NoSuchStep", 6],
      ["price.length", "NoSuchStep", 6],
      ["name[0]", "NoSuchStep", 5],
      ["name.length.x", "NoSuchStep", 12],
      ["three.length", "NoSuchStep", 6],
      ["three[3]", "BadKey", 6],
      ["three[-1]", "BadKey", 6],
      ["three[Red]", "BadKey", 6],
      [`many[${2n ** 256n}]`, "BadKey", 5],
      ["byTag[0x01]", "BadKey", 6],
      ["byTag[7]", "BadKey", 6],
      ["byColor[Blue]", "BadKey", 8],
      ["byColor[2]", "BadKey", 8],
      ["byColor.length", "NoSuchStep", 8],
      [`erc7201("a.space").y`, "Unknown", 19]
    ]
    for (const [path, reason, at] of wrong) {
      const error = failed(where(layout, path))
      assert.deepStrictEqual([error.reason, error.at], [reason, at], `${path}: ${error.message}`)
    }
  })

  it("takes keys only if they fit the type", () => {
    const { output } = Solidity.compile(
      `contract K { mapping(uint8 => uint8) u; mapping(int8 => uint8) i; mapping(bool => uint8) b;
        mapping(address => uint8) a; mapping(string => uint8) s; mapping(bytes => uint8) d; }`
    )
    const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "K"))
    const address = "0x00000000219ab540356cBB839Cbe05303d7705Fa"
    const good = [
      "u[0]",
      "u[255]",
      "u[0xff]",
      "i[-128]",
      "i[127]",
      "b[true]",
      `a[${address}]`,
      `a[${address.toLowerCase()}]`
    ]
    for (const path of [...good, `s["x"]`, "s[0x78]", `d["x"]`, "d[0x]"]) {
      assert.isTrue(Result.isSuccess(where(layout, path)), path)
    }
    const bad = [
      "u[256]",
      "u[-1]",
      "u[0x]",
      `u["1"]`,
      "i[128]",
      "i[-129]",
      "b[1]",
      "b[True]",
      "a[1]",
      `a[${address}00]`
    ]
    // after `bad`: an address with one letter in the wrong case, and keys of the wrong form
    for (const path of [...bad, `a[${address.replace("Fa", "fa")}]`, "s[x]", "s[0x7]", "d[7]"]) {
      const found = where(layout, path)
      assert.isTrue(Result.isFailure(found) && found.failure.reason === "BadKey" && found.failure.at === 2, path)
    }
    assert.strictEqual(
      Result.getOrThrow(where(layout, `s["x"]`)).slot,
      Result.getOrThrow(where(layout, "s[0x78]")).slot
    )
  })

  it("says how many bytes there are, and which indices only storage can tell", () => {
    const three = Result.getOrThrow(where(layout, "three"))
    assert.strictEqual(three.bytes, 32n)
    const third = Result.getOrThrow(where(layout, "three[2]"))
    assert.deepInclude(third, { slot: three.slot, offset: 4, bytes: 2n, bounds: [] })
    const many = Result.getOrThrow(where(layout, "many"))
    const element = Result.getOrThrow(where(layout, "many[17]"))
    assert.deepStrictEqual(element.bounds, [{ slot: many.slot, index: 17n, path: "many" }])
  })
})
