/**
 * Reads contracts of compilers of all eras, legacy and via IR, by name and with proofs, on anvil. Each value must equal
 * the result of the contract's own function.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { type ContractStorage, Generate, Layout } from "@plumbline/storage-layout"
import { type Effect, Result } from "effect"

import * as Anvil from "../support/anvil.ts"
import * as Eras from "../support/eras.ts"
import * as Generated from "../support/generated.ts"
import * as Kinds from "../support/kinds.ts"
import * as OnAnvil from "../support/onAnvil.ts"
import * as Plain from "../support/plain.ts"
import * as Solidity from "../support/solidity.ts"

const legacy = new Map(Eras.eras.map((era) => [era.solc, Solidity.compileWith(era.solc, Eras.source(era))] as const))

const anvil = Anvil.start()
afterAll(async () => (await anvil)[Symbol.asyncDispose]())

const byPath = (paths: ReadonlyArray<string>, values: ReadonlyArray<unknown>) =>
  paths.map((path, i) => [path, Plain.value(values[i])])

type Verdict = Effect.Success<ReturnType<ContractStorage.Reader["readMany"]>>

const shown = (paths: ReadonlyArray<string>, { _tag, value: { variables } }: Verdict) => ({
  verdict: _tag,
  flaws: variables.flatMap(({ flaws }) => flaws),
  values: byPath(
    paths,
    variables.map(({ value }) => value)
  )
})

/** Returns the expected answer: everything proven, with the results of the contract's own functions. */
const expected = (paths: ReadonlyArray<string>, returned: ReadonlyArray<unknown>) => ({
  verdict: "VERIFIED",
  flaws: [],
  values: byPath(paths, returned)
})

/** Deploys the contract, and fills it by transactions. */
const deploy = async (compiled: Solidity.Compiled, name: string): Promise<Anvil.Deployed> => {
  const deployed = await Anvil.deploy(await anvil, compiled.contract(name))
  for (const fill of ["fill1", "fill2"]) await deployed.send(fill)
  return deployed
}

/** Calls the function of each path, and returns the results. */
const ask = (deployed: Anvil.Deployed, paths: ReadonlyArray<string>): Promise<ReadonlyArray<unknown>> =>
  Promise.all(paths.map((_, i) => deployed.get(`q${i}`)))

const read = async ({ address }: Anvil.Deployed, layout: Layout.Layout, paths: ReadonlyArray<string>) =>
  OnAnvil.readMany(await anvil, { address, layout }, paths)

describe("a contract that was compiled with", () => {
  for (const era of Eras.eras) {
    const paths = Eras.questions(era).map(([path]) => path)

    it(`${era.solc} is read as its own functions read it, also by the module that is generated of its layout`, async () => {
      const compiled = await legacy.get(era.solc)!
      const deployed = await deploy(compiled, "Eras")
      const returned = await ask(deployed, paths)
      const layout = Result.getOrThrow(Layout.fromSolcOutput(compiled.output, "Eras"))
      for (const one of [layout, await Generated.again(layout)]) {
        assert.deepStrictEqual<unknown>(shown(paths, await read(deployed, one, paths)), expected(paths, returned))
      }
    })
  }

  for (const era of Eras.eras.filter(({ isOld }) => !isOld)) {
    const paths = Eras.questions(era).map(([path]) => path)

    it(`${era.solc} via IR is read as the functions of the legacy code read theirs`, async () => {
      const viaIr = await Solidity.compileWith(era.solc, Eras.fills(era), VIA_IR)
      const deployed = await deploy(viaIr, "Eras")
      const returned = await ask(await deploy(await legacy.get(era.solc)!, "Eras"), paths)
      const layout = Result.getOrThrow(Layout.fromSolcOutput(viaIr.output, "Eras"))
      assert.deepStrictEqual<unknown>(shown(paths, await read(deployed, layout, paths)), expected(paths, returned))
    })
  }

  it("the newest has what only that has: a base of its own and namespaces", async () => {
    const source = `pragma solidity ^0.8.29;${Kinds.source(`0x${"f".repeat(61)}000`)}`
    const compiled = await Solidity.compileWith("solc", source)
    const deployed = await deploy(compiled, "Kinds")
    const returned = await ask(deployed, Kinds.paths)
    const layout = Result.getOrThrow(Layout.fromSolcOutput(compiled.output, "Kinds"))
    const verdict = await read(deployed, layout, Kinds.paths)
    assert.deepStrictEqual<unknown>(shown(Kinds.paths, verdict), expected(Kinds.paths, returned))
  })
})

describe("layouts of compilers of all times", () => {
  it("have the same places, and from one source the same modules", async () => {
    const [late, last] = await Promise.all(Eras.eras.slice(-2).map(({ solc }) => legacy.get(solc)!))
    const texts = [late, last].map((compiled) =>
      Generate.typescript(Result.getOrThrow(Layout.fromSolcOutput(compiled!.output, "Eras")))
    )
    assert.strictEqual(texts[0], texts[1])
    const oldest = await legacy.get(Eras.eras[0]!.solc)!
    const first = Result.getOrThrow(Layout.fromSolcOutput(oldest.output, "Eras"))
    const known = Result.getOrThrow(Layout.fromSolcOutput(last!.output, "Eras"))
    const places = (layout: Layout.Layout) =>
      layout.variables
        .slice(0, first.variables.length)
        .map(({ declaredIn, name, offset, slot }) => [declaredIn, name, offset, slot])
    assert.deepStrictEqual(places(first), places(known))
  })
})

/**
 * The settings of a compilation via IR: as little optimization as possible. Without the stack allocation, the stack
 * would be too deep.
 */
const VIA_IR = {
  viaIR: true,
  optimizer: { enabled: false, details: { yul: true, yulDetails: { stackAllocation: true, optimizerSteps: ":" } } }
}
