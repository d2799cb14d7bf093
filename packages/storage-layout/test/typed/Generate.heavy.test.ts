import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Accessor, Erc20, Erc721, Erc1967, Generate, Layout, Location } from "@plumbline/storage-layout"
import { Result } from "effect"

import * as Tsc from "../../scripts/tsc.ts"
import * as Generated from "../support/generated.ts"
import * as Kinds from "../support/kinds.ts"
import * as Solidity from "../support/solidity.ts"
import * as Typed from "../support/typed.ts"
import { kinds as vyper } from "../support/vyperKinds.ts"

const source = Kinds.source("0x1000")
const compiled = Solidity.compile(source)
const kinds = Result.getOrThrow(Layout.fromSolcOutput(compiled.output, "Kinds"))
const text = Generate.typescript(kinds)

/** Formats a text with oxfmt, with the settings of this repository. */
const format = async (text: string): Promise<string> => {
  const folder = await mkdtemp(path.join(tmpdir(), "plumbline-format-"))
  try {
    await writeFile(path.join(folder, ".oxfmtrc.json"), await readFile(path.join(Tsc.root, ".oxfmtrc.json")))
    const file = path.join(folder, "Layout.ts")
    await writeFile(file, text)
    await new Promise<void>((resolve, reject) => {
      execFile(
        path.join(Tsc.root, "node_modules/.bin/oxfmt"),
        ["Layout.ts"],
        { cwd: folder, timeout: 60_000 },
        (error) => (error === null ? resolve() : reject(error))
      )
    })
    return await readFile(file, "utf8")
  } finally {
    await rm(folder, { recursive: true })
  }
}

const OWNER = "0x00000000219ab540356cBB839Cbe05303d7705Fa"

/** The beginning of a program: `same<A>()(ref)` compiles only if the value has exactly that type. */
const PROGRAM = `
  import * as Accessor from "@plumbline/storage-layout/typed/Accessor"
  import type { Ref } from "@plumbline/storage-layout/typed/Accessor"
  import type { ExternalFunction } from "@plumbline/storage-layout/value/Value"
  import { layout } from "./Layout.ts"
  type Hex = \`0x\${string}\`
  type Address = ExternalFunction["address"]
  type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? unknown : never
  const same = <A>() => <B>(_: Ref<B> & Same<A, B>): void => {}
  const vault = Accessor.make(layout)
  export type Used = [Hex, Address, ExternalFunction]`

/** A layout with names that no compiler writes, such as a hostile file may contain. */
const hostile = (() => {
  const words = [
    "__proto__",
    "constructor",
    "it's",
    'say "x"',
    `both ' and "`,
    "*/ alert(1) /*",
    "${evil}",
    "a\nb",
    "\u2028",
    "\u202e",
    "ünïcödé 🚀 文字",
    "\ud800",
    "back\\slash\\",
    "",
    "x".repeat(200)
  ]
  return Result.getOrThrow(
    Layout.fromSolc({
      contract: `sources/${words.join("")}:It`,
      storage: words.map((label, i) => ({ label, declaredIn: label, offset: 0, slot: String(i), type: `t_${label}` })),
      namespaces: words.slice(1).map((id) => ({ id, type: "t_struct(S)12_storage" })),
      types: {
        ...Object.fromEntries(
          words.map((label) => [`t_${label}`, { encoding: "inplace", label, numberOfBytes: "3", opaque: label }])
        ),
        "t_enum(E)3": { encoding: "inplace", label: "enum E", numberOfBytes: "1", enumMembers: words },
        "t_struct(S)12_storage": {
          encoding: "inplace",
          label: "struct S",
          numberOfBytes: "32",
          members: [{ label: "__proto__", offset: 0, slot: "0", type: "t_enum(E)3" }]
        }
      }
    })
  )
})()

const huge = Result.getOrThrow(
  Layout.fromSolc({
    storage: Array.from({ length: 1000 }, (_, i) => ({
      label: `variable${i}`,
      offset: 0,
      slot: String(i),
      type: `t_struct(S${i})${i}_storage`
    })),
    types: {
      t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" },
      ...Object.fromEntries(
        Array.from({ length: 1000 }, (_, i) => [
          `t_struct(S${i})${i}_storage`,
          {
            encoding: "inplace",
            label: `struct S${i}`,
            numberOfBytes: "32",
            members: [{ label: `member${i}`, offset: 0, slot: "0", type: "t_uint256" }]
          }
        ])
      )
    }
  })
)

/** Returns a layout without ids of the syntax tree, which differ in a generated module. */
const comparable = ({ types, ...layout }: Layout.Layout): unknown => {
  const number = /(t_(?:enum|struct|contract|userDefinedValueType)\([^()]*\))\d+/g
  const text = JSON.stringify({ ...layout, types: [...types] }, (_, value: unknown) =>
    typeof value === "bigint" ? `${value}n` : value
  )
  const parsed = JSON.parse(text.replaceAll(number, "$1"))
  return { ...parsed, types: parsed.types.map((entry: unknown) => JSON.stringify(entry)).toSorted() }
}

describe("a generated module", () => {
  it("has the layout: the same places, sizes and types for every path", async () => {
    const read = await Generated.again(kinds)
    assert.strictEqual(read.contract, "Test.sol:Kinds")
    for (const [path] of Kinds.questions) {
      const [there, here] = [kinds, read].map((layout) => Result.getOrThrow(Location.locate(layout, path)))
      const shown = ({ bounds, bytes, offset, part, slot, type }: Location.Location) =>
        [bounds, bytes, offset, part, slot, type._tag, type.label] as const
      assert.deepStrictEqual(shown(here!), shown(there!), path)
    }
    assert.deepStrictEqual(
      read.variables.map(({ declaredIn, name }) => [declaredIn, name]),
      kinds.variables.map(({ declaredIn, name }) => [declaredIn, name])
    )
  })

  it("has all of a layout, and gives the same module again", async () => {
    const solidity = [kinds, hostile, huge, ...Object.values({ ...Erc20, ...Erc721, ...Erc1967 })]
    const vyperLayouts = [vyper.layout, { storage_layout: {} }].map((json) => Result.getOrThrow(Layout.fromVyper(json)))
    const layouts = [...solidity, ...vyperLayouts].flatMap((value): ReadonlyArray<Layout.Layout> => {
      if (typeof value !== "object" || value === null) return []
      return "layout" in value ? [value.layout] : "variables" in value ? [value] : []
    })
    assert.isAbove(layouts.length, 10)
    for (const layout of layouts) {
      const once = await Generated.again(layout)
      // generating again does not change the numbers in the ids
      assert.deepStrictEqual(await Generated.again(once), once)
      assert.strictEqual(Generate.typescript(once), Generate.typescript(layout))
      assert.deepStrictEqual(comparable(once), comparable(layout))
    }
  })

  it("is the same when only other sources changed", () => {
    const more = Solidity.compile(
      `struct Before { uint8 a; } enum Also { A, B } contract Other { Before b; }\n${source}`
    )
    const layout = Result.getOrThrow(Layout.fromSolcOutput(more.output, "Kinds"))
    assert.notDeepEqual([...layout.types.keys()], [...kinds.types.keys()])
    assert.strictEqual(Generate.typescript(layout), text)
  })

  it("has its types in one order, whatever the order of the layout's", () => {
    const enums = Array.from({ length: 5 }, (_, i) => `t_enum(E)${i * 7}`)
    const make = (ids: ReadonlyArray<string>) =>
      Layout.fromSolc({
        storage: [],
        types: Object.fromEntries(
          ids.map((id) => [id, { encoding: "inplace", label: `enum ${id}`, numberOfBytes: "1", enumMembers: [id] }])
        )
      })
    const [one, other] = [make(enums), make(enums.toReversed())].map((layout) =>
      Generate.typescript(Result.getOrThrow(layout))
    )
    assert.strictEqual(one, other)
    const ids = Array.from(text.matchAll(/^ {4}"?(t_[^"]*)"?: \{/gm), ([, id]) => id!)
    assert.lengthOf(ids, kinds.types.size)
    assert.deepStrictEqual(
      ids,
      ids.toSorted((a, b) => (a < b ? -1 : 1))
    )
  })

  it("keeps a type as it is whose id would be a prototype", async () => {
    const types = new Map(kinds.types)
    types.set("__proto__", types.get("t_bool")!)
    const value = await Generated.run(Generate.typescript({ ...kinds, types }))
    assert.isTrue(Object.hasOwn(value.types, "__proto__"))
    assert.strictEqual(Object.getPrototypeOf(value.types), Object.prototype)
  })

  it("has typed paths to namespaces, whatever their ids are", async () => {
    const value = await Generated.run(Generate.typescript(hostile))
    const paths: any = Accessor.make(value)
    for (const { id, slot } of hostile.namespaces.filter(({ id }) => id.isWellFormed())) {
      const path = Accessor.path(paths[`erc7201("${id}")`].__proto__)
      assert.strictEqual(Result.getOrThrow(Location.locate(hostile, path)).slot, slot)
    }
  })

  it("tells types of one name apart", async () => {
    const { output } = Solidity.compile(`
      library L { struct S { uint8 a; } enum E { A } } library M { struct S { bool b; } enum E { B, C } }
      contract Two { M.S m; L.S l; mapping(M.E => M.S) ms; mapping(L.E => L.S) ls; }`)
    const layout = await Generated.again(Result.getOrThrow(Layout.fromSolcOutput(output, "Two")))
    const labels = ["m.b", "l.a", "ms[C].b", "ls[A].a"].map(
      (path) => Result.getOrThrow(Location.locate(layout, path)).type.label
    )
    assert.deepStrictEqual(labels, ["bool", "uint8", "bool", "uint8"])
    assert.isTrue(Result.isFailure(Location.locate(layout, "ls[C]")))
  })

  it("is as oxfmt would write it", async () => {
    // the module for this layout fits on one line, but formatters use several lines
    const tiny = Result.getOrThrow(
      Layout.fromSolc({
        storage: ["a", "b"].map((label, offset) => ({ label, offset, slot: "0", type: "t" })),
        types: { t: { encoding: "inplace", label: "bool", numberOfBytes: "1" } }
      })
    )
    for (const layout of [kinds, hostile, tiny, Result.getOrThrow(Layout.fromVyper(vyper.layout))]) {
      const written = Generate.typescript(layout)
      assert.strictEqual(await format(written), written)
    }
  })

  it("has ASCII characters only, whatever the names are", () => {
    assert.match(Generate.typescript(hostile), /^[\n\x20-\x7e]+$/)
  })

  it("keeps transient layouts apart", async () => {
    const { output } = Solidity.compile("contract T { uint8 a; bool transient b; }")
    const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "T", { area: "transient" }))
    assert.strictEqual((await Generated.again(layout)).area, "transient")
  })

  it("compiles, and gives every path and the type that the contract's ABI has", async () => {
    const members = { Color: ["Red", "Green", "Blue"] }
    const { abi } = compiled.contract("Kinds")
    const lines = Kinds.questions.flatMap(([path], i) => {
      const code = Typed.expression(kinds, "vault", path)
      const entry = abi.find((item) => item.type === "function" && item.name === `q${i}`)
      if (code === undefined || entry?.type !== "function") return []
      const type = Typed.typeOf(entry.outputs[0]!, members)
      return [`same<${type}>()(${code}) // ${path}`]
    })
    // all paths except two: a qualified name that is not needed, and a path with the number of an enum's member
    assert.lengthOf(lines, Kinds.questions.length - 2)
    const program = `${PROGRAM}
      same<ExternalFunction>()(vault.outside)
      same<Hex>()(vault.inside)
      ${lines.join("\n")}`
    const right = await Tsc.run({ "Layout.ts": text, "program.ts": program })
    assert.deepStrictEqual(right, { ok: true, text: "" })
    const wrong = await Tsc.run({ "Layout.ts": text, "program.ts": program.replaceAll("same<bigint>", "same<string>") })
    const bigints = lines.filter((line) => line.startsWith("same<bigint>")).length
    assert.lengthOf(
      wrong.text.split("\n").filter((line) => line.includes("error TS")),
      bigints
    )
  })

  it("gives typed paths and values of Vyper's types, which lead where its own layout says", async () => {
    const layout = Result.getOrThrow(Layout.fromVyper(vyper.layout))
    const written = Generate.typescript(layout)
    const typed: ReadonlyArray<readonly [code: string, type: string, path: string]> = [
      ["small", "bigint", "small"],
      ["on", "boolean", "on"],
      ["owner", "Address", "owner"],
      ["tag", "Hex", "tag"],
      ["name", "string", "name"],
      ["name.length", "bigint", "name.length"],
      ["blob", "Hex", "blob"],
      ["blob.length", "bigint", "blob.length"],
      ["three.at(2)", "bigint", "three[2]"],
      ["grid", "ReadonlyArray<ReadonlyArray<bigint>>", "grid"],
      ["list.length", "bigint", "list.length"],
      ["list.at(1n)", "bigint", "list[1]"],
      ["names", "ReadonlyArray<string>", "names"],
      ["names.at(1)", "string", "names[1]"],
      ["lists.at(1).at(0)", "bigint", "lists[1][0]"],
      ["point.at(1)", "Hex", "point[1]"],
      [`balances.get("${OWNER}")`, "bigint", `balances[${OWNER}]`],
      ["signs.get(-2n)", "bigint", "signs[-2]"],
      [`byName.get("bob")`, "bigint", `byName["bob"]`],
      [`byBlob.get("0x0102")`, "bigint", "byBlob[0x0102]"],
      [`allowed.get("${OWNER}").get(7n)`, "boolean", `allowed[${OWNER}][7]`]
    ]
    const program = `${PROGRAM}
      ${typed.map(([code, type]) => `same<${type}>()(vault.${code})`).join("\n")}`
    assert.deepStrictEqual(await Tsc.run({ "Layout.ts": written, "program.ts": program }), { ok: true, text: "" })
    const value = await Generated.run(written)
    const codes = typed.map(([code]) => `vault.${code}`)
    const { all } = await Generated.load(`export const all = (vault: any) => [${codes.join(", ")}]`)
    const refs: ReadonlyArray<Accessor.Ref<unknown>> = all(Accessor.make(value))
    const read = Result.getOrThrow(Layout.fromSolc(value))
    for (const [i, [, , path]] of typed.entries()) {
      assert.strictEqual(Accessor.path(refs[i]!), path)
      assert.deepStrictEqual(Location.locate(read, path), Location.locate(layout, path), path)
    }
  })

  it("is refused when it was changed so that it contradicts itself", async () => {
    const vyperValue = await Generated.run(Generate.typescript(Result.getOrThrow(Layout.fromVyper(vyper.layout))))
    const value = await Generated.run(text)
    const changed = (value: any, change: (copy: any) => void) => {
      const copy = structuredClone(value)
      change(copy)
      return Result.mapError(Layout.fromSolc(copy), ({ reason }) => reason)
    }
    const array = "uint64~DynArray[uint64, 5]"
    const fixed = Object.keys(value.types).find((id) => value.types[id].length === "13")!
    const changes: ReadonlyArray<readonly [of: any, change: (copy: any) => void, reason: string | undefined]> = [
      [value, () => {}, undefined],
      [vyperValue, () => {}, undefined],
      [value, (copy) => (copy.namespaces[0].type = "t_nothing"), "Inconsistent"],
      [value, (copy) => (copy.namespaces[0].id = 7), "Malformed"],
      [value, (copy) => (copy.types[fixed].length = "1000"), "Inconsistent"],
      [value, (copy) => (copy.types["t_userDefinedValueType(Price)1"].underlying = "uint64"), "WrongAst"],
      [value, (copy) => (copy.dialect = "fe"), "Malformed"],
      [vyperValue, (copy) => (copy.types[array].limit = "6"), "Inconsistent"],
      [vyperValue, (copy) => delete copy.types[array].limit, "Inconsistent"],
      [vyperValue, (copy) => delete copy.types[array].base, "Inconsistent"],
      [vyperValue, (copy) => (copy.types["String[40]"].limit = "65"), "Inconsistent"],
      [vyperValue, (copy) => delete copy.types["String[40]"].limit, "Inconsistent"],
      [vyperValue, (copy) => delete copy.dialect, "Inconsistent"]
    ]
    for (const [i, [of, change, reason]] of changes.entries()) {
      const outcome = changed(of, change)
      assert.strictEqual(Result.isFailure(outcome) ? outcome.failure : undefined, reason, `change ${i}`)
    }
  })

  it("compiles when it is huge, and with names of any kind", async () => {
    const program = `
      import * as Accessor from "@plumbline/storage-layout/typed/Accessor"
      import { layout } from "./Layout.ts"
      const vault = Accessor.make(layout)
      export const last: Accessor.Ref<bigint> = vault.variable999.member999`
    const strange = `
      import * as Accessor from "@plumbline/storage-layout/typed/Accessor"
      import { layout } from "./StrangeLayout.ts"
      const vault = Accessor.make(layout)
      export const proto: Accessor.Ref<\`0x\${string}\`> = vault["__proto__"]
      export const quoted: Accessor.Ref<unknown> = vault['erc7201("say "x"")']["__proto__"]`
    const outcome = await Tsc.run({
      "Layout.ts": Generate.typescript(huge),
      "program.ts": program,
      "StrangeLayout.ts": Generate.typescript(hostile),
      "strange.ts": strange
    })
    assert.deepStrictEqual(outcome, { ok: true, text: "" })
  })
})
