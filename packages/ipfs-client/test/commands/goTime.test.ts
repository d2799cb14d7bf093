import { assert, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"

import * as GoTime from "../../src/commands/goTime.ts"

it("reads the zone and the digits that Go writes", () => {
  assert.deepStrictEqual(GoTime.parse("2026-11-28T17:11:34.06+02:00"), { mtime: 1_795_878_694, mtimeNsecs: 60_000_000 })
  assert.deepStrictEqual(GoTime.parse("1970-01-01T00:00:00Z"), { mtime: 0 })
})

it("takes the first second of the year 1 for no time", () => {
  assert.deepStrictEqual(GoTime.parse(GoTime.NONE), {})
  assert.strictEqual(GoTime.format({}), GoTime.NONE)
})

it("writes no time for a year that does not have four digits", () => {
  assert.strictEqual(GoTime.format({ mtime: 253_402_300_799 }), "9999-12-31T23:59:59Z")
  assert.strictEqual(GoTime.format({ mtime: 253_402_300_800 }), GoTime.NONE)
  assert.strictEqual(GoTime.format({ mtime: -62_167_219_200 }), "0000-01-01T00:00:00Z")
  assert.strictEqual(GoTime.format({ mtime: -62_167_219_201 }), GoTime.NONE)
  assert.strictEqual(GoTime.format({ mtime: Number.MAX_SAFE_INTEGER }), GoTime.NONE)
})

it("reads back each time that it writes", () => {
  const random = Random.make(31)
  const edges = [0, -1, 1, -62_135_596_801, -62_135_596_799, -62_167_219_200, 253_402_300_799]
  const fractions = [undefined, 1, 10, 100_000_000, 999_999_999]
  for (let i = 0; i < Random.runs(500); i++) {
    const mtime = Random.chance(random, 0.3)
      ? Random.pick(random, edges)
      : Random.int(random, 315_569_520_000) - 62_167_219_200
    const mtimeNsecs = Random.chance(random, 0.5) ? Random.pick(random, fractions) : 1 + Random.int(random, 999_999_999)
    const time = { mtime, ...(mtimeNsecs === undefined ? {} : { mtimeNsecs }) }
    const text = GoTime.format(time)
    assert.match(text, GoTime.PATTERN)
    assert.deepStrictEqual(GoTime.parse(text), time)
  }
})
