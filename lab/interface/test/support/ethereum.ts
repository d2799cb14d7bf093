/** Rebuilds blocks and transactions from a node's answers, with only ethers, ethereumjs and viem. */
import { createMPT } from "@ethereumjs/mpt"
import { HistoryChain } from "@plumbline/devnet"
import * as HeaderFields from "@plumbline/seeded/HeaderFields"
import { encodeRlp, getBytes, Transaction } from "ethers"
import { type Hex, keccak256 } from "viem"

import * as Ask from "../../src/ask.ts"
import type { Target } from "../../src/target.ts"

export interface Block {
  readonly [field: string]: any
  readonly number: Hex
  readonly hash: Hex
  readonly transactions: ReadonlyArray<any>
  readonly uncles: ReadonlyArray<Hex>
}

const remembered = <A>(read: (target: Target) => Promise<A>): ((target: Target) => Promise<A>) => {
  const known = new WeakMap<Target, Promise<A>>()
  return (target) => {
    const before = known.get(target)
    if (before !== undefined) return before
    const reading = read(target)
    known.set(target, reading)
    return reading
  }
}

/** Returns every block of the history chain, read by its hash, with whole transactions. */
export const blocks = remembered((target): Promise<ReadonlyArray<Block>> =>
  Promise.all(HistoryChain.blocks.map(({ hash }) => Ask.result(target, "history", "eth_getBlockByHash", [hash, true])))
)

/** Returns the transactions of these blocks, each read by its hash and by its place in its block. */
export const transactions = remembered(async (target) =>
  Promise.all(
    (await blocks(target)).map((block) =>
      Promise.all(
        block.transactions.map(({ hash }): Promise<any> =>
          Ask.result(target, "history", "eth_getTransactionByHash", [hash])
        )
      )
    )
  )
)
export const placed = remembered(async (target) =>
  Promise.all(
    (await blocks(target)).map((block) =>
      Promise.all(
        block.transactions.map((_, index): Promise<any> =>
          Ask.result(target, "history", "eth_getTransactionByBlockHashAndIndex", [block.hash, quantity(index)])
        )
      )
    )
  )
)

/** Returns the uncles of these blocks. */
export const uncles = remembered(async (target) =>
  Promise.all(
    (await blocks(target)).map(({ number, uncles }) =>
      Promise.all(
        uncles.map((_, index): Promise<Block> =>
          Ask.result(target, "history", "eth_getUncleByBlockNumberAndIndex", [number, quantity(index)])
        )
      )
    )
  )
)
export const receipts = remembered(async (target) =>
  Promise.all(
    (await blocks(target)).map(({ number }): Promise<ReadonlyArray<any>> =>
      Ask.result(target, "history", "eth_getBlockReceipts", [number])
    )
  )
)

export const quantity = (n: number | bigint): Hex => `0x${n.toString(16)}`

/** Returns the bytes of a quantity for RLP, and no bytes for zero. */
const integer = (text: string): string => {
  const digits = text.slice(2)
  return digits === "0" ? "0x" : `0x${digits.length % 2 === 1 ? "0" : ""}${digits}`
}

const headerOf = (block: Block): ReadonlyArray<string> =>
  HeaderFields.names
    .filter((field) => block[field] !== undefined)
    .map((field) => (HeaderFields.isQuantity(field) ? integer(block[field]) : block[field]))

/** Returns the hash of a block, computed from its header. */
export const hashOf = (block: Block): Hex => keccak256(encodeRlp([...headerOf(block)]) as Hex)

/** Returns the bytes whose hash is `sha3Uncles`. */
export const encodedUncles = (uncles: ReadonlyArray<Block>): Hex =>
  encodeRlp(uncles.map((uncle) => [...headerOf(uncle)])) as Hex

/** Reads a transaction with ethers, which throws if the signature is invalid. */
export const signed = (transaction: any): Transaction => {
  const { accessList = null, authorizationList, blobVersionedHashes, maxFeePerBlobGas } = transaction
  const isFeeMarket = transaction.maxFeePerGas !== undefined
  return Transaction.from({
    type: Number(transaction.type),
    to: transaction.to,
    nonce: Number(transaction.nonce),
    gasLimit: transaction.gas,
    data: transaction.input,
    value: transaction.value,
    chainId: transaction.chainId ?? 0,
    accessList,
    ...(isFeeMarket
      ? { maxFeePerGas: transaction.maxFeePerGas, maxPriorityFeePerGas: transaction.maxPriorityFeePerGas }
      : { gasPrice: transaction.gasPrice }),
    ...(blobVersionedHashes === undefined ? {} : { blobVersionedHashes, maxFeePerBlobGas }),
    ...(authorizationList === undefined
      ? {}
      : {
          authorizationList: authorizationList.map(({ address, chainId, nonce, r, s, yParity }: any) => ({
            address,
            chainId,
            nonce,
            signature: { r: padded(r), s: padded(s), yParity: Number(yParity) }
          }))
        }),
    signature: { r: padded(transaction.r), s: padded(transaction.s), v: transaction.v }
  })
}

const padded = (text: string): string => `0x${text.slice(2).padStart(64, "0")}`

/** Returns the length of a block in bytes. */
export const sizeOf = (block: Block, uncles: ReadonlyArray<Block>): number => {
  const transactions = block.transactions.map((transaction) => signed(transaction).serialized)
  // In the list of transactions, a legacy transaction is a list, and any other is a string.
  const body = [lengthOfList([...headerOf(block)].map((item) => getBytes(encodeRlp(item)).length))]
  body.push(
    lengthOfList(
      transactions.map((bytes, index) =>
        block.transactions[index].type === "0x0" ? getBytes(bytes).length : getBytes(encodeRlp(bytes)).length
      )
    )
  )
  body.push(getBytes(encodedUncles(uncles)).length)
  if (block["withdrawals"] !== undefined) {
    const withdrawals = block["withdrawals"].map(({ address, amount, index, validatorIndex }: any) => [
      integer(index),
      integer(validatorIndex),
      address,
      integer(amount)
    ])
    body.push(getBytes(encodeRlp(withdrawals)).length)
  }
  return lengthOfList(body)
}

const lengthOfList = (lengths: ReadonlyArray<number>): number => {
  const payload = lengths.reduce((sum, length) => sum + length, 0)
  return payload + (payload < 56 ? 1 : 1 + Math.ceil(Math.log2(payload + 1) / 8))
}

/** Returns the root of the trie that maps each index to the value at this index, as for a block's lists. */
export const rootOf = async (values: ReadonlyArray<string>): Promise<Hex> => {
  const trie = await createMPT()
  for (const [index, value] of values.entries())
    await trie.put(getBytes(encodeRlp(integer(quantity(index)))), getBytes(value))
  return `0x${Buffer.from(trie.root()).toString("hex")}`
}

/** Returns a receipt as the trie of receipts holds it. */
export const encodedReceipt = ({ cumulativeGasUsed, logs, logsBloom, root, status, type }: any): string => {
  const encoded = encodeRlp([
    root ?? integer(status),
    integer(cumulativeGasUsed),
    logsBloom,
    logs.map(({ address, data, topics }: any) => [address, topics, data])
  ])
  return type === "0x0" || type === undefined ? encoded : `0x${type.slice(2).padStart(2, "0")}${encoded.slice(2)}`
}

/** Returns the bloom filter of logs, as the yellow paper defines it: three bits of each address and topic. */
export const bloomOf = (logs: ReadonlyArray<any>): Hex => {
  const bits = new Uint8Array(256)
  for (const { address, topics } of logs) {
    for (const item of [address, ...topics]) {
      const hash = getBytes(keccak256(item))
      for (const at of [0, 2, 4]) {
        const bit = ((hash[at]! << 8) | hash[at + 1]!) & 2047
        bits[255 - (bit >> 3)]! |= 1 << (bit & 7)
      }
    }
  }
  return `0x${Buffer.from(bits).toString("hex")}`
}
