/** Tests layouts of solc's own tests and of deployed contracts, known slots, and words with proofs in real states. */
import { assert, it } from "@effect/vitest"
import { Hex } from "@plumbline/codec"
import { Layout, Location, Plan, Slot } from "@plumbline/storage-layout"
import { Result } from "effect"

import { conformance, files, json, text } from "./support/fixtures.ts"

/** Returns the places of the compiler's variables, as our code finds them and as the compiler lists them. */
const found = (layout: Layout.Layout, solc: any): ReadonlyArray<unknown> =>
  solc.storage.map(({ label }: any) => {
    const { offset, slot, type } = Result.getOrThrow(Location.locate(layout, label))
    return [label, slot, offset, type.label]
  })
const said = (solc: any): ReadonlyArray<unknown> =>
  solc.storage.map(({ label, offset, slot, type }: any) => [label, BigInt(slot), offset, solc.types[type].label])

/** Returns the value of one variable from storage with only some known words. */
const read = (layout: Layout.Layout, path: string, words: ReadonlyMap<bigint, bigint>): unknown => {
  const location = Result.getOrThrow(Location.locate(layout, path))
  let plan = Result.getOrThrow(Plan.start(layout, [location]))
  while (plan._tag === "Want") plan = Plan.give(plan, (slot) => words.get(slot) ?? assert.fail(`no word at ${slot}`))
  return plan.values[0]!.value
}

const wordsOf = (proof: any): ReadonlyMap<bigint, bigint> =>
  new Map(proof.storageProof.map(({ key, value }: any) => [BigInt(key), BigInt(value)]))

conformance("storage layouts", () => {
  it("reads the layouts of deployed contracts", () => {
    for (const file of files("6-storage-layout/ens/*.json")) {
      const { storageLayout } = json(file)
      const layout = Result.getOrThrow(Layout.fromSolc(storageLayout))
      assert.deepStrictEqual(found(layout, storageLayout), said(storageLayout), file)
    }
  })

  it("reads the layouts of solc's tests, of storage and of transient storage", () => {
    let checked = 0
    for (const file of files("6-storage-layout/solidity/*.json")) {
      const output = json(file)
      for (const [source, contracts] of Object.entries<any>(output.contracts)) {
        for (const [name, contract] of Object.entries<any>(contracts)) {
          for (const area of ["storage", "transient"] as const) {
            const solc = contract[area === "storage" ? "storageLayout" : "transientStorageLayout"]
            if (solc === undefined) continue
            const layout = Result.getOrThrow(Layout.fromSolcOutput(output, `${source}:${name}`, { area }))
            assert.deepStrictEqual(found(layout, solc), said(solc), file)
            checked++
          }
        }
      }
    }
    assert.isAtLeast(checked, 8)
  })

  it("reads the layouts that solc prints for people", () => {
    for (const file of files("6-storage-layout/solidity/*.txt")) {
      const printed = [...text(file).matchAll(/^\{$.*?^\}$/gms)].map(([json]) => JSON.parse(json))
      assert.isAbove(printed.length, 0)
      for (const solc of printed) {
        assert.deepStrictEqual(found(Result.getOrThrow(Layout.fromSolc(solc)), solc), said(solc), file)
      }
    }
  })

  it("computes the slots that are known", () => {
    for (const { input, rule, slot } of json("6-storage-layout/facts.json").derived) {
      const [kind] = /^(ERC-7201|dynamic array|nested mapping|mapping)/.exec(rule) ?? []
      const entry = (key: string, mapping: bigint) => Slot.mappingEntry(Slot.numberKey(BigInt(key)), mapping)
      switch (kind) {
        case "ERC-7201":
          assert.strictEqual(Slot.erc7201(input.id), BigInt(slot), rule)
          break
        case "dynamic array":
          assert.strictEqual(Slot.data(BigInt(input.slot)), BigInt(slot), rule)
          break
        case "mapping":
          assert.strictEqual(entry(input.key, BigInt(input.slot)), BigInt(slot), rule)
          break
        case "nested mapping":
          assert.strictEqual(entry(input.keys[1], entry(input.keys[0], BigInt(input.slot))), BigInt(slot), rule)
          break
        default:
          // Proxies choose these slots by the hash of a text, not by the compiler's rules.
          assert.match(rule, /^EIP-1967|implementation slot$/)
      }
    }
  })

  it("reads words of real states as the values that are known", () => {
    // contract Uni { uint totalSupply; address minter; uint mintingAllowedAfter; ... }
    const types = {
      t_address: { encoding: "inplace", label: "address", numberOfBytes: "20" },
      t_bytes32: { encoding: "inplace", label: "bytes32", numberOfBytes: "32" },
      "t_array(t_bytes32)32_storage": {
        encoding: "inplace",
        label: "bytes32[32]",
        numberOfBytes: "1024",
        base: "t_bytes32"
      },
      t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" }
    }
    const variable = (label: string, slot: string, type: string) => ({ label, offset: 0, slot, type })
    const layout = (...storage: ReadonlyArray<object>) => Result.getOrThrow(Layout.fromSolc({ storage, types }))
    const facts: ReadonlyArray<any> = json("6-storage-layout/facts.json").proofBacked
    const known = (name: string) => facts.find((fact) => fact.variable === name).value

    const uni = layout(variable("minter", "1", "t_address"), variable("mintingAllowedAfter", "2", "t_uint256"))
    const accounts = "3-mainnet/ethereumjs/statemanager/providerData/accounts"
    const words = wordsOf(json(`${accounts}/0x1f9840a85d5af5bf1d1762f925bdaddc4201f984.json`).account["0x1"])
    assert.strictEqual(read(uni, "minter", words), known("minter"))
    assert.strictEqual(read(uni, "mintingAllowedAfter", words), BigInt(known("mintingAllowedAfter")))

    const deposit = layout(variable("branch", "0", "t_array(t_bytes32)32_storage"))
    const proof = json("3-mainnet/helios/rpc/proof.json")
    const branch = read(deposit, "branch[1]", wordsOf(proof.result ?? proof))
    assert.isTrue(Hex.equals(branch as Hex.Hex, known("branch[1]")))
  })
})
