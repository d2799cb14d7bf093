/** Blocks of every fork from their RLP: `[header, transactions, uncles, withdrawals?]`. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Rlp from "@plumbline/codec/rlp/Rlp"

import type * as Block from "../model/Block.ts"
import type * as Transaction from "../model/Transaction.ts"
import type { Engine } from "../sender/noble.ts"
import * as Fields from "./fields.ts"
import * as Header from "./header.ts"
import * as ReadTransaction from "./transaction.ts"

/** A block split into its parts. */
export interface Parts {
  readonly header: Block.Header
  /** The encoding of each transaction, which is both hashed and stored in the trie. */
  readonly transactions: ReadonlyArray<Uint8Array>
  readonly uncles: ReadonlyArray<Block.Uncle>
  /** The withdrawals, since Shanghai (EIP-4895). */
  readonly withdrawals: ReadonlyArray<Block.Withdrawal> | undefined
  /** Bytes of the whole block's RLP. */
  readonly size: bigint
}

export const read = (bytes: Uint8Array): Parts => {
  const items = Fields.list(Fields.decode(bytes, ""), "", [3, 4])
  const [first, transactions, uncles] = items as readonly [Rlp.Rlp, Rlp.Rlp, Rlp.Rlp, ...Array<Rlp.Rlp>]
  const header = Header.read(first, "header")
  const withdrawals = items[3]
  if ((withdrawals === undefined) !== (header.withdrawalsRoot === undefined)) {
    return withdrawals === undefined
      ? Fields.refuse("withdrawals", "a list: the header has a withdrawalsRoot", "nothing")
      : Fields.refuse("withdrawals", "nothing: the header has no withdrawalsRoot", "a list")
  }
  return {
    header,
    transactions: Fields.list(transactions, "transactions").map((item, i) => encodingOf(item, `transactions[${i}]`)),
    uncles: Fields.list(uncles, "uncles").map((item, i) => Header.readUncle(item, `uncles[${i}]`)),
    withdrawals:
      withdrawals === undefined
        ? undefined
        : Fields.list(withdrawals, "withdrawals").map((item, i) => readWithdrawal(item, `withdrawals[${i}]`)),
    size: BigInt(bytes.length)
  }
}

/** Returns the encoding of a transaction. In the block, a typed transaction is a byte string, a legacy one a list. */
const encodingOf = (item: Rlp.Rlp, path: string): Uint8Array => {
  if (!(item instanceof Uint8Array)) return Rlp.encode(item)
  return item.length > 0 && item[0]! < 0x80
    ? item
    : Fields.refuse(path, "a list, or a type below 0x80", "something else")
}

const readWithdrawal = (item: Rlp.Rlp, path: string): Block.Withdrawal => {
  const [index, validatorIndex, address, amount] = Fields.list(item, path, [4]) as readonly [
    Rlp.Rlp,
    Rlp.Rlp,
    Rlp.Rlp,
    Rlp.Rlp
  ]
  return {
    index: Fields.integer(index, `${path}.index`),
    validatorIndex: Fields.integer(validatorIndex, `${path}.validatorIndex`),
    address: Fields.address(address, `${path}.address`),
    amount: Fields.integer(amount, `${path}.amount`)
  }
}

/** Makes a block from its parts, with the hashes of its transactions or with whole ones. */
export const assemble = <T extends Hash32.Hash32 | Transaction.Transaction>(
  { header, size, uncles, withdrawals }: Parts,
  transactions: ReadonlyArray<T>
) => ({
  ...header,
  size,
  uncles: uncles.map((uncle) => uncle.hash!),
  ...(withdrawals === undefined ? {} : { withdrawals }),
  transactions
})

export const hashes = (parts: Parts): ReadonlyArray<Hash32.Hash32> =>
  Keccak256.hashMany(parts.transactions).map(Hash32.fromBytesUnsafe)

/** Returns the whole transactions, with recovered senders. */
export const transactions = (
  { header, transactions }: Parts,
  recovery: Engine | undefined
): ReadonlyArray<Transaction.Transaction> =>
  transactions.map((bytes, index) =>
    ReadTransaction.read(bytes, `transactions[${index}]`, { place: { header, index }, recovery })
  )
