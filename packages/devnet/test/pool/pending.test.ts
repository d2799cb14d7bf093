/**
 * Calls `pendingTransactions` on a pool of every version. Checks the client's requests, and that all versions return
 * the same list.
 */
import { assert, describe, it } from "@effect/vitest"
import { MemoryTransport, Transport } from "@plumbline/jsonrpc-core"
import { PendingTransactions, SecondChainClient, verifyPending } from "@plumbline/second-chain-methods"
import { Effect, Layer, Result } from "effect"

import { StarknetPool, StarknetPoolAccounts } from "../../src/index.ts"
import * as Pool from "../support/pool.ts"

const [first, second] = Pool.accounts as [
  StarknetPoolAccounts.StarknetPoolAccount,
  StarknetPoolAccounts.StarknetPoolAccount
]

const block = (...params: ReadonlyArray<unknown>) => ["starknet_getBlockWithTxs", ...params]
const questions = {
  "0.4.0": ["starknet_pendingTransactions"],
  "0.7.1": block("pending"),
  "0.8.1": block("pending"),
  "0.9.0": block("pre_confirmed"),
  "0.10.0": block("pre_confirmed"),
  "0.10.2": block("pre_confirmed", ["INCLUDE_PROOF_FACTS"])
}

for (const [specVersion, question] of Object.entries(questions)) {
  describe(`a pool of version ${specVersion}`, () => {
    /** Makes a pool, a client in front of it, and a record of the client's requests. */
    const scene = Effect.gen(function* () {
      const pool = yield* StarknetPool.make({ specVersion: specVersion as StarknetPool.SpecVersion })
      const transport = yield* MemoryTransport.make(pool)
      const asked: Array<ReadonlyArray<unknown>> = []
      const recorded = Transport.Transport.of({
        call: (call) => {
          asked.push([call.method, ...call.params])
          return transport.call(call)
        },
        callAll: transport.callAll
      })
      const layer = SecondChainClient.layer().pipe(Layer.provide(Layer.succeed(Transport.Transport, recorded)))
      const context = yield* Layer.build(layer)
      const chain = yield* Effect.provideContext(SecondChainClient.SecondChainClient, context)
      return { pool, chain, asked, list: PendingTransactions.make()(transport) }
    })

    it.effect("lists what is pending, each proven, and nothing when it is sealed", () =>
      Effect.gen(function* () {
        const { asked, chain, list, pool } = yield* scene
        assert.deepStrictEqual(yield* chain.pendingTransactions, [])
        assert.deepStrictEqual(asked, [["starknet_specVersion"], question])
        yield* Pool.ask(pool, "starknet_addInvokeTransaction", Pool.invokeV3(first, 0))
        yield* Pool.ask(pool, "starknet_addInvokeTransaction", Pool.invokeV1(second, 0))
        yield* Pool.ask(pool, "starknet_addDeployAccountTransaction", Pool.deployAccountV3(Pool.stranger(0)))

        const pending = yield* chain.pendingTransactions
        assert.lengthOf(pending, 3)
        assert.deepStrictEqual(asked.slice(2), [question])
        const native = yield* Pool.ask(pool, "starknet_pendingTransactions")
        assert.deepStrictEqual(JSON.parse(JSON.stringify(pending)), native)
        assert.deepStrictEqual(yield* list.call({ method: "starknet_pendingTransactions", params: [] }), native)
        for (const transaction of pending) {
          const verdict = Result.getOrThrow(
            verifyPending(transaction, {
              chainId: StarknetPool.CHAIN_ID,
              publicKeyOf: StarknetPoolAccounts.publicKeyOf
            })
          )
          assert.strictEqual(verdict._tag, "VERIFIED")
        }
        yield* pool.seal
        assert.deepStrictEqual(yield* chain.pendingTransactions, [])
      }).pipe(Effect.scoped)
    )

    it.effect("takes transactions from the typed client, and answers it", () =>
      Effect.gen(function* () {
        const { chain, pool } = yield* scene
        const { transaction_hash } = yield* chain.addInvokeTransaction(Pool.invokeV3(first, 0) as never)
        const found = yield* chain.getTransactionByHash(transaction_hash)
        assert.strictEqual(found?.transaction_hash, transaction_hash)
        const stranger = Pool.stranger(0)
        const deployed = yield* chain.addDeployAccountTransaction(Pool.deployAccountV1(stranger) as never)
        assert.strictEqual(deployed.contract_address, stranger.address)
        yield* pool.seal
        assert.strictEqual(yield* chain.blockNumber, 1n)
        assert.strictEqual(yield* chain.getNonce(stranger.address), "0x1")
        const sealed = yield* chain.getBlockWithTxs(1n)
        assert.lengthOf(sealed?.transactions ?? [], 2)
        assert.isNull(yield* chain.getBlockWithTxs(2n))
        assert.isNull(yield* chain.getTransactionByBlockIdAndIndex(1n, 2n))
      }).pipe(Effect.scoped)
    )
  })
}
