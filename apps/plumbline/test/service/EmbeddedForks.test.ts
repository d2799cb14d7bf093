/** The hardforks of the embedded nodes, against the headers and the recorded answers of the history chain. */
import * as History from "@plumbline/devnet/history/History"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"
import * as VerifiedCalls from "@plumbline/verified-calls/VerifiedCalls"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, test } from "vitest"

import * as EmbeddedForks from "../../src/service/EmbeddedForks.ts"

const chain = EmbeddedForks.of("history", HistoryChain.chainId)!

/** The node of the history chain. */
const node = Layer.unwrap(
  Effect.map(History.make, ({ handle }) => {
    const fetch: typeof globalThis.fetch = async (_, init) => {
      const answer = await Effect.runPromise(handle(init?.body as string))
      return new Response(new TextDecoder().decode(answer), { headers: { "content-type": "application/json" } })
    }
    return HttpTransport.layer({ url: "http://history.invalid", fetch })
  })
)

test("each header of the history chain fits its fork", async () => {
  const blocks = await Effect.runPromise(
    Effect.gen(function* () {
      const eth = yield* EthClient.make
      return yield* Effect.forEach(HistoryChain.blocks, ({ number }) => eth.getBlockByNumber(BigInt(number)))
    }).pipe(Effect.provide(node))
  )
  expect(blocks.length).toBe(70)
  for (const block of blocks) {
    const { hardfork } = Hardforks.at(chain, { number: block!.number!, timestamp: block!.timestamp })
    expect([block!.number, Hardforks.faultOf(hardfork, block!)]).toEqual([block!.number, undefined])
  }
})

test("a call in the newest block of each fork returns what the archive recorded of its slot", async () => {
  const { address } = HistoryChain.contracts.elder
  const newest = [...new Map(HistoryChain.blocks.map((block) => [block.fork, block])).values()]
  const layer = VerdictEthClient.layer().pipe(
    Layer.provide([VerifiedCalls.layer({ chain }), TrustedBlock.layerNone()]),
    Layer.provideMerge(node)
  )
  const program = Effect.gen(function* () {
    const verdicts = yield* VerdictEthClient.VerdictEthClient
    const eth = yield* EthClient.make
    return yield* Effect.forEach(newest, ({ fork, hash }) =>
      Effect.gen(function* () {
        const { _tag, proven, value } = yield* verdicts.call({ to: address, data: "0x2ddbd13a" }, hash)
        const slot = yield* eth.getStorageAt(address, "0x0", { blockHash: hash })
        const { hardfork } = Hardforks.at(chain, yield* headerOf(eth, hash))
        expect(value, fork).toMatchObject({ _tag: "Returned", data: slot })
        expect([_tag, proven.find((shown) => EthEvidence.CallRun.is(shown))?.hardfork]).toEqual(["VERIFIED", hardfork])
        return hardfork
      })
    )
  })
  const hardforks = await Effect.runPromise(Effect.provide(program, layer))
  expect(new Set(hardforks)).toEqual(new Set(chain.forks.map(({ hardfork }) => hardfork)))
})

const headerOf = (eth: EthClient.Client, hash: `0x${string}`) =>
  Effect.map(eth.getBlockByHash(hash), (block) => ({ number: block!.number!, timestamp: block!.timestamp }))

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
