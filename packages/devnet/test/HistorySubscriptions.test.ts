import { assert, it } from "@effect/vitest"
import { Connection } from "@plumbline/jsonrpc-core"
import { Effect, Queue } from "effect"

import { History } from "../src/index.ts"
import "./support.ts"

it.effect("subscriptions to a finished chain begin and end like any other, and bring nothing", () =>
  Effect.gen(function* () {
    const node = yield* History.make
    const sent = yield* Queue.unbounded<Uint8Array>()
    const { receive } = yield* Connection.make(node, { send: (packet) => Effect.asVoid(Queue.offer(sent, packet)) })
    const ask = Effect.fnUntraced(function* (method: string, ...params: ReadonlyArray<unknown>) {
      yield* receive(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))
      return JSON.parse(new TextDecoder().decode(yield* Queue.take(sent)))
    })
    for (const params of [["newHeads"], ["logs", {}], ["newPendingTransactions"], ["newPendingTransactions", true]]) {
      const { result: id } = yield* ask("eth_subscribe", ...params)
      assert.match(id, /^0x[0-9a-f]+$/)
      assert.strictEqual((yield* ask("eth_chainId")).result, "0x1e5b")
      assert.strictEqual((yield* ask("eth_unsubscribe", id)).result, true)
    }
    assert.strictEqual((yield* ask("eth_subscribe", "newTrains")).error.code, -32601)
    assert.strictEqual(yield* Queue.size(sent), 0)
  })
)
