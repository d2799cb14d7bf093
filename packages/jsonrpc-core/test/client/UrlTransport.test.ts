import { assert, describe, it } from "@effect/vitest"
import { Batching, HttpTransport, Transport, UrlTransport } from "@plumbline/jsonrpc-core"
import { Effect, Result } from "effect"

import * as HttpServer from "../support/httpServer.ts"
import * as Nodes from "../support/nodes.ts"

interface Question {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const answerTo = ({ id, method, params: [text] }: Question) =>
  method === "fail"
    ? { jsonrpc: "2.0", id, error: { code: 3, message: "reverted" } }
    : { jsonrpc: "2.0", id, result: text }

/** A node over HTTP that answers by a function, and the number of calls in each of its packets; 0 is a call alone. */
const serve = (answer: (packet: ReadonlyArray<Question>) => unknown = (packet) => packet.map(answerTo)) =>
  Effect.gen(function* () {
    const packets: Array<number> = []
    const url = yield* HttpServer.responding(({ json }) => {
      packets.push(Array.isArray(json) ? json.length : 0)
      return Response.json(Array.isArray(json) ? answer(json) : answerTo(json))
    })
    return { packets, url }
  })

/** Makes the calls at the same time, and shows their outcomes. */
const ask = (transport: Transport.Transport["Service"], methods: ReadonlyArray<string>) =>
  Effect.forEach(methods, (method, n) => Effect.result(transport.call({ method, params: [n] })), {
    concurrency: "unbounded"
  })

const over = (url: string, options: UrlTransport.UrlTransportOptions | undefined, methods: ReadonlyArray<string>) =>
  Effect.flatMap(Transport.Transport, (transport) => ask(transport, methods)).pipe(
    Effect.map((outcomes) => outcomes.map(Nodes.shown)),
    Effect.provide(UrlTransport.layer(url, options))
  )

const echoes = (count: number): ReadonlyArray<string> => Array.from({ length: count }, () => "echo")
const numbers = (count: number): Array<unknown> => Array.from({ length: count }, (_, n) => n)

describe("UrlTransport", () => {
  it.live("sends the calls of one turn in packets of bounded size, and gives each its answer in order", () =>
    Effect.gen(function* () {
      // the answers come in another order
      const { packets, url } = yield* serve((packet) => packet.map(answerTo).toReversed())
      assert.deepStrictEqual(yield* over(url, undefined, echoes(130)), numbers(130))
      assert.deepStrictEqual(
        packets.toSorted((a, b) => b - a),
        [100, 30]
      )
    })
  )

  it.live("fails only the call whose answer is an error", () =>
    Effect.gen(function* () {
      const { packets, url } = yield* serve()
      assert.deepStrictEqual(yield* over(url, undefined, ["echo", "fail", "echo"]), [0, "fail: reverted (code 3)", 2])
      assert.deepStrictEqual(packets, [3])
    })
  )

  it.live("asks a node that refuses packets one call at a time, and remembers it", () =>
    Effect.gen(function* () {
      const refusal = { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "Invalid request" } }
      const { packets, url } = yield* serve(() => refusal)
      yield* Effect.gen(function* () {
        const transport = yield* Transport.Transport
        for (let turn = 0; turn < 2; turn++) {
          const outcomes = yield* ask(transport, ["echo", "fail", "echo"])
          assert.deepStrictEqual(outcomes.map(Nodes.shown), [0, "fail: reverted (code 3)", 2])
        }
      }).pipe(Effect.provide(UrlTransport.layer(url)))
      assert.deepStrictEqual(packets, [3, 0, 0, 0, 0, 0, 0])
    })
  )

  it.live("asks one call at a time whatever a server makes of a list, and does not repeat single errors", () =>
    Effect.gen(function* () {
      const status = (status: number) => new Response("", { status })
      const error = (code: number, message: string) =>
        Response.json({ jsonrpc: "2.0", id: null, error: { code, message } })
      const refusals = [
        () => error(-32_601, "Method not found"),
        () => error(-32_602, "params missing"),
        ...[400, 405, 415, 422, 501].map((code) => () => status(code))
      ]
      for (const refusal of refusals) {
        const packets: Array<number> = []
        const url = yield* HttpServer.responding(({ json }) => {
          packets.push(Array.isArray(json) ? json.length : 0)
          return Array.isArray(json) ? refusal() : Response.json(answerTo(json))
        })
        assert.deepStrictEqual(yield* over(url, undefined, echoes(3)), numbers(3))
        assert.deepStrictEqual(packets, [3, 0, 0, 0])
      }
      // an internal error may come of too much at once
      const busy = yield* serve(() => ({ jsonrpc: "2.0", id: null, error: { code: -32_603, message: "internal" } }))
      const internal = "echo: internal (code -32603)"
      assert.deepStrictEqual(yield* over(busy.url, undefined, echoes(2)), [internal, internal])
      assert.deepStrictEqual(busy.packets, [2])
      const none = yield* serve((packet) =>
        packet.map(({ id }) => ({ jsonrpc: "2.0", id, error: { code: -32_601, message: "no such method" } }))
      )
      const said = "echo: no such method (code -32601)"
      assert.deepStrictEqual(yield* over(none.url, undefined, echoes(2)), [said, said])
      assert.deepStrictEqual(none.packets, [2])
      // another call of the packet is not JSON
      const strict = yield* serve(() => ({ jsonrpc: "2.0", id: null, error: { code: -32_600, message: "no list" } }))
      const outcomes = yield* Effect.flatMap(Transport.Transport, (transport) =>
        Effect.forEach([1n, 2, 3], (value) => Effect.result(transport.call({ method: "echo", params: [value] })), {
          concurrency: "unbounded"
        })
      ).pipe(Effect.provide(UrlTransport.layer(strict.url)))
      assert.deepStrictEqual(outcomes.map(Nodes.shown).slice(1), [2, 3])
      assert.isTrue(Result.isFailure(outcomes[0]!))
    })
  )

  it.live("sends a call that is not idempotent once and by itself, whatever becomes of the packet beside it", () =>
    Effect.gen(function* () {
      const refusals: ReadonlyArray<(packet: ReadonlyArray<Question>) => Response> = [
        () => new Response("no packets", { status: 400 }),
        () => new Response("busy", { status: 503 }),
        () => Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_600, message: "Invalid request" } }),
        ([first]) => Response.json(answerTo(first!)),
        () => Response.json([])
      ]
      for (const refusal of refusals) {
        let sends = 0
        const url = yield* HttpServer.responding(({ json }) => {
          sends += JSON.stringify(json).split('"send"').length - 1
          return Array.isArray(json) ? refusal(json) : Response.json(answerTo(json))
        })
        const outcome = yield* Effect.gen(function* () {
          const transport = yield* Transport.Transport
          const reads = ask(transport, ["echo", "echo", "echo"])
          const write = transport.call({ method: "send", params: ["done"], idempotent: false })
          const [, outcome] = yield* Effect.all([reads, Effect.result(write)], { concurrency: "unbounded" })
          return Nodes.shown(outcome)
        }).pipe(Effect.provide(UrlTransport.layer(url)))
        assert.deepStrictEqual([outcome, sends], ["done", 1])
      }
    })
  )

  it.live("sends each call by itself if it is told so", () =>
    Effect.gen(function* () {
      const { packets, url } = yield* serve()
      assert.deepStrictEqual(yield* over(url, { batching: false }, echoes(5)), numbers(5))
      assert.deepStrictEqual(packets, [0, 0, 0, 0, 0])
    })
  )

  it.live("takes the size of packets from its options", () =>
    Effect.gen(function* () {
      const { packets, url } = yield* serve()
      assert.deepStrictEqual(yield* over(url, { batching: { size: 2 } }, echoes(5)), numbers(5))
      assert.deepStrictEqual(
        packets.toSorted((a, b) => b - a),
        [2, 2, 0]
      )
    })
  )

  it.live("gets answers that are too large only together in smaller packets", () =>
    Effect.gen(function* () {
      const { packets, url } = yield* serve()
      const transport = Batching.make()(yield* HttpTransport.make({ url, maxBytes: 150 }))
      assert.deepStrictEqual((yield* ask(transport, echoes(8))).map(Nodes.shown), numbers(8))
      assert.isAbove(packets.length, 1)
      const tiny = Batching.make()(yield* HttpTransport.make({ url, maxBytes: 5 }))
      const [outcome] = yield* ask(tiny, ["echo"])
      const reason = Result.isFailure(outcome!) ? outcome.failure.reason : assert.fail("answered")
      assert.isTrue(reason._tag === "TransportError" && reason.tooLarge)
    })
  )
})
