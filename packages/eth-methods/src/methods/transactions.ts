/** Methods about transactions. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as Schema from "effect/Schema"

import * as Transaction from "../model/Transaction.ts"
import { blockHash, FEW, index, numberOrTag, transactionHash } from "./params.ts"

/** The transaction with this hash, mined or pending, or null. */
export const eth_getTransactionByHash = Method.make("eth_getTransactionByHash", {
  params: [transactionHash],
  result: Schema.NullOr(Transaction.Transaction),
  doc: "The transaction with this hash, mined or pending, or null.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

/** The transaction at a position of the block with this hash, or null. */
export const eth_getTransactionByBlockHashAndIndex = Method.make("eth_getTransactionByBlockHashAndIndex", {
  params: [blockHash, index],
  result: Schema.NullOr(Transaction.Transaction),
  doc: "The transaction at this position of the block with this hash, or null.",
  cost: 150,
  verification: "proven",
  cache: "immutable"
})

/** The transaction at a position of the block with this number or tag, or null. */
export const eth_getTransactionByBlockNumberAndIndex = Method.make("eth_getTransactionByBlockNumberAndIndex", {
  params: [numberOrTag, index],
  result: Schema.NullOr(Transaction.Transaction),
  doc: "The transaction at this position of the block with this number or tag, or null.",
  cost: 150,
  verification: "proven",
  cache: "block"
})

/**
 * Sends a signed transaction to the network, and returns its hash.
 *
 * The nonce allows the transaction to run only once. Even so, the client does not send it again after a lost answer:
 * the second answer would be an error ("already known", "nonce too low") although the transaction may have succeeded.
 */
export const eth_sendRawTransaction = Method.make("eth_sendRawTransaction", {
  params: [
    Method.param("transaction", Hex.Hex, {
      doc: "the signed transaction; for type 3 in the network form, with its blobs",
      values: FEW
    })
  ],
  result: Hash32.Hash32,
  doc: "Sends a signed transaction, and returns its hash.",
  cost: 80,
  verification: "claimed",
  cache: "none",
  idempotent: false
})
