/** The scanner of results, compared with the parser of the JavaScript engine. */
import { isUtf8 } from "node:buffer"

import { assert, describe, it } from "@effect/vitest"
import { JsonBytes } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"

import * as RandomJson from "../support/randomJson.ts"

const encoder = new TextEncoder()

/** True if the engine's parser accepts the text. */
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const isTaken = (text: string): boolean => {
  const bytes = encoder.encode(text)
  return JsonBytes.valueEnd(bytes, 0) === bytes.length
}

const texts: ReadonlyArray<string> = [
  "null",
  "true",
  "false",
  "nul",
  "truex",
  "0",
  "-0",
  "-",
  "01",
  "1.",
  ".5",
  "1.5",
  "1e5",
  "1E+05",
  "1e",
  "1e+",
  "-1.25e-3",
  "+1",
  "0x1",
  "NaN",
  "Infinity",
  '""',
  '"a"',
  '"',
  '"a',
  '"\\""',
  '"\\\\"',
  '"\\',
  '"\\u0041"',
  '"\\u00g1"',
  '"\\u12"',
  '"\\x"',
  '"\n"',
  '"\t"',
  '"\u007f"',
  '"é€😀"',
  "'a'",
  "[]",
  "[ ]",
  "[1]",
  "[1,]",
  "[,1]",
  "[1 2]",
  "[1",
  "]",
  "[1]]",
  "{}",
  "{ }",
  '{"a":1}',
  '{"a":1,}',
  '{"a"}',
  '{"a":}',
  "{a:1}",
  '{"a":1 "b":2}',
  '{"a":[{"b":null}]}',
  "{]",
  "[}",
  '{"a":1,"a":2}',
  "[[[[1]]]]",
  '{"a" : [ 1 , 2 ] }',
  "[1,\n2]",
  "undefined",
  ""
]

/** Characters of all kinds, including those that need an escape. */
const LETTERS = ["a", "b", '"', "\\", "\u0001", "\n", "é", "€", "😀", "/", "0", "x"]

describe("the scanner of results", () => {
  it("takes what a parser takes", () => {
    for (const text of texts) assert.strictEqual(isTaken(text), isJson(text), text)
  })

  it("takes no more than a parser, whatever was changed in a value", () => {
    const random = Random.make(0x15a7)
    const alphabet = Array.from('{}[]",:\\ \n0129-+.eEtrufalsn"abcxé')
    const value = (depth: number): unknown => {
      const kind = Random.int(random, depth > 3 ? 5 : 7)
      if (kind === 0) return null
      if (kind === 1) return Random.chance(random, 0.5)
      if (kind === 2) return (Random.int(random, 2e6) - 1e6) / Random.pick(random, [1, 8, 1e9, 1e-20])
      if (kind < 5) {
        return Array.from({ length: Random.int(random, 8) }, () => Random.pick(random, LETTERS)).join("")
      }
      const members = Array.from({ length: Random.int(random, 4) }, () => value(depth + 1))
      return kind === 5 ? members : Object.fromEntries(members.map((member, index) => [`k${index}"`, member]))
    }
    for (let run = 0; run < Random.runs(20_000); run++) {
      let text = JSON.stringify(value(0), null, Random.pick(random, [0, 1]))
      assert.isTrue(isTaken(text), text)
      for (let change = Random.int(random, 3); change >= 0; change--) {
        const at = Random.int(random, text.length + 1)
        const more = Random.chance(random, 0.6) ? Random.pick(random, alphabet) : ""
        text = text.slice(0, at) + more + text.slice(at + Random.int(random, 2))
      }
      // White space around a value is not part of it.
      if (isUtf8(encoder.encode(text))) assert.strictEqual(isTaken(text), isJson(text) && text.trim() === text, text)
    }
  })

  it("takes nesting up to the bound, and keeps no stack for it", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
    assert.isTrue(isTaken(nested(10_000)))
    assert.isFalse(isTaken(nested(10_002)))
    assert.isFalse(isTaken("[".repeat(1_000_000)))
  })

  it("finds the members of a response in any order, and tells if the result is JSON", () => {
    const found = (text: string) => {
      const bytes = encoder.encode(text)
      const located = JsonBytes.locate(bytes)
      if (located?.result === undefined) return located?.error === undefined ? undefined : "error"
      return [new TextDecoder().decode(bytes.subarray(located.result.start, located.result.end)), !located.isMalformed]
    }
    assert.deepStrictEqual(found('{"jsonrpc":"2.0","id":7,"result":{"a":[1]}}'), ['{"a":[1]}', true])
    assert.deepStrictEqual(found('{"jsonrpc":"2.0","id":7,"result":1,"extra":{}}'), ["1", true])
    assert.deepStrictEqual(found('{"result":[1,],"id":7,"jsonrpc":"2.0"}'), ["[1,]", false])
    assert.deepStrictEqual(found('{"jsonrpc":"2.0","id":7,"result":{"a":tru}}'), ['{"a":tru}', false])
    assert.strictEqual(found('{"jsonrpc":"2.0","id":7,"error":{}}'), "error")
    assert.isUndefined(found('{"jsonrpc":"2.0","id":7,"result":1'))
    assert.isUndefined(found('{"jsonrpc":"2.0","id":7,"result":1}}'))
  })
})

describe("the members of an object", () => {
  it("have the values that a parser finds", () => {
    const random = Random.make(0x3e3b)
    for (let run = 0; run < Random.runs(2000); run++) {
      const text = `${RandomJson.space(random)}${RandomJson.objectText(random, [
        ["number", RandomJson.jsonText(random)],
        ["\\u0068ash", RandomJson.jsonText(random, 1)],
        ...(Random.chance(random, 0.2) ? [["number", RandomJson.jsonText(random)] as const] : [])
      ])}`
      const members = JsonBytes.membersOf(encoder.encode(text))
      const found = Object.fromEntries([...(members ?? [])].map(([name, json]) => [name, JsonBytes.parse(json)]))
      assert.deepStrictEqual(found, JSON.parse(text), text)
    }
  })

  it("are not found in anything else, and not in an object that breaks off", () => {
    for (const text of [
      "",
      " ",
      "[]",
      '"a"',
      "1",
      '{"a',
      '{"a"',
      '{"a":',
      '{"a":[',
      '{"a":"b',
      '{"a" 1}',
      '{"\\x":1}'
    ]) {
      assert.isUndefined(JsonBytes.membersOf(encoder.encode(text)), text)
    }
    assert.strictEqual(JsonBytes.membersOf(encoder.encode("{}"))?.size, 0)
  })
})

describe("the items of a batch", () => {
  it("are found up to the first that breaks off, and need not be valid", () => {
    const found = (text: string) => {
      const bytes = encoder.encode(text)
      return JsonBytes.itemsOf(bytes)?.map(({ end, start }) => new TextDecoder().decode(bytes.subarray(start, end)))
    }
    assert.deepStrictEqual(found(' [ {"id":1} , {"id":"]}\\"{"} ] '), ['{"id":1}', '{"id":"]}\\"{"}'])
    assert.deepStrictEqual(found('[{"result":[}},{"id":2}]'), ['{"result":[}'])
    assert.deepStrictEqual(found('[{"result":1,},{"id":2},{"id":"'), ['{"result":1,}', '{"id":2}'])
    for (const text of ["", "{}", "[]", "[1]", '[{"id":1', '[{"id":"}']) assert.isUndefined(found(text), text)
  })
})
