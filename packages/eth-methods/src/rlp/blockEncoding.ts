/** Blocks of every fork from their RLP: `[header, transactions, uncles, withdrawals?]`. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Rlp from "@plumbline/codec/rlp/Rlp"

import type * as Block from "../model/Block.ts"
import type * as Transaction from "../model/Transaction.ts"
import type { RecoveryEngine } from "../sender/recoveryEngine.ts"
import * as HeaderEncoding from "./headerEncoding.ts"
import * as StrictItems from "./strictItems.ts"
import * as ReadTransactionEncoding from "./transactionEncoding.ts"

/** A block split into its parts. */
export interface BlockParts {
  readonly header: Block.Header
  /** The encoding of each transaction, which is both hashed and stored in the trie. */
  readonly transactions: ReadonlyArray<Uint8Array>
  readonly uncles: ReadonlyArray<Block.Uncle>
  /** The withdrawals, since Shanghai (EIP-4895). */
  readonly withdrawals: ReadonlyArray<Block.Withdrawal> | undefined
  /** Bytes of the whole block's RLP. */
  readonly size: bigint
}

export const read = (bytes: Uint8Array): BlockParts => {
  const items = StrictItems.list(StrictItems.decode(bytes, ""), "", [3, 4])
  const [first, transactions, uncles] = items as readonly [Rlp.Rlp, Rlp.Rlp, Rlp.Rlp, ...Array<Rlp.Rlp>]
  const header = HeaderEncoding.read(first, "header")
  const withdrawals = items[3]
  if ((withdrawals === undefined) !== (header.withdrawalsRoot === undefined)) {
    return withdrawals === undefined
      ? StrictItems.refuse("withdrawals", "a list: the header has a withdrawalsRoot", "nothing")
      : StrictItems.refuse("withdrawals", "nothing: the header has no withdrawalsRoot", "a list")
  }
  return {
    header,
    transactions: StrictItems.list(transactions, "transactions").map((item, i) =>
      encodingOf(item, `transactions[${i}]`)
    ),
    uncles: StrictItems.list(uncles, "uncles").map((item, i) => HeaderEncoding.readUncle(item, `uncles[${i}]`)),
    withdrawals:
      withdrawals === undefined
        ? undefined
        : StrictItems.list(withdrawals, "withdrawals").map((item, i) => readWithdrawal(item, `withdrawals[${i}]`)),
    size: BigInt(bytes.length)
  }
}

/** Returns the encoding of a transaction. In the block, a typed transaction is a byte string, a legacy one a list. */
const encodingOf = (item: Rlp.Rlp, path: string): Uint8Array => {
  if (!(item instanceof Uint8Array)) return Rlp.encode(item)
  return item.length > 0 && item[0]! < 0x80
    ? item
    : StrictItems.refuse(path, "a list, or a type below 0x80", "something else")
}

const readWithdrawal = (item: Rlp.Rlp, path: string): Block.Withdrawal => {
  const [index, validatorIndex, address, amount] = StrictItems.list(item, path, [4]) as readonly [
    Rlp.Rlp,
    Rlp.Rlp,
    Rlp.Rlp,
    Rlp.Rlp
  ]
  return {
    index: StrictItems.integer(index, `${path}.index`),
    validatorIndex: StrictItems.integer(validatorIndex, `${path}.validatorIndex`),
    address: StrictItems.address(address, `${path}.address`),
    amount: StrictItems.integer(amount, `${path}.amount`)
  }
}

/** Makes a block from its parts, with the hashes of its transactions or with whole ones. */
export const assemble = <T extends Hash32.Hash32 | Transaction.Transaction>(
  { header, size, uncles, withdrawals }: BlockParts,
  transactions: ReadonlyArray<T>
) => ({
  ...header,
  size,
  uncles: uncles.map((uncle) => uncle.hash!),
  ...(withdrawals === undefined ? {} : { withdrawals }),
  transactions
})

export const hashes = (parts: BlockParts): ReadonlyArray<Hash32.Hash32> =>
  Keccak256.hashMany(parts.transactions).map(Hash32.fromBytesUnsafe)

/** Returns the whole transactions, with recovered senders. */
export const transactions = (
  { header, transactions }: BlockParts,
  recovery: RecoveryEngine | undefined
): ReadonlyArray<Transaction.Transaction> =>
  transactions.map((bytes, index) =>
    ReadTransactionEncoding.read(bytes, `transactions[${index}]`, { place: { header, index }, recovery })
  )
