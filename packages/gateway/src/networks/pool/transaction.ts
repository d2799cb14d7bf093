/** Finds out if a node has a submitted transaction whose acceptance is unknown. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as SentTransaction from "@plumbline/eth-methods/model/SentTransaction"
import * as Predicate from "effect/Predicate"

/** The method that hands in transactions whose hashes are known here. */
export const SEND = "eth_sendRawTransaction"

/** The method that looks a transaction up. */
export const LOOK_UP = "eth_getTransactionByHash"

/** Returns the hash of a submitted transaction. */
export const hashOf = ([sent]: ReadonlyArray<unknown>): Hex.Hex | undefined =>
  Hex.isHex(sent) ? SentTransaction.hash(Hex.toBytesUnsafe(sent)) : undefined

/** True if the answer to the look-up is that transaction. */
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
