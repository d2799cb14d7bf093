/** Tests calls that are sent to a node in one packet. */
import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { HttpUpstream } from "@plumbline/gateway"
import { Effect, Fiber } from "effect"

import * as FakeNode from "../support/fakeNode.ts"
import { answerOf } from "../support/poolNodes.ts"

interface Message {
  readonly id: number
  readonly method: string
}

/** Makes a node that answers a packet with the text that `packet` returns, and a single call with `"one"`. */
const make = Effect.fnUntraced(function* (
  packet: (messages: ReadonlyArray<Message>) => string | undefined,
  options: Partial<HttpUpstream.HttpUpstreamOptions> = {},
  status = 200
) {
  const sizes: Array<number> = []
  const node = yield* FakeNode.make((asked) => (response) => {
    const messages: unknown = asked
    sizes.push(Array.isArray(messages) ? messages.length : 1)
    if (!Array.isArray(messages)) return FakeNode.json(response, `{"jsonrpc":"2.0","id":${asked.id},"result":"one"}`)
    const text = packet(messages)
    return text === undefined ? undefined : FakeNode.json(response, text, status)
  })
  const batch = { methods: EthMethods.group, most: 10 }
  const upstream = yield* HttpUpstream.make({ url: node.url, batch, timeout: "2 seconds", ...options })
  const ask = (count: number, method = "eth_chainId") =>
    Effect.forEach(Array.from({ length: count }), () => answerOf(upstream.call(method, [])), {
      concurrency: "unbounded"
    })
  return { ask, node, sizes, upstream }
})

const result = ({ id }: Message) => `{"jsonrpc":"2.0","id":${id},"result":"${id}"}`

describe("calls that come at the same time", () => {
  it.live("are one packet, in any order of its answers, of so many calls at most", () =>
    Effect.gen(function* () {
      const { ask, sizes } = yield* make((messages) => `[${messages.toReversed().map(result).join(" , ")}]\n`)
      assert.deepStrictEqual(
        yield* ask(25),
        Array.from({ length: 25 }, (_, index) => `"${index + 1}"`)
      )
      assert.deepStrictEqual(sizes, [10, 10, 5])
      assert.deepStrictEqual(yield* ask(1), ['"one"'])
    }).pipe(Effect.scoped)
  )

  it.live("stand each for itself: an error, a wrong result and a missing one are no one else's", () =>
    Effect.gen(function* () {
      const items = [
        result,
        ({ id }: Message) => `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"no"}}`,
        ({ id }: Message) => `{"jsonrpc":"2.0","id":${id},"result":{"a":tru}}`,
        ({ id }: Message) => `{"jsonrpc":"2.0","id":${id},"result":{"a":[}}`,
        () => '{"jsonrpc":"2.0","id":99999,"result":1}',
        result
      ]
      const { ask } = yield* make((messages) => `[${messages.map((message, index) => items[index]!(message)).join()}]`)
      const answers = yield* ask(6)
      assert.deepStrictEqual(answers, [
        '"1"',
        { code: -32_000, message: "no" },
        { _tag: "BadAnswer", problem: "not JSON-RPC" },
        { _tag: "BadAnswer", problem: "wrong id" },
        { _tag: "BadAnswer", problem: "wrong id" },
        '"6"'
      ])
    }).pipe(Effect.scoped)
  )

  it.live("go one by one to a node that refuses packets, and so do those after them", () =>
    Effect.gen(function* () {
      const refusal = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}'
      for (const [text, status] of [
        [refusal, 200],
        ["bad request", 400],
        ["too large", 413]
      ] as const) {
        const { ask, sizes } = yield* make(() => text, {}, status)
        assert.deepStrictEqual(yield* ask(3), ['"one"', '"one"', '"one"'])
        assert.deepStrictEqual(yield* ask(2), ['"one"', '"one"'])
        assert.deepStrictEqual(sizes, [3, 1, 1, 1, 1, 1])
      }
    }).pipe(Effect.scoped)
  )

  it.live("go one by one if their answers are too large together", () =>
    Effect.gen(function* () {
      const { ask, sizes } = yield* make((messages) => `[${messages.map(result).join()}${" ".repeat(200)}]`, {
        maxAnswerBytes: 150
      })
      assert.deepStrictEqual(yield* ask(2), ['"one"', '"one"'])
      yield* ask(2)
      // After an answer that was too large, the next calls are still sent together first.
      assert.deepStrictEqual(sizes, [2, 1, 1, 2, 1, 1])
    }).pipe(Effect.scoped)
  )

  it.live("share the faults of their packet: a status, its limit, and a lost connection", () =>
    Effect.gen(function* () {
      const { ask } = yield* make(() => "<html>", {}, 502)
      assert.deepStrictEqual(yield* ask(2), [
        { _tag: "BadStatus", status: 502 },
        { _tag: "BadStatus", status: 502 }
      ])
      const limited = yield* make(() => "[]", {}, 429)
      assert.deepStrictEqual(yield* limited.ask(2), [
        { _tag: "BadStatus", status: 429 },
        { _tag: "BadStatus", status: 429 }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("end each in its own time, and the packet is given up with the last of them", () =>
    Effect.gen(function* () {
      const { ask, node, upstream } = yield* make(() => undefined, { timeout: "200 millis" })
      assert.deepStrictEqual(yield* ask(2), [
        { _tag: "TimedOut", after: 200 },
        { _tag: "TimedOut", after: 200 }
      ])
      yield* Effect.promise(() => node.abandoned(1))
      const fibers = yield* Effect.forEach([1, 2], () =>
        Effect.forkChild(upstream.call("eth_chainId", []), { startImmediately: true })
      )
      yield* Effect.promise(() => node.wasAsked(2))
      yield* Fiber.interruptAll(fibers)
      yield* Effect.promise(() => node.abandoned(2))
    }).pipe(Effect.scoped)
  )

  it.live("are never gathered if they change something, or are not in the table", () =>
    Effect.gen(function* () {
      const { ask, sizes } = yield* make(() => "[]")
      yield* ask(2, "eth_sendRawTransaction")
      yield* ask(2, "eth_sendTransaction")
      assert.deepStrictEqual(sizes, [1, 1, 1, 1])
    }).pipe(Effect.scoped)
  )
})
