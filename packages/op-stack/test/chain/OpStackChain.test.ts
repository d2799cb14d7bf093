/** Tests the table of chains and the descriptions of own chains. */
import { assert, describe, it } from "@effect/vitest"
import { Address } from "@plumbline/codec"
import { OpStackChain, OpStackChains } from "@plumbline/op-stack"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"

const given = {
  chainId: 901,
  name: "ours",
  l1ChainId: 900,
  systemConfig: "0x229047fed2591dbec1ef1118d64f7af3db9eb290",
  anchorStateRegistry: { address: "0x7b465370bb7a333f99edd19599eb7fb1c2d3f8d2" },
  forks: { canyon: 0, isthmus: 7 },
  implementations: { optimismPortal: { "0xe89f13c5ee4033b2d3cd76c9d6958efbfe26d3c2": "5.6.1" } }
}
const read = (value: unknown) => OpStackChain.fromJson(JSON.stringify(value))

describe("the table", () => {
  it("has well-formed chains with forks in their order", () => {
    for (const { forks, systemConfig } of OpStackChains.all) {
      assert.isTrue(Address.isAddress(systemConfig))
      const times = OpStackChain.forkNames.flatMap((name) => forks[name] ?? [])
      assert.deepStrictEqual(
        times,
        [...times].sort((a, b) => Number(a - b))
      )
    }
    assert.strictEqual(new Set(OpStackChains.all.map(({ chainId }) => chainId)).size, OpStackChains.all.length)
  })

  it("finds each chain by its name, as a command can write it", () => {
    for (const chain of OpStackChains.all) {
      assert.strictEqual(OpStackChains.byName(chain.name), chain)
      assert.strictEqual(OpStackChains.byName(chain.name.toLowerCase().replaceAll(" ", "-")), chain)
    }
    assert.strictEqual(OpStackChains.byName("opmainnet")?.chainId, 10n)
    assert.isUndefined(OpStackChains.byName(""))
    assert.deepStrictEqual(OpStackChains.similar("bsae"), ["base"])
    assert.deepStrictEqual(OpStackChains.similar("OP"), ["op-mainnet", "op-sepolia-testnet"])
  })

  it("has what the chains publish about themselves", () => {
    const parents = [10n, 8453n, 11_155_420n, 84_532n].map((id) => OpStackChains.byId(id)?.l1ChainId)
    assert.deepStrictEqual(parents, [1n, 1n, 11_155_111n, 11_155_111n])
    // the announcements of the upgrades of OP Mainnet
    const announced = [
      ["canyon", "2024-01-11T17:00:01Z"],
      ["ecotone", "2024-03-14T00:00:01Z"],
      ["fjord", "2024-07-10T16:00:01Z"],
      ["granite", "2024-09-11T16:00:01Z"],
      ["holocene", "2025-01-09T18:00:01Z"],
      ["isthmus", "2025-05-09T16:00:01Z"],
      ["jovian", "2025-12-02T16:00:01Z"],
      ["karst", "2026-07-08T16:00:01Z"]
    ]
    const { forks } = OpStackChains.byId(10n)!
    const times = Object.entries(forks).map(([name, time]) => [
      name,
      new Date(Number(time) * 1000).toISOString().replace(".000", "")
    ])
    assert.deepStrictEqual(times, announced)
  })

  it("has the forks of a chain in their order, and none after the last known", () => {
    const base = OpStackChains.byId(8453n)!
    assert.strictEqual(OpStackChain.forkAt(base, 2n ** 63n), "jovian")
    const optimism = OpStackChains.byId(10n)!
    assert.strictEqual(OpStackChain.forkAt(optimism, 2n ** 63n), "karst")
    assert.deepStrictEqual(
      OpStackChain.forkNames.map((name) => OpStackChain.evmOf(name)),
      ["shanghai", "cancun", "cancun", "cancun", "cancun", "prague", "prague", "osaka"]
    )
  })
})

describe("fromJson", () => {
  it("reads an own chain", () => {
    assert.deepStrictEqual(
      read(given),
      Result.succeed({ ...given, chainId: 901n, l1ChainId: 900n, forks: { canyon: 0n, isthmus: 7n } })
    )
  })

  it("refuses what is not a chain", () => {
    const wrong: ReadonlyArray<unknown> = [
      null,
      [],
      {},
      { ...given, chainId: "901" },
      { ...given, chainId: 1.5 },
      { ...given, chainId: -1 },
      { ...given, systemConfig: "0x12" },
      { ...given, systemConfg: given.systemConfig },
      { ...given, forks: { atlantis: 1 } },
      { ...given, implementations: { optimismPortal: { "0x1": "5.6.1" } } }
    ]
    for (const value of wrong) assert.isTrue(Result.isFailure(read(value)), JSON.stringify(value))
    assert.isTrue(Result.isFailure(OpStackChain.fromJson("{")))
    assert.isTrue(Result.isFailure(OpStackChain.fromJson(`${JSON.stringify(given)}${" ".repeat(70_000)}`)))
  })

  it("names the field that is wrong, on one line and without its value", () => {
    const problem = (value: unknown) => Result.getOrThrow(Result.flip(read(value))).problem
    assert.strictEqual(problem({ ...given, chainId: "s3cret" }), 'Expected number at ["chainId"]')
    assert.strictEqual(problem({ ...given, forks: { canyon: -1 } }).split(" at ")[1], '["forks"]["canyon"]')
    assert.strictEqual(problem({ ...given, l2ChainId: 1 }), 'Expected no excess property at ["l2ChainId"]')
  })

  it("never throws", () => {
    const random = Random.make(33)
    const text = JSON.stringify(given)
    for (let run = 0; run < Random.runs(1000); run++) {
      const at = Random.int(random, text.length)
      const changed = text.slice(0, at) + String.fromCharCode(Random.int(random, 128)) + text.slice(at + 1)
      assert.doesNotThrow(() => OpStackChain.fromJson(changed))
    }
  })
})
