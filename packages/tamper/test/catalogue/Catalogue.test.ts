import { EthMethods } from "@plumbline/eth-methods"
import { assert, it } from "vitest"

import { Catalogue } from "../../src/index.ts"

it("has each name once, written alike", () => {
  const names = Catalogue.lies.map(({ name }) => name)
  assert.strictEqual(new Set(names).size, names.length)
  for (const name of names) assert.match(name, /^[a-z]+(?:-[a-z]+)*$/u)
})

it("touches methods that there are, and says of each lie what it is", () => {
  for (const { about, methods } of Catalogue.lies) {
    assert.match(about, /^[a-z].{10,120}[^.]$/u)
    for (const method of methods) assert.isDefined(EthMethods.group.get(method), method)
  }
})
