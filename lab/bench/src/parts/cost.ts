/**
 * The cost of each verification, from the parsed answer of a node to the verdict, compared with the cost of the same
 * check in ethereumjs.
 */
import { createBlockFromRPC, createBlockHeaderFromRPC } from "@ethereumjs/block"
import { createMPT, verifyMPTWithMerkleProof } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { createTxFromRPC } from "@ethereumjs/tx"
import { hexToBytes } from "@ethereumjs/util"
import { Bloom, encodeReceipt, type TxReceipt } from "@ethereumjs/vm"
import { Keccak256 } from "@plumbline/codec"
import { AccountProof, Block, BlockRlp, Receipt, Transaction, Verify } from "@plumbline/eth-methods"
import { Result, Schema } from "effect"

import { hexOf } from "../inputs/byteInput.ts"
import {
  blockAnswer,
  common,
  hash,
  headerAnswer,
  proofAnswer,
  receiptAnswers,
  transactionAnswer
} from "../inputs/ethereumjsAnswers.ts"
import { part, type Row, type Run } from "../measure/measuredRow.ts"

const decodeBlock = Schema.decodeUnknownSync(Block.Block)
const decodeHeader = Schema.decodeUnknownSync(Block.Header)
const decodeTransaction = Schema.decodeUnknownSync(Transaction.Transaction)
const decodeReceipts = Schema.decodeUnknownSync(Schema.Array(Receipt.Receipt))
const decodeProof = Schema.decodeUnknownSync(AccountProof.AccountProof)

const options = { common, skipConsensusFormatValidation: true } as const

const { transactions: _, ...headerOnly } = headerAnswer

/** The block against which proofs and receipts are checked. The cost of the block itself is in other rows. */
const block = Result.getOrThrow(Verify.block(decodeBlock(blockAnswer), hash as never, { senders: false }))
if (block._tag === "CLAIMED") throw new Error("only claimed")

const question = (() => {
  const { address, storageProof } = decodeProof(proofAnswer)
  return { address, storageKeys: storageProof.map(({ key }) => key as never) }
})()

/** Throws if the check failed, so that a failing contender is not measured. */
const checked = <A>(value: A, holds: boolean): A => {
  if (!holds) throw new Error("the check fails")
  return value
}

const trie = await createMPT()

/** Returns the value of a key under a root, with the trie proof of ethereumjs. */
const proven = async (root: string, key: string, nodes: ReadonlyArray<string>): Promise<Uint8Array> => {
  const proof = nodes.map((node) => hexToBytes(node as `0x${string}`))
  const path = Keccak256.hash(hexToBytes(key as `0x${string}`))
  const value = await verifyMPTWithMerkleProof(trie, hexToBytes(root as `0x${string}`), path, proof)
  if (value === null) throw new Error("absent")
  return value
}

const theirReceipts = async (): Promise<string> => {
  const receipts = await createMPT()
  const all = new Bloom()
  for (const [i, receipt] of receiptAnswers.entries()) {
    const logs: TxReceipt["logs"] = receipt.logs.map(({ address, data, topics }) => [
      hexToBytes(address),
      topics.map((topic) => hexToBytes(topic)),
      hexToBytes(data)
    ])
    const bloom = new Bloom()
    for (const [address, topics] of logs) for (const entry of [address, ...topics]) bloom.add(entry)
    checked(bloom, hexOf(bloom.bitvector) === receipt.logsBloom)
    all.or(bloom)
    const cumulativeBlockGasUsed = BigInt(receipt.cumulativeGasUsed)
    const fields: TxReceipt = { status: 1, cumulativeBlockGasUsed, bitvector: bloom.bitvector, logs }
    await receipts.put(RLP.encode(i), encodeReceipt(fields, Number(receipt.type) as 0 | 1 | 2))
  }
  checked(all, hexOf(all.bitvector) === headerAnswer.logsBloom)
  return hexOf(receipts.root())
}

/** Repeats a check, one run after the other. */
const times =
  (count: number, check: () => unknown): Run =>
  async () => {
    let last: unknown
    for (let i = 0; i < count; i++) {
      last = check()
      if (last instanceof Promise) last = await last
    }
    return last
  }

interface Checks {
  readonly name: string
  readonly calls: number
  readonly ours: () => unknown
  readonly ethereumjs: () => unknown
}

/** The checks. Each returns the proven value as text. */
const checks: ReadonlyArray<Checks> = [
  {
    name: "header",
    calls: 50,
    ours: () => Keccak256.hashHex(Result.getOrThrow(BlockRlp.encodeHeader(decodeHeader(headerOnly)))),
    ethereumjs: () => hexOf(createBlockHeaderFromRPC(headerOnly as never, options).hash())
  },
  {
    name: "block with 200 hashes of transactions",
    calls: 50,
    ours: () => Result.getOrThrow(Verify.block(decodeBlock(headerAnswer), hash as never)).value.hash,
    ethereumjs: () => {
      const header = createBlockHeaderFromRPC(headerAnswer as never, options)
      return checked(hash, hexOf(header.hash()) === headerAnswer.hash)
    }
  },
  {
    name: "transaction, its hash",
    calls: 50,
    ours: () => Keccak256.hashHex(BlockRlp.encodeTransaction(decodeTransaction(transactionAnswer))!),
    ethereumjs: async () => hexOf((await createTxFromRPC(transactionAnswer as never, { common })).hash())
  },
  {
    name: "transaction, its hash and its sender",
    calls: 5,
    ours: () =>
      Result.getOrThrow(Verify.transaction(decodeTransaction(transactionAnswer), transactionAnswer.hash as never))
        .value["from"],
    ethereumjs: async () => {
      const transaction = await createTxFromRPC(transactionAnswer as never, { common })
      checked(hash, hexOf(transaction.hash()) === transactionAnswer.hash)
      return transaction.getSenderAddress().toString()
    }
  },
  {
    name: "account and slot",
    calls: 20,
    ours: () => {
      const { value } = Result.getOrThrow(Verify.account(decodeProof(proofAnswer), question, block))
      return `${value.balance} ${value.storageProof[0]!.value}`
    },
    ethereumjs: async () => {
      const { accountProof, address, storageProof } = proofAnswer
      const leaf = RLP.decode(await proven(headerAnswer.stateRoot!, address, accountProof)) as Array<Uint8Array>
      const [, balance, storageRoot, codeHash] = leaf
      checked(leaf, hexOf(storageRoot!) === proofAnswer.storageHash && hexOf(codeHash!) === proofAnswer.codeHash)
      const slot = storageProof[0]!
      const word = RLP.decode(await proven(proofAnswer.storageHash, slot.key, slot.proof)) as Uint8Array
      return `${BigInt(hexOf(balance!))} ${BigInt(hexOf(word))}`
    }
  },
  {
    name: "block of 200 transactions, all roots, without senders",
    calls: 1,
    ours: () => Result.getOrThrow(Verify.block(decodeBlock(blockAnswer), hash as never, { senders: false })).value.hash,
    ethereumjs: async () => {
      const block = createBlockFromRPC(blockAnswer as never, [], options)
      checked(block, await block.transactionsTrieIsValid())
      checked(block, await block.withdrawalsTrieIsValid())
      checked(block, block.uncleHashIsValid())
      return hexOf(block.hash())
    }
  },
  {
    name: "200 receipts with 400 logs: root and blooms",
    calls: 1,
    ours: () => Result.getOrThrow(Verify.receipts(decodeReceipts(receiptAnswers), block)) && headerAnswer.receiptsRoot,
    ethereumjs: theirReceipts
  }
]

const rows = checks.map(({ calls, ethereumjs, name, ours }): Row => ({
  name,
  operations: calls,
  waits: true,
  goal: 10,
  ours: times(calls, ours),
  peers: { ethereumjs: times(calls, ethereumjs) }
}))

export const cost = part("cost", rows)
