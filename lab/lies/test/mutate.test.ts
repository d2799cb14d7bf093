import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"

import * as Json from "../src/json.ts"
import * as Mutate from "../src/mutate.ts"

const answer: Json.JsonObject = {
  hash: `0x${"ab".repeat(32)}`,
  parentHash: `0x${"cd".repeat(32)}`,
  number: "0x10",
  logs: [
    { address: `0x${"11".repeat(20)}`, logIndex: "0x0", data: "0x" },
    { address: `0x${"22".repeat(20)}`, logIndex: "0x1", data: "0x05" }
  ],
  proof: ["0xc88363617483646f67", "0xf842a0".padEnd(138, "7")],
  to: null
}

const RUNS = 2000

describe("mutations", () => {
  const { mutate, once } = Mutate.make([answer])

  it("are the same for the same seed, and leave the answer as it is", () => {
    const before = structuredClone(answer)
    for (let seed = 0; seed < 200; seed++) {
      assert.deepStrictEqual(mutate(answer, Random.make(seed)), mutate(answer, Random.make(seed)))
    }
    assert.deepStrictEqual(answer, before)
  })

  it("reach every place of an answer, by values, by taking away and by adding", () => {
    const changed = new Set<string>()
    const kinds = { added: 0, removed: 0, same: 0 }
    for (let seed = 0; seed < RUNS; seed++) {
      const other = once(answer, Random.make(seed))
      if (JSON.stringify(other) === JSON.stringify(answer)) kinds.same++
      const [before, after] = [answer, other].map(
        (json) => new Map(Json.places(json).map(({ path, value }) => [path.join("."), JSON.stringify(value)]))
      ) as [Map<string, string>, Map<string, string>]
      for (const [path, value] of before) {
        if (after.get(path) !== value) changed.add(path)
        if (!after.has(path)) kinds.removed++
      }
      for (const path of after.keys()) if (!before.has(path)) kinds.added++
    }
    assert.deepStrictEqual(
      Json.places(answer)
        .map(({ path }) => path.join("."))
        .filter((path) => !changed.has(path)),
      []
    )
    assert.isAbove(kinds.added, RUNS / 20)
    assert.isAbove(kinds.removed, RUNS / 20)
    assert.isBelow(kinds.same, RUNS / 20)
  })

  it("change RLP inside of a text so that it is RLP again", () => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 300; seed++) {
      const changed = Mutate.rlpChanged("0xc88363617483646f67", Random.make(seed))
      assert.match(changed ?? "", /^0x(?:[0-9a-f]{2})+$/u)
      seen.add(changed!)
    }
    assert.isAbove(seen.size, 20)
    assert.isUndefined(Mutate.rlpChanged("0xc883", Random.make(1)))
    assert.isUndefined(Mutate.rlpChanged("0xzz", Random.make(1)))
  })
})
