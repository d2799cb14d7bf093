/**
 * The encoding of receipts: what the leaves of the receipts' trie hold.
 *
 * Sources: Yellow Paper section 4.3.1, EIP-658, EIP-2718.
 */
import * as Address from "@plumbline/codec/Address"
import type * as RlpWriter from "@plumbline/codec/RlpWriter"

import * as Receipt from "../Receipt.ts"

/** Which of the two a receipt holds: the state root after the transaction, until Byzantium, or its status. */
export type Outcome = "root" | "status"

/**
 * Appends the RLP of a receipt, `type || RLP` of a typed one.
 *
 * What the receipt holds first is the outcome that is wanted, or the other one where it does not say that. `bloom` is the
 * filter of its logs.
 */
export const write = (
  writer: RlpWriter.RlpWriter,
  receipt: Receipt.Receipt,
  type: number,
  outcome: Outcome,
  bloom: Uint8Array
): void => {
  if (type !== 0) writer.byte(type)
  const list = writer.beginList()
  const root = Receipt.rootOf(receipt)
  if (root !== undefined && (outcome === "root" || receipt.status == null)) writer.data(root)
  else writer.quantity(receipt.status ?? 0n)
  writer.quantity(receipt.cumulativeGasUsed)
  writer.bytes(bloom)
  const logs = writer.beginList()
  for (const log of receipt.logs) {
    const entry = writer.beginList()
    writer.data(log.address)
    const topics = writer.beginList()
    for (const topic of log.topics) writer.data(topic)
    writer.endList(topics)
    writer.data(log.data)
    writer.endList(entry)
  }
  writer.endList(logs)
  writer.endList(list)
}

/** The address of the contract that a transaction creates (Yellow Paper, section 7). The writer is used for scratch. */
export const createdAddress = (
  sender: Address.Address,
  nonce: bigint,
  writer: RlpWriter.RlpWriter
): Address.Address => {
  const from = writer.position
  const list = writer.beginList()
  writer.data(sender)
  writer.quantity(nonce)
  writer.endList(list)
  return Address.fromBytesUnsafe(writer.hash(from).subarray(12))
}
