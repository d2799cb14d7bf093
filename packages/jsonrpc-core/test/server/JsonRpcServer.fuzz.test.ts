/** For any input, the server keeps running and answers every request exactly once. */
import { assert, describe, it } from "@effect/vitest"
import { Connection } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import * as Contract from "../support/contract.ts"
import * as RandomJson from "../support/randomJson.ts"

const limits = { maxBatch: 20, maxDepth: 24, maxBytes: 200_000, concurrency: 3, maxAnswerBytes: 100_000 }
const makeServer = () => Contract.makeServer({ limits })

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

// The oracle: the answers that the specification requires for a packet, computed with JSON.parse.

const NONE = Symbol("no answer")
type AnswerId = string | number | null

/** Returns the id of the answer that a message needs. */
const idOf = (message: unknown, overConnection: boolean): AnswerId | typeof NONE => {
  if (typeof message !== "object" || message === null || Array.isArray(message)) return null
  const { id, jsonrpc, method, params } = { __proto__: null, ...message } as Readonly<Record<string, unknown>>
  const isId = id === null || typeof id === "string" || typeof id === "number"
  if (id !== undefined && !isId) return null
  const isResponse = method === undefined && ("result" in message || "error" in message)
  if (isResponse && overConnection) return NONE
  const isRequest =
    jsonrpc === "2.0" &&
    typeof method === "string" &&
    method.length <= 2048 &&
    (params === undefined || typeof params === "object")
  if (isRequest && id === undefined) return NONE
  return isId ? id : null
}

const isDeeper = (value: unknown, max: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (max === 0 || Object.values(value).some((inner) => isDeeper(inner, max - 1)))

/** Returns the value of a packet, or undefined if it is not JSON or larger than the server accepts. */
const parsed = (input: Uint8Array | string): { readonly value: unknown } | undefined => {
  try {
    const bytes = typeof input === "string" ? encode(input) : input
    const text = typeof input === "string" ? input : decoder.decode(input)
    const value: unknown = JSON.parse(text)
    const isTaken = text.isWellFormed() && bytes.length <= limits.maxBytes && !isDeeper(value, limits.maxDepth)
    return isTaken ? { value } : undefined
  } catch {
    return undefined
  }
}

/** Returns the ids of the expected answer, in order: a list for a batch, a single id, or none. */
const expected = (input: Uint8Array | string, overConnection: boolean): unknown => {
  const packet = parsed(input)
  if (packet === undefined) return null
  const { value } = packet
  if (!Array.isArray(value)) return idOf(value, overConnection)
  if (value.length === 0) return null
  if (value.length > limits.maxBatch) {
    const isCall = (message: unknown): boolean =>
      typeof message === "object" && message !== null && "method" in message && "id" in message
    // Only the number of answers is checked here; a conversation file tests the id.
    return value.some(isCall) ? [undefined] : [null]
  }
  const ids = value.map((message) => idOf(message, overConnection)).filter((id) => id !== NONE)
  return ids.length === 0 ? NONE : ids
}

const checkResponse = (response: any): AnswerId => {
  assert.strictEqual(response.jsonrpc, "2.0")
  const { error, id } = response
  assert.isTrue(id === null || typeof id === "string" || typeof id === "number")
  if ("error" in response) {
    assert.sameMembers(Object.keys(response), ["jsonrpc", "id", "error"])
    assert.isTrue(Number.isInteger(error.code) && typeof error.message === "string")
    assert.isEmpty(Object.keys(error).filter((name) => !["code", "message", "data"].includes(name)))
  } else {
    assert.sameMembers(Object.keys(response), ["jsonrpc", "id", "result"])
  }
  return id
}

/** Returns the ids in a packet that the server sent. */
const answered = (packet: Uint8Array | undefined): unknown => {
  if (packet === undefined) return NONE
  const text = decoder.decode(packet)
  assert.notInclude(text, Contract.SECRET)
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) {
    assert.isNotEmpty(value)
    return value.map(checkResponse)
  }
  return checkResponse(value)
}

const isNotification = (packet: Uint8Array): boolean => {
  const value = JSON.parse(decoder.decode(packet))
  const is = !Array.isArray(value) && "method" in value
  if (is) {
    assert.sameMembers(Object.keys(value), ["jsonrpc", "method", "params"])
    assert.sameMembers(Object.keys(value.params), ["subscription", "result"])
  }
  return is
}

// The input.

const METHODS = [
  ...Object.keys(Contract.group.methods),
  "eth_subscribe",
  "eth_unsubscribe",
  "rpc.discover",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  ""
]
const PARAMS = [
  "[]",
  "{}",
  "null",
  "[1,2]",
  '["numbers",2]',
  '["short"]',
  '["0x1"]',
  '{"value":1}',
  '{"__proto__":1}',
  '["x"]',
  "[3]"
]
const IDS = [
  "1",
  "1",
  '"a"',
  "null",
  "-0",
  "1.0",
  "1e999",
  "18446744073709551615",
  '"\\u0061"',
  '"__proto__"',
  "{}",
  "[]",
  "true"
]

const message = (random: Random.Random): string => {
  if (random() < 0.05) return RandomJson.jsonText(random)
  const members: Array<readonly [string, string]> = [
    ["jsonrpc", random() < 0.95 ? '"2.0"' : RandomJson.jsonText(random, 1)],
    ["method", random() < 0.95 ? JSON.stringify(Random.pick(random, METHODS)) : RandomJson.jsonText(random, 1)]
  ]
  if (random() < 0.8) members.push(["id", Random.pick(random, IDS)])
  if (random() < 0.8)
    members.push(["params", random() < 0.7 ? Random.pick(random, PARAMS) : RandomJson.jsonText(random)])
  if (random() < 0.1)
    members.push([Random.pick(random, ["result", "error", "__proto__", "id", "x"]), RandomJson.jsonText(random)])
  return RandomJson.objectText(
    random,
    RandomJson.shuffled(
      random,
      members.filter(() => random() < 0.97)
    )
  )
}

const packet = (random: Random.Random): string =>
  random() < 0.5
    ? message(random)
    : RandomJson.arrayText(
        random,
        Array.from({ length: Random.int(random, random() < 0.1 ? 25 : 6) }, () => message(random))
      )

const damaged = (random: Random.Random, text: string): string => {
  const at = Random.int(random, text.length + 1)
  const length = Random.int(random, 4)
  const insert = Random.pick(random, [
    "",
    '"',
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\u0000",
    "\ud800",
    "9",
    "null",
    text.slice(at, at + 20)
  ])
  return text.slice(0, at) + insert + text.slice(at + length)
}

const noise = (random: Random.Random): Uint8Array =>
  Uint8Array.from({ length: Random.int(random, 60) }, () => Random.int(random, 256))

const anything = (random: Random.Random): Uint8Array | string => {
  const text = packet(random)
  switch (Random.int(random, 8)) {
    case 0:
      return damaged(random, text)
    case 1:
      return damaged(random, damaged(random, text))
    case 2: {
      const bytes = encode(text)
      bytes[Random.int(random, bytes.length)] = Random.int(random, 256)
      return bytes
    }
    case 3:
      return noise(random)
    case 4:
      return encode(text)
    default:
      return text
  }
}

const nasty: ReadonlyArray<Uint8Array | string> = [
  "",
  " ",
  "\ufeff{}",
  "[".repeat(100_000),
  "[".repeat(50_000) + "]".repeat(50_000),
  '{"a":'.repeat(30_000) + "1" + "}".repeat(30_000),
  `{"jsonrpc":"2.0","id":1,"method":"echo","params":[${"[".repeat(20)}${"]".repeat(20)}]}`,
  `{"jsonrpc":"2.0","id":${"9".repeat(100_000)},"method":"ping"}`,
  `{"jsonrpc":"2.0","id":1e${"9".repeat(1000)},"method":"ping"}`,
  `{"jsonrpc":"2.0","id":"${"x".repeat(100_000)}","method":"ping"}`,
  `{"jsonrpc":"2.0","id":1,"method":"${"x".repeat(100_000)}"}`,
  `{"jsonrpc":"2.0","method":"${"x".repeat(3000)}"}`,
  `{"jsonrpc":"2.0","id":1,"method":"ping","${"k".repeat(100_000)}":0}`,
  `{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["${"x".repeat(100_000)}"]}`,
  `{"jsonrpc":"2.0","id":1,"method":"subtract","params":[1e400,-1e400]}`,
  `{"jsonrpc":"2.0","id":1,"method":"subtract","params":{"${"k".repeat(50_000)}":1}}`,
  `{"jsonrpc":"2.0","id":1,"method":"echo","params":["${"\\u0000".repeat(10_000)}"]}`,
  `{"jsonrpc":"2.0","id":1,"method":"echo","params":["${"\\\\".repeat(40_000)}"]}`,
  `"${"\\".repeat(100_000)}`,
  `[${"1,".repeat(90_000)}1]`,
  `[${Array.from({ length: 20 }, () => '{"jsonrpc":"2.0","id":1,"method":"hang"}').join(",")}]`,
  " ".repeat(300_000),
  new Uint8Array(300_000),
  Uint8Array.of(0xff, 0xfe),
  Uint8Array.of(0x22, 0xc0, 0x80, 0x22),
  encode("\ufeff{}")
]

const inputs = (seed: number, count: number): ReadonlyArray<Uint8Array | string> => {
  const random = Random.make(seed)
  return [...nasty, ...Array.from({ length: count }, () => anything(random))]
}

const matches = (actual: unknown, expected: unknown, input: Uint8Array | string): void => {
  const shown = typeof input === "string" ? input : decodeLossy(input)
  if (Array.isArray(expected) && expected.length === 1 && expected[0] === undefined) {
    assert.isTrue(Array.isArray(actual) && actual.length === 1, shown.slice(0, 300))
  } else if (expected === null && Array.isArray(actual)) {
    // The fault is after the message that exceeds the limit, and the server does not read that part.
    assert.strictEqual(actual.length, 1, shown.slice(0, 300))
    assert.isTrue(shown.trimStart().startsWith("["), shown.slice(0, 300))
    assert.isAtLeast(shown.split(",").length, limits.maxBatch + 1, shown.slice(0, 300))
  } else {
    assert.deepStrictEqual(actual, expected, shown.slice(0, 300))
  }
}
const decodeLossy = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

describe("whatever comes in", () => {
  it.effect("over handle, is answered once for each request, in order, within its time", () =>
    Effect.gen(function* () {
      const { handle } = makeServer()
      for (const input of inputs(1, Random.runs(1500))) {
        const fiber = yield* Effect.forkChild(handle(input), { startImmediately: true })
        if (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("30 seconds")
        matches(answered(yield* Fiber.join(fiber)), expected(input, false), input)
      }
    })
  )

  it.effect("over a connection, is answered in the same way, with nothing else but notifications", () =>
    Effect.gen(function* () {
      const sent: Array<Uint8Array> = []
      const { receive } = yield* Connection.make(makeServer(), {
        send: (packet) => Effect.sync(() => void sent.push(packet)),
        limits: { maxSubscriptions: 10 }
      })
      for (const input of inputs(2, Random.runs(1500))) {
        yield* receive(input)
        yield* TestClock.adjust("30 seconds")
        const answers = sent.splice(0).filter((packet) => !isNotification(packet))
        assert.isAtMost(answers.length, 1)
        matches(answered(answers[0]), expected(input, true), input)
      }
    })
  )

  it.effect("over a connection all at once, leaves no request without its answer", () =>
    Effect.gen(function* () {
      const sent: Array<Uint8Array> = []
      const { receive } = yield* Connection.make(makeServer(), {
        send: (packet) =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => void sent.push(packet))
          ),
        limits: { maxSubscriptions: 10, concurrency: 5 }
      })
      const all = inputs(3, Random.runs(600))
      const reading = yield* Effect.forkChild(Effect.forEach(all, receive, { discard: true }))
      while (reading.pollUnsafe() === undefined) yield* TestClock.adjust("30 seconds")
      // Lets the last five calls time out, with a turn of the event loop to send each answer.
      for (let turn = 0; turn < 6; turn++) yield* TestClock.adjust("30 seconds")
      const answers = sent.filter((packet) => !isNotification(packet)).map(answered)
      const asked = all.map((input) => expected(input, true)).filter((ids) => ids !== NONE)
      const shape = (ids: unknown): string => {
        if (!Array.isArray(ids)) return JSON.stringify(ids)
        return ids.length === 1
          ? "a batch of one"
          : `a batch of ${ids
              .map((id) => JSON.stringify(id))
              .sort()
              .join()}`
      }
      assert.deepStrictEqual(answers.map(shape).sort(), asked.map(shape).sort())
    })
  )
})

describe("the oracle", () => {
  it("tells answers that are none", () => {
    for (const wrong of [
      '{"id":1,"result":1}',
      '{"jsonrpc":"2.0","result":1}',
      '{"jsonrpc":"2.0","id":1}',
      '{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}',
      '{"jsonrpc":"2.0","id":1,"error":{"code":1}}',
      '{"jsonrpc":"2.0","id":{},"result":1}',
      "[]",
      "1"
    ]) {
      assert.throws(() => answered(encode(wrong)), undefined, undefined, wrong)
    }
  })
})
