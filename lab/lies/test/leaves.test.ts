import { assert, describe, it } from "@effect/vitest"

import { firstFalse } from "../src/leaves.ts"

const truth = {
  hash: "0xabcdef",
  number: "0x10",
  size: "0x200",
  uncles: [],
  to: null,
  transactions: [
    { from: "0xAA", nonce: "0x1", accessList: [{ address: "0xcc", storageKeys: ["0x01"] }] },
    { from: "0xbb", nonce: "0x2", accessList: [] }
  ]
}

const leafOf = (
  value: unknown,
  claimed: ReadonlyArray<string> = [],
  options: { readonly silent?: ReadonlyArray<string>; readonly root?: string; readonly truth?: unknown } = {}
): string | undefined => firstFalse(value, options.truth ?? truth, claimed, options)?.leaf

const [first, second] = truth.transactions

describe("the oracle", () => {
  it("finds nothing false in the truth, as JSON and as decoded", () => {
    assert.isUndefined(leafOf(truth))
    assert.isUndefined(leafOf(structuredClone(truth)))
    assert.isUndefined(leafOf({ ...truth, hash: "0xABCDEF", number: 16n, size: 512 }))
    assert.isUndefined(leafOf({ ...truth, hash: Uint8Array.of(0xab, 0xcd, 0xef), to: undefined, extra: undefined }))
    assert.isUndefined(firstFalse(12n, "12", []))
    assert.isUndefined(firstFalse(0n, "0x0", []))
    assert.isUndefined(firstFalse(undefined, null, []))
  })

  it("tells what is expected and what it got", () => {
    assert.deepStrictEqual(firstFalse({ ...truth, number: 17n }, truth, []), {
      leaf: "number",
      expected: "0x10",
      got: "17"
    })
    assert.deepStrictEqual(firstFalse(null, "0x10", []), { leaf: "value", expected: "0x10", got: "null" })
    assert.isBelow(firstFalse("0x".padEnd(5000, "a"), "0x", [])!.got.length, 300)
  })

  const lies: ReadonlyArray<readonly [what: string, value: unknown, leaf: string]> = [
    ["another number", { ...truth, number: 17n }, "number"],
    ["a number as text of another", { ...truth, number: "0x010" }, "number"],
    ["another text", { ...truth, hash: "0xabcdee" }, "hash"],
    ["a text that is longer", { ...truth, hash: "0xabcdef00" }, "hash"],
    ["null for something", { ...truth, number: null }, "number"],
    ["something for null", { ...truth, to: "0xaa" }, "to"],
    ["an empty list for null", { ...truth, to: [] }, "to"],
    ["null for an empty list", { ...truth, uncles: null }, "uncles"],
    ["an object for an empty list", { ...truth, uncles: {} }, "uncles"],
    ["an item too many", { ...truth, uncles: ["0x01"] }, "uncles[0]"],
    ["an item too few", { ...truth, transactions: [first] }, "transactions[1]"],
    ["items in another order", { ...truth, transactions: [second, first] }, "transactions[0].from"],
    ["a member that the truth does not have", { ...truth, status: 1n }, "status"],
    ["a member named like one that is inherited", { ...truth, constructor: "0x1" }, "constructor"],
    ["false for a number", { ...truth, number: false }, "number"],
    ["an unsafe number", { ...truth, number: 1e300 }, "number"],
    ["bytes of another length", { ...truth, hash: Uint8Array.of(0xab, 0xcd) }, "hash"],
    [
      "a leaf in depth",
      { ...truth, transactions: [{ ...first, accessList: [{ address: "0xcc", storageKeys: ["0x02"] }] }, second] },
      "transactions[0].accessList[0].storageKeys[0]"
    ]
  ]
  for (const [what, value, leaf] of lies) it(`finds ${what}`, () => assert.strictEqual(leafOf(value), leaf))

  it("finds a member that is left out, each one", () => {
    for (const name of Object.keys(truth).filter((name) => name !== "to")) {
      const { [name as keyof typeof truth]: _, ...rest } = truth
      assert.strictEqual(leafOf(rest), name)
    }
  })

  it("tells numbers from texts that are alike: decimal is not hex", () => {
    assert.strictEqual(firstFalse("10", "0x10", [])?.leaf, "value")
    assert.strictEqual(firstFalse("Name", "name", [])?.leaf, "value")
    assert.strictEqual(firstFalse("0x", 0n, [])?.leaf, "value")
  })

  describe("with claims", () => {
    const lie = {
      ...truth,
      transactions: [
        { ...first, from: "0xcc" },
        { ...second, nonce: 7n }
      ]
    }

    it("skips what a claim names and what is below it", () => {
      assert.isUndefined(leafOf({ ...truth, number: 3n }, ["number"]))
      assert.isUndefined(leafOf({ ...truth, status: 3n }, ["status"]))
      assert.isUndefined(leafOf(lie, ["transactions"]))
      assert.isUndefined(leafOf(lie, ["transactions[0]", "transactions[1].nonce"]))
      assert.isUndefined(leafOf(lie, ["transactions[].from", "transactions[].nonce"]))
      assert.isUndefined(leafOf("0x1", ["value"]))
      assert.isUndefined(leafOf(lie, ["value"]))
    })

    it("skips nothing else", () => {
      assert.strictEqual(leafOf(lie, ["transactions[0].from"]), "transactions[1].nonce")
      assert.strictEqual(leafOf(lie, ["transactions[1]"]), "transactions[0].from")
      assert.strictEqual(leafOf(lie, ["transactions[].nonce"]), "transactions[0].from")
      assert.strictEqual(leafOf(lie, ["transactions[0].fro", "transactions[0].from.x"]), "transactions[0].from")
      assert.strictEqual(leafOf({ ...truth, number: 3n }, ["numbe"]), "number")
      assert.strictEqual(leafOf({ ...truth, number: 3n }, ["Number", "block", "", "[]", "."]), "number")
    })

    it("takes `value` for a member where the truth has one", () => {
      const transfer = { value: "0x1", to: "0xaa" }
      assert.strictEqual(leafOf({ value: 2n, to: "0xbb" }, ["value"], { truth: transfer }), "to")
      assert.isUndefined(leafOf({ value: 2n, to: "0xaa" }, ["value"], { truth: transfer }))
    })

    it("takes a list's name before an index off, where the target says it", () => {
      const list = [{ status: "0x1" }, { status: "0x0" }]
      const told = [{ status: 1n }, { status: 1n }]
      assert.isUndefined(leafOf(told, ["receipts[1].status"], { truth: list, root: "receipts" }))
      assert.isUndefined(leafOf(told, ["receipts[].status"], { truth: list, root: "receipts" }))
      assert.isUndefined(leafOf(told, ["[1].status"], { truth: list, root: "receipts" }))
      assert.strictEqual(leafOf(told, ["receipts[1].status"], { truth: list }), "[1].status")
      assert.strictEqual(leafOf(told, ["receipts[0].status"], { truth: list, root: "receipts" }), "[1].status")
    })

    it("reads names with dots, brackets and signs of patterns as they are", () => {
      const odd = { "a.b": "0x1", "c[0]": "0x2", "(.*)": "0x3", "x-y": [{ z: "0x4" }] }
      assert.isUndefined(leafOf({ ...odd, "a.b": 9n, "c[0]": 9n }, ["a.b", "c[0]"], { truth: odd }))
      assert.isUndefined(leafOf({ ...odd, "x-y": [{ z: 9n }] }, ["x-y[].z"], { truth: odd }))
      assert.strictEqual(leafOf({ ...odd, "a.b": 9n }, ["(.*)", "(.*)[]", "[](.*)"], { truth: odd }), "a.b")
    })
  })

  it("lets a leaf say nothing where the target allows it, and judges it when it speaks", () => {
    const { size: _, ...rest } = truth
    assert.isUndefined(leafOf(rest, [], { silent: ["size"] }))
    assert.isUndefined(leafOf({ ...truth, size: null }, [], { silent: ["size"] }))
    assert.strictEqual(leafOf({ ...truth, size: 1n }, [], { silent: ["size"] }), "size")
    const without = { ...truth, transactions: [{ from: "0xaa", accessList: first!.accessList }, second] }
    assert.isUndefined(leafOf(without, [], { silent: ["transactions[].nonce"] }))
    assert.strictEqual(leafOf(without, [], { silent: ["transactions[1].nonce"] }), "transactions[0].nonce")
  })
})
