/**
 * Receipts of a block in the form in which a node (geth) returns them. The VM package of ethereumjs encodes the
 * receipts and computes their blooms. The trie of ethereumjs hashes them.
 */
import type { BlockHeader } from "@ethereumjs/block"
import { Hardfork } from "@ethereumjs/common"
import { createMPT } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import type { TypedTransaction } from "@ethereumjs/tx"
import { bytesToHex, createContractAddress } from "@ethereumjs/util"
import { Bloom, encodeReceipt, type TxReceipt } from "@ethereumjs/vm"
import type { Verdict } from "@plumbline/verdict"
import { Result, Schema } from "effect"

import { type Block, Receipt, Verify } from "../../src/index.ts"
import * as Made from "./made.ts"

/** Logs, each with its address, topics and data. */
export type Logs = TxReceipt["logs"]

/** Makes a topic from a number. `address` makes a contract address. Some numbers repeat, and so do their topics. */
export const topic = (n: number): Uint8Array => Made.word(BigInt(n) * 0x1_0000_0000_0001n)
export const address = (n: number): Uint8Array => Made.word(BigInt(n) * 0x99_0000_0001n).subarray(12)

/** Returns the logs of the receipt at `index`: up to four logs, with up to four topics each, and data of many sizes. */
const logsOf = (index: number): Logs =>
  Array.from({ length: index % 5 }, (_, log) => [
    address(index % 3),
    Array.from({ length: (index + log) % 5 }, (_, at) => topic(at === 0 ? 7 : index + at)),
    new Uint8Array(log * 37).fill(index)
  ])

const bloomOf = (logs: Logs): Bloom => {
  const bloom = new Bloom()
  for (const [address, topics] of logs) for (const entry of [address, ...topics]) bloom.add(entry)
  return bloom
}

/** Returns the root of the trie with these leaves. */
export const rootOf = async (leaves: ReadonlyArray<Uint8Array>): Promise<Uint8Array> => {
  const trie = await createMPT()
  for (const [i, leaf] of leaves.entries()) await trie.put(RLP.encode(i), leaf)
  return trie.root()
}

/** Options for making the receipts of a block. */
export interface Options {
  readonly transactions?: ReadonlyArray<TypedTransaction>
  readonly logs?: (index: number) => Logs
  readonly failed?: (index: number) => boolean
  readonly uncles?: ReadonlyArray<BlockHeader>
  /** The state root of each receipt, for forks before Byzantium. */
  readonly roots?: (index: number) => Uint8Array
  /** Further header fields to set. */
  readonly fields?: Made.HeaderFields
}

/** Makes a block and its receipts, as a node returns them. By default, every second transaction failed. */
export const make = async (
  hardfork: Hardfork,
  {
    transactions = Made.signed(hardfork),
    logs: logged = logsOf,
    failed = (index) => index % 2 === 1,
    roots = topic,
    uncles = [],
    fields = {}
  }: Options = {}
): Promise<{ readonly block: Made.JsonObject; readonly receipts: Array<Made.Json> }> => {
  const byzantium = Made.common(hardfork).gteHardfork(Hardfork.Byzantium)
  let gas = 0n
  const made = transactions.map((transaction, i) => {
    const logs = logged(i)
    gas += 21_000n + BigInt(i)
    const bloom = bloomOf(logs).bitvector
    const outcome = byzantium ? { status: failed(i) ? (0 as const) : (1 as const) } : { stateRoot: roots(i) }
    return { transaction, logs, receipt: { ...outcome, cumulativeBlockGasUsed: gas, bitvector: bloom, logs } }
  })
  const all = new Bloom()
  for (const { receipt } of made) all.or(new Bloom(receipt.bitvector))
  const receiptTrie = await rootOf(
    made.map(({ receipt, transaction }) => encodeReceipt(receipt as TxReceipt, transaction.type))
  )
  const block = await Made.block(hardfork, transactions, uncles, {
    receiptTrie,
    logsBloom: all.bitvector,
    gasUsed: gas,
    ...fields
  })
  let before = 0n
  let logIndex = 0
  const receipts = made.map(({ logs, receipt, transaction }, i): Made.Json => {
    const said = Made.object(Made.list(block["transactions"])[i])
    const used = receipt.cumulativeBlockGasUsed - before
    before = receipt.cumulativeBlockGasUsed
    const place = {
      blockHash: block["hash"]!,
      blockNumber: block["number"]!,
      transactionHash: said["hash"]!,
      transactionIndex: Made.hex(i)
    }
    return {
      ...place,
      contractAddress: transaction.to === undefined ? created(transaction) : null,
      cumulativeGasUsed: Made.hex(receipt.cumulativeBlockGasUsed),
      effectiveGasPrice: said["gasPrice"]!,
      from: said["from"]!,
      gasUsed: Made.hex(used),
      logs: logs.map(([address, topics, data]) => ({
        address: bytesToHex(address),
        topics: topics.map(bytesToHex),
        data: bytesToHex(data),
        ...place,
        blockTimestamp: block["timestamp"]!,
        logIndex: Made.hex(logIndex++),
        removed: false
      })),
      logsBloom: bytesToHex(receipt.bitvector),
      ...(byzantium ? { status: failed(i) ? "0x0" : "0x1" } : { root: bytesToHex(roots(i)) }),
      to: said["to"]!,
      type: said["type"]!,
      ...(transaction.type === 3 ? { blobGasUsed: "0x40000", blobGasPrice: "0x1" } : {})
    }
  })
  return { block, receipts }
}

/** Makes a block with one deposit. A deposit is a transaction with a signature of zeros. ethereumjs cannot make it. */
export const withDeposit = async (
  deposit: Made.JsonObject
): Promise<{ readonly block: Made.JsonObject; readonly receipts: Array<Made.Json> }> => {
  const text = (name: string): `0x${string}` => Made.string(deposit[name]) as `0x${string}`
  const number = (name: string): bigint => BigInt(text(name))
  const leaf = RLP.encode([
    number("nonce"),
    number("gasPrice"),
    number("gas"),
    text("to"),
    number("value"),
    text("input"),
    0n,
    0n,
    0n
  ])
  const receipt = { status: 1 as const, cumulativeBlockGasUsed: 21_000n, bitvector: new Bloom().bitvector, logs: [] }
  const empty = await Made.block(Hardfork.Istanbul, [], [], {
    transactionsTrie: await rootOf([leaf]),
    receiptTrie: await rootOf([encodeReceipt(receipt, 0)]),
    logsBloom: receipt.bitvector,
    gasUsed: 21_000n
  })
  const place = { blockHash: empty["hash"]!, blockNumber: empty["number"]!, transactionIndex: "0x0" }
  const { size: _, ...header } = empty
  return {
    block: { ...header, transactions: [{ ...deposit, ...place }] },
    receipts: [
      {
        ...place,
        transactionHash: deposit["hash"]!,
        contractAddress: null,
        cumulativeGasUsed: "0x5208",
        gasUsed: "0x5208",
        effectiveGasPrice: "0x0",
        from: deposit["from"]!,
        to: deposit["to"]!,
        logs: [],
        logsBloom: bytesToHex(receipt.bitvector),
        status: "0x1",
        type: "0x0"
      }
    ]
  }
}

const created = (transaction: TypedTransaction): string =>
  createContractAddress(transaction.getSenderAddress(), transaction.nonce).toString()

/** Returns the proven block. */
export const proven = (json: Made.Json, options?: { readonly senders: boolean }): Verdict.Verified<Block.Block> => {
  const block = Made.decodeBlock(json)
  const verdict = Result.getOrThrow(Verify.block(block, block.hash!, options))
  if (verdict._tag === "CLAIMED") throw new Error("only claimed")
  return verdict
}

/** Returns the block with only the hashes of its transactions. */
export const withHashes = (block: Made.JsonObject): Made.JsonObject => ({
  ...block,
  transactions: Made.list(block["transactions"]).map((transaction) => Made.object(transaction)["hash"]!)
})

export const decode = Schema.decodeUnknownSync(Schema.Array(Receipt.Receipt))
export const decodeResult = Schema.decodeUnknownResult(Schema.Array(Receipt.Receipt))
