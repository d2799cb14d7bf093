/** Reads of blocks of the OP stack through the client, under one pinned hash: proven as on Ethereum, and lies refused. */
import { assert, describe, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import { Effect, Result } from "effect"

import { EthClient, ProvenEthClient, TrustedBlock, VerdictEthClient } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import * as Nodes from "../support/node.ts"
import { chains, type Recorded } from "../support/opStackChain.ts"

/** Returns the answers of a node that knows the chain. */
const answersOf =
  ({ blocks }: Recorded): Nodes.Answers =>
  (method, [asked, second]) => {
    // a block is asked for by an object that names its hash, where the method knows that form
    const named = asked as Readonly<Record<string, Made.Json>> | string | undefined
    const first = method !== "eth_getLogs" && typeof named === "object" ? named["blockHash"] : (named as Made.Json)
    const byHash = blocks.find(({ block }) => block["hash"] === first)
    const byNumber = first === "latest" ? blocks.at(-1) : blocks.find(({ block }) => block["number"] === first)
    const all = blocks.flatMap(({ block, receipts }) =>
      Made.list(block["transactions"]).map((one, i) => ({ transaction: Made.object(one), receipt: receipts[i]! }))
    )
    const found = all.find(({ transaction }) => transaction["hash"] === first)
    const shown = (block: Made.JsonObject): Made.JsonObject =>
      second === true
        ? block
        : { ...block, transactions: Made.list(block["transactions"]).map((one) => Made.object(one)["hash"]!) }
    switch (method) {
      case "eth_chainId":
        return "0x385"
      case "eth_getBlockByHash":
        return byHash === undefined ? null : shown(byHash.block)
      case "eth_getBlockByNumber":
        return byNumber === undefined ? null : shown(byNumber.block)
      case "eth_getBlockReceipts":
        return (byHash ?? byNumber)?.receipts ?? null
      case "eth_getTransactionByHash":
        return found?.transaction ?? null
      case "eth_getTransactionReceipt":
        return found?.receipt ?? null
      case "eth_getUncleCountByBlockHash":
        return "0x0"
      case "eth_getLogs":
        return blocks
          .filter(({ block }) => block["hash"] === Made.object(first as Made.Json)["blockHash"])
          .flatMap(({ receipts }) => receipts.flatMap(({ logs }) => Made.list(logs)))
      default:
        return undefined
    }
  }

for (const chain of chains) {
  describe(`a chain of ${chain.fork}`, () => {
    const [first, head] = chain.blocks as readonly [Recorded["blocks"][number], Recorded["blocks"][number]]
    const hash = (json: Made.JsonObject, name = "hash") => Hash32.fromHexUnsafe(Made.string(json[name]))
    const trust = TrustedBlock.layerPinned(hash(head.block))

    const read = Effect.fnUntraced(function* <A, E>(
      answers: Nodes.Replies,
      question: (eth: VerdictEthClient.Client) => Effect.Effect<A, E>
    ) {
      const eth = yield* Effect.provideService(EthClient.make, Transport, Nodes.node(answers).transport)
      return yield* question(VerdictEthClient.make(eth, yield* Effect.provide(TrustedBlock.TrustedBlock, trust)))
    })

    it.effect("is VERIFIED in blocks, transactions, receipts, logs and uncles, by hash and under the pinned head", () =>
      Effect.gen(function* () {
        const deposits = Made.list(first.block["transactions"]).map(Made.object)
        const logs = first.receipts.flatMap(({ logs }) => Made.list(logs))
        yield* read(answersOf(chain), (eth) =>
          Effect.gen(function* () {
            assert.strictEqual((yield* eth.getBlockByHash(hash(first.block), { full: true }))._tag, "VERIFIED")
            assert.strictEqual((yield* eth.getBlockByNumber(1n, { full: true }))._tag, "VERIFIED")
            const listed = yield* eth.getBlockReceipts(1n)
            assert.strictEqual(listed._tag, "VERIFIED")
            const found = yield* eth.getLogs({ blockHash: hash(first.block) })
            assert.strictEqual(found._tag, "VERIFIED")
            assert.lengthOf(found.value, logs.length)
            assert.isAbove(logs.length, 0)
            const uncles = yield* eth.getUncleCountByBlockHash(hash(first.block))
            assert.deepStrictEqual([uncles._tag, uncles.value], ["VERIFIED", 0n])
            for (const deposit of deposits) {
              const transaction = yield* eth.getTransactionByHash(hash(deposit))
              assert.strictEqual(transaction._tag, "VERIFIED")
              assert.notInclude(
                transaction.claimed.map(({ field }) => field),
                "blockHash"
              )
              const receipt = yield* eth.getTransactionReceipt(hash(deposit))
              assert.strictEqual(receipt._tag, "VERIFIED")
              assert.strictEqual(receipt.value?.transactionHash, deposit["hash"])
            }
          })
        )
      })
    )

    it.effect("is answered by the proven client, which leaves the claimed nonces and fees out", () =>
      Effect.gen(function* () {
        const eth = yield* Effect.provideService(EthClient.make, Transport, Nodes.node(answersOf(chain)).transport)
        const client = ProvenEthClient.make(eth, yield* Effect.provide(TrustedBlock.TrustedBlock, trust))
        const block = yield* client.getBlockByNumber(1n, { full: true })
        assert.isUndefined(block?.transactions[0]?.type === 0x7en ? block.transactions[0].nonce : 0n)
        assert.deepStrictEqual(block?.withdrawals, first.block["withdrawals"] as undefined)
        if (chain.fork === "bedrock" || chain.fork === "regolith") return
        const receipts = yield* client.getBlockReceipts(1n)
        for (const receipt of receipts ?? []) assert.isUndefined(receipt.l1Fee)
        assert.strictEqual(receipts?.[0]?.depositReceiptVersion, 1n)
      })
    )

    it.effect("is refused with a deposit that is minted more, and with a receipt that failed", () =>
      Effect.gen(function* () {
        const honest = answersOf(chain)
        const richer: Nodes.Answers = (method, params) => {
          const answer = honest(method, params)
          if (method !== "eth_getBlockByHash" || params[1] !== true) return answer!
          const transactions = Made.list(Made.object(answer)["transactions"]).map(Made.object)
          return {
            ...Made.object(answer),
            transactions: transactions.with(1, { ...transactions[1]!, mint: "0xffffffff" })
          }
        }
        const minted = yield* Effect.result(
          read(richer, (eth) => eth.getBlockByHash(hash(first.block), { full: true }))
        )
        assert(Result.isFailure(minted) && minted.failure._tag === "RefutedError")
        assert.strictEqual(minted.failure.check, "transactions[1] hash")
        const failing: Nodes.Answers = (method, params) => {
          const answer = honest(method, params)
          return method === "eth_getBlockReceipts"
            ? Made.list(answer).map((one) => ({ ...Made.object(one), status: "0x0" }))
            : answer
        }
        const failed = yield* Effect.result(read(failing, (eth) => eth.getBlockReceipts(hash(first.block))))
        assert(Result.isFailure(failed) && failed.failure._tag === "RefutedError")
        assert.strictEqual(failed.failure.check, "receiptsRoot")
      })
    )
  })
}
