/** Tests blocks, transactions, receipts and headers of chains of the OP stack, from the answers of nodes. */
import { assert, it } from "@effect/vitest"
import { Hash32, Hex, Keccak256 } from "@plumbline/codec"
import { Block, BlockRlp, L1Attributes, Receipt, Transaction, Verify } from "@plumbline/eth-methods"
import { Result, Schema } from "effect"

import { conformance, files, json } from "./support/fixtures.ts"

const decodeBlock = Schema.decodeUnknownSync(Block.WithTransactions)
const decodeReceipts = Schema.decodeUnknownSync(Schema.Array(Receipt.Receipt))
const decodeTransaction = Schema.decodeUnknownSync(Transaction.Transaction)
const encodeTransaction = Schema.encodeSync(Transaction.Transaction)

const succeed = Result.getOrThrow

/** Returns the hash in the trie for a text of bytes. */
const keccak = (bytes: Uint8Array): string => Hash32.fromBytesUnsafe(Keccak256.hash(bytes))

/** The fields of a block that no hash covers, by the nodes that sent these fixtures. */
const UNHASHED = new Set(["totalDifficulty", "sealFields"])

/** The fields of transactions that no hash covers. */
const UNHASHED_OF_TRANSACTIONS = new Set([
  "nonce",
  "depositReceiptVersion",
  "from",
  "queueOrigin",
  "l1TxOrigin",
  "l1BlockNumber",
  "l1Timestamp",
  "index",
  "queueIndex",
  "rawTransaction"
])

conformance("blocks of the OP stack", () => {
  for (const file of files("15-op-stack/blocks/*.json")) {
    it(`${file} is proven with its transactions, and its receipts`, () => {
      const { block: said, receipts } = json(file)
      const verdict = succeed(Verify.block(decodeBlock(said), said.hash))
      assert(verdict._tag === "VERIFIED")
      for (const { field } of verdict.claimed) {
        const name = field.replace(/^transactions\[\d*\]\./u, "")
        assert.isTrue((name === field ? UNHASHED : UNHASHED_OF_TRANSACTIONS).has(name), field)
      }
      // the first transaction since Bedrock tells its block of L1
      const [first] = verdict.value.transactions
      if (!file.includes("prebedrock")) {
        assert(first !== undefined && Transaction.isDeposit(first))
        assert.isAbove(Number(succeed(L1Attributes.decode(first)).number), 0)
      }
      // only a message of L1 from before Bedrock has a sender that nothing proves
      const open = verdict.claimed.filter(({ field }) => field.endsWith(".from")).map(({ reason }) => reason._tag)
      assert.deepStrictEqual(open, file.includes("prebedrock-l1") ? ["Unsigned"] : [])
      for (const [i, transaction] of verdict.value.transactions.entries()) {
        const own = succeed(Verify.transaction(decodeTransaction(said.transactions[i]), transaction.hash))
        assert.strictEqual(own._tag, "VERIFIED")
      }
      if (receipts === null) return
      const proven = succeed(Verify.receipts(decodeReceipts(receipts), verdict))
      assert(proven._tag === "VERIFIED")
      for (const { field } of proven.claimed) assert.match(field, /^receipts\[\d*\]\.(?:l1\w+|from|depositNonce)$/u)
    })
  }

  it("a block with a transaction of another block is refuted", () => {
    const { block } = json("15-op-stack/false/op-sepolia-8791943-spliced.json")
    const verdict = Verify.block(decodeBlock(block), block.hash)
    assert(Result.isFailure(verdict))
    assert.match(verdict.failure.check, /^transactions(?:Root|\[\d+\] hash)$/u)
  })
})

conformance("headers and payloads of the OP stack", () => {
  it("payloads since Holocene hash to the roots of their headers, transaction by transaction", () => {
    const steps: ReadonlyArray<any> = json("15-op-stack/headers/op-sepolia-holocene.json")
    const headers = new Map<string, any>()
    for (const { parentHeader } of steps) {
      const encoded = succeed(
        BlockRlp.encodeHeader(Schema.decodeUnknownSync(Block.Header)({ ...parentHeader, hash: null }))
      )
      headers.set(keccak(encoded), parentHeader)
      assert.strictEqual(Hex.size(parentHeader.extraData), 9)
    }
    let closed = 0
    let deposits = 0
    for (const { expectedBlockHash, payload } of steps) {
      const transactions = (payload.transactions as ReadonlyArray<Hex.Hex>).map((raw) => {
        const bytes = Hex.toBytesUnsafe(raw)
        const transaction = succeed(BlockRlp.decodeTransaction(bytes))
        assert.deepStrictEqual(BlockRlp.encodeTransaction(transaction), bytes)
        assert.strictEqual(transaction.hash, keccak(bytes))
        // the JSON of the transaction gives the same transaction
        assert.deepStrictEqual(decodeTransaction(encodeTransaction(transaction)), transaction)
        if (Transaction.isDeposit(transaction)) deposits++
        return transaction
      })
      assert(transactions[0] !== undefined && Transaction.isDeposit(transactions[0]))
      const header = headers.get(expectedBlockHash)
      if (header === undefined) continue
      const place = { blockHash: expectedBlockHash, blockNumber: BigInt(header.number) }
      const block = {
        ...Schema.decodeUnknownSync(Block.Header)({ ...header, hash: expectedBlockHash }),
        uncles: [],
        withdrawals: [],
        transactions: transactions.map((one, i) => ({ ...one, ...place, transactionIndex: BigInt(i) }))
      } as Block.WithTransactions
      const verdict = succeed(Verify.block(block, expectedBlockHash))
      assert.strictEqual(verdict._tag, "VERIFIED")
      closed++
    }
    assert.strictEqual(closed, 3)
    assert.isAtLeast(deposits, steps.length)
  })

  it("a header of Ecotone, and headers of Jovian with 17 bytes of extraData, hash", () => {
    const ecotone = json("15-op-stack/headers/op-mainnet-ecotone-first-day.json")
    const encoded = succeed(BlockRlp.encodeHeader(Schema.decodeUnknownSync(Block.Header)(ecotone)))
    assert.strictEqual(keccak(encoded), ecotone.hash)
    for (const name of ["header-by-number", "multi-iteration"]) {
      for (const step of json(`15-op-stack/proofs/op-mainnet-jovian-eip2935-${name}.json`).steps) {
        const bytes = Hex.toBytesUnsafe(step.resolved_block_header_rlp)
        const header = succeed(BlockRlp.decodeHeader(bytes))
        assert.strictEqual(header.hash, step.resolved_block_hash)
        assert.deepStrictEqual(succeed(BlockRlp.encodeHeader(header)), bytes)
        assert.strictEqual(Hex.size(header.extraData), 17)
        assert.isDefined(header.requestsHash)
      }
    }
  })
})

conformance("transactions and receipts of the OP stack alone", () => {
  const transactions: ReadonlyArray<any> = [
    ...json("15-op-stack/transactions/op-alloy.json").map((entry: any) => entry.transaction),
    json("15-op-stack/transactions/base-52158111-jovian.json").transaction
  ]
  for (const said of transactions) {
    it(`${said.hash} is proven by its hash, with its sender`, () => {
      const verdict = succeed(Verify.transaction(decodeTransaction(said), said.hash))
      assert(verdict._tag === "VERIFIED")
      const claimed = verdict.claimed.map(({ field }) => field)
      for (const field of ["from", "gasPrice", "sourceHash", "mint", "input"]) assert.notInclude(claimed, field)
      assert.include(claimed, "nonce")
      const deposit = verdict.value
      assert(Transaction.isDeposit(deposit))
      assert.isAbove(Number(succeed(L1Attributes.decode(deposit)).number), 0)
    })
  }

  it("receipts keep the fees of every fork, and are encoded back", () => {
    const bloom = `0x${"00".repeat(256)}`
    const said = [
      ...json("15-op-stack/receipts/op-alloy-single.json").map((entry: any) => entry.receipt),
      { logsBloom: bloom, ...json("15-op-stack/transactions/base-52158111-jovian.json").receipt }
    ]
    for (const receipt of said) {
      const [decoded] = decodeReceipts([receipt])
      assert.deepStrictEqual(Schema.encodeSync(Receipt.Receipt)(decoded!), receipt)
      assert.strictEqual(typeof decoded!.l1Fee, "bigint")
      assert.strictEqual(typeof decoded!.daFootprintGasScalar, "bigint")
    }
  })
})
