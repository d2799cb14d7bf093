/**
 * The network form of a transaction with blobs: with its blobs, commitments and proofs (EIP-4844, EIP-7594).
 *
 * Blocks hold transactions without blobs. But anvil (as of 1.7.1) computes the transactionsRoot from the network form,
 * and includes the blobs in its answers, so its root can be proven with them.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"

import type * as Transaction from "../model/Transaction.ts"
import { writeBody } from "./transactionEncoding.ts"

/** True if the answer includes the blobs. */
export const hasBlobs = (transaction: Transaction.KnownTransaction): transaction is Transaction.Blob =>
  transaction.type === 3n && sidecarOf(transaction) !== undefined

/** Appends the network form of a transaction whose answer includes the blobs. */
export const writeNetworkForm = (writer: RlpWriter.RlpWriter, transaction: Transaction.Blob): void => {
  const { cells, lists } = sidecarOf(transaction)!
  writer.byte(3)
  const whole = writer.beginList()
  writeBody(writer, transaction)
  if (cells) writer.quantity(CELLS)
  for (const texts of lists) {
    const list = writer.beginList()
    for (const text of texts) writer.data(text)
    writer.endList(list)
  }
  writer.endList(whole)
}

/** The version of the network form with cell proofs (EIP-7594). The older form has no version. */
const CELLS = 1n

interface Sidecar {
  readonly cells: boolean
  readonly lists: ReadonlyArray<ReadonlyArray<Hex.Hex>>
}

const sidecarOf = (transaction: Transaction.Blob): Sidecar | undefined => {
  const { blobs, cellProofs, commitments, proofs } = transaction as Readonly<Record<string, unknown>>
  const cells = cellProofs !== undefined
  const lists = [blobs, commitments, cells ? cellProofs : proofs]
  return lists.every(isHexList) ? { cells, lists } : undefined
}

const isHexList = (value: unknown): value is ReadonlyArray<Hex.Hex> => Array.isArray(value) && value.every(Hex.isHex)
