import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
describe("make", () => {
  it("gives the numbers of mulberry32, computed apart with arithmetic of any size", () => {
    const word = 2n ** 32n
    const times = (a: bigint, b: bigint) => (a * b) % word
    let state = 7n
    const random = Random.make(7)
    for (let i = 0; i < 1000; i++) {
      state = (state + 0x6d2b79f5n) % word
      let mixed = times(state ^ (state >> 15n), state | 1n)
      mixed = ((mixed + times(mixed ^ (mixed >> 7n), mixed | 61n)) % word) ^ mixed
      assert.strictEqual(random(), Number(mixed ^ (mixed >> 14n)) / 2 ** 32)
    }
  })

  it("gives other numbers to another seed", () => {
    assert.notStrictEqual(Random.make(1)(), Random.make(2)())
  })
})

describe("choices", () => {
  it("take every value of their range and no other", () => {
    const random = Random.make(1)
    const seen = new Set(Array.from({ length: 1000 }, () => Random.int(random, 5)))
    assert.deepStrictEqual(seen, new Set([0, 1, 2, 3, 4]))
    const picked = new Set(Array.from({ length: 100 }, () => Random.pick(random, ["a", "b"])))
    assert.deepStrictEqual(picked, new Set(["a", "b"]))
    assert.strictEqual(new Set(Random.bytes(random, 10_000)).size, 256)
    assert.lengthOf(Random.bytes(random, 3), 3)
    const some = Array.from({ length: 10_000 }, () => Random.chance(random, 0.25)).filter(Boolean).length
    assert.closeTo(some, 2500, 250)
  })
})

it("a heavy test has at least one case", () => {
  assert.isAtLeast(Random.sized(1), 1)
})
