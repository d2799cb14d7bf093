/** The encodings of a block's transactions, which are the items of the trie under its transactionsRoot. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"

import type * as Block from "../model/Block.ts"
import * as LaterForks from "../model/LaterForks.ts"
import type * as LaterTransactions from "../model/LaterTransactions.ts"
import * as Transaction from "../model/Transaction.ts"
import * as LaterEncoding from "../rlp/laterEncoding.ts"
import { hasBlobs, writeNetworkForm } from "../rlp/networkForm.ts"
import { write } from "../rlp/transactionEncoding.ts"
import type * as EthereumChains from "./ethereumChains.ts"

/** Whole transactions, each of a known type or of a form that the caller names. */
export interface Readable {
  readonly transactions: ReadonlyArray<Transaction.Transaction>
  /** The forms by the index of their transaction. */
  readonly forms: ReadonlyMap<number, LaterTransactions.TransactionType>
}

const NO_FORMS: Readable["forms"] = new Map()

/** Returns the forms that the caller names for unknown types; undefined if one of these types has none. */
export const formsOf = (
  transactions: ReadonlyArray<Transaction.Transaction>,
  { timestamp }: Block.Block,
  { forks }: EthereumChains.OfChain
): Readable["forms"] | undefined => {
  if (transactions.every(Transaction.isKnown)) return NO_FORMS
  const forms = new Map<number, LaterTransactions.TransactionType>()
  for (const [i, transaction] of transactions.entries()) {
    if (Transaction.isKnown(transaction)) continue
    const form =
      transaction.type === undefined
        ? undefined
        : LaterForks.transactionType(forks, BigInt(transaction.type), timestamp)
    if (form === undefined) return undefined
    forms.set(i, form)
  }
  return forms
}

/** Characters of the text of a hash. */
const HASH_TEXT = 66

type Write = (writer: RlpWriter.RlpWriter, transaction: Transaction.KnownTransaction) => void

/** The positions of items in a writer. */
export interface Written {
  readonly starts: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
}

/** Writes the transactions in the form in which their trie holds them, each as a message to hash. */
export const encode = ({ forms, transactions }: Readable, writer: RlpWriter.RlpWriter, write: Write): Written => {
  const starts: Array<number> = []
  const ends: Array<number> = []
  for (const [i, transaction] of transactions.entries()) {
    const start = writer.beginMessage()
    const form = forms.get(i)
    if (form === undefined) write(writer, transaction as Transaction.KnownTransaction)
    else LaterEncoding.write(writer, form, transaction)
    starts.push(start)
    ends.push(writer.endMessage(start))
  }
  return { starts, ends }
}

/**
 * Encodes the list again, with blob transactions in the network form (with their blobs). Returns the encoded items if
 * their trie has this root; otherwise returns undefined.
 */
export const encodeWithBlobs = (
  readable: Readable,
  root: Hash32.Hash32,
  writer: RlpWriter.RlpWriter
): Written | undefined => {
  if (!readable.transactions.some((one) => Transaction.isKnown(one) && hasBlobs(one))) return undefined
  const items = encode(readable, writer, (writer, transaction) =>
    hasBlobs(transaction) ? writeNetworkForm(writer, transaction) : write(writer, transaction)
  )
  return Hex.equals(Trie.rootOfWritten(writer, items.starts, items.ends), root) ? items : undefined
}

/** Returns one of the hashes in the text of all. */
export const hashAt = (hashes: string, index: number): Hash32.Hash32 =>
  hashes.slice(HASH_TEXT * index, HASH_TEXT * (index + 1)) as Hash32.Hash32

/**
 * True if the transactions have these hashes, in lower case. The hashes are compared as one text, so that `hashes` need
 * not be cut.
 */
export const haveHashes = (transactions: ReadonlyArray<Transaction.Transaction>, hashes: string): boolean => {
  let said = ""
  for (const { hash } of transactions) {
    // longer text could hold a part of the next hash
    if (hash.length !== HASH_TEXT) return false
    said += hash
  }
  return said === hashes
}
