/** The threads that run calls: their replacement, and the end of what they keep. The node serves the history chain. */
import { setEnvironmentData } from "node:worker_threads"

import { assert, describe, it } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"
import type { CallEngine } from "@plumbline/eth-methods/call/CallEngine"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import type { Verified } from "@plumbline/verdict/Verdict"
import { Effect, Exit, Layer, Scope } from "effect"

import * as HistoryRules from "../../src/rules/HistoryRules.ts"
import * as CallThreads from "../../src/service/CallThreads.ts"
import * as HistoryNode from "../support/HistoryNode.ts"

const history = HistoryNode.lyingNode()
const { chainId, contracts, head } = HistoryChain
const TIME = 60_000

/** Calls `total()` of the contract Counter at the head, over a node. */
const call = (calls: CallEngine, url: string) =>
  Effect.gen(function* () {
    const eth = VerdictEthClient.make(yield* EthClient.make, yield* TrustedBlock.TrustedBlock, {
      chainId: BigInt(chainId),
      calls
    })
    return eth.call({ to: contracts.elder.address, data: "0x2ddbd13a" }, { blockHash: head.hash })
  }).pipe(Effect.provide(Layer.mergeAll(HttpTransport.layer({ url }), TrustedBlock.layerPinned(head.hash))))

/** The reason of a call that was not run. */
const reasonOf = (error: Effect.Error<ReturnType<VerdictEthClient.Client["call"]>>) =>
  error._tag === "UnprovenError" ? error.claims[0]!.reason.sentence : error.message

describe("the threads that run calls", () => {
  it.live("replace one that does not give up a call, and run the other calls in it again", () =>
    Effect.gen(function* () {
      const module = new URL("../support/DeafThread.ts", import.meta.url)
      const threads = yield* CallThreads.make({ threads: 1, time: TIME, module })
      const [impatient, patient] = [
        yield* threads.engine(HistoryRules.forks(), 300),
        yield* threads.engine(HistoryRules.forks(), 3 * TIME)
      ]
      setEnvironmentData("deaf", true)
      const error = yield* Effect.flip(yield* call(impatient, history().url))
      setEnvironmentData("deaf", undefined)
      assert.strictEqual(reasonOf(error), "it needs more than its bound of 100: time")
      // it shares the thread with the call that was not given up
      const verdict = yield* yield* call(patient, history().url)
      assert.deepInclude(verdict, { _tag: "VERIFIED" })
      assert.strictEqual(verdict.value._tag, "Returned")
    }).pipe(Effect.scoped)
  )

  it.live("that cannot start are not said to want memory", () =>
    Effect.gen(function* () {
      const module = new URL("../support/NoSuchThread.ts", import.meta.url)
      const threads = yield* CallThreads.make({ threads: 1, time: TIME, module })
      const engine = yield* threads.engine(HistoryRules.forks(), 3 * TIME)
      const error = yield* Effect.flip(yield* call(engine, history().url))
      assert.strictEqual(reasonOf(error), "not supported: a call whose thread failed twice")
    }).pipe(Effect.scoped)
  )

  it.live("need no access list for a contract that was read at this block, or at the last block for a tag", () =>
    Effect.gen(function* () {
      const threads = yield* CallThreads.make({ threads: 1, time: TIME })
      const engine = yield* threads.engine(HistoryRules.forks(), 3 * TIME)
      const eth = yield* EthClient.make
      const client = VerdictEthClient.make(eth, yield* TrustedBlock.TrustedBlock)
      const block = yield* client.getBlockByHash(head.hash)
      assert(block._tag === "VERIFIED" && block.value !== null)
      const proven = block as Verified<Block.WithHashes>
      const runner = engine.over(eth, BigInt(chainId))
      const request = { to: contracts.elder.address, data: "0x2ddbd13a" } as const
      const other = { ...request, to: contracts.token.address }
      const blocks = [{ blockHash: head.hash }, "latest", BigInt(head.number)] as const
      const asked = (request: CallRequest.CallRequest) => blocks.map((at) => runner.hint(request, at) !== undefined)
      assert.deepStrictEqual(asked(request), [true, true, true])
      yield* runner.run(request, proven)
      assert.deepStrictEqual(
        [asked(request), asked(other)],
        [
          [false, false, true],
          [true, true, true]
        ]
      )
    }).pipe(
      Effect.provide(Layer.mergeAll(HttpTransport.layer({ url: history().url }), TrustedBlock.layerPinned(head.hash))),
      Effect.scoped
    )
  )

  it.live("forget what a network has read when the network ends, as after a change of the configuration", () =>
    Effect.gen(function* () {
      let proofs = 0
      const url = history().telling({ method: "eth_getProof", change: (proof) => (proofs++, proof) })
      const threads = yield* CallThreads.make({ threads: 1, time: TIME })
      const network = yield* Scope.make()
      const total = yield* call(yield* Scope.provide(threads.engine(HistoryRules.forks(), 3 * TIME), network), url)
      yield* total
      const first = proofs
      assert.isAbove(first, 0)
      yield* total
      assert.strictEqual(proofs, first)
      yield* Scope.close(network, Exit.void)
      yield* total
      assert.isAbove(proofs, first)
    }).pipe(Effect.scoped)
  )
})
