/**
 * Checks every answer from the hash of the head: our verifiers refute nothing, and only unprovable fields stay claimed.
 */
import { assert, layer } from "@effect/vitest"
import { Address, Hash32 } from "@plumbline/codec"
import { type Block, EthClient, EthMethods, StorageKey, Verify } from "@plumbline/eth-methods"
import { JsonRpcClient } from "@plumbline/jsonrpc-core"
import type { Claim, Verdict } from "@plumbline/verdict"
import { Effect, Layer } from "effect"

import { History, HistoryChain } from "../../src/index.ts"
import "../support/shared.ts"

const proven = Effect.fnUntraced(function* (hash: string, senders = true) {
  const eth = yield* EthClient.EthClient
  const trusted = Hash32.fromHexUnsafe(hash)
  const block = yield* eth.getBlockByHash(trusted, { full: true })
  assert(block !== null)
  const verdict = yield* Effect.fromResult(Verify.block(block, trusted, { senders }))
  assert(verdict._tag === "VERIFIED")
  return verdict
})

const fieldsOf = ({ claimed }: { readonly claimed: ReadonlyArray<Claim.Claim> }): ReadonlyArray<string> =>
  claimed.map((claim) => claim.field)

const clients = Layer.provideMerge(EthClient.layer(), History.layerTransport())

layer(clients)("the history chain", (it) => {
  it.effect("is proven block by block, with all uncles and receipts", () =>
    Effect.gen(function* () {
      const call = yield* JsonRpcClient.make(EthMethods.group)
      let hash: string = HistoryChain.head.hash
      for (const { number, transactions, uncles } of HistoryChain.blocks.toReversed()) {
        // The 130 senders are not recovered here; another test does that.
        const block = yield* proven(hash, transactions.length < 20)
        const headers = yield* Effect.forEach(uncles, (_, i) =>
          call.eth_getUncleByBlockHashAndIndex(block.value.hash!, BigInt(i))
        )
        const list = yield* Effect.fromResult(
          Verify.uncles(
            headers.filter((header) => header !== null),
            block
          )
        )
        assert.deepStrictEqual(
          list.value.map((uncle) => uncle.hash as string),
          [...uncles]
        )
        const receipts = yield* call.eth_getBlockReceipts(block.value.hash!)
        const verdict = yield* Effect.fromResult(Verify.receipts(receipts!, block))
        assert.strictEqual(verdict._tag, "VERIFIED", `block ${number}`)
        for (const field of fieldsOf(block)) {
          assert.include(["totalDifficulty", "uncles", "size", "transactions[].from"], field)
        }
        hash = block.value.parentHash
      }
      assert.strictEqual(hash, Hash32.ZERO)
    })
  )

  it.effect("proves accounts and slots at the genesis, at the head, and between", () =>
    Effect.gen(function* () {
      const eth = yield* EthClient.EthClient
      const storageKeys = [0n, 2n, 99n].map(StorageKey.fromSlot)
      for (const number of [0, 1, 18, 49, 50, HistoryChain.head.number]) {
        const block: Verdict.Verified<Block.Block> = yield* proven(HistoryChain.blocks[number]!.hash)
        for (const text of [
          ...Object.values(HistoryChain.contracts).map((one) => one.address),
          `0x${"99".repeat(20)}`
        ]) {
          const address = Address.fromHexUnsafe(text)
          const proof = yield* eth.getProof(address, storageKeys, { blockHash: block.value.hash! })
          const verdict = yield* Effect.fromResult(Verify.account(proof, { address, storageKeys }, block))
          assert.deepStrictEqual(verdict.claimed, [])
        }
      }
    })
  )
})
