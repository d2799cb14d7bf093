/** For any answers of a server, each call gets exactly one outcome, and never the outcome of another call. */
import { assert, describe, it } from "@effect/vitest"
import type { JsonRpcError } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Clock, Effect, Result } from "effect"

import * as HttpReply from "../../src/http/httpReply.ts"
import * as Envelope from "../../src/transport/envelope.ts"
import * as PacketTransport from "../../src/transport/packetTransport.ts"
import * as RandomJson from "../support/randomJson.ts"

const asIs = (text: string): string => text

const result = (id: unknown, value: unknown) => ({ jsonrpc: "2.0", id, result: value })
const error = (id: unknown, code: number, message: string) => ({ jsonrpc: "2.0", id, error: { code, message } })

describe("the replies to a batch", () => {
  /** A server's treatment of one call: its replies, and the outcome that the caller must see. */
  type Deed = (id: number) => readonly [replies: ReadonlyArray<unknown>, heard: string]

  const DOUBLE = "more than one answer to this call in the answer to the batch"
  const MISSING = "no answer to this call in the answer to the batch"

  const deeds: Readonly<Record<string, Deed>> = {
    good: (id) => [[result(id, `r${id}`)], `r${id}`],
    null: (id) => [[result(id, null)], "null"],
    failed: (id) => [[error(id, -32000, `e${id}`)], `e${id}`],
    invalid: (id) => [[error(id, -32600, `i${id}`)], `i${id}`],
    missing: () => [[], MISSING],
    twice: (id) => [[result(id, 1), result(id, 1)], DOUBLE],
    thrice: (id) => [[result(id, 1), error(id, 1, ""), { id }], DOUBLE],
    "under a text": (id) => [[result(`${id}`, 1)], MISSING],
    "under a number beside it": (id) => [[result(id + 0.5, 1)], MISSING],
    "under a list": (id) => [[result([id], 1)], MISSING],
    "under null": (id) => [[result(null, id), error(null, -32600, "no")], MISSING],
    "without a version": (id) => [[{ id, result: 1 }], 'the answer has no jsonrpc "2.0"'],
    "with neither": (id) => [[{ jsonrpc: "2.0", id }], "the answer has no result and no error"],
    "with both": (id) => [[{ ...result(id, 1), ...error(id, 1, "") }], "the answer has both result and error"],
    "with a broken error": (id) => [[{ jsonrpc: "2.0", id, error: 1 }], "the error has no code or no message"]
  }
  const names = Object.keys(deeds)

  const extras: ReadonlyArray<unknown> = [null, 0, "", [], [[]], {}, true].concat(
    [-1, 0, 0.5, 2 ** 53, "1", null, true].map((id) => result(id, "extra"))
  )

  /** Chooses the server's treatment of each call: the same for all, a bad one among good ones, or random ones. */
  const plan = (random: Random.Random, count: number): ReadonlyArray<string> => {
    const usual = Random.pick(random, ["good", ...names])
    const at = Random.pick(random, [0, count - 1, Random.int(random, count)])
    const other = Random.pick(random, names)
    const isMixed = random() < 0.5
    return Array.from({ length: count }, (_, index) =>
      isMixed ? Random.pick(random, names) : index === at ? other : usual
    )
  }

  it.effect("reach each its call, in any order, and harm no other", () =>
    Effect.gen(function* () {
      const random = Random.make(77)
      const seen = new Set<string>()
      for (let run = 0; run < Random.runs(1000); run++) {
        const count = Random.pick(random, [2, 2, 3, 5, 20, run % 100 === 0 ? 1000 : 4])
        const planned = plan(random, count)
        const added = Array.from({ length: Random.pick(random, [0, 0, 1, 3]) }, () => Random.pick(random, extras))
        let heard: ReadonlyArray<string> = []
        let refusal: string | undefined
        const transport = PacketTransport.make({
          redact: asIs,
          exchange: (text) =>
            Effect.sync(() => {
              const ids: ReadonlyArray<number> = JSON.parse(text).map(({ id }: { readonly id: number }) => id)
              const done = planned.map((name, index) => deeds[name]!(ids[index]!))
              heard = done.map(([, heard]) => heard)
              const replies = [...done.flatMap(([replies]) => replies), ...added]
              // The single reply counts as a refusal of the whole batch, as in geth.
              if (replies.length === 1 && planned[0] === "invalid") {
                refusal = heard[0]
              }
              return { text: JSON.stringify(RandomJson.shuffled(random, replies)) }
            })
        })
        const outcomes = yield* transport.callAll(planned.map((method) => ({ method, params: [] })))
        const said = outcomes.map((outcome) =>
          Result.isSuccess(outcome) ? String(outcome.success) : outcome.failure.reason.message
        )
        assert.deepStrictEqual(said, refusal === undefined ? heard : heard.map(() => refusal!), planned.join())
        outcomes.forEach((outcome, index) => {
          assert.strictEqual(
            Result.isSuccess(outcome),
            refusal === undefined && /^(?:good|null)$/.test(planned[index]!)
          )
        })
        planned.forEach((name) => seen.add(name))
      }
      assert.sameMembers([...seen], names)
    })
  )
})

describe("an answer that is anything", () => {
  const ID = 7
  const seeds = [
    JSON.stringify(result(ID, { a: [1, "x"] })),
    JSON.stringify(result(ID, null)),
    JSON.stringify(error(ID, -32000, "header not found")),
    JSON.stringify(error(null, -32700, "parse error")),
    JSON.stringify([result(ID, 1), error(8, 1, "m")])
  ]
  const PARTS = [
    '"id"',
    '"jsonrpc"',
    '"result"',
    '"error"',
    '"code"',
    '"2.0"',
    "7",
    "8",
    "null",
    "{}",
    "[]",
    ",",
    ":",
    "}"
  ]

  /** The same id in other spellings, and ids that only look like it. */
  const IDS = ["7", "7.0", "70e-1", '"7"', "[7]", "-7", "7.5", "null", "true", "{}"]

  const anything = (random: Random.Random): string => {
    let text = random() < 0.2 ? RandomJson.jsonText(random) : Random.pick(random, seeds)
    for (let change = Random.int(random, 4); change > 0; change--) {
      const at = Random.int(random, text.length + 1)
      const part = Random.pick(random, PARTS)
      text = Random.pick(random, [
        () => text.slice(0, at),
        () => text.slice(0, at) + text.slice(at + 1 + Random.int(random, 3)),
        () => text.slice(0, at) + part + text.slice(at),
        () => text.replace(part, Random.pick(random, PARTS)),
        () => text.replace(/"id":[^,}]+/u, `"id":${Random.pick(random, IDS)}`),
        () => text.replace(",", `,${part}:${RandomJson.jsonText(random, 1)},`)
      ])()
    }
    return text
  }

  const parsed = (text: string): { readonly value: unknown } | undefined => {
    try {
      return { value: JSON.parse(text) }
    } catch {
      return undefined
    }
  }

  const has = (value: object, name: string): boolean => Object.prototype.hasOwnProperty.call(value, name)

  /** Returns the kind of answer to this call by the specification, or "none". This is the oracle. */
  const kindOf = (value: any): "result" | "error" | "none" => {
    if (typeof value !== "object" || value === null || Array.isArray(value) || value.jsonrpc !== "2.0") return "none"
    if (has(value, "result") === has(value, "error")) return "none"
    if (has(value, "result")) return value.id === ID ? "result" : "none"
    const { code, message } = value.error ?? {}
    const isError = Number.isSafeInteger(code) && typeof message === "string" && !Array.isArray(value.error)
    return isError && (value.id === ID || value.id === null || !has(value, "id")) ? "error" : "none"
  }

  it("is what the specification says, and never an exception", () => {
    const random = Random.make(78)
    const seen = { result: 0, error: 0, none: 0, "no JSON": 0 }
    for (let run = 0; run < Random.runs(6000); run++) {
      const text = anything(random)
      const json = parsed(text)
      const outcome = Envelope.readSingle({ text }, ID, asIs)
      const kind = json === undefined ? "no JSON" : kindOf(json.value)
      seen[kind]++
      const tag = Result.isSuccess(outcome) ? "result" : outcome.failure._tag
      const expected = { result: "result", error: "RemoteError", none: "ProtocolError", "no JSON": "ProtocolError" }[
        kind
      ]
      assert.strictEqual(tag, expected, text)
      if (Result.isSuccess(outcome)) {
        assert.deepStrictEqual(outcome.success, (json!.value as { readonly result: unknown }).result, text)
      }
      const outcomes = Envelope.readBatch({ text }, { first: ID, count: 3 }, asIs)
      assert.lengthOf(outcomes, 3)
      for (const [place, outcome] of outcomes.entries()) {
        if (outcome !== undefined && Result.isSuccess(outcome)) {
          const own = (json!.value as ReadonlyArray<any>).filter((reply) => reply?.id === ID + place)
          assert.lengthOf(own, 1, text)
          assert.deepStrictEqual(own[0].result, outcome.success, text)
        }
      }
    }
    assert.isAbove(Math.min(...Object.values(seen)), 150, JSON.stringify(seen))
  })

  it("with a failing status is the server's words or the status, and never a result", () => {
    const random = Random.make(79)
    for (let run = 0; run < Random.runs(1500); run++) {
      const text = anything(random)
      for (const outcome of [
        Envelope.readSingle({ text, failedStatus: 503 }, ID, asIs),
        ...Envelope.readBatch({ text, failedStatus: 503 }, { first: ID, count: 2 }, asIs)
      ]) {
        assert(outcome !== undefined && Result.isFailure(outcome), text)
        const { failure } = outcome
        assert(
          failure._tag === "RemoteError" || (failure as JsonRpcError.TransportError).detail === "HTTP status 503",
          text
        )
        assert.strictEqual((failure as JsonRpcError.TransportError).status, 503)
      }
    }
  })

  it.effect("may come in any pieces: the same text, the same bound", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const random = Random.make(80)
      const seen = { text: 0, large: 0, garbled: 0 }
      for (let run = 0; run < Random.runs(1500); run++) {
        const bytes = new TextEncoder().encode(
          `${Random.pick(random, ["", "\ufeff"])}${RandomJson.jsonText(random)}漢😀é`
        )
        if (random() < 0.3)
          bytes[Random.int(random, bytes.length)] = Random.pick(random, [0x80, 0xff, 0xc0, 0xed, 0xf4])
        const maxBytes = bytes.length + Random.pick(random, [-1, 0, 0, 1, -bytes.length, 1000])
        const head = {
          contentLength: undefined,
          contentType: undefined,
          contentEncoding: undefined,
          retryAfter: undefined
        }
        const reply = new HttpReply.HttpReply({ status: 200, ...head }, maxBytes)
        for (let at = 0; at < bytes.length && !reply.isDecided;) {
          const length = Random.pick(random, [0, 1, 1, 2, 3, bytes.length])
          reply.push(bytes.subarray(at, at + length))
          at += length
        }
        const outcome = reply.end(clock)
        const said = Result.isSuccess(outcome) ? outcome.success.text : outcome.failure.message
        let whole: string | undefined
        try {
          whole = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
        } catch {
          // The altered bytes are not text.
        }
        if (whole === undefined) {
          // Either of two faults may be noticed first.
          seen.garbled++
          assert.match(said, maxBytes < bytes.length ? /larger than|not UTF-8/ : /^the answer is not UTF-8$/)
        } else if (maxBytes < bytes.length) {
          seen.large++
          assert.strictEqual(said, `the answer is larger than ${maxBytes} bytes`)
        } else {
          seen.text++
          assert.strictEqual(said, whole)
        }
      }
      assert.isAbove(Math.min(...Object.values(seen)), 100, JSON.stringify(seen))
    })
  )
})
