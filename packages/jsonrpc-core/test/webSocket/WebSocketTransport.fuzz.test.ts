import { assert, describe, it } from "@effect/vitest"
import { WebSocketTransport } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { WebSocket } from "ws"

import * as RandomJson from "../support/randomJson.ts"
import * as WebSocketServer from "../support/webSocketServer.ts"

interface Request {
  readonly id: number
  readonly params: ReadonlyArray<unknown>
}

const CALLS = 2000

/** The messages that a misbehaving server has sent. */
interface Sent {
  requests: number
  readonly dropped: Set<unknown>
  doubles: number
  extras: number
}

const reply = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", id, result })

/**
 * Answers each burst of requests in any order. Some requests get no answer, some get two, and some answers belong to no
 * request.
 */
const serve = (random: Random.Random, sent: Sent) => (socket: WebSocket) => {
  const answered: Array<unknown> = []
  let burst: Array<Request> = []

  const extra = (): object => {
    sent.extras++
    return Random.pick(random, [
      () => reply(1_000_000_000 + Random.int(random, 1000), "extra"),
      () => reply(Random.pick(random, [0, -1, 0.5, "1", "", true, [1]]), "extra"),
      () => reply(Random.pick(random, [...answered, 0]), "extra"),
      () => ({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription: "0x1", result: "extra" } }),
      () => ({ jsonrpc: "2.0", id: Random.int(random, CALLS), method: "are_you_there", params: [] })
    ])()
  }

  const answerBurst = (): void => {
    const first: Array<object> = []
    const second: Array<object> = []
    const ids: Array<number> = []
    for (const { id, params } of burst) {
      sent.requests++
      const dice = random()
      if (dice < 0.05) {
        sent.dropped.add(params[0])
        continue
      }
      first.push(reply(id, params[0]))
      ids.push(id)
      if (dice < 0.25) {
        // This answer comes after the first one and differs from it.
        sent.doubles++
        second.push(reply(id, "double"))
      }
      if (random() < 0.2) {
        first.push(extra())
      }
    }
    burst = []
    answered.push(...ids)
    for (
      let messages = [...RandomJson.shuffled(random, first), ...RandomJson.shuffled(random, second)];
      messages.length > 0;
    ) {
      const [message, ...more] = messages.splice(0, random() < 0.8 ? 1 : 1 + Random.int(random, 20))
      socket.send(JSON.stringify(more.length === 0 ? message : uniqueIds([message!, ...more])))
    }
  }

  socket.on("message", (data: Buffer) => {
    burst.push(JSON.parse(data.toString()))
    if (burst.length === 1) {
      setImmediate(answerBurst)
    }
  })
}

/** Two answers in one array contradict each other, so neither counts; another test covers this. */
const uniqueIds = (messages: ReadonlyArray<object>): ReadonlyArray<object> => [
  ...new Map(
    messages.toReversed().map((message) => ["result" in message && "id" in message ? message.id : message, message])
  ).values()
]

describe("over one socket", () => {
  for (const [name, webSocket] of Object.entries({ ws: WebSocket, platform: undefined })) {
    it.effect(`every call gets its own answer and no other, and only what is never answered fails (${name})`, () =>
      Effect.gen(function* () {
        for (let seed = 1; seed <= Random.runs(3); seed++) {
          const sent: Sent = { requests: 0, dropped: new Set(), doubles: 0, extras: 0 }
          const { sockets, url } = yield* WebSocketServer.make(serve(Random.make(seed), sent))
          const transport = yield* WebSocketTransport.make({ url, webSocket })
          let settled = 0
          const fiber = yield* Effect.forkChild(
            Effect.forEach(
              Array.from({ length: CALLS }, (_, n) => n),
              (n) =>
                transport.call({ method: "echo", params: [n] }).pipe(
                  Effect.result,
                  Effect.tap(() => Effect.sync(() => void settled++))
                ),
              { concurrency: "unbounded" }
            )
          )
          while (sent.requests < CALLS || settled < CALLS - sent.dropped.size) {
            yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
          }
          yield* TestClock.adjust("30 seconds")
          const outcomes = yield* Fiber.join(fiber)
          for (const [n, outcome] of outcomes.entries()) {
            if (sent.dropped.has(n)) {
              assert(Result.isFailure(outcome), `seed ${seed}`)
              assert.strictEqual(outcome.failure.reason._tag, "TimeoutError")
            } else {
              assert.deepStrictEqual(outcome, Result.succeed(n), `seed ${seed}`)
            }
          }
          assert.isAbove(sent.dropped.size, 20)
          assert.isAbove(sent.doubles, 100)
          assert.isAbove(sent.extras, 100)
          assert.strictEqual(sockets.size, 1)
        }
      })
    )
  }
})
