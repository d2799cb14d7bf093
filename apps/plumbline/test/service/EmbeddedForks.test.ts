/** The hardforks of the embedded nodes, against the headers of the history chain. */
import * as History from "@plumbline/devnet/history/History"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"

import * as EmbeddedForks from "../../src/service/EmbeddedForks.ts"

const chain = EmbeddedForks.of("history", HistoryChain.chainId)!

test("each header of the history chain fits its fork", async () => {
  const { handle } = await Effect.runPromise(History.make)
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const answer = await Effect.runPromise(handle(init?.body as string))
    return new Response(new TextDecoder().decode(answer), { headers: { "content-type": "application/json" } })
  }
  const blocks = await Effect.runPromise(
    Effect.gen(function* () {
      const eth = yield* EthClient.make
      return yield* Effect.forEach(HistoryChain.blocks, ({ number }) => eth.getBlockByNumber(BigInt(number)))
    }).pipe(Effect.provide(HttpTransport.layer({ url: "http://history.invalid", fetch })))
  )
  expect(blocks.length).toBe(70)
  for (const block of blocks) {
    const { hardfork } = Hardforks.at(chain, { number: block!.number!, timestamp: block!.timestamp })
    expect([block!.number, Hardforks.faultOf(hardfork, block!)]).toEqual([block!.number, undefined])
  }
})

test("every fork of the history chain with rules of its own is in force from its first block", () => {
  const delays = new Set(["Muir Glacier", "Arrow Glacier", "Gray Glacier"])
  const named = HistoryChain.forks.filter(({ name }) => !delays.has(name))
  expect(chain.forks.map(({ block }) => Number(block))).toEqual(named.map(({ block }) => block))
  expect(new Set(chain.forks.map(({ hardfork }) => hardfork)).size).toBe(named.length)
})

test("a chain of Starknet has no forks of Ethereum", () => {
  expect(EmbeddedForks.of("starknet-pool", 1)).toBeUndefined()
  expect(EmbeddedForks.of("live", 31_338)).toEqual({
    chainId: 31_338n,
    forks: [{ hardfork: "osaka", block: 0n }]
  })
})
