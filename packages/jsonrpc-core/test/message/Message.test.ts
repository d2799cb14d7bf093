import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Message } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"

import * as RandomJson from "../support/randomJson.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (data: Uint8Array): string => new TextDecoder().decode(data)
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

const refusal = (input: Uint8Array | string, limits?: Message.PacketLimits): string | undefined => {
  const packet = Message.parse(input, limits)
  return packet._tag === "Refused" ? `${packet.id} ${packet.error.code} ${packet.error.message}` : undefined
}

describe("parse", () => {
  it("refuses what is not UTF-8", () => {
    const invalid: ReadonlyArray<ReadonlyArray<number>> = [
      [0xff],
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe2, 0x82]
    ]
    for (const sequence of invalid) {
      const body = new Uint8Array([...bytes('{"jsonrpc":"2.0","id":"'), ...sequence, ...bytes('","method":"ping"}')])
      assert.strictEqual(refusal(body), "null -32700 parse error")
    }
  })

  it("refuses a lone surrogate in a string, as it has no UTF-8, but not its escape", () => {
    assert.strictEqual(refusal('{"jsonrpc":"2.0","id":"\ud800","method":"ping"}'), "null -32700 parse error")
    const packet = Message.parse('{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}')
    assert.strictEqual(idOf(packet), '"\\ud800"')
  })

  it("refuses a byte order mark, in bytes as in text", () => {
    assert.strictEqual(refusal(`\ufeff${ping}`), "null -32700 parse error")
    assert.strictEqual(refusal(new Uint8Array([0xef, 0xbb, 0xbf, ...bytes(ping)])), "null -32700 parse error")
  })

  it("refuses an empty input", () => {
    for (const nothing of ["", " ", "\n\t\r "]) {
      assert.strictEqual(refusal(nothing), "null -32700 parse error")
      assert.strictEqual(refusal(bytes(nothing)), "null -32700 parse error")
    }
  })

  it("measures text in bytes of UTF-8", () => {
    const request = '{"jsonrpc":"2.0","id":"漢字","method":"ping"}'
    const size = bytes(request).length
    for (const input of [request, bytes(request)]) {
      assert.strictEqual(refusal(input, { ...Message.defaults, maxBytes: size }), undefined)
      assert.strictEqual(refusal(input, { ...Message.defaults, maxBytes: size - 1 }), "null -32600 request too large")
    }
  })

  it("bounds the depth before anything else looks at the text, and brackets in strings do not count", () => {
    const limits = { ...Message.defaults, maxBytes: 1e7 }
    assert.strictEqual(refusal("[".repeat(5_000_000), limits), "null -32700 request nested too deeply")
    assert.strictEqual(refusal(`{"a":`.repeat(1_000_000), limits), "null -32700 request nested too deeply")
    const packet = Message.parse(`{"jsonrpc":"2.0","id":1,"method":"ping","params":["${"[{".repeat(1000)}\\"[["]}`)
    assert.strictEqual(packet._tag === "Single" && packet.entry._tag, "Request")
  })

  it("counts depth over the whole text", () => {
    const limits = { ...Message.defaults, maxDepth: 4 }
    assert.strictEqual(refusal('[{"params":[[]]}]', limits), undefined)
    assert.strictEqual(refusal('[{"params":[[[]]]}]', limits), "null -32700 request nested too deeply")
    assert.strictEqual(refusal('[{"params":[[],[],[]]},{"params":[[]]}]', limits), undefined)
  })

  it("bounds the batch, and the name of a method", () => {
    const limits = { ...Message.defaults, maxBatch: 2 }
    assert.deepStrictEqual(Message.parse(`[${ping},${ping}]`, limits)._tag, "Batch")
    assert.deepStrictEqual(Message.parse(`[1,${ping},${ping}]`, limits), {
      _tag: "Batch",
      entries: [{ _tag: "Invalid", id: Message.makeId(1), error: { code: -32600, message: "batch too large" } }]
    })
    const named = (length: number) =>
      Message.parse(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "m".repeat(length) }))
    assert.strictEqual(tagOf(named(2048)), "Request")
    assert.deepStrictEqual(named(2049), {
      _tag: "Single",
      entry: { _tag: "Invalid", id: Message.makeId(1), error: { code: -32600, message: "method name too long" } }
    })
  })

  it("keeps names such as __proto__ in parameters as ordinary members", () => {
    const packet = Message.parse('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"polluted":1}}}')
    assert(packet._tag === "Single" && packet.entry._tag === "Request")
    assert.deepStrictEqual(Object.keys(packet.entry.params ?? {}), ["__proto__"])
    assert.strictEqual(Object.getPrototypeOf(packet.entry.params), Object.prototype)
    assert.isFalse("polluted" in {})
  })

  it("finds the id of each request as it was written, wherever it stands and whatever stands beside it", () => {
    const random = Random.make(1)
    for (let run = 0; run < Random.runs(500); run++) {
      const count = Random.int(random, 4)
      const requests = Array.from({ length: count + 1 }, () => randomRequest(random))
      const isBatch = count > 0
      const body = isBatch
        ? RandomJson.arrayText(
            random,
            requests.map((request) => request.text)
          )
        : `${RandomJson.space(random)}${requests[0]!.text}${RandomJson.space(random)}`
      const packet = Message.parse(body)
      const entries = packet._tag === "Batch" ? packet.entries : packet._tag === "Single" ? [packet.entry] : []
      assert.deepStrictEqual(
        entries.map((entry) => (entry._tag === "Notification" ? undefined : entry.id)),
        requests.map((request) => request.id),
        body
      )
      assert.deepStrictEqual(
        entries.map((entry) => ("params" in entry ? entry.params : undefined)),
        requests.map((request) => request.params),
        body
      )
    }
  })

  it("keeps to each limit exactly", () => {
    const random = Random.make(3)
    const seen = new Set<string>()
    for (let run = 0; run < Random.runs(1000); run++) {
      const items = Array.from({ length: 1 + Random.int(random, 5) }, () => randomRequest(random).text)
      const input = random() < 0.5 ? items[0]! : RandomJson.arrayText(random, items)
      const count = input === items[0] ? 0 : items.length
      const near = (size: number): number => Math.max(0, size + Random.pick(random, [-1, 0, 0, 0, 1]))
      const limits = {
        maxBytes: near(bytes(input).length),
        maxDepth: near(depthOf(input)),
        maxBatch: Math.max(1, near(count))
      }
      // The first fault in the text is reported, because nothing after it was read.
      const read = count > limits.maxBatch ? `[${items.slice(0, limits.maxBatch).join(",")}]` : input
      const expected =
        bytes(input).length > limits.maxBytes
          ? "null -32600 request too large"
          : depthOf(read) > limits.maxDepth
            ? "null -32700 request nested too deeply"
            : count > limits.maxBatch
              ? "batch too large"
              : undefined
      for (const packet of [input, bytes(input)].map((form) =>
        Message.parse(form, { ...Message.defaults, ...limits })
      )) {
        const said =
          packet._tag === "Refused"
            ? `${packet.id} ${packet.error.code} ${packet.error.message}`
            : packet._tag === "Batch" && packet.entries[0]?._tag === "Invalid"
              ? packet.entries[0].error.message
              : undefined
        assert.strictEqual(said, expected, input)
      }
      seen.add(String(expected))
    }
    assert.strictEqual(seen.size, 4)
  })

  it("never throws, and takes bytes and their text alike", () => {
    const random = Random.make(2)
    const seeds = [
      ping,
      `[${ping},${ping}]`,
      '{"jsonrpc":"2.0","\\u0069d":"\\u0061","method":"m","params":{"a":[1.0]}}'
    ]
    for (let run = 0; run < Random.runs(2000); run++) {
      const mutated = mutate(random, bytes(Random.pick(random, seeds)))
      const packet = Message.parse(mutated)
      const asText = new TextDecoder("utf-8", { ignoreBOM: true }).decode(mutated)
      if (!asText.includes("\ufffd")) {
        assert.deepStrictEqual(Message.parse(asText), packet)
      }
      // JSON.parse is an independent judge of JSON; the mutations cannot reach any of the limits.
      assert.strictEqual(packet._tag === "Refused" && packet.error.code === -32700, !isJson(mutated))
    }
  })
})

describe("responses", () => {
  it("carry id and result byte for byte", () => {
    const result = new Uint8Array([...bytes('{"a": 1.0,"b":"'), 0xc3, 0xa9, ...bytes('"}')])
    const packet = Message.parse('{"jsonrpc":"2.0","id":"\\u00e9é","method":"ping"}')
    assert.strictEqual(
      text(Message.successBytes(idOf(packet), result)),
      '{"jsonrpc":"2.0","id":"\\u00e9é","result":{"a": 1.0,"b":"é"}}'
    )
  })

  it("carry ids of any characters with results of any length", () => {
    for (const id of ["a", "é", "€", "😀", "€€€", "aé", "é".repeat(40), `${"a".repeat(40)}😀`]) {
      for (let length = 1; length < 12; length++) {
        const result = "1".repeat(length)
        assert.deepStrictEqual(JSON.parse(text(Message.successBytes(Message.makeId(id), bytes(result)))), {
          jsonrpc: "2.0",
          id,
          result: Number(result)
        })
      }
    }
  })

  it("leave out data that is not JSON, and keep the rest of the error", () => {
    const cycle: Record<string, unknown> = {}
    cycle["self"] = cycle
    let deep: unknown = 0
    for (let level = 0; level < 100_000; level++) {
      deep = [deep]
    }
    const hostile = {
      get member(): never {
        throw new Error("no")
      }
    }
    for (const data of [1n, cycle, deep, hostile, Symbol("s"), () => 1, { toJSON: () => undefined }]) {
      assert.strictEqual(
        text(Message.failureBytes(Message.NULL_ID, { code: 3, message: "m", data })),
        '{"jsonrpc":"2.0","id":null,"error":{"code":3,"message":"m"}}'
      )
    }
    assert.strictEqual(
      text(Message.failureBytes(Message.NULL_ID, { code: 3, message: "m", data: null })),
      '{"jsonrpc":"2.0","id":null,"error":{"code":3,"message":"m","data":null}}'
    )
  })

  it("replace a code that is not an integer", () => {
    for (const code of [Number.NaN, 1.5, Infinity]) {
      assert.strictEqual(
        text(Message.failureBytes(Message.NULL_ID, { code, message: 'a "text"\ud800' })),
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"a \\"text\\"\\ud800"}}'
      )
    }
  })

  it("join into a batch", () => {
    for (const parts of [[], ["1"], ["1", "[2]", '"3"']]) {
      assert.strictEqual(text(Message.batchBytes(parts.map(bytes))), `[${parts.join(",")}]`)
    }
  })
})

describe("the messages of a batch", () => {
  it("are as long as an array's elements are, however it is written", () => {
    const random = Random.make(8)
    const space = () => Random.pick(random, ["", " ", "\n\t", "\r "])
    for (let run = 0; run < Random.runs(300); run++) {
      const elements = Array.from({ length: 1 + Random.int(random, 6) }, () => RandomJson.jsonText(random))
      const input = `${space()}[${elements.map((element) => `${space()}${element}${space()}`).join(",")}]${space()}`
      const reader = Message.reader(bytes(input))
      while (reader.step() === undefined);
      assert.deepStrictEqual(
        reader.sizes(),
        elements.map((element) => bytes(element.trim()).length),
        input
      )
    }
  })

  it("have no sizes where there is no batch, or where not all of it was read", () => {
    const sizes = (input: string, limits?: Message.PacketLimits) => {
      const reader = Message.reader(input, limits)
      while (reader.step() === undefined);
      return reader.sizes()
    }
    for (const input of ["", "[]", "{}", '"[1]"', "7", '[1,"2', "[1,]"]) assert.deepStrictEqual(sizes(input), [], input)
    assert.deepStrictEqual(sizes("[1,22,3]", { ...Message.defaults, maxBatch: 2 }), [])
  })
})

describe("the work for a packet", () => {
  const read = (input: Uint8Array | string, limits: Partial<Message.PacketLimits> = {}) => {
    const reader = Message.reader(input, { ...Message.defaults, ...limits })
    let steps = 1
    let packet = reader.step()
    for (; packet === undefined; steps++) packet = reader.step()
    return { packet, steps, scanned: reader.scanned(), parsed: reader.parsed() }
  }
  const said = (packet: Message.Packet) =>
    packet._tag === "Refused"
      ? packet.error.message
      : (packet._tag === "Single" ? [packet.entry] : packet.entries).map((entry) =>
          entry._tag === "Invalid" ? `${entry.id} ${entry.error.message}` : entry._tag
        )

  it("ends at the message that is too many: the rest of five megabytes is not looked at", () => {
    const { packet, parsed, scanned } = read(`[${"{},".repeat(1_700_000)}{}]`)
    assert.deepStrictEqual(said(packet), ["null batch too large"])
    assert.strictEqual(scanned, 1 + 1000 * 3)
    assert.strictEqual(parsed, 1000)
    const first = read(`[${`${ping},`.repeat(100_000)}{}]`)
    assert.deepStrictEqual(said(first.packet), ["1 batch too large"])
    assert.strictEqual(first.parsed, 1)
  })

  it("ends at the bracket that is too deep", () => {
    const { packet, parsed, scanned } = read("[".repeat(5_000_000))
    assert.strictEqual(said(packet), "request nested too deeply")
    assert.deepStrictEqual([scanned, parsed], [65, 0])
  })

  const many = (count: number, value: (index: number) => string) => Array.from({ length: count }, (_, i) => value(i))

  it("never parses a message of too many values, of whatever kind they are, and says its id", () => {
    const limits = { maxValues: 1000 }
    const request = (params: string, id = "7") => `{"jsonrpc":"2.0","id":${id},"method":"m","params":${params}}`
    const shapes = [
      `[${many(1000, () => "[]").join(",")}]`,
      `[${many(1000, () => "{}").join(",")}]`,
      `[${many(1000, String).join(",")}]`,
      `{${many(1000, (i) => `"a${i}":1`).join(",")}}`,
      `[${many(500, (i) => `{"a${i}":1}`).join(",")}]`,
      `[[[[${many(1000, () => '""').join(",")}]]]]`
    ]
    for (const shape of shapes) {
      const { packet, parsed } = read(request(shape), limits)
      assert.deepStrictEqual(said(packet), ["7 too many values, want at most 1000"])
      assert.strictEqual(parsed, 0)
      const batch = read(`[${ping},${request(shape, '"a"')},${request(shape, "[]")},${ping}]`, limits)
      assert.deepStrictEqual(said(batch.packet), [
        "Request",
        '"a" too many values, want at most 1000',
        "null too many values, want at most 1000",
        "Request"
      ])
      assert.strictEqual(batch.parsed, 2)
    }
    const names = `{"jsonrpc":"2.0",${many(1000, (i) => `"a${i}":1`).join(",")},"method":"m","id":7}`
    assert.deepStrictEqual(said(read(names, limits).packet), ["7 too many values, want at most 1000"])
  })

  it("repeats no id that it has not read as one", () => {
    for (const id of ["tru", '"\\x"', "{}", "[1]", "true", `"${"a".repeat(2000)}"`, "1 2"]) {
      const input = `{"jsonrpc":"2.0","id":${id},"params":[1,2,3]}`
      assert.deepStrictEqual(said(read(input, { maxValues: 3 }).packet), ["null too many values, want at most 3"])
    }
  })

  it("counts members and elements at any depth, as a count over the parsed value does", () => {
    const random = Random.make(5)
    const count = (value: unknown): number => {
      if (typeof value !== "object" || value === null) return 0
      const inside = Object.values(value)
      return inside.length === 0 ? 1 : inside.reduce<number>((sum, one) => sum + 1 + count(one), 0)
    }
    for (let run = 0; run < Random.runs(500); run++) {
      const params = `[${RandomJson.jsonText(random)},${RandomJson.jsonText(random)}]`
      // A name that occurs twice is counted twice but read once, so the text can have more members than its value.
      const input = `{"jsonrpc":"2.0","id":1,"method":"m","params":${params}}`
      const total = count(JSON.parse(input))
      assert.deepStrictEqual(said(read(input, { maxValues: total + duplicates(params) }).packet), ["Request"], input)
      assert.deepStrictEqual(
        said(read(input, { maxValues: total - 1 }).packet),
        [`1 too many values, want at most ${total - 1}`],
        input
      )
    }
  })

  it("is done in steps, none of which parses more than one message that is large", () => {
    const large = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"m","params":["${"a".repeat(100_000)}"]}`
    const input = `[${many(40, large).join(",")}]`
    const reader = Message.reader(bytes(input))
    let before = 0
    let packet: Message.Packet | undefined
    while ((packet = reader.step()) === undefined) {
      assert.isAtMost(reader.parsed() - before, 1)
      before = reader.parsed()
    }
    assert.strictEqual(said(packet).length, 40)
    const small = read(`[${many(1000, () => ping).join(",")}]`)
    assert.isAtMost(small.steps, 2)
  })
})

describe("refuse", () => {
  const error = { code: -32_005, message: "not now" }
  const refused = (input: string) => {
    const packet = Message.parse(input)
    return Message.refuse(packet, error).map((answer) => answer && JSON.parse(text(answer)))
  }

  it("answers each message that wants an answer, and joins to what is sent", () => {
    const of = (id: unknown) => ({ jsonrpc: "2.0", id, error })
    const call = (id: string) => `{"jsonrpc":"2.0",${id}"method":"m"}`
    assert.deepStrictEqual(refused(call('"id":1,')), [of(1)])
    assert.deepStrictEqual(refused(call("")), [undefined])
    assert.deepStrictEqual(refused(`[${call('"id":1,')},${call("")},7,${call('"id":"a",')}]`), [
      of(1),
      undefined,
      of(null),
      of("a")
    ])
    assert.deepStrictEqual(refused("{"), [of(null)])
    const silent = Message.parse(`[${call("")},${call("")}]`)
    assert.isUndefined(Message.join(silent, Message.refuse(silent, error)))
    const several = Message.parse(`[${call('"id":1,')},${call("")}]`)
    assert.strictEqual(text(Message.join(several, Message.refuse(several, error))!), JSON.stringify([of(1)]))
  })
})

describe("ids", () => {
  it("are the JSON text of a value", () => {
    assert.strictEqual(Message.makeId(2n ** 64n), "18446744073709551616")
    assert.strictEqual(Message.makeId('"'), '"\\""')
    assert.strictEqual(Message.NULL_ID, "null")
    expectTypeOf<Message.Id>().toExtend<string>()
    expectTypeOf<string>().not.toExtend<Message.Id>()
  })
})

/** Returns the depth of nesting, computed from the brackets outside strings, independently of the parser. */
const depthOf = (json: string): number => {
  let deepest = 0
  let open = 0
  for (const char of json.replaceAll(/"(?:[^"\\]|\\.)*"/gu, "")) {
    open += "[{".includes(char) ? 1 : "]}".includes(char) ? -1 : 0
    deepest = Math.max(deepest, open)
  }
  return deepest
}

/** Returns an upper bound for the number of members that a later member of the same name replaces. */
const duplicates = (json: string): number => (json.match(/:/gu) ?? []).length

const tagOf = (packet: Message.Packet): string => (packet._tag === "Single" ? packet.entry._tag : packet._tag)

const idOf = (packet: Message.Packet): Message.Id => {
  assert(packet._tag === "Single" && packet.entry._tag === "Request")
  return packet.entry.id
}

interface RandomRequest {
  readonly text: string
  readonly id: string | undefined
  readonly params: unknown
}

/** Makes a valid request with a known raw id. */
const randomRequest = (random: Random.Random): RandomRequest => {
  const ids = Array.from({ length: Random.pick(random, [0, 1, 1, 1, 2, 3]) }, () => randomId(random))
  const params = Random.pick(random, [
    undefined,
    () =>
      RandomJson.arrayText(
        random,
        Array.from({ length: 3 }, () => RandomJson.jsonText(random))
      ),
    () => RandomJson.objectText(random, [["id", RandomJson.jsonText(random)]])
  ])?.()
  const others = RandomJson.shuffled(random, [
    ["jsonrpc", '"2.0"'],
    ["method", '"m"'],
    ...(params === undefined ? [] : [["params", params] as const]),
    ["extra", RandomJson.jsonText(random)],
    ...ids.map((id) => ["id", id] as const)
  ] as const)
  // The ids keep their order, because the last id counts.
  const remaining = [...ids]
  const members = others.map(([name, value]) =>
    name === "id" ? ([name, remaining.shift()!] as const) : ([name, value] as const)
  )
  return {
    text: RandomJson.objectText(random, members),
    id: ids.at(-1),
    params: params === undefined ? undefined : JSON.parse(params)
  }
}

const randomId = (random: Random.Random): string =>
  Random.pick(random, [
    () => "null",
    () => Random.pick(random, RandomJson.NUMBERS),
    () => RandomJson.stringText(random, Random.pick(random, ["", "a", '"', '\\"', "}", "漢😀", "id"]))
  ])()

const mutate = (random: Random.Random, seed: Uint8Array): Uint8Array => {
  const out = [...seed]
  for (let change = Random.int(random, 4); change >= 0; change--) {
    const at = Random.int(random, out.length)
    Random.pick(random, [
      () => out.splice(at, 1),
      () => out.splice(at, 0, Random.int(random, 256)),
      () =>
        out.splice(at, 1, ...bytes(Random.pick(random, ['"', "\\", "{", "}", "[", "]", ",", ":", "1", "\\u", "é"]))),
      () => out.splice(at),
      () => out.splice(at, 0, ...out.slice(Random.int(random, out.length)))
    ])()
  }
  return new Uint8Array(out)
}

const isJson = (data: Uint8Array): boolean => {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data))
    return true
  } catch {
    return false
  }
}
