/** Whether a node has a transaction that was handed in, of which nobody said whether it was taken. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as SentTransaction from "@plumbline/eth-methods/model/SentTransaction"
import * as Predicate from "effect/Predicate"

/** The method that hands in transactions whose hashes are known here. */
export const SEND = "eth_sendRawTransaction"

/** What a node is asked for one. */
export const LOOK_UP = "eth_getTransactionByHash"

/** The hash of what is handed in. */
export const hashOf = ([sent]: ReadonlyArray<unknown>): Hex.Hex | undefined =>
  Hex.isHex(sent) ? SentTransaction.hash(Hex.toBytesUnsafe(sent)) : undefined

/** Whether an answer to the question for it is that transaction. */
export const isIt = (answer: Uint8Array, hash: Hex.Hex): boolean => {
  let transaction: unknown
  try {
    transaction = JSON.parse(decoder.decode(answer))
  } catch {
    return false
  }
  return Predicate.hasProperty(transaction, "hash") && Hex.isHex(transaction.hash) && Hex.equals(transaction.hash, hash)
}

const decoder = new TextDecoder()
