/** Checks the steps from names to slots: viem computes the same steps from the compilers' JSON. */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Erc20, Erc7201, Formula, Layout, Location, Share } from "@plumbline/storage-layout"
import { Result } from "effect"
import { bytesToHex, encodeAbiParameters, type Hex, keccak256, stringToBytes, toHex } from "viem"

import * as Drawn from "../support/drawn.ts"
import * as SlotOracle from "../support/slotOracle.ts"
import * as Solidity from "../support/solidity.ts"
import { kinds } from "../support/vyperKinds.ts"

const formula = (layout: Layout.Layout, path: string) => Result.getOrThrow(Formula.make(layout, path))

/** Writes bytes as hex, so that differences are readable. */
const plain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return bytesToHex(value)
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]))
    : value
}

const plainStep = ({ type, ...step }: Formula.FormulaStep): unknown => plain({ ...step, label: type.label })

/** Asserts that the steps equal those of the oracle, and end where `locate` ends. */
const check = (layout: Layout.Layout, way: SlotOracle.Way): void => {
  const { content, location, steps } = formula(layout, way.path)
  assert.deepStrictEqual<unknown>(steps.map(plainStep), way.steps, way.path)
  assert.deepStrictEqual(plain(content), way.content, way.path)
  assert.deepStrictEqual(location, Result.getOrThrow(Location.locate(layout, way.path)), way.path)
  const { offset, path, slot, type } = steps.at(-1)!
  assert.deepStrictEqual([path, slot, offset], [location.path, location.slot, location.offset])
  assert.strictEqual(type, location.type)
}

describe("a formula", () => {
  it("has the steps that viem computes from solc's JSON, for random ways through random contracts", () => {
    const tags = new Set<string>()
    for (let seed = 1; seed <= Random.runs(4); seed++) {
      const { json, layout, random } = Drawn.solidity(seed)
      for (let run = 0; run < 300; run++) {
        const way = SlotOracle.solcWay(random, json, Random.pick<any>(random, json.storage))
        check(layout, way)
        for (const { _tag } of way.steps) tags.add(_tag)
      }
    }
    assert.deepStrictEqual([...tags].sort(), ["Element", "Entry", "Length", "Member", "Variable"])
  })

  it("has the steps that viem computes from Vyper's layout, with the slot before the key", () => {
    const tags = new Set<string>()
    for (let seed = 1; seed <= Random.runs(40); seed++) {
      const { layout, random, variables } = Drawn.vyper(seed)
      for (let run = 0; run < 40; run++) {
        const { name, slot, type } = Random.pick(random, variables)
        const way = SlotOracle.vyperWay(random, name, slot, type)
        check(layout, way)
        for (const { _tag } of way.steps) tags.add(_tag)
      }
    }
    assert.deepStrictEqual([...tags].sort(), ["Element", "Entry", "Length", "Variable"])
  })

  it("hashes key and slot in the order of the compiler: exchanged, they lead elsewhere", () => {
    const solidity = Result.getOrThrow(
      Layout.fromSolc({
        storage: [{ label: "m", offset: 0, slot: "7", type: "t_m" }],
        types: {
          t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" },
          t_m: { encoding: "mapping", label: "", numberOfBytes: "32", key: "t_uint256", value: "t_uint256" }
        }
      })
    )
    const vyper = Result.getOrThrow(Layout.fromVyper({ m: { type: "HashMap[uint256, uint256]", slot: 7 } }))
    const words = (first: bigint, second: bigint): Hex =>
      encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [first, second])
    for (const [layout, preimage, exchanged] of [
      [solidity, words(9n, 7n), words(7n, 9n)],
      [vyper, words(7n, 9n), words(9n, 7n)]
    ] as const) {
      const { location, steps } = formula(layout, "m[9]")
      const entry = steps[1]!
      assert.isTrue(entry._tag === "Entry" && bytesToHex(entry.preimage) === preimage)
      assert.strictEqual(location.slot, BigInt(keccak256(preimage)))
      assert.notStrictEqual(location.slot, BigInt(keccak256(exchanged)))
    }
  })

  it("has the text of a Vyper key beside its hash, in a contract that vyper compiled", () => {
    const layout = Result.getOrThrow(Layout.fromVyper(kinds.layout))
    const mapping = Result.getOrThrow(Location.locate(layout, "byName"))
    const [, entry] = formula(layout, `byName["bob"]`).steps
    const key = keccak256(stringToBytes("bob"))
    const preimage = encodeAbiParameters([{ type: "uint256" }, { type: "bytes32" }], [mapping.slot, key])
    assert.isTrue(entry?._tag === "Entry")
    assert.deepInclude(plainStep(entry!), { key, preimage, digest: keccak256(preimage), text: toHex("bob") })
  })

  it("starts with a namespace of ERC-7201, whose id is hashed twice", () => {
    const id = "openzeppelin.storage.ERC20"
    const holder = "0x00000000219ab540356cbb839cbe05303d7705fa"
    const { location, steps } = formula(Erc7201.openZeppelin, `erc7201("${id}")._balances[${holder}]`)
    const idDigest = keccak256(stringToBytes(id))
    const preimage = encodeAbiParameters([{ type: "uint256" }], [BigInt(idDigest) - 1n])
    const digest = keccak256(preimage)
    const slot = (BigInt(digest) / 256n) * 256n
    assert.deepInclude(plainStep(steps[0]!), { _tag: "Namespace", id, idDigest, preimage, digest, slot, offset: 0 })
    assert.deepStrictEqual(
      steps.map(({ path }) => path),
      [`erc7201("${id}")`, `erc7201("${id}")._balances`, `erc7201("${id}")._balances[${holder}]`]
    )
    const expected = encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [holder, slot])
    assert.strictEqual(location.slot, BigInt(keccak256(expected)))
  })

  it("has one step for a variable that is named with its contract", () => {
    const { output } = Solidity.compile(
      `contract A { uint8 private x; } contract B is A { uint8 private x; struct P { uint8 y; } P p; }`
    )
    const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "B"))
    assert.deepStrictEqual(
      formula(layout, "B.x").steps.map(({ _tag, offset, path, slot }) => [_tag, path, slot, offset]),
      [["Variable", "B.x", 0n, 1]]
    )
    assert.deepStrictEqual(
      formula(layout, "B.p.y").steps.map(({ _tag, path, slot }) => [_tag, path, slot]),
      [
        ["Variable", "B.p", 1n],
        ["Member", "B.p.y", 1n]
      ]
    )
  })

  it("goes on at zero behind the last slot", () => {
    const types = {
      t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" },
      t_list: { encoding: "inplace", label: "uint256[3]", numberOfBytes: "96", base: "t_uint256" }
    }
    const storage = [{ label: "list", offset: 0, slot: String(2n ** 256n - 1n), type: "t_list" }]
    const layout = Result.getOrThrow(Layout.fromSolc({ storage, types }))
    assert.strictEqual(formula(layout, "list[2]").steps[1]?.slot, 1n)
    const paths = [2n ** 256n - 1n, 0n, 1n, 2n].map((slot) => Share.inSlot(layout, slot).map(({ path }) => path))
    assert.deepStrictEqual(paths, [["list[0]"], ["list[1]"], ["list[2]"], []])
  })

  it("is refused with the error of locate", () => {
    for (const path of ["nobody", "_balances[7]", "_balances.x", "_balances["]) {
      const { layout } = Erc20.openZeppelin
      assert.deepStrictEqual(
        Result.getOrThrow(Result.flip(Formula.make(layout, path))),
        Result.getOrThrow(Result.flip(Location.locate(layout, path)))
      )
    }
  })
})
