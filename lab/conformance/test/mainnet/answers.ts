/**
 * Answers of nodes of mainnet and test networks, recorded by other projects: blocks, transactions, receipts and proofs.
 */
import { assert, it } from "@effect/vitest"
import { Hash32, Quantity, Rlp } from "@plumbline/codec"
import { AccountProof, Block, BlockRlp, Log, LogFilter, Receipt, Transaction, Verify } from "@plumbline/eth-methods"
import { TrieProof } from "@plumbline/merkle-trie"
import type { Verdict } from "@plumbline/verdict"
import { Result, Schema } from "effect"

import { files, json } from "../support/fixtures.ts"
import { ofPlace, verified } from "../support/prove.ts"
import type { Tally } from "../support/tally.ts"

/** Returns the codec of one Schema, which writes each value again exactly as it was read. */
const reader = <S extends Schema.Codec<any, any>>(schema: S) => {
  const decode = Schema.decodeUnknownSync(schema)
  const encode = Schema.encodeSync(schema)
  return (answer: unknown): S["Type"] => {
    const value = decode(answer)
    assert.strictEqual(JSON.stringify(encode(value)), JSON.stringify(answer))
    return value
  }
}
const readBlock = reader(Block.Block)
const readTransaction = reader(Transaction.Transaction)
const readProof = reader(AccountProof.AccountProof)
const readReceipts = reader(Schema.Array(Receipt.Receipt))
const readLogs = reader(Schema.Array(Log.Log))

/** The fields of a block's answer that the block's hash does not prove. */
const ofBlock = ["totalDifficulty", "transactions", "uncles", "size", "withdrawals"]

const proveAccount = (
  answer: AccountProof.AccountProof,
  block: Verdict.Verified<Block.Block>
): Verdict.Verified<AccountProof.AccountProof> =>
  Result.getOrThrow(
    Verify.account(
      answer,
      { address: answer.address, storageKeys: answer.storageProof.map(({ key }) => Hash32.fromHexUnsafe(word(key))) },
      block
    )
  )

const word = (key: string): string => `0x${BigInt(key).toString(16).padStart(64, "0")}`

export const answers = (tally: Tally): void => {
  it("lodestar's exchanges verify: blocks with all their transactions, and accounts under the block's state root", () => {
    const blocks = tally.count("lodestar: blocks")
    const transactions = tally.count("lodestar: transactions in blocks")
    const proofs = tally.count("lodestar: account proofs under the block's root")
    const codes = tally.count("lodestar: code by the account's codeHash")
    for (const file of files("3-mainnet/lodestar-prover/*.json")) {
      const { dependentRequests, execution, request, response } = json(file)
      const answers = [execution.block, ...(request.method === "eth_getBlockByHash" ? [response.result] : [])]
      const [block] = answers.map((answer) => {
        const read = readBlock(answer)
        assert.strictEqual<unknown>(read.hash, execution.block.hash)
        const proven = verified<Block.Block>(Verify.block(read, read.hash!), ["totalDifficulty"])
        blocks.verified()
        for (const _ of read.transactions) transactions.verified()
        return proven
      })
      const accounts = new Map<string, Verdict.Verified<AccountProof.AccountProof>>()
      const asked = (dependentRequests as ReadonlyArray<any>).flatMap(({ payload, response }) =>
        Array.isArray(payload) ? payload.map((one: any, i: number) => [one, response[i]]) : [[payload, response]]
      )
      for (const [payload, { result }] of asked) {
        if (payload.method !== "eth_getProof") continue
        accounts.set(payload.params[0].toLowerCase(), proveAccount(readProof(result), block!))
        proofs.verified()
      }
      for (const [payload, { result }] of asked) {
        if (payload.method !== "eth_getCode") continue
        Result.getOrThrow(Verify.code(result, accounts.get(payload.params[0].toLowerCase())!))
        codes.verified()
      }
    }
    blocks.expect({ verified: 4 })
    transactions.expect({ verified: 456 })
    proofs.expect({ verified: 4 })
    codes.expect({ verified: 4 })
  })

  it("helios' answers about one block of mainnet verify from its hash: receipts, logs, accounts, code and slots", () => {
    const blocks = tally.count("helios: block")
    const receipts = tally.count("helios: receipts of the block")
    const single = tally.count("helios: single receipts and logs")
    const proofs = tally.count("helios: account proofs, with slots and code")
    const receiptProofs = tally.count("helios: receipts by a proof in the receipts' trie")
    const transactions = tally.count("helios: transaction")
    const history = tally.count("helios: fee history")
    const read = (name: string): any => json(`3-mainnet/helios/${name}.json`)

    const answer = readBlock(read("rpc/block"))
    const block = verified<Block.Block>(Verify.block(answer, answer.hash!), ofBlock)
    blocks.verified()
    const all = verified<ReadonlyArray<Receipt.Receipt>>(
      Verify.receipts(readReceipts(read("rpc/receipts")), block),
      verifiedByHash
    )
    for (const _ of all.value) receipts.verified()

    const checkReceipt = (receipt: any): Receipt.Receipt => {
      const [one] = readReceipts([receipt])
      verified(
        Verify.receipt(one!, one!.transactionHash, all),
        verifiedByHash.map((field) => field.slice(11))
      )
      single.verified()
      return one!
    }
    const checkLogs = (logs: any): void => {
      const known = all.value.flatMap((receipt) => receipt.logs)
      for (const log of readLogs(logs)) {
        // the proof adds what the node left out of the logs in its receipts, and contradicts nothing
        const proven = known.find(({ logIndex }) => logIndex === log.logIndex)
        assert.deepStrictEqual({ ...proven, ...log }, proven)
        assert.isTrue(LogFilter.selector({ address: log.address, topics: log.topics })(log))
        single.verified()
      }
    }
    checkReceipt(read("rpc/receipt"))
    checkLogs(read("rpc/logs"))

    const checkProven = ({ receipt, receiptProof }: any): void => {
      const one = checkReceipt(receipt)
      const key = Rlp.encode(Quantity.toBytes(one.transactionIndex))
      const root = Hash32.toBytes(block.value.receiptsRoot)
      assert.deepStrictEqual(Result.getOrThrow(TrieProof.verify(root, key, receiptProof)), {
        _tag: "Included",
        value: BlockRlp.encodeReceipt(one)
      })
      receiptProofs.verified()
    }
    checkProven(read("verifiable_api/receipt"))
    const { logs, receiptProofs: byHash } = read("verifiable_api/logs")
    checkLogs(logs)
    for (const proof of Object.values(byHash)) checkProven(proof)

    for (const name of ["rpc/proof", "rpc/block_miner_proof"]) {
      proveAccount(readProof(read(name)), block)
      proofs.verified()
    }
    const addressOf = (name: string) => readProof(read(name)).address
    const withCode = (address: string, { account, accountProof, code, storageProof }: any): void => {
      const { balance, codeHash, nonce, storageRoot: storageHash } = account
      const proven = proveAccount(
        readProof({ address, accountProof, balance, codeHash, nonce, storageHash, storageProof }),
        block
      )
      Result.getOrThrow(Verify.code(code, proven))
      proofs.verified()
    }
    withCode(addressOf("rpc/proof"), read("rpc/account"))
    withCode(addressOf("rpc/block_miner_proof"), read("rpc/block_miner_account"))
    for (const [address, account] of Object.entries(read("verifiable_api/access_list").accounts)) {
      withCode(address, account)
    }
    const transaction = readTransaction(read("rpc/transaction"))
    verified(Verify.transaction(transaction, transaction.hash), ofPlace)
    transactions.verified()
    history.outside("fees of many blocks: the blocks are not in the set")

    blocks.expect({ verified: 1 })
    receipts.expect({ verified: 202 })
    single.expect({ verified: 5 })
    proofs.expect({ verified: 5 })
    receiptProofs.expect({ verified: 2 })
    transactions.expect({ verified: 1 })
    history.expect({ outside: { "fees of many blocks: the blocks are not in the set": 1 } })
  })
}

/** The fields that a receipt repeats from its transaction. Only the hash of the transaction is known. */
const verifiedByHash = [
  "transactionHash",
  "from",
  "to",
  "contractAddress",
  "effectiveGasPrice",
  "blobGasUsed",
  "blobGasPrice",
  "logs[].transactionHash"
].map((field) => `receipts[].${field}`)
