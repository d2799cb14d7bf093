/** Tests that all answers within one command are about the same latest block. */
import { assert, describe, expect, it } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"
import { JsonRpcError, TimeoutError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import { Duration, Effect, Result } from "effect"

import * as AskOnce from "../../src/node/AskOnce.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import { textOf } from "../support/LyingNode.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"

const node = HistoryNode.lyingNode()

describe("a question", () => {
  const counting = (answer: (n: number) => Effect.Effect<unknown, JsonRpcError>) => {
    let sent = 0
    const call = () => Effect.suspend(() => Effect.andThen(Effect.yieldNow, answer(++sent)))
    return AskOnce.make({ call, callAll: Transport.oneByOne(call) })
  }

  it.effect("is sent once, at the same time or later, one by one or together; another one is another", () =>
    Effect.gen(function* () {
      const transport = counting(Effect.succeed)
      const ask = (method: string, ...params: ReadonlyArray<unknown>) => transport.call({ method, params })
      const together = Effect.all([ask("a", 1), ask("a", 1), ask("a", 2), ask("b", 1)], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* together, [1, 1, 2, 3])
      assert.strictEqual(yield* ask("a", 1), 1)
      assert.deepStrictEqual(
        yield* transport.callAll([
          { method: "b", params: [1] },
          { method: "c", params: [] }
        ]),
        [Result.succeed(3), Result.succeed(4)]
      )
    })
  )

  it.effect("that fails, fails for all who ask it", () =>
    Effect.gen(function* () {
      const error = new JsonRpcError({ method: "a", reason: new TimeoutError({ after: Duration.seconds(1) }) })
      const transport = counting((n) => (n === 1 ? Effect.fail(error) : Effect.succeed(n)))
      const ask = Effect.result(transport.call({ method: "a", params: [] }))
      assert.deepStrictEqual(yield* ask, Result.fail(error))
      assert.deepStrictEqual(yield* ask, Result.fail(error))
    })
  )
})

describe("a command", () => {
  /**
   * Returns the questions that the node receives, in order. The node's chain grows with every question about the latest
   * block.
   */
  const asked = async (...args: ReadonlyArray<string>) => {
    const calls: Array<string> = []
    let latest = 40
    await using server = await Servers.serve(async (request, response) => {
      const { id, method, params } = JSON.parse(await textOf(request))
      calls.push(method)
      const named = params[0] === "latest" ? [`0x${(latest++).toString(16)}`, ...params.slice(1)] : params
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: await node().ask(method, named) }))
    })
    const { answer } = await RunCli.json([...args, "--url", server.url])
    return { answer, calls }
  }
  const token = HistoryChain.contracts.token.address

  it("asks about one latest block, and for nothing twice", async () => {
    const proof = await asked("proof", token, "0")
    expect(proof.calls).toEqual(["eth_getBlockByNumber", "eth_getProof"])
    expect(proof.answer).toMatchObject({
      verdict: "CLAIMED",
      block: { number: "0x28", hash: HistoryChain.blocks[40]!.hash }
    })
    const slot = await asked("read-slot", token, "0")
    expect(slot.calls.toSorted()).toEqual(["eth_getBlockByNumber", "eth_getProof", "eth_getStorageAt"])
    const uncles = await asked("uncle", HistoryChain.blocks[5]!.hash)
    expect(uncles.answer.value).toHaveLength(2)
    expect(uncles.calls).toEqual([
      "eth_getBlockByHash",
      "eth_getUncleByBlockHashAndIndex",
      "eth_getUncleByBlockHashAndIndex"
    ])
  })
})
