/** Tests random contracts on a node: compiles, deploys and fills them, and reads them by name with proofs. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Layout } from "@plumbline/storage-layout"
import { Result } from "effect"

import * as Anvil from "../support/anvil.ts"
import * as Generated from "../support/generated.ts"
import * as OnAnvil from "../support/onAnvil.ts"
import * as Plain from "../support/plain.ts"
import * as RandomContract from "../support/randomContract.ts"
import * as Solidity from "../support/solidity.ts"

const anvil = Anvil.start()
afterAll(async () => (await anvil)[Symbol.asyncDispose]())

/** The first seed. Earlier seeds make contracts so large that compiling them takes most of the time. */
const FIRST = 3

describe("a random contract", { timeout: 60_000 * Random.runs(1) }, () => {
  it("is read as it was written, and as its getters read it", async () => {
    const count = Random.runs(3)
    let read = 0
    for (let seed = FIRST; seed < FIRST + count; seed++) {
      const { fills, reads, source } = RandomContract.draw(seed)
      const { contract, output } = await Solidity.compileWith("solc", `pragma solidity ^0.8.29;\n${source}`)
      const deployed = await Anvil.deploy(await anvil, contract("D"))
      for (let i = 0; i < fills; i++) await deployed.send(`fill${i}`)
      const paths = reads.map(({ path }) => path)
      const layout = await Generated.again(Result.getOrThrow(Layout.fromSolcOutput(output, "D")))
      const verdict = await OnAnvil.readMany(await anvil, { address: deployed.address, layout }, paths)
      assert.strictEqual(verdict._tag, "VERIFIED")
      const values = verdict.value.variables.map(({ value }) => value)
      const where = (i: number) => `seed ${seed}: ${paths[i]}`
      for (const [i, { expected }] of reads.entries()) assert.deepStrictEqual<unknown>(values[i], expected, where(i))
      for (const [i, { getter }] of reads.entries()) {
        if (getter === undefined) continue
        assert.deepStrictEqual(Plain.value(values[i]), Plain.value(await deployed.get(`get${i}`)), where(i))
        read++
      }
    }
    assert.isAbove(read, 20 * count)
  })
})
