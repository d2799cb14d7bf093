import { assert, describe, it } from "@effect/vitest"
import { Message } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"

import * as RandomJson from "../support/randomJson.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Returns the texts of the located members. */
const located = (text: string): Partial<Record<keyof Message.LocatedMembers, string>> | undefined => {
  const data = bytes(text)
  const found = Message.locate(data)
  return found && slices(data, found)
}

const slices = (
  data: Uint8Array,
  found: Message.LocatedMembers
): Partial<Record<keyof Message.LocatedMembers, string>> =>
  Object.fromEntries(
    (["jsonrpc", "id", "result", "error"] as const).flatMap((name) => {
      const range = found[name]
      return range === undefined ? [] : [[name, new TextDecoder().decode(data.subarray(range.start, range.end))]]
    })
  )

describe("locate", () => {
  it("finds the members of what nodes usually write", () => {
    assert.deepStrictEqual(located('{"jsonrpc":"2.0","id":1,"result":"0x1"}'), {
      jsonrpc: '"2.0"',
      id: "1",
      result: '"0x1"'
    })
    assert.deepStrictEqual(located('{"jsonrpc":"2.0","id":12345678901234567890,"result":{"a":[1,{"b":"}"}]}}\n'), {
      jsonrpc: '"2.0"',
      id: "12345678901234567890",
      result: '{"a":[1,{"b":"}"}]}'
    })
    assert.deepStrictEqual(located('{"jsonrpc":"2.0","id":1,"result":null,"extra":{}}'), {
      jsonrpc: '"2.0"',
      id: "1",
      result: "null"
    })
    assert.deepStrictEqual(located('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"m"}}'), {
      jsonrpc: '"2.0"',
      id: "null",
      error: '{"code":-32000,"message":"m"}'
    })
  })

  it("takes any order, white space and spelling of names", () => {
    assert.deepStrictEqual(located(' { "result" : [ ] , "\\u0069d" : "a" }'), { result: "[ ]", id: '"a"' })
    assert.deepStrictEqual(located('{"\\u0072\\u0065\\u0073\\u0075\\u006c\\u0074":1}'), { result: "1" })
    assert.deepStrictEqual(located('{"res\\u0075lts":0,"Result":0,"result ":0,"result":1}'), { result: "1" })
  })

  it("takes the last of several members of one name", () => {
    assert.deepStrictEqual(located('{"jsonrpc":"2.0","id":1,"result":1,"result":2,"id":3}'), {
      jsonrpc: '"2.0"',
      id: "3",
      result: "2"
    })
  })

  it("refuses what is not exactly one object with exactly one of result and error", () => {
    for (const text of [
      "",
      " ",
      "null",
      "1",
      '"result"',
      "{}",
      "[]",
      '[{"jsonrpc":"2.0","id":1,"result":1}]',
      '{"jsonrpc":"2.0","id":1}',
      '{"jsonrpc":"2.0","id":1,"result":1,"error":{}}',
      '{"jsonrpc":"2.0","id":1,"result":null,"error":null}',
      '{"jsonrpc":"2.0","id":1,"result":1}x',
      '{"jsonrpc":"2.0","id":1,"result":1}}',
      '{"jsonrpc":"2.0","id":1,"result":1}{"jsonrpc":"2.0","id":1,"result":1}',
      '{"jsonrpc":"2.0","id":1,"result":}',
      '{"jsonrpc":"2.0","id":1,"result":1,}',
      '{"jsonrpc":"2.0","id":1,"result":1 2}',
      '{"jsonrpc":"2.0","id":1,"result":nul}',
      '{"jsonrpc":"2.0","id":1,"result":nulls}',
      '{"jsonrpc":"2.0","id":1,"result":undefined}',
      '{"jsonrpc":"2.0","id":1,"result":[}]}',
      '{"jsonrpc":"2.0","id":1,"result":{"a":[1}]}',
      '{"jsonrpc":"2.0","id":1,"result":"a}',
      '{"jsonrpc":"2.0","id":1,"result":"a\\"}',
      '{"jsonrpc":"2.0","id":1,"result":1]',
      '{"jsonrpc":"2.0","id":1,"result" 1}',
      '{"jsonrpc":"2.0","id":1 "result":1}',
      '{"jsonrpc":"2.0","id":1,result:1}',
      '{"jsonrpc":"2.0","id":1,"result',
      '\ufeff{"jsonrpc":"2.0","id":1,"result":1}',
      "<html></html>"
    ]) {
      assert.strictEqual(Message.locate(bytes(text)), undefined, text)
    }
  })

  it("bounds nesting without recursion", () => {
    const nested = (levels: number) => `{"result":${"[".repeat(levels)}${"]".repeat(levels)}}`
    assert.isDefined(Message.locate(bytes(nested(9_999))))
    assert.isUndefined(Message.locate(bytes(nested(1_000_000))))
  })

  it("finds what JSON.parse finds", () => {
    const random = Random.make(3)
    for (let run = 0; run < Random.runs(500); run++) {
      const text = randomResponse(random)
      const found = located(text)
      const parsed: Record<string, unknown> = JSON.parse(text)
      assert(found !== undefined, text)
      for (const name of ["jsonrpc", "id", "result", "error"] as const) {
        const slice = found[name]
        assert.strictEqual(slice !== undefined, Object.hasOwn(parsed, name), text)
        if (slice !== undefined) {
          assert.deepStrictEqual(JSON.parse(slice), parsed[name], text)
          assert.strictEqual(slice, slice.trim(), "white space belongs to nobody")
        }
      }
    }
  })

  it("finds nothing in a response that was cut", () => {
    const random = Random.make(4)
    for (let run = 0; run < Random.runs(50); run++) {
      const whole = bytes(randomResponse(random))
      const close = whole.lastIndexOf(0x7d)
      for (let end = 0; end <= close; end++) {
        assert.strictEqual(Message.locate(whole.subarray(0, end)), undefined)
      }
    }
  })

  it("never throws, and its ranges lie in order inside the bytes", () => {
    const random = Random.make(5)
    for (let run = 0; run < Random.runs(3000); run++) {
      const data = bytes(randomResponse(random))
      for (let change = Random.int(random, 5); change > 0; change--) {
        data[Random.int(random, data.length)] = Random.pick(random, [...bytes('"\\{}[]:,0 e'), Random.int(random, 256)])
      }
      const found = Message.locate(data)
      for (const range of found === undefined ? [] : Object.values(found)) {
        assert.isTrue(range === undefined || (0 < range.start && range.start < range.end && range.end < data.length))
      }
    }
  })

  it("accepts every object that JSON.parse accepts, however it was damaged", () => {
    const random = Random.make(6)
    for (let run = 0; run < Random.runs(3000); run++) {
      const data = bytes(randomResponse(random))
      data[Random.int(random, data.length)] = Random.pick(random, [...bytes('"\\{}[]:,0 e')])
      const parsed = parseObject(data)
      if (parsed !== undefined) {
        const isResponse = Object.hasOwn(parsed, "result") !== Object.hasOwn(parsed, "error")
        assert.strictEqual(Message.locate(data) !== undefined, isResponse, new TextDecoder().decode(data))
      }
    }
  })
})

const randomResponse = (random: Random.Random): string => {
  const body = [Random.pick(random, ["result", "error"]), RandomJson.jsonText(random, 4)] as const
  if (random() < 0.3) {
    return `{"jsonrpc":"2.0","id":${Random.int(random, 1e6)},"${body[0]}":${body[1]}}${RandomJson.space(random)}`
  }
  const members = RandomJson.shuffled<readonly [string, string]>(random, [
    body,
    ["jsonrpc", '"2.0"'],
    ["id", RandomJson.jsonText(random, 0)],
    ["extra", RandomJson.jsonText(random)],
    [Random.pick(random, ["Result", "errors", "__proto__", '"result"', "漢"]), RandomJson.jsonText(random)],
    ...(random() < 0.2 ? [[body[0], RandomJson.jsonText(random)] as const] : [])
  ])
  return `${RandomJson.space(random)}${RandomJson.objectText(random, members)}${RandomJson.space(random)}`
}

const parseObject = (data: Uint8Array): object | undefined => {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data))
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
