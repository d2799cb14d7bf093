import { isDeepStrictEqual } from "node:util"

import { assert, describe, it } from "@effect/vitest"
import { Quorum } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"

import * as RandomJson from "../support/randomJson.ts"

describe("canonical", () => {
  const parsed = (text: string) => Quorum.canonical(JSON.parse(text))

  it("does not look at the order of members nor at the case of hex strings", () => {
    assert.strictEqual(parsed('{"a":{"x":1,"y":[]},"b":"0xAbC"}'), parsed('{"b":"0xaBc","a":{"y":[],"x":1}}'))
    assert.strictEqual(parsed('{"0xAB":1,"0xAA":2}'), parsed('{"0xaa":2,"0xab":1}'))
    assert.strictEqual(parsed(' [ 1.0 , "\\u0061" ] '), parsed('[1,"a"]'))
  })

  it("looks at everything else", () => {
    const texts = [
      "null",
      '"null"',
      "0",
      '"0"',
      "1",
      "-1",
      "1e999",
      "-1e999",
      "true",
      "false",
      '""',
      '"a"',
      '"A"',
      '"0x"',
      '"0x0"',
      '"0x00"',
      '"0X00"',
      '"0xG"',
      '"0xg"',
      '"[]"',
      "[]",
      "[[]]",
      "[null]",
      "[1,2]",
      "[2,1]",
      '["1,2"]',
      "{}",
      '{"a":1}',
      '{"A":1}',
      '{"a":"1"}',
      '{"a":[1]}',
      '{"a":1,"b":2}',
      '{"a":2,"b":1}',
      '{"a":{"b":1}}',
      '{"__proto__":1}',
      '{"a":1,"__proto__":null}',
      '{"a\\":1,\\"b":2}',
      '"\\u2028"',
      '"\\ud800"',
      '"\\ufffd"'
    ]
    assert.strictEqual(new Set(texts.map(parsed)).size, texts.length)
  })

  it("decides as a comparison of values does, for random values and random spellings of them", () => {
    const random = Random.make(7)
    let same = 0
    const runs = Random.runs(3000)
    for (let run = 0; run < runs; run++) {
      const one = value(random, 2)
      const other = random() < 0.5 ? respelled(random, one) : random() < 0.5 ? changed(random, one) : value(random, 2)
      const expected = isDeepStrictEqual(lowered(one), lowered(other))
      same += expected ? 1 : 0
      assert.strictEqual(
        Quorum.canonical(one) === Quorum.canonical(other),
        expected,
        `${JSON.stringify(one)} and ${JSON.stringify(other)}`
      )
    }
    assert.isAbove(same, runs / 10)
    assert.isBelow(same, runs * 0.9)
  })
})

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

const NAMES = ["a", "b", "A", "0xAb", "0xCd"]
const LEAVES: ReadonlyArray<Json> = ["", "a", "A", "0x", "0xaB", "0xAb", "0xab0", "0xG", 0, 1, -1, true, null]

/** Draws a value from a small set, so that equal values are frequent. */
const value = (random: Random.Random, depth: number): Json => {
  const kind = Random.int(random, depth > 0 ? 3 : 1)
  const length = Random.int(random, 4)
  return kind === 0
    ? Random.pick(random, LEAVES)
    : kind === 1
      ? Array.from({ length }, () => value(random, depth - 1))
      : Object.fromEntries(
          Array.from({ length }, () => [Random.pick(random, NAMES), value(random, depth - 1)] as const)
        )
}

const isHex = (text: string): boolean => /^0x[0-9a-f]*$/i.test(text) && text.startsWith("0x")

const mapped = (json: Json, string: (text: string) => string, order: <A>(items: Array<A>) => Array<A>): Json =>
  typeof json === "string"
    ? string(json)
    : typeof json !== "object" || json === null
      ? json
      : Array.isArray(json)
        ? json.map((item: Json) => mapped(item, string, order))
        : Object.fromEntries(
            order(Object.entries(json)).map(([name, member]) => [string(name), mapped(member, string, order)])
          )

/** Returns the same value with members in another order and hex digits in another case. */
const respelled = (random: Random.Random, json: Json): Json =>
  mapped(
    json,
    (text) =>
      isHex(text)
        ? text.replace(/[a-f]/gi, (digit) => (random() < 0.5 ? digit.toLowerCase() : digit.toUpperCase()))
        : text,
    (items) => RandomJson.shuffled(random, items)
  )

/** Returns a value with some of its strings changed. */
const changed = (random: Random.Random, json: Json): Json =>
  mapped(
    json,
    (text) => (random() < 0.3 ? `${text}0` : text),
    (items) => items
  )

const lowered = (json: Json): Json =>
  mapped(
    json,
    (text) => (isHex(text) ? text.toLowerCase() : text),
    (items) => items
  )
