/** Reads everything that can be read without keys from a contract with a variable of every kind. */
import { assert, describe, it } from "@effect/vitest"
import { Layout, Readable } from "@plumbline/storage-layout"
import { Effect, Result } from "effect"

import * as Evm from "../support/evm.ts"
import * as Kinds from "../support/kinds.ts"
import * as Plain from "../support/plain.ts"
import * as Solidity from "../support/solidity.ts"
import * as Storage from "../support/storage.ts"

const { contract, output } = Solidity.compile(Kinds.source("0"))
const deployed = (async () => {
  const kinds = await Evm.deploy(contract("Kinds"))
  await kinds.call("fill1")
  await kinds.call("fill2")
  return kinds
})()
const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "Kinds"))

const start = (layout: Layout.Layout) =>
  Effect.flatMap(
    Effect.promise(() => deployed),
    (kinds) => Storage.start(kinds, layout)
  )

describe("everything", () => {
  it.effect("is every variable, as the contract's own functions return it, proven", () =>
    Effect.gen(function* () {
      const { ask, node } = yield* start(layout)
      const verdict = yield* ask((storage, kinds) => storage.readAll(kinds, { block: node.hash }))
      assert.strictEqual(verdict._tag, "VERIFIED")
      const { variables: values } = verdict.value
      // functions whose path is only a name return the whole variable
      const asked = Kinds.questions.flatMap(([path], i) => (/^(?:[BC]\.)?\w+$/.test(path) ? [{ path, i }] : []))
      assert.isAbove(asked.length, 50)
      for (const { i, path } of asked) {
        const returned = yield* Effect.promise(async () => (await deployed).call(`q${i}`))
        assert.deepStrictEqual(Plain.value(values.get(path)?.value), Plain.value(returned), path)
      }
      assert.deepStrictEqual(
        [...values.values()].flatMap(({ flaws }) => flaws),
        []
      )
    })
  )

  it.effect("names each variable of solc's layout once: as a value, or as left out", () =>
    Effect.gen(function* () {
      const { ask, node } = yield* start(layout)
      const verdict = yield* ask((storage, kinds) => storage.readAll(kinds, { block: node.hash }))
      const { left, variables: values } = verdict.value
      const { storage, types } = contract("Kinds").storageLayout
      const labels: ReadonlyArray<string> = storage.map(({ label }: any) => label)
      const isMapping = (id: string): boolean =>
        types[id].encoding === "mapping" || (types[id].base !== undefined && isMapping(types[id].base))
      const mappings = storage.flatMap(({ label, type }: any) => (isMapping(type) ? [label] : []))
      const bare = (path: string) => path.replace(/^[ABC]\./, "")
      assert.deepStrictEqual(
        [...values.keys()].filter((path) => !path.startsWith("erc7201")).map(bare),
        labels.filter((label) => !mappings.includes(label))
      )
      assert.deepStrictEqual(
        left.map(({ path }) => path).filter((path) => mappings.includes(path)),
        mappings
      )
      assert.isTrue(values.has(`erc7201("kinds.main")`))
      // two variables are called `shadow`
      assert.isTrue(values.has("B.shadow") && values.has("C.shadow"))
    })
  )

  it.effect("names mappings within structs and arrays, where there are elements", () =>
    Effect.gen(function* () {
      const { ask, node } = yield* start(layout)
      const { value } = yield* ask((storage, kinds) => storage.readAll(kinds, { block: node.hash }))
      const inside = value.left.filter(({ path }) => /[.[]/.test(path)).map(({ path, reason }) => `${reason} ${path}`)
      assert.deepStrictEqual(inside, [
        "Mapping nest.bal",
        "Mapping tree.kids[].named",
        "Mapping tree.kids[].kids[].named",
        "Mapping tree.kids[].kids[].kids[].named",
        "Mapping tree.named",
        `Mapping erc7201("kinds.main").m`,
        `Mapping erc7201("kinds.main").more[].m`
      ])
    })
  )

  it.effect("is asked for in as few calls as there are levels, of one block that is read once", () =>
    Effect.gen(function* () {
      const { ask, count, node, proofs } = yield* start(layout)
      yield* ask((storage, kinds) => storage.readAll(kinds, { block: "latest" }))
      // one round reads the words in place; each further round reads the elements of dynamic arrays one level deeper;
      // the variable `tree` has the most levels
      assert.isAtMost(proofs().length, 5)
      const slots = proofs().flatMap(({ slots }) => slots)
      assert.strictEqual(new Set(slots).size, slots.length)
      assert.deepStrictEqual(new Set(proofs().map(({ block }) => block)), new Set([node.hash]))
      assert.deepStrictEqual([count("eth_getBlockByNumber"), count("eth_getBlockByHash")], [1, 0])
    })
  )

  it.effect("says what its bounds left out", () =>
    Effect.gen(function* () {
      const { ask, node } = yield* start(layout)
      const small = { block: node.hash, maxWords: 100, maxDepth: 2 }
      const { value } = yield* ask((storage, kinds) => storage.readAll(kinds, small))
      assert.isAtMost(value.words.size, 200)
      const reasons = new Map(value.left.map(({ path, reason }) => [path, reason]))
      assert.strictEqual(reasons.get("dynDyn"), "TooLarge")
      const types = new Map(value.left.map(({ path, type }) => [path, type]))
      assert.deepStrictEqual([types.get("dynDyn"), types.get("tree.kids[1].kids")], ["uint32[][]", "struct Tree[]"])
      assert.isTrue([...reasons.values()].includes("TooDeep"))
      // each variable that is left out because of a limit also has a flaw in the values
      const flagged = [...value.variables.values()].flatMap(({ flaws }) => flaws.map(({ path }) => path))
      const bounded = [...reasons].filter(([, reason]) => reason.startsWith("Too")).map(([path]) => path)
      assert.sameMembers(flagged, bounded)
    })
  )

  it("leaves out what no path tells apart, without the syntax tree", () => {
    const bare = Result.getOrThrow(Layout.fromSolc(contract("Kinds").storageLayout))
    const { left } = Readable.locate(bare)
    assert.deepStrictEqual(
      left.filter(({ reason }) => reason === "NoPath").map(({ path, type }) => `${type} ${path}`),
      ["uint8 shadow", "uint8 shadow"]
    )
    // one namespace for two structs
    const [space] = layout.namespaces
    const [other] = [...layout.types].find(([id, { _tag }]) => _tag === "Struct" && id !== space!.type)!
    const twice: Layout.Layout = { ...layout, namespaces: [space!, { ...space!, type: other }] }
    assert.deepInclude(Readable.locate(twice).left, {
      path: `erc7201("${space!.id}")`,
      type: "struct",
      reason: "NoPath"
    })
    assert.isEmpty(Readable.locate(layout).left.filter(({ reason }) => reason === "NoPath"))
  })

  it("calls a module's variable by the module where the contract has one of the same name", () => {
    const owner = (slot: number) => ({ owner: { type: "address", slot } })
    const vyper = Result.getOrThrow(Layout.fromVyper({ storage_layout: { ...owner(0), ownable: owner(1) } }))
    assert.deepStrictEqual(
      Readable.variables(vyper).map(({ path, slot }) => [path, slot]),
      [
        ["owner", 0n],
        ["ownable.owner", 1n]
      ]
    )
  })
})
