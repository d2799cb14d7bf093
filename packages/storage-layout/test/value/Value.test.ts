/** Values as JSON: the replacer of `JSON.stringify` is the reference for everything except flaws. */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Value } from "@plumbline/storage-layout"

const randomValue = (random: Random.Random, depth: number): Value.Value => {
  switch (Random.int(random, depth === 0 ? 4 : 6)) {
    case 0:
      return random() < 0.5
    case 1:
      return BigInt(Random.int(random, 2 ** 31)) ** BigInt(Random.int(random, 9)) * (random() < 0.5 ? 1n : -1n)
    case 2:
      return Random.pick(random, ["", "0x", "text", "\u0000\u2028", '"'])
    case 3:
      return { address: `0x${"5".repeat(40)}` as never, selector: "0x01020304" }
    case 4:
      return Array.from({ length: Random.int(random, 4) }, () => randomValue(random, depth - 1))
    default:
      return Object.fromEntries(
        ["a", "1", "__proto__", "toJSON"]
          .slice(Random.int(random, 4))
          .map((name) => [name, randomValue(random, depth - 1)])
      )
  }
}

describe("toJson", () => {
  it("writes integers as text and keeps every other value", () => {
    const random = Random.make(5)
    for (let run = 0; run < Random.runs(500); run++) {
      const value = randomValue(random, 4)
      const expected = JSON.stringify(value, (_, member) => (typeof member === "bigint" ? String(member) : member))
      assert.strictEqual(JSON.stringify(Value.toJson(value)), expected)
    }
  })

  it("writes a flaw as its reason and bytes, anywhere in a value", () => {
    const flaws: ReadonlyArray<readonly [flaw: Value.Flaw, json: unknown]> = [
      [new Value.Flaw("NotABool", "on", "0x02"), { flaw: "NotABool", bytes: "0x02" }],
      [new Value.Flaw("TooLarge", "all"), { flaw: "TooLarge" }],
      [new Value.Flaw("NotUtf8", "name", "0xff41"), "0xff41"],
      [new Value.Flaw("OutOfRange", "list[3]"), null]
    ]
    for (const [flaw, json] of flaws) {
      assert.deepStrictEqual(Value.toJson({ list: [flaw, 1n], flaw }), { list: [json, "1"], flaw: json })
    }
  })
})
