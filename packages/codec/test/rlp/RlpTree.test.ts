import { assert, describe, it } from "@effect/vitest"
import { RLP } from "@ethereumjs/rlp"
import { Rlp, RlpTree } from "@plumbline/codec"
import { Result } from "effect"

import { Random, runs } from "../support/generators.ts"

type Nested = Uint8Array | Array<Nested>

/** Asserts that each item is at its place: another library decodes the bytes at that place to the expected value. */
const check = (item: RlpTree.RlpItem, whole: Uint8Array, expected: Nested): void => {
  const encoded = whole.subarray(item.offset, item.offset + item.head + item.length)
  assert.deepStrictEqual(RLP.decode(encoded), expected)
  if (item._tag === "String") return assert.deepStrictEqual(item.bytes, expected as Uint8Array)
  assert.strictEqual(item.items.length, expected.length)
  for (const [at, inner] of item.items.entries()) check(inner, whole, expected[at] as Nested)
}

describe("an encoding with its places", () => {
  it("has each item where another library reads it", () => {
    for (let seed = 0; seed < runs(300); seed++) {
      const value = new Random(seed).item(5) as Nested
      const bytes = RLP.encode(value)
      assert.deepStrictEqual(Rlp.decode(bytes), Result.succeed(value))
      check(Result.getOrThrow(RlpTree.decode(bytes)), bytes, value)
    }
  })

  it("is read out of a larger buffer as well", () => {
    const bytes = RLP.encode([Uint8Array.of(1), new Uint8Array(60), [Uint8Array.of(0x80)]])
    const larger = new Uint8Array(bytes.length + 7)
    larger.set(bytes, 7)
    assert.strictEqual(Result.getOrThrow(RlpTree.decode(larger.subarray(7)))._tag, "List")
    check(Result.getOrThrow(RlpTree.decode(larger.subarray(7))), bytes, RLP.decode(bytes))
  })

  it("is refused where a value is", () => {
    for (let seed = 0; seed < runs(2000); seed++) {
      const random = new Random(seed)
      const bytes = RLP.encode(random.item(4) as Nested).slice()
      bytes[random.below(Math.min(bytes.length, 8))] = random.below(256)
      const value = Rlp.decode(bytes)
      const tree = RlpTree.decode(bytes)
      assert.strictEqual(Result.isFailure(tree), Result.isFailure(value))
      if (Result.isFailure(tree))
        assert.deepStrictEqual(tree.failure, Result.isFailure(value) ? value.failure : undefined)
    }
  })

  it("is bounded as a value is", () => {
    const deep = RLP.encode([[[]]])
    assert.isTrue(Result.isFailure(RlpTree.decode(deep, { maxDepth: 2 })))
    assert.isTrue(Result.isFailure(RlpTree.decode(deep, { maxBytes: 2 })))
  })
})
