/**
 * Answers of a node that ethereumjs makes: a block of 200 transactions with withdrawals, its receipts, and an account
 * with a slot.
 */
import {
  type Block,
  createBlock,
  genTransactionsTrieRoot,
  genWithdrawalsTrieRoot,
  type HeaderData
} from "@ethereumjs/block"
import { Common, Hardfork, Mainnet } from "@ethereumjs/common"
import { createMerkleProof, createMPT } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { createTx, type TypedTransaction } from "@ethereumjs/tx"
import { createWithdrawal, type Withdrawal } from "@ethereumjs/util"
import { Bloom, encodeReceipt, type TxReceipt } from "@ethereumjs/vm"
import { Keccak256 } from "@plumbline/codec"

import { bytes, hexOf } from "./byteInput.ts"

export const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague })

const hex = (n: bigint | number): `0x${string}` => `0x${n.toString(16)}`
const word = (n: number): Uint8Array => Keccak256.hash(Uint8Array.of(n >> 8, n & 255))

/** Returns the answer as a client receives it: without the undefined fields that ethereumjs keeps. */
const sent = <A>(answer: A): A => JSON.parse(JSON.stringify(answer))

/** The transactions: mostly of type 2, some of types 0 and 1, with calldata like that of blocks in 2026. */
const transactions = Array.from({ length: 200 }, (_, i) => {
  const type = i % 10 === 0 ? 0 : i % 10 === 1 ? 1 : 2
  return createTx(
    {
      type,
      nonce: BigInt(i),
      to: `0x${"12".repeat(20)}`,
      value: BigInt(i) * 10n ** 15n,
      gasLimit: 100_000n,
      data: bytes([0, 68, 68, 228, 292, 900][i % 6]!, i + 1),
      ...(type === 2
        ? { maxFeePerGas: 40_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
        : { gasPrice: 2_000_000_007n }),
      ...(type === 0 ? {} : { chainId: 1n, accessList: [] })
    },
    { common }
  ).sign(bytes(32, 9))
})

const withdrawals = Array.from({ length: 16 }, (_, i) =>
  createWithdrawal({
    index: 50_000_000n + BigInt(i),
    validatorIndex: 700_000n + BigInt(i),
    address: word(i).subarray(0, 20),
    amount: 19_000_000n + BigInt(i)
  })
)

/** Returns the logs of a transaction: none to four, like those of transfers. */
const logsOf = (i: number): TxReceipt["logs"] =>
  Array.from({ length: i % 5 }, (_, j) => [word(i % 40).subarray(0, 20), [word(7), word(i), word(i + j)], word(j)])

const bloomOf = (logs: TxReceipt["logs"]): Bloom => {
  const bloom = new Bloom()
  for (const [address, topics] of logs) for (const entry of [address, ...topics]) bloom.add(entry)
  return bloom
}

const outcomes = transactions.map((transaction, i) => {
  const logs = logsOf(i)
  const receipt: TxReceipt = {
    status: 1,
    cumulativeBlockGasUsed: 50_000n * BigInt(i + 1),
    bitvector: bloomOf(logs).bitvector,
    logs
  }
  return { transaction, receipt }
})

const receiptsTrie = await createMPT()
for (const [i, { receipt, transaction }] of outcomes.entries()) {
  await receiptsTrie.put(RLP.encode(i), encodeReceipt(receipt, transaction.type))
}

const accounts = await createMPT()
const slots = await createMPT()
for (let i = 0; i < 5000; i++) {
  const key = Keccak256.hash(word(i))
  await slots.put(key, RLP.encode(word(i + 1)))
  await accounts.put(key, RLP.encode([i + 1, 10 ** 9 + i, word(i), word(i + 2)]))
}
const address = word(3).subarray(0, 20)
const slot = word(11)
await slots.put(Keccak256.hash(slot), RLP.encode(word(12)))
const balance = 123_456_789_000_000_000n
const codeHash = word(5)
await accounts.put(
  Keccak256.hash(address),
  RLP.encode([1, Uint8Array.from(Buffer.from(balance.toString(16).padStart(16, "0"), "hex")), slots.root(), codeHash])
)

const all = new Bloom()
for (const { receipt } of outcomes) all.or(new Bloom(receipt.bitvector))

/** Returns a block of Prague with these transactions and withdrawals. */
export const blockOf = async (
  header: HeaderData,
  transactions: ReadonlyArray<TypedTransaction>,
  withdrawals: ReadonlyArray<Withdrawal>
): Promise<Block> =>
  createBlock(
    {
      header: {
        gasLimit: 36_000_000n,
        baseFeePerGas: 1_000_000_007n,
        transactionsTrie: await genTransactionsTrieRoot([...transactions]),
        withdrawalsRoot: await genWithdrawalsTrieRoot([...withdrawals]),
        blobGasUsed: 0n,
        excessBlobGas: 0n,
        parentBeaconBlockRoot: bytes(32, 3),
        requestsHash: bytes(32, 4),
        ...header
      },
      transactions: [...transactions],
      withdrawals: [...withdrawals]
    },
    { common, skipConsensusFormatValidation: true }
  )

const made = await blockOf(
  {
    number: 23_000_000n,
    timestamp: 1_750_000_000n,
    gasUsed: outcomes.at(-1)!.receipt.cumulativeBlockGasUsed,
    stateRoot: accounts.root(),
    receiptTrie: receiptsTrie.root(),
    logsBloom: all.bitvector
  },
  transactions,
  withdrawals
)

export const hash = hexOf(made.hash())

/** Returns a node's two answers about a block: one with whole transactions, and one with only their hashes. */
export const answersOf = (block: Block) => {
  const hash = hexOf(block.hash())
  const { coinbase, receiptTrie, transactionsTrie, uncleHash, ...header } = sent(block.header.toJSON())
  const transactions = sent(
    block.transactions.map((transaction, index) => {
      const { data, gasLimit, ...json } = transaction.toJSON()
      const typed = transaction.type > 0
      return {
        ...json,
        type: hex(transaction.type),
        gas: gasLimit,
        input: data,
        ...(transaction.type === 2 ? { gasPrice: hex(2_000_000_007n) } : {}),
        chainId: "0x1",
        ...(typed ? { yParity: hex(transaction.v!) } : {}),
        v: hex(transaction.v!),
        r: hex(transaction.r!),
        s: hex(transaction.s!),
        from: transaction.getSenderAddress().toString(),
        hash: hexOf(transaction.hash()),
        blockHash: hash,
        blockNumber: header.number,
        transactionIndex: hex(index)
      }
    })
  )
  const short = {
    ...header,
    hash,
    miner: coinbase,
    sha3Uncles: uncleHash,
    transactionsRoot: transactionsTrie,
    receiptsRoot: receiptTrie,
    uncles: [],
    transactions: transactions.map((transaction) => transaction.hash)
  }
  const whole = {
    ...short,
    transactions,
    withdrawals: (block.withdrawals ?? []).map((withdrawal) => ({
      index: hex(withdrawal.index),
      validatorIndex: hex(withdrawal.validatorIndex),
      address: withdrawal.address.toString(),
      amount: hex(withdrawal.amount)
    }))
  }
  return { short, whole, transactions }
}

const answers = answersOf(made)

export const transactionAnswers = answers.transactions

/** The block with hashes of its transactions, as a client reads it for the header. */
export const headerAnswer = answers.short

/** The whole block. */
export const blockAnswer = answers.whole

/** A transaction of type 2 with 68 bytes of calldata. */
export const transactionAnswer = transactionAnswers[2]!

let logIndex = 0
export const receiptAnswers = outcomes.map(({ receipt, transaction }, i) => {
  const place = {
    blockHash: hash,
    blockNumber: headerAnswer.number,
    transactionHash: transactionAnswers[i]!.hash,
    transactionIndex: hex(i)
  }
  return {
    ...place,
    type: hex(transaction.type),
    status: "0x1",
    cumulativeGasUsed: hex(receipt.cumulativeBlockGasUsed),
    gasUsed: hex(50_000),
    effectiveGasPrice: hex(2_000_000_007n),
    from: transactionAnswers[i]!.from,
    to: transactionAnswers[i]!.to,
    contractAddress: null,
    logsBloom: hexOf(receipt.bitvector),
    logs: receipt.logs.map(([address, topics, data]) => ({
      address: hexOf(address),
      topics: topics.map(hexOf),
      data: hexOf(data),
      ...place,
      logIndex: hex(logIndex++),
      removed: false
    }))
  }
})

/** The proof of one of 5,000 accounts, with one of its 5,000 slots. */
export const proofAnswer = {
  address: hexOf(address),
  balance: hex(balance),
  nonce: "0x1",
  codeHash: hexOf(codeHash),
  storageHash: hexOf(slots.root()),
  accountProof: (await createMerkleProof(accounts, Keccak256.hash(address))).map(hexOf),
  storageProof: [
    {
      key: hexOf(slot),
      value: hex(BigInt(hexOf(word(12)))),
      proof: (await createMerkleProof(slots, Keccak256.hash(slot))).map(hexOf)
    }
  ]
}
