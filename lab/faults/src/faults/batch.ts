/** Three calls in one batch, and the faults that a batch can have. */
import {
  type Asked,
  type Expected,
  failure,
  type Family,
  type Fault,
  http,
  replyTo,
  saying,
  trueAnswer,
  UNMATCHED
} from "../fault.ts"
import type { Json, JsonObject } from "../liveAnswers.ts"

/** Answers a batch with `answer`. Single calls are answered with the truth, because a client may send them instead. */
const batch = (name: string, ours: Expected, answer: (replies: ReadonlyArray<any>, asked: Asked) => Json): Fault => ({
  name,
  read: "three",
  server: saying((asked) => {
    const replies = asked.calls.map((call) => replyTo(asked.truth, call))
    return JSON.stringify(asked.isBatch ? answer(replies, asked) : replies[0])
  }),
  ours
})

const honest = (fault: Fault, calls: true | ReadonlyArray<number> = true): Fault => ({ ...fault, honest: calls })

/**
 * Answers any batch with one error that concerns none of its calls, like a server that accepts only single calls.
 */
const refused = (name: string, words: string, answer: (error: JsonObject) => Json): Fault =>
  honest(batch(name, "the truth", () => answer(failure(null, -32600, words))))

/** Accepts at most this many calls in one batch. */
const limit =
  (most: number, refuse: (replies: ReadonlyArray<any>, error: (id: Json) => JsonObject) => Json) =>
  (replies: ReadonlyArray<any>): Json =>
    replies.length <= most ? replies : refuse(replies, (id) => failure(id, -32600, "batch too large"))

export const family: Family = {
  name: "Batches of three",
  faults: [
    honest(batch("in another order", "the truth", (replies) => replies.toReversed())),
    honest(
      batch("one missing", "the truth / ProtocolError / the truth", ([a, , c]) => [a, c]),
      [0, 2]
    ),
    honest(
      batch("one twice, with two results", "the truth / ProtocolError / the truth", ([a, b, c], { truth }) => [
        a,
        b,
        c,
        { ...b, result: truth.other.transaction }
      ]),
      [0, 2]
    ),
    honest(batch("one that nobody asked for", "the truth", (replies) => [{ ...replies[0], id: 999_999 }, ...replies])),
    honest(batch("a null among them", "the truth", (replies) => [null, ...replies])),
    honest(
      batch("one error among them", "the truth / RemoteError -32000 notFound / the truth", ([a, b, c]) => [
        a,
        failure(b.id, -32000, "header not found"),
        c
      ]),
      [0, 2]
    ),
    honest(
      batch("one with neither result nor error", "the truth / ProtocolError / the truth", ([a, b, c]) => [
        a,
        { ...b, result: undefined },
        c
      ]),
      [0, 2]
    ),
    honest(
      {
        ...batch(
          "the results of two exchanged",
          "Refuted: transaction.hash / Refuted: transaction.hash / the truth",
          ([a, b, c]) => [{ ...a, result: b.result }, { ...b, result: a.result }, c]
        ),
        proven: true
      },
      [2]
    ),
    {
      ...batch("ids as text", UNMATCHED, (replies) => replies.map((reply) => ({ ...reply, id: String(reply.id) }))),
      patience: 300
    },
    batch("no ids", "ProtocolError", (replies) => replies.map((reply) => ({ ...reply, id: undefined }))),
    batch("an empty list", "ProtocolError", () => []),
    {
      ...batch(
        "the first reply alone, without a list",
        {
          fetch: "the truth",
          undici: "the truth",
          webSocket: "the truth / TimeoutError, retryable / TimeoutError, retryable"
        },
        ([a]) => a
      ),
      // long enough for one answer to arrive in time, even on a slow machine
      patience: 2000
    },
    batch("a list in a list", "ProtocolError", (replies) => [replies]),
    refused("refused by one object", "batch requests are disabled", (error) => error),
    refused("refused as no request", "invalid request", (error) => error),
    refused("refused by a list of one", "batch requests are disabled", (error) => [error]),
    honest(
      batch(
        "too large, by one object; two are taken",
        "the truth",
        limit(2, (_, error) => error(null))
      )
    ),
    honest(
      batch(
        "too large, by a list of one with the first id",
        "the truth",
        limit(2, ([a], error) => [error(a.id)])
      )
    ),
    honest(
      batch(
        "too large, by a list of one without an id",
        "the truth",
        limit(2, (_, error) => [error(null)])
      )
    ),
    honest(
      batch(
        "too large, each call by itself",
        "the truth",
        limit(2, (replies, error) => replies.map(({ id }) => error(id)))
      )
    ),
    honest(
      batch(
        "too large, even of two",
        "the truth",
        limit(1, (_, error) => error(null))
      )
    ),
    honest(
      batch("the answers too large together, as geth has it", "the truth", (replies) =>
        replies.map((reply, index) => (index === 0 ? reply : failure(reply.id, -32003, "response too large")))
      )
    ),
    honest({
      name: "413 for more than one call",
      read: "three",
      server: http((exchange) => {
        exchange.response.writeHead(exchange.isBatch ? 413 : 200, { "content-type": "application/json" })
        exchange.response.end(exchange.isBatch ? "" : trueAnswer(exchange))
      }),
      ours: "the truth"
    }),
    {
      name: "502 with HTML",
      read: "three",
      server: http(({ response }) => {
        response.writeHead(502, { "content-type": "text/html" })
        response.end("<html>")
      }),
      ours: "TransportError 502, retryable"
    },
    {
      name: "cut off after the first reply",
      read: "three",
      server: http((exchange) => {
        const body = trueAnswer(exchange)
        exchange.socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`)
        exchange.socket.end(body.slice(0, body.length / 2))
      }),
      ours: "TransportError, retryable"
    }
  ]
}
