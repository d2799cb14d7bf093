/**
 * Tests random histories of a contract. The difference between two of its states is applied to the result of the
 * contract's function in the first state. That must give the function's result in the second state.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { type ValueDifference, Layout } from "@plumbline/storage-layout"
import { Effect, Result } from "effect"

import * as Evm from "../support/evm.ts"
import * as Plain from "../support/plain.ts"
import * as Solidity from "../support/solidity.ts"
import * as Storage from "../support/storage.ts"

const { contract, output } = Solidity.compile(`contract Pile {
  struct Item { uint8 kind; int96 weight; string label; uint24[] parts; }
  int40 total; bool on; uint40[] list; string text; Item[] items; bytes5[7] fixedList; Item single;
  struct All { int40 total; bool on; uint40[] list; string text; Item[] items; bytes5[7] fixedList; Item single; }
  function all() external view returns (All memory) { return All(total, on, list, text, items, fixedList, single); }
  function setTotal(int40 n) external { total = n; on = !on; }
  function push(uint40 n) external { list.push(n); }
  function pop() external { if (list.length > 0) list.pop(); }
  function write(string calldata t) external { text = t; single.label = t; }
  function add(uint8 kind, int96 weight, string calldata label) external { items.push(); Item storage i = items[items.length - 1]; i.kind = kind; i.weight = weight; i.label = label; }
  function drop() external { if (items.length > 0) items.pop(); }
  function part(uint24 n) external { if (items.length > 0) items[n % items.length].parts.push(n); single.parts.push(n); }
  function put(uint256 at, bytes5 b) external { fixedList[at % 7] = b; }
}`)
const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "Pile"))

/** The successive states of one contract, and the result of its function in each state. */
const history = (async () => {
  const random = Random.make(77)
  const text = () => "x".repeat(Random.pick(random, [0, 1, 31, 32, 33, 70])) + Random.int(random, 9)
  const steps: ReadonlyArray<() => readonly [string, ReadonlyArray<unknown>]> = [
    () => ["setTotal", [Random.int(random, 2000) - 1000]],
    () => ["push", [Random.int(random, 3)]],
    () => ["push", [Random.int(random, 3)]],
    () => ["pop", []],
    () => ["write", [text()]],
    () => ["add", [Random.int(random, 3), -BigInt(Random.int(random, 3)), text()]],
    () => ["drop", []],
    () => ["part", [Random.int(random, 1000)]],
    () => ["put", [Random.int(random, 7), `0x${Random.int(random, 3).toString(16).padStart(10, "0")}`]]
  ]
  const pile = await Evm.deploy(contract("Pile"))
  const stateRoots: Array<Uint8Array> = []
  const said: Array<any> = []
  for (let state = 0; state < Random.runs(24); state++) {
    for (let step = Random.int(random, 5); step > 0; step--) await pile.call(...Random.pick(random, steps)())
    stateRoots.push(await pile.stateRoot())
    said.push(Plain.value(await pile.call("all")))
  }
  return { pile, random, said, stateRoots }
})()

/** Changes a part of a value, in place. Removing an element also removes the elements after it. */
const apply = (value: any, { path, to }: ValueDifference.ValueChange): void => {
  const steps = [...path.matchAll(/\w+/g)].map(([step]) => step)
  const last = steps.pop()!
  const inner = steps.reduce((inner, step) => inner[step], value)
  if (to !== undefined) inner[last] = Plain.value(to)
  else inner.length = Math.min(inner.length, Number(last))
}

describe("the difference of two random states", () => {
  it.effect("is what turns one into the other", () =>
    Effect.gen(function* () {
      const { pile, random, said, stateRoots } = yield* Effect.promise(() => history)
      const { ask, node } = yield* Storage.start(pile, layout, { stateRoots })
      let changes = 0
      for (let run = 0; run < Random.runs(60); run++) {
        const [from, to] = [Random.int(random, said.length), Random.int(random, said.length)]
        const hashes = { from: node.hashes[from]!, to: node.hashes[to]! }
        const verdict = yield* ask((storage, contract) => storage.diff(contract, hashes))
        assert.strictEqual(verdict._tag, "VERIFIED")
        const { changed, left } = verdict.value
        const made = structuredClone(said[from])
        for (const change of changed.flatMap(({ changes }) => changes)) {
          assert.notDeepEqual(change.from, change.to, change.path)
          apply(made, change)
          changes++
        }
        assert.deepStrictEqual(made, said[to])
        assert.deepStrictEqual(left, [])
      }
      assert.isAbove(changes, 100)
    })
  )
})
