/** Compares Besu's answers about its test chain with that chain. */
import { assert, it } from "@effect/vitest"
import { Hex, Keccak256 } from "@plumbline/codec"
import {
  type AccountProof,
  type Block,
  EthMethods,
  type Receipt,
  type Transaction,
  Verify
} from "@plumbline/eth-methods"
import { JsonRpcServer } from "@plumbline/jsonrpc-core"
import type { Verdict } from "@plumbline/verdict"
import { Result, Schema } from "effect"

import { files, json } from "../support/fixtures.ts"
import { blockOfProof } from "../support/made.ts"
import { blocksIn, ofPlace, proveWhole, verified } from "../support/prove.ts"
import type { Tally } from "../support/tally.ts"
import { readAndWrite } from "./rlpBlocks.ts"

interface Exchange {
  readonly file: string
  readonly method: string
  readonly params: ReadonlyArray<any>
  readonly result: any
}

type Proven = Verdict.Verified<Block.WithTransactions>

const numberIn = (text: unknown): bigint | undefined =>
  typeof text === "string" && text.startsWith("0x") ? BigInt(text) : undefined

const NO_NULL = "answer: null where the interface has none"
const NOTHING = "the answer is that there is nothing, or that the question is wrong"
const NO_PROOF = "its account is not proven in the set"

export const besuAnswers = (tally: Tally): void => {
  it("Besu's answers are read and written as they came, and are those of its chain", () => {
    const exchanges = tally.count("besu: exchanges, read and written")
    const blocks = tally.count("besu: blocks in answers")
    const counts = tally.count("besu: numbers of transactions")
    const transactions = tally.count("besu: transactions in answers")
    const receipts = tally.count("besu: receipts in answers")
    const proofs = tally.count("besu: account proofs, with slots")
    const unanchored = tally.count(
      "besu: account proofs under a header made for their root: no block of the chain has it"
    )
    const state = tally.count("besu: balances, nonces, code and words")

    const chain: ReadonlyArray<Proven> = blocksIn("3-mainnet/besu/chain-test/testBlockchain.blocks").map((rlp) =>
      Result.getOrThrow(proveWhole(readAndWrite(rlp)))
    )
    const accounts = new Map<string, Verdict.Verified<AccountProof.AccountProof>>()
    const later: Array<Exchange> = []
    // on this chain, the pending block has the state of the last block
    const blockOf = (parameter: any): Proven | undefined =>
      parameter === "latest" || parameter === "pending"
        ? chain.at(-1)
        : (blockAt(parameter?.blockHash ?? parameter) ??
          chain.find(({ value }) => value.number === numberIn(parameter?.blockNumber ?? parameter)))
    const blockAt = (hash: unknown) => chain.find(({ anchor }) => anchor.hash === hash)

    const check = ({ file, method, params, result }: Exchange): void => {
      if (method.includes("Count") && method.includes("BlockTransaction")) {
        const block = params[0] === "latest" ? chain.at(-1) : (blockAt(params[0]) ?? chain[Number(params[0])])
        if (result === null || block === undefined) return counts.outside(NOTHING)
        assert.strictEqual(BigInt(result), BigInt(block.value.transactions.length), file)
        return counts.verified()
      }
      if (method.startsWith("eth_getBlockBy")) {
        const block = Schema.decodeUnknownSync(EthMethods.eth_getBlockByNumber.result)(result)!
        verified(Verify.block(block, block.hash!), ["totalDifficulty", "transactions", "size"])
        return blocks.verified()
      }
      if (method.startsWith("eth_getTransactionBy")) {
        const transaction = Schema.decodeUnknownSync(EthMethods.eth_getTransactionByHash.result)(result)
        if (transaction === null) return transactions.outside(NOTHING)
        verified(Verify.transaction(transaction, transaction.hash), ofPlace)
        const block = blockAt(transaction["blockHash"])
        if (block !== undefined) {
          const there = block.value.transactions[Number(transaction["transactionIndex"])] as Transaction.Transaction
          assert.strictEqual(there.hash, transaction.hash, file)
        }
        return transactions.verified()
      }
      if (method === "eth_getTransactionReceipt" || method === "eth_getBlockReceipts") {
        const decode = Schema.decodeUnknownSync(EthMethods.eth_getBlockReceipts.result)
        const all = decode(result === null || Array.isArray(result) ? result : [result])
        if (all === null) return receipts.outside(NOTHING)
        // each block of this chain has one transaction
        const block = blockAt(all[0]!.blockHash)!
        const proven = verified<ReadonlyArray<Receipt.Receipt>>(Verify.receipts(all, block))
        verified(Verify.receipt(all[0]!, all[0]!.transactionHash, proven))
        return receipts.verified()
      }
      if (method === "eth_getProof") {
        const answer = Schema.decodeUnknownSync(EthMethods.eth_getProof.result)(result)
        const root = Keccak256.hashHex(Hex.toBytesUnsafe(answer.accountProof[0]!))
        const block = chain.find(({ value }) => value.stateRoot === root)
        const [address, storageKeys] = Schema.decodeUnknownSync(
          Schema.Tuple([EthMethods.eth_getProof.params[0].schema, EthMethods.eth_getProof.params[1].schema])
        )(params.slice(0, 2))
        const under = block ?? blockOfProof(answer, chain[0]!.value)
        const proven = Result.getOrThrow(
          Verify.account(answer, { address, storageKeys } as Verify.AccountQuestion, under)
        )
        if (block === undefined) return unanchored.verified()
        accounts.set(`${address} ${block.anchor.hash}`, proven)
        return proofs.verified()
      }
      later.push({ file, method, params, result })
    }

    /** Checks answers about accounts that are proven at the same block, after all proofs are read. */
    const checkState = ({ method, params, result }: Exchange): void => {
      const account = accounts.get(`${params[0]} ${blockOf(params.at(-1))?.anchor.hash}`)
      if (account === undefined) return state.outside(NO_PROOF)
      if (method === "eth_getStorageAt") return state.outside("its slot is not proven in the set")
      if (method === "eth_getBalance") Result.getOrThrow(Verify.balance(BigInt(result), account))
      else if (method === "eth_getTransactionCount") Result.getOrThrow(Verify.transactionCount(BigInt(result), account))
      else if (method === "eth_getCode") Result.getOrThrow(Verify.code(result, account))
      else assert.fail(method)
      state.verified()
    }

    for (const file of files("3-mainnet/besu/jsonrpc-eth/*.json")) {
      const { request, response } = json(file)
      const method = EthMethods.group.get(request.method) ?? assert.fail(request.method)
      const params = JsonRpcServer.checkParams(method, request.params)
      if (response.error !== undefined) {
        assert(Result.isFailure(params), file)
        assert.strictEqual(params.failure.code, response.error.code, file)
        exchanges.refuted("parameters, with Besu's code")
        continue
      }
      Result.getOrThrow(params)
      const decoded = Schema.decodeUnknownResult(method.result)(response.result)
      if (Result.isFailure(decoded)) {
        assert.isNull(response.result, file)
        exchanges.refuted(NO_NULL)
        continue
      }
      const again = Schema.encodeSync(method.result)(decoded.success)
      assert.strictEqual(JSON.stringify(again), JSON.stringify(response.result), file)
      exchanges.verified()
      check({ file, method: request.method, params: request.params, result: response.result })
    }
    for (const exchange of later) checkState(exchange)
    exchanges.expect({ verified: 60, refuted: { "parameters, with Besu's code": 12, [NO_NULL]: 5 } })
    blocks.expect({ verified: 3 })
    counts.expect({ verified: 13, outside: { [NOTHING]: 2 } })
    transactions.expect({ verified: 5, outside: { [NOTHING]: 3 } })
    receipts.expect({ verified: 4, outside: { [NOTHING]: 2 } })
    proofs.expect({ verified: 3 })
    unanchored.expect({ verified: 2 })
    state.expect({ verified: 2, outside: { [NO_PROOF]: 21 } })
  })
}
