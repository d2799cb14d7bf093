import { assert, it } from "@effect/vitest"
import { EthClient, EthSubscriptions } from "@plumbline/eth-methods"
import { Connection, JsonRpcClient } from "@plumbline/jsonrpc-core"
import { Effect, Fiber, Layer, Queue, Stream } from "effect"

import { History, HistoryChain } from "../../src/index.ts"
import "../support/shared.ts"

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

it.effect("a client subscribes over the transport, and calls beside it", () =>
  Effect.gen(function* () {
    const newHeads = yield* JsonRpcClient.subscribe(EthSubscriptions.newHeads)
    const waiting = yield* Effect.forkChild(Stream.runHead(newHeads()))
    const eth = yield* EthClient.EthClient
    assert.strictEqual(yield* eth.blockNumber, BigInt(HistoryChain.head.number))
    assert.isUndefined(waiting.pollUnsafe())
    yield* Fiber.interrupt(waiting)
    assert.strictEqual(yield* eth.chainId, BigInt(HistoryChain.chainId))
  }).pipe(Effect.provide(Layer.provideMerge(EthClient.layer(), History.layerTransport())))
)
