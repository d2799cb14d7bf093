import { assert, it } from "@effect/vitest"
import { Selector } from "@plumbline/second-chain-methods"
import * as Random from "@plumbline/seeded/Random"
import { hash } from "starknet"

it("a selector is what starknet.js computes", () => {
  const random = Random.make(250)
  const letters = "abcdefghijklmnopqrstuvwxyz_0123456789".split("")
  const made = Array.from({ length: Random.runs(200) }, () =>
    Array.from({ length: Random.int(random, 40) }, () => Random.pick(random, letters)).join("")
  )
  for (const name of ["transfer", "balanceOf", "__execute__", ...made]) {
    assert.strictEqual<string>(Selector.of(name), hash.getSelectorFromName(name), name)
  }
})
