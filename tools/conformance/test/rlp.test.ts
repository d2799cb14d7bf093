/** The RLP vectors of ethereum/tests, valid and invalid. */
import { assert, it } from "@effect/vitest"
import { Hex, Quantity, Rlp } from "@plumbline/codec"
import { Result } from "effect"

import { conformance, json } from "./support/fixtures.ts"

type Item = string | number | ReadonlyArray<Item>

/** The vectors write strings as text, numbers as numbers, and large numbers as `#` and decimal digits. */
const itemOf = (item: Item): Rlp.Rlp => {
  if (typeof item === "number") return Quantity.toBytes(BigInt(item))
  if (typeof item !== "string") return item.map(itemOf)
  return item.startsWith("#") ? Quantity.toBytes(BigInt(item.slice(1))) : new TextEncoder().encode(item)
}

conformance("RLP vectors", () => {
  const valid: Readonly<Record<string, { in: Item; out: string }>> = json("2-ethereum-tests/RLPTests/rlptest.json")
  for (const [name, vector] of Object.entries(valid)) {
    it(`${name} encodes and decodes`, () => {
      const item = itemOf(vector.in)
      assert.strictEqual(Hex.fromBytes(Rlp.encode(item)), vector.out.toLowerCase())
      const decoded = Result.getOrThrow(Rlp.decode(Hex.toBytesUnsafe(vector.out)))
      assert.deepStrictEqual(Rlp.encode(decoded), Rlp.encode(item))
    })
  }
  const invalid: Readonly<Record<string, { out: string }>> = json("2-ethereum-tests/RLPTests/invalidRLPTest.json")
  for (const [name, vector] of Object.entries(invalid)) {
    it(`${name} is refused`, () => {
      const bytes = Hex.toBytesUnsafe(vector.out.startsWith("0x") ? vector.out : `0x${vector.out}`)
      assert.isTrue(Result.isFailure(Rlp.decode(bytes)))
    })
  }
})
