/** Tests random Solidity: compares places with the compiler's layout, and values with the contract's getters. */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Layout, type StorageType } from "@plumbline/storage-layout"
import { Result } from "effect"

import * as Evm from "../support/evm.ts"
import * as Reading from "../support/reading.ts"
import * as Solidity from "../support/solidity.ts"
import { bits, DEFINITIONS, kinds } from "../support/valueKinds.ts"

describe("a random struct", () => {
  it("has its members where solc puts them, in a namespace that solc gives no layout for", () => {
    const random = Random.make(7201)
    const inner = (depth: number): string => {
      const kind = Random.pick(random, kinds).type
      switch (Random.int(random, depth > 2 ? 1 : 12)) {
        case 1:
          return `${inner(depth + 1)}[${1 + Random.int(random, 40)}]`
        case 2:
          return `${inner(depth + 1)}[]`
        case 3:
          return `mapping(${kind} => ${inner(depth + 1)})`
        case 4:
          return Random.pick(random, ["string", "bytes", "Other", "Part", "LENGTHS"])
        case 5:
          return Random.pick(random, [
            "function() internal",
            "function() external",
            "address payable",
            "uint8[LENGTH * 2]"
          ])
        default:
          return kind
      }
    }
    const count = Random.runs(60)
    const structs = Array.from({ length: count }, (_, i) => {
      const members = Array.from(
        { length: 1 + Random.int(random, 12) },
        (_, m) => `${inner(0).replace("LENGTHS", "uint16[LENGTH]")} m${m};`
      )
      return `/// @custom:storage-location erc7201:test.n${i}\n struct N${i} { ${members.join(" ")} }`
    })
    const { contract, output } = Solidity.compile(`
      ${DEFINITIONS} uint constant LENGTH = 5; interface Other {} struct Part { uint8 a; uint136 b; }
      contract Spaces { ${structs.join("\n")} }
      contract Declared is Spaces { ${structs.map((_, i) => `N${i} n${i};`).join(" ")} }`)
    const spaces = Result.getOrThrow(Layout.fromSolcOutput(output, "Spaces"))
    const declared = contract("Declared").storageLayout
    assert.lengthOf(spaces.namespaces, count)
    assert.lengthOf(spaces.variables, 0)
    for (const { id, type } of spaces.namespaces) {
      const variable = declared.storage.find(({ label }: any) => label === `n${id.slice("test.n".length)}`)
      const expected = declared.types[variable.type]
      const made = spaces.types.get(type) as StorageType.Struct
      assert.strictEqual(made.slots * 32n, BigInt(expected.numberOfBytes), id)
      assert.deepStrictEqual(
        made.members.map(({ name, offset, slot }) => [name, String(slot), offset]),
        expected.members.map(({ label, offset, slot }: any) => [label, slot, offset]),
        id
      )
    }
  })
})

describe("random variables", () => {
  /** Writes random values to random variables, and reads them. */
  const draw = async (seed: number, settings: object) => {
    const random = Random.make(seed)
    const variables = Array.from({ length: Random.runs(30) }, (_, i) => {
      const kind = Random.pick(random, kinds)
      const shape = Random.pick(random, ["", "", "[7]", "[]", "map"] as const)
      const count = shape === "" ? 1 : 7
      const key = Random.pick(random, kinds)
      const values = Array.from({ length: count }, () => bits(random, kind.size))
      const keys = values.map(() => bits(random, key.size))
      const name = `v${i}`
      const declaration =
        shape === "map" ? `mapping(${key.type} => ${kind.type}) ${name};` : `${kind.type}${shape} ${name};`
      const statements = values.map((value, at) => {
        const literal = kind.literal(value)
        if (shape === "") return `${name} = ${literal};`
        if (shape === "[]") return `${name}.push(${literal});`
        return `${name}[${shape === "map" ? key.literal(keys[at]!) : at}] = ${literal};`
      })
      return { declaration, key, keys, kind, name, shape, statements, values }
    })
    const fills = variables.map(({ statements }, i) => `function fill${i}() external { ${statements.join("\n")} }`)
    const { contract, output } = Solidity.compile(
      `${DEFINITIONS} contract Drawn { ${variables.map(({ declaration }) => declaration).join("\n")} ${fills.join("\n")} }`,
      settings
    )
    const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "Drawn"))
    const deployed = await Evm.deploy(contract("Drawn"))
    for (const i of variables.keys()) await deployed.call(`fill${i}`)
    const written: Array<readonly [path: string, value: unknown]> = []
    for (const { key, keys, kind, name, shape, values } of variables) {
      const expected = values.map((value) => kind.value(value))
      if (shape !== "map") written.push([name, shape === "" ? expected[0] : expected])
      // only the last write of a key remains
      else written.push(...new Map(keys.map((bits, i) => [`${name}[${String(key.value(bits))}]`, expected[i]])))
    }
    const paths = written.map(([path]) => path)
    const { values } = await Reading.readMany(layout, paths, deployed.word)
    return { written, read: paths.map((path, i) => [path, values[i]!.value]) }
  }

  it("are read as they were written", async () => {
    const { read, written } = await draw(1, {})
    assert.deepStrictEqual<unknown>(read, written)
  })

  it("are read as they were written by code compiled via IR", async () => {
    const { read, written } = await draw(2, { viaIR: true })
    assert.deepStrictEqual<unknown>(read, written)
  })
})
