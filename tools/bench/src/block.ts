/** A block of 240 transactions, from JSON text to typed values, and proven. */
import { createBlock, genTransactionsTrieRoot } from "@ethereumjs/block"
import { Common, Hardfork, Mainnet } from "@ethereumjs/common"
import { createTx } from "@ethereumjs/tx"
import { Block, Verify } from "@plumbline/eth-methods"
import { Result, Schema } from "effect"
import { Block as OxBlock } from "ox"
import { formatBlock } from "viem"

import { bytes, hexOf } from "./inputs.ts"
import type { Subject } from "./measure.ts"

const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague })
const to = `0x${"12".repeat(20)}` as const
const hex = (n: bigint | number): `0x${string}` => `0x${n.toString(16)}`

/** Sizes of calldata as blocks of 2026 have them: transfers, calls, a few large ones. */
const transactions = Array.from({ length: 240 }, (_, i) =>
  createTx(
    {
      type: 2,
      chainId: 1n,
      nonce: BigInt(i),
      to,
      value: BigInt(i) * 10n ** 15n,
      gasLimit: 100_000n,
      maxFeePerGas: 40_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      data: bytes([0, 68, 68, 228, 292, 900][i % 6]!, i + 1)
    },
    { common }
  ).sign(bytes(32, 9))
)

const made = createBlock(
  {
    header: {
      number: 20_000_000n,
      timestamp: 1_700_000_000n,
      gasLimit: 36_000_000n,
      gasUsed: 21_000_000n,
      baseFeePerGas: 1_000_000_007n,
      transactionsTrie: await genTransactionsTrieRoot(transactions),
      withdrawalsRoot: bytes(32, 2),
      blobGasUsed: 0n,
      excessBlobGas: 0n,
      parentBeaconBlockRoot: bytes(32, 3),
      requestsHash: bytes(32, 4)
    },
    transactions
  },
  { common, skipConsensusFormatValidation: true }
)

const hash = hexOf(made.hash())
const header = made.header.toJSON()
const answer = {
  ...header,
  hash,
  miner: header.coinbase,
  receiptsRoot: header.receiptTrie,
  sha3Uncles: header.uncleHash,
  transactionsRoot: header.transactionsTrie,
  size: hex(1),
  uncles: [],
  transactions: transactions.map((transaction, index) => ({
    ...transaction.toJSON(),
    gas: hex(transaction.gasLimit),
    gasPrice: hex(2_000_000_007n),
    from: transaction.getSenderAddress().toString(),
    hash: hexOf(transaction.hash()),
    input: transaction.toJSON().data,
    blockHash: hash,
    blockNumber: header.number,
    transactionIndex: hex(index),
    type: "0x2",
    chainId: "0x1",
    yParity: hex(transaction.v ?? 0n),
    v: hex(transaction.v ?? 0n),
    r: hex(transaction.r ?? 0n),
    s: hex(transaction.s ?? 0n)
  }))
}
// names of ethereumjs that no node sends; the size does not matter for this measurement
const { coinbase: _1, receiptTrie: _2, size: _3, transactionsTrie: _4, uncleHash: _5, ...block } = answer
/** As a node sends it. */
export const text: string = JSON.stringify(block)

const decode = Schema.decodeUnknownSync(Block.Block)
const count = (value: unknown): string =>
  String((value as { readonly transactions: ReadonlyArray<unknown> }).transactions.length)

export const subject: Subject = {
  name: "block",
  rows: [
    {
      name: `decode ${Math.round(text.length / 1000)} kB from text`,
      goal: 1.2,
      show: count,
      ours: () => decode(JSON.parse(text)),
      peers: {
        "viem (unchecked)": () => formatBlock(JSON.parse(text)),
        "ox (unchecked)": () => OxBlock.fromRpc(JSON.parse(text))
      },
      yardsticks: { "JSON.parse alone": () => JSON.parse(text) }
    },
    {
      name: "the same, proven without senders",
      goal: 0.77,
      show: count,
      ours: () =>
        Result.getOrThrow(Verify.block(decode(JSON.parse(text)), block.hash as never, { senders: false })).value,
      peers: {
        "viem (unchecked, unproven)": () => formatBlock(JSON.parse(text)),
        "ox (unchecked, unproven)": () => OxBlock.fromRpc(JSON.parse(text))
      }
    }
  ]
}
