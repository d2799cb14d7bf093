import * as path from "node:path"
import { fileURLToPath } from "node:url"

import { assert, describe, it } from "@effect/vitest"
import { Connection } from "@plumbline/jsonrpc-core"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import * as Contract from "../support/contract.ts"
import * as Conversation from "../support/conversation.ts"

const folder = fileURLToPath(new URL("../conversations/", import.meta.url))
const both = Conversation.readAll(folder)
const overHandle = [...both, ...Conversation.readAll(path.join(folder, "handle"))]
const overConnection = [...both, ...Conversation.readAll(path.join(folder, "connection"))]

const makeServer = () => Contract.makeServer({ limits: { maxBatch: 6, maxDepth: 16, maxAnswerBytes: 600 } })

const decode = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes)

const pass = (time: string): Effect.Effect<void> => TestClock.adjust(Duration.fromInputUnsafe(time as Duration.Input))

for (const conversation of overHandle) {
  describe(`${conversation.name}.io over handle`, () => {
    for (const { answer, line, request, wait } of Conversation.exchanges(conversation)) {
      it.effect(`${line}: ${request.slice(0, 60)}`, () =>
        Effect.gen(function* () {
          for (const packet of [request, new TextEncoder().encode(request)]) {
            const fiber = yield* Effect.forkChild(makeServer().handle(packet))
            if (wait !== undefined) yield* pass(wait)
            assert.strictEqual(decode(yield* Fiber.join(fiber)), answer)
          }
        })
      )
    }
  })
}

describe("over a connection", () => {
  for (const { name, steps } of overConnection) {
    it.effect(`${name}.io`, () =>
      Effect.gen(function* () {
        const sent: Array<string> = []
        const names = new Conversation.Names()
        const { receive } = yield* Connection.make(makeServer(), {
          send: (packet) => Effect.sync(() => void sent.push(decode(packet)!)),
          limits: { maxSubscriptions: 3 }
        })
        for (const { kind, line, text } of steps) {
          yield* pass("0 millis")
          if (kind === "sends") {
            assert.deepStrictEqual(sent, [], `sent before line ${line}`)
            yield* receive(names.known(text))
          } else if (kind === "waits") yield* pass(text)
          else if (text === "") assert.deepStrictEqual(sent, [], `line ${line}`)
          else {
            const next = sent.shift() ?? assert.fail(`nothing is sent at line ${line}`)
            assert.strictEqual(next, names.learned(text, next), `line ${line}`)
            assert.strictEqual("method" in JSON.parse(next), kind === "notifies", `line ${line}`)
          }
        }
        assert.deepStrictEqual(sent, [])
      })
    )
  }
})
