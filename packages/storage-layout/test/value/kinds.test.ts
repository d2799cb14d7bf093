/**
 * Reads a contract with a variable of every kind. The value at each path must equal the result of the contract's
 * function.
 */
import { assert, describe, it } from "@effect/vitest"
import { Layout, type Value } from "@plumbline/storage-layout"
import { Result } from "effect"
import { toFunctionSelector } from "viem"

import * as Evm from "../support/evm.ts"
import * as Kinds from "../support/kinds.ts"
import * as Plain from "../support/plain.ts"
import * as Reading from "../support/reading.ts"
import * as Solidity from "../support/solidity.ts"

const start = async (base: string) => {
  const { contract, output } = Solidity.compile(Kinds.source(base))
  const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "Kinds"))
  const deployed = await Evm.deploy(contract("Kinds"))
  await deployed.call("fill1")
  await deployed.call("fill2")
  return { deployed, layout }
}

/** Returns two lists by path: the values that were read, and the results of the contract's functions. */
const readBoth = async ({ deployed, layout }: Awaited<ReturnType<typeof start>>) => {
  const paths = Kinds.questions.map(([path]) => path)
  const { rounds, values } = await Reading.readMany(layout, paths, deployed.word)
  const returned: Array<unknown> = []
  for (const i of paths.keys()) returned.push(await deployed.call(`q${i}`))
  const byPath = (values: ReadonlyArray<unknown>) => paths.map((path, i) => [path, Plain.value(values[i])])
  return {
    flaws: values.flatMap(({ flaws }) => flaws),
    read: byPath(values.map(({ value }) => value)),
    returned: byPath(returned),
    rounds
  }
}

const kinds = start("0x1000")

describe("a contract with a variable of every kind", () => {
  it("is read by name as its own functions read it", async () => {
    const { flaws, read, returned, rounds } = await readBoth(await kinds)
    assert.deepStrictEqual(read, returned)
    assert.deepStrictEqual(flaws, [])
    // the longest sequence of rounds: an array's length, then a string's word, then its content
    assert.strictEqual(rounds, 3)
  })

  it("is read so when its storage is near the end", async () => {
    const { read, returned } = await readBoth(await start(`0x${"f".repeat(61)}000`))
    assert.deepStrictEqual(read, returned)
  })

  it("has functions as addresses and selectors, or as bytes that only its code understands", async () => {
    const { deployed, layout } = await kinds
    const outside = await Reading.read(layout, "outside", deployed.word)
    const selector = toFunctionSelector("ext(uint256)")
    assert.deepStrictEqual(outside.value, { address: deployed.address, selector })
    const inside = await Reading.read(layout, "inside", deployed.word)
    assert.isTrue(typeof inside.value === "string" && /^0x[0-9a-f]{16}$/.test(inside.value))
  })

  it("has members of enums by name", async () => {
    const { deployed, layout } = await kinds
    assert.strictEqual((await Reading.read(layout, "color", deployed.word)).value, "Blue")
  })

  it("leaves mappings out of the value of a struct", async () => {
    const { deployed, layout } = await kinds
    const nest = await Reading.read(layout, "nest", deployed.word)
    assert.deepStrictEqual(Object.keys(nest.value), ["p", "tri", "inner", "list"])
  })

  it("reads what contains itself as deep as it goes", async () => {
    const { deployed, layout } = await kinds
    const leaf = { value: 0n, kids: [] }
    const level = (value: bigint, last: Value.Value): Value.Value => ({ value, kids: [leaf, last] })
    const tree = await Reading.read(layout, "tree", deployed.word)
    assert.deepStrictEqual(tree.value, level(3n, level(2n, level(1n, leaf))))
  })

  it("reads no constants and no immutables, which are in the code", async () => {
    const { layout } = await kinds
    assert.isFalse(layout.variables.some(({ name }) => name === "ANSWER" || name === "FIXED"))
  })

  it("is read again after arrays shrank and were deleted", async () => {
    const { deployed, layout } = await start("0")
    await deployed.call("shrink")
    const paths = ["dyn16", "long", "strings", "flag"]
    const { values } = await Reading.readMany(layout, paths, deployed.word)
    assert.deepStrictEqual(
      values.map(({ value }) => value),
      [[], "", [], false]
    )
    assert.lengthOf((await Reading.read(layout, "dynBool", deployed.word)).value as ReadonlyArray<boolean>, 34)
    const gone = await Reading.read(layout, "dynBool[34]", deployed.word)
    assert.deepInclude(gone.value, { _tag: "Flaw", reason: "OutOfRange", path: "dynBool[34]" })
  })
})
