/**
 * Compares the variables in a slot with an oracle that lists every part of a layout, one by one, from the compilers'
 * JSON.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Erc7201, Layout, Location, Share } from "@plumbline/storage-layout"
import { Result } from "effect"
import { encodeAbiParameters, keccak256 } from "viem"

import * as Drawn from "../support/drawn.ts"
import * as SlotOracle from "../support/slotOracle.ts"

describe("a slot", () => {
  /** Asserts that each slot has the parts of the oracle, and that `locate` finds each part there. */
  const checkSlots = (layout: Layout.Layout, leaves: ReadonlyArray<SlotOracle.Leaf>, end: bigint): void => {
    const bySlot = Map.groupBy(leaves, ({ slot }) => slot)
    for (let slot = 0n; slot < end + 3n; slot++) {
      const shares = Share.inSlot(layout, slot)
      const expected = (bySlot.get(slot) ?? []).toSorted((a, b) => a.offset - b.offset)
      assert.deepStrictEqual(
        shares.map(({ bytes, offset, path }) => ({ path, slot, offset, bytes })),
        expected.map(({ bytes, offset, path }) => ({ path, slot, offset, bytes }))
      )
      for (const share of shares) {
        const location = Result.getOrThrow(Location.locate(layout, share.path))
        assert.strictEqual(location.type, share.type)
        assert.strictEqual(location.part, share.part)
        const isWord = location.bytes <= 32n
        if (isWord) assert.deepStrictEqual([location.slot, location.offset], [slot, share.offset], share.path)
        if (isWord) assert.strictEqual(location.bytes, BigInt(share.bytes), share.path)
        // `locate` returns a text of Vyper as a whole, at its first slot
        else assert.isTrue(slot > location.slot && slot < location.slot + location.bytes / 32n, share.path)
      }
    }
  }

  it("is shared by the variables, members and elements that solc puts there, in random contracts", () => {
    for (let seed = 101; seed <= 100 + Random.runs(4); seed++) {
      const { json, layout } = Drawn.solidity(seed)
      const leaves = SlotOracle.solcLeaves(json)
      assert.isAbove(leaves.length, 30)
      checkSlots(
        layout,
        leaves,
        leaves.reduce((end, { slot }) => (slot > end ? slot : end), 0n)
      )
    }
  })

  it("is shared by what Vyper puts there: one value, a length, or bytes of a text", () => {
    for (let seed = 101; seed <= 100 + Random.runs(20); seed++) {
      const { end, layout, variables } = Drawn.vyper(seed)
      const leaves = variables.flatMap(({ name, slot, type }) => SlotOracle.vyperLeaves(name, slot, type))
      assert.isAtLeast(leaves.length, variables.length)
      checkSlots(layout, leaves, end)
    }
  })

  it("has one share of an array that is longer than anybody could list", () => {
    const types = {
      t_uint64: { encoding: "inplace", label: "uint64", numberOfBytes: "8" },
      "t_array(t_uint64)_storage": {
        encoding: "inplace",
        label: `uint64[${2n ** 200n}]`,
        numberOfBytes: String((2n ** 200n / 4n) * 32n),
        base: "t_uint64"
      }
    }
    const storage = [{ label: "list", offset: 0, slot: "5", type: "t_array(t_uint64)_storage" }]
    const layout = Result.getOrThrow(Layout.fromSolc({ storage, types }))
    const paths = Share.inSlot(layout, 5n + 2n ** 190n).map(({ offset, path }) => [path, offset])
    assert.deepStrictEqual(
      paths,
      [0n, 1n, 2n, 3n].map((i) => [`list[${2n ** 192n + i}]`, Number(i) * 8])
    )
  })

  it("is shared by members of a namespace", () => {
    const path = `erc7201("openzeppelin.storage.ERC20")`
    const start = Result.getOrThrow(Location.locate(Erc7201.openZeppelin, path)).slot
    const shares = Share.inSlot(Erc7201.openZeppelin, start + 2n).map(({ path }) => path)
    assert.deepStrictEqual(shares, [`erc7201("openzeppelin.storage.ERC20")._totalSupply`])
  })

  it("has the bare name of variables that only the syntax tree tells apart", () => {
    const storage = [
      { label: "x", offset: 0, slot: "0", type: "t_uint8" },
      { label: "x", offset: 1, slot: "0", type: "t_uint8" }
    ]
    const types = { t_uint8: { encoding: "inplace", label: "uint8", numberOfBytes: "1" } }
    const layout = Result.getOrThrow(Layout.fromSolc({ storage, types }))
    const shares = Share.inSlot(layout, 0n).map(({ bytes, offset, path }) => [path, offset, bytes])
    assert.deepStrictEqual(shares, [
      ["x", 0, 1],
      ["x", 1, 1]
    ])
  })

  /**
   * Makes the layout of a contract with two variables, a mapping and an array. Each entry and each element contains
   * every variable of another contract.
   */
  const within = (json: any): Layout.Layout => {
    const end = SlotOracle.solcLeaves(json).reduce((end, { slot }) => (slot > end ? slot : end), 0n)
    const types = {
      ...json.types,
      t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" },
      t_all: {
        encoding: "inplace",
        label: "struct All",
        numberOfBytes: String(32n * (end + 1n)),
        members: json.storage
      },
      t_entries: { encoding: "mapping", label: "mapping", numberOfBytes: "32", key: "t_uint256", value: "t_all" },
      t_list: { encoding: "dynamic_array", label: "struct All[]", numberOfBytes: "32", base: "t_all" }
    }
    const storage = [
      { label: "entries", offset: 0, slot: "0", type: "t_entries" },
      { label: "list", offset: 0, slot: "1", type: "t_list" }
    ]
    return Result.getOrThrow(Layout.fromSolc({ storage, types }))
  }

  it("behind a hash is shared by what solc puts there, in random structs", () => {
    for (let seed = 101; seed <= 100 + Random.runs(4); seed++) {
      const { json } = Drawn.solidity(seed)
      const layout = within(json)
      const bySlot = Map.groupBy(SlotOracle.solcLeaves(json), ({ slot }) => slot)
      for (const [root, first] of [
        ["entries[7]", BigInt(keccak256(encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [7n, 0n])))],
        ["list[0]", BigInt(keccak256(encodeAbiParameters([{ type: "uint256" }], [1n])))]
      ] as const) {
        for (const [slot, leaves] of bySlot) {
          const expected = leaves
            .toSorted((a, b) => a.offset - b.offset)
            .map(({ bytes, offset, path }) => ({ path: `${root}.${path}`, offset, bytes }))
          const seen = (shares: ReadonlyArray<Share.SlotShare>) =>
            shares.map(({ bytes, offset, path }) => ({ path, offset, bytes }))
          const there = BigInt.asUintN(256, first + slot)
          assert.deepStrictEqual(seen(Result.getOrThrow(Share.ofPath(layout, root, there))), expected)
          // the path of each part gives the same list
          for (const { path } of expected) {
            assert.deepStrictEqual(seen(Result.getOrThrow(Share.ofPath(layout, path, there))), expected, path)
          }
        }
      }
    }
  })

  it("of packed elements is shared by all for which it has room", () => {
    const types = {
      t_uint32: { encoding: "inplace", label: "uint32", numberOfBytes: "4" },
      t_small: { encoding: "dynamic_array", label: "uint32[]", numberOfBytes: "32", base: "t_uint32" },
      t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" },
      t_lists: { encoding: "mapping", label: "mapping", numberOfBytes: "32", key: "t_uint256", value: "t_small" }
    }
    const storage = [{ label: "lists", offset: 0, slot: "4", type: "t_lists" }]
    const layout = Result.getOrThrow(Layout.fromSolc({ storage, types }))
    const paths = (path: string, slot?: bigint) =>
      Result.getOrThrow(Share.ofPath(layout, path, slot)).map(({ offset, path }) => [path, offset])
    assert.deepStrictEqual(
      paths("lists[1][13]"),
      [8, 9, 10, 11, 12, 13, 14, 15].map((i) => [`lists[1][${i}]`, (i % 8) * 4])
    )
    assert.deepStrictEqual(paths("lists[1].length"), [["lists[1].length", 0]])
    assert.deepStrictEqual(paths("lists[1]"), [["lists[1].length", 0]])
    assert.deepStrictEqual(paths("lists"), [["lists", 0]])
    // a slot outside of the element
    assert.deepStrictEqual(paths("lists[1][13]", 4n), [])
    assert.isTrue(Result.isFailure(Share.ofPath(layout, "lists[x]")))
  })

  it("of a path without hashes is the same as by its number", () => {
    const { json, layout } = Drawn.solidity(101)
    for (const { path, slot } of SlotOracle.solcLeaves(json).slice(0, 60)) {
      assert.deepStrictEqual(Result.getOrThrow(Share.ofPath(layout, path)), Share.inSlot(layout, slot))
    }
  })

  it("of Vyper's entries is one value", () => {
    const layout = Result.getOrThrow(Layout.fromVyper({ visits: { type: "HashMap[uint256, bool]", slot: 7 } }))
    const shares = Result.getOrThrow(Share.ofPath(layout, "visits[1]"))
    assert.deepStrictEqual(
      shares.map(({ bytes, offset, path }) => [path, offset, bytes]),
      [["visits[1]", 0, 1]]
    )
  })
})
