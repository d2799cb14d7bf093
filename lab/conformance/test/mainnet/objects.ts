/**
 * Single blocks, transactions, receipts and proofs from the suites of ethereumjs and alloy. Some of them are invalid.
 */
import { assert, it } from "@effect/vitest"
import { Hex, Keccak256, Quantity, Rlp, WireObject } from "@plumbline/codec"
import { AccountProof, Block, BlockRlp, Receipt, StorageKey, Transaction, Verify } from "@plumbline/eth-methods"
import { type RefutedError, type Verdict } from "@plumbline/verdict"
import { Result, Schema } from "effect"

import { files, json, text } from "../support/fixtures.ts"
import { blockOf, blockOfProof, withoutBodies } from "../support/made.ts"
import { blocksIn, ofPlace, verified } from "../support/prove.ts"
import type { Counter, Tally } from "../support/tally.ts"
import { firstHeader, readAndWrite } from "./rlpBlocks.ts"

type Kind = "block" | "header" | "transaction" | "receipt" | "proof"

/** Yields the outermost objects in a value, each with its kind. The kind follows from the object's fields. */
function* objectsIn(value: any): Generator<readonly [Kind, any]> {
  if (typeof value !== "object" || value === null) return
  if (value.accountProof !== undefined) yield ["proof", value]
  else if (value.parentHash !== undefined && value.hash !== undefined) {
    yield [value.transactions === undefined ? "header" : "block", value]
  } else if (value.cumulativeGasUsed !== undefined) yield ["receipt", value]
  else if (value.r !== undefined && value.hash !== undefined) yield ["transaction", value]
  else for (const inner of Object.values(value)) yield* objectsIn(inner)
}

const schemas: Readonly<Record<Kind, Schema.Codec<any, any>>> = {
  block: Block.Block,
  header: Block.Header,
  transaction: Transaction.Transaction,
  receipt: Receipt.Receipt,
  proof: AccountProof.AccountProof
}

/** The fields of a block's answer that the block's hash does not prove. Some clients send `author` beside `miner`. */
const ofBlock = ["totalDifficulty", "transactions", "uncles", "size", "withdrawals", "author"]
const MALFORMED = "the answer is not one: fields are missing or not in their form"

/** Verifies a decoded object with the verifier of its kind. */
const verdictOf = (kind: Kind, value: any): Result.Result<Verdict.Verdict<unknown>, RefutedError> | undefined => {
  switch (kind) {
    case "block":
      return Verify.block<Block.Block>(value, value.hash)
    case "header":
      return Verify.block(withoutBodies(value), value.hash)
    case "transaction":
      return Verify.transaction(value, value.hash)
    case "receipt":
      return undefined
    case "proof": {
      const storageKeys = value.storageProof.map((slot: AccountProof.StorageProof) =>
        StorageKey.fromSlot(AccountProof.keyOf(slot))
      )
      return Verify.account(value, { address: value.address, storageKeys }, blockOfProof(value, firstHeader()))
    }
  }
}

const NO_BLOCK = "a receipt is proven only with all of its block, which the set does not hold"
const UNKNOWN = "a type that is not known is CLAIMED, not proven"

/**
 * The fields of a deposit on Optimism before Bedrock that may stay claimed. No key signed the deposit, and its node
 * sent additional fields about its origin.
 */
const ofDeposit = [
  "from",
  "queueOrigin",
  "queueIndex",
  "index",
  "rawTransaction",
  "l1TxOrigin",
  "l1BlockNumber",
  "l1Timestamp"
]

const checkAll = (pattern: string, counters: Readonly<Record<Kind, Counter>>): void => {
  for (const file of files(pattern)) {
    for (const [kind, answer] of objectsIn(json(file))) {
      const counter = counters[kind]
      const decoded = Schema.decodeUnknownResult(schemas[kind])(answer)
      if (Result.isFailure(decoded)) {
        counter.refuted(MALFORMED)
        continue
      }
      const verdict = verdictOf(kind, decoded.success)
      if (verdict === undefined) counter.outside(NO_BLOCK)
      else if (Result.isFailure(verdict)) counter.refuted(verdict.failure.check)
      else if (verdict.success._tag === "CLAIMED") counter.outside(UNKNOWN)
      else {
        const claimable = "queueOrigin" in decoded.success ? ofDeposit : []
        verified(verdict, kind === "transaction" ? [...ofPlace, "chainId", ...claimable] : ofBlock)
        counter.verified()
      }
    }
  }
}

const countersOf = (tally: Tally, who: string): Readonly<Record<Kind, Counter>> => ({
  block: tally.count(`${who}: blocks`),
  header: tally.count(`${who}: headers`),
  transaction: tally.count(`${who}: transactions`),
  receipt: tally.count(`${who}: receipts`),
  proof: tally.count(`${who}: account proofs under a header made for their root`)
})

export const objects = (tally: Tally): void => {
  it("ethereumjs' blocks, transactions and proofs verify; the block that it spoilt is refuted", () => {
    const counters = countersOf(tally, "ethereumjs")
    checkAll("3-mainnet/ethereumjs/{block,statemanager}/**/*.json", counters)
    counters.block.expect({ verified: 7, refuted: { [MALFORMED]: 1 } })
    counters.header.expect({ verified: 1 })
    counters.transaction.expect({ verified: 1 })
    counters.receipt.expect({})
    counters.proof.expect({ verified: 8 })

    const uncles = tally.count("ethereumjs: the uncle of a block")
    const [[, block], [, uncle]] = ["", "_uncle-block-data"].map(
      (name) => [...objectsIn(json(`3-mainnet/ethereumjs/block/testdata-from-rpc-with-uncles${name}.json`))][0]!
    ) as [readonly [Kind, any], readonly [Kind, any]]
    assert.strictEqual(block.uncles[0], uncle.hash)
    const nephew = Schema.decodeUnknownSync(Block.Block)(block)
    const proven = verified<Block.Block>(Verify.block(nephew, nephew.hash!), ofBlock)
    verified(Verify.uncles([Schema.decodeUnknownSync(Block.Uncle)(uncle)], proven), ["uncles[].totalDifficulty"])
    uncles.verified()
    uncles.expect({ verified: 1 })
  })

  it("alloy's objects verify; those that it made up or emptied are refuted", () => {
    const counters = countersOf(tally, "alloy")
    checkAll("3-mainnet/alloy/inline/*.json", counters)
    // Two blocks are invented, and two lack their transactions.
    counters.block.expect({ verified: 2, refuted: { "header hash": 2, transactionsRoot: 2 } })
    counters.header.expect({ verified: 1, refuted: { "header hash": 1 } })
    // One transaction is a deposit on an L2. No key signed the deposit. Its hash is right, and its sender is only
    // claimed.
    counters.transaction.expect({ verified: 5, refuted: { [MALFORMED]: 1 }, outside: { [UNKNOWN]: 2 } })
    counters.receipt.expect({ refuted: { [MALFORMED]: 3 }, outside: { [NO_BLOCK]: 6 } })
    counters.proof.expect({ verified: 1 })

    const renamed = tally.count("alloy: the malformed transaction, with the `v` of its authorization called `yParity`")
    const old = json("3-mainnet/alloy/inline/transaction-mod-L661.json")
    assert.deepStrictEqual(Object.keys(old.authorizationList[0]), ["chainId", "address", "nonce", "v", "r", "s"])
    const authorizationList = old.authorizationList.map(({ v, ...rest }: any) => ({ ...rest, yParity: v }))
    const transaction = Schema.decodeUnknownSync(Transaction.Transaction)({ ...old, authorizationList })
    verified(Verify.transaction(transaction, old.hash), ofPlace)
    renamed.verified()
    renamed.expect({ verified: 1 })
  })

  it("mainnet's first blocks, as ethereumjs keeps them, are the chain's, with their uncles", () => {
    const blocks = tally.count("ethereumjs: mainnet's first blocks, in fields")
    const uncles = tally.count("ethereumjs: their uncles")
    const real = blocksIn("3-mainnet/besu/1000.blocks").slice(0, 8).map(readAndWrite)
    for (const { header, uncleHeaders } of json("3-mainnet/ethereumjs/testdata/src/blocks/mainnetBlocks.json")
      .mainnetBlocks) {
      const { block, uncles: known } = real.find(({ block }) => block.number === BigInt(header.number))!
      assert.strictEqual(blockOf(headerOf(header)).anchor.hash, block.hash)
      blocks.verified()
      const read: ReadonlyArray<Block.Header> = uncleHeaders.map(headerOf)
      assert.deepStrictEqual(
        read.map((uncle) => blockOf(uncle).anchor.hash),
        known.map((uncle) => uncle.hash!)
      )
      for (const _ of read) uncles.verified()
    }
    blocks.expect({ verified: 5 })
    uncles.expect({ verified: 2 })
  })

  it("signed transactions of ethereumjs and alloy have their hashes and senders", () => {
    const signed = tally.count("ethereumjs: signed transactions (EIP-155, EIP-1559)")
    const check = (bytes: Uint8Array): Transaction.Transaction => {
      const transaction = Result.getOrThrow(BlockRlp.decodeTransaction(bytes))
      verified(Verify.transaction(transaction, transaction.hash), ofPlace)
      return transaction
    }
    for (const { hash, rlp, sender } of json("3-mainnet/ethereumjs/tx/transactionTestEip155VitalikTests.json")
      .transactionTestEip155VitalikTestsData) {
      const transaction = check(Hex.toBytesUnsafe(rlp))
      // `hash` is the signed hash of each transaction: the hash of six fields, the chain's id and two empty fields.
      const fields = (Result.getOrThrow(Rlp.decode(Hex.toBytesUnsafe(rlp))) as ReadonlyArray<Rlp.Rlp>).slice(0, 6)
      const nothing = new Uint8Array(0)
      const signing = Rlp.encode([...fields, Uint8Array.of(1), nothing, nothing])
      assert.strictEqual<unknown>(Keccak256.hashHex(signing), `0x${hash}`)
      assert.strictEqual(transaction.from, `0x${sender}`)
      signed.verified()
    }
    for (const { nonce, signedTransactionRLP, value } of json("3-mainnet/ethereumjs/tx/eip1559.json").eip1559Data) {
      const bytes = Result.getOrThrow(Rlp.decode(Hex.toBytesUnsafe(signedTransactionRLP)))
      const transaction = check(bytes as Uint8Array)
      assert.deepStrictEqual(
        [WireObject.fieldOf(transaction, "nonce"), transaction.value],
        [BigInt(nonce), BigInt(value)]
      )
      signed.verified()
    }
    signed.expect({ verified: 21 })

    const blobs = tally.count("alloy: blob transactions in the network's form")
    for (const file of files("3-mainnet/alloy/*.rlp")) {
      // the file has `03 || [transaction, blobs, commitments, proofs]`; the hash covers only the transaction
      const bytes = Hex.toBytesUnsafe(`0x${text(file).trim()}`)
      const [body] = Result.getOrThrow(Rlp.decode(bytes.subarray(1))) as ReadonlyArray<Rlp.Rlp>
      assert.strictEqual(check(Uint8Array.of(3, ...Rlp.encode(body!)))["type"], 3n)
      blobs.verified()
    }
    blobs.expect({ verified: 2 })
  })
}

/** Reads a header with the field names of ethereumjs. */
const headerOf = (fields: any): Block.Header =>
  Schema.decodeUnknownSync(Block.Header)({
    ...fields,
    number: quantity(fields.number),
    difficulty: quantity(fields.difficulty),
    gasLimit: quantity(fields.gasLimit),
    gasUsed: quantity(fields.gasUsed),
    timestamp: quantity(fields.timestamp),
    hash: null,
    miner: fields.coinbase,
    sha3Uncles: fields.uncleHash,
    transactionsRoot: fields.transactionsTrie,
    receiptsRoot: fields.receiptTrie
  })

const quantity = (text: string): string => Quantity.toHex(BigInt(text))
