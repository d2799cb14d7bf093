/** Methods about transactions. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Schema from "effect/Schema"

import * as Receipt from "../model/Receipt.ts"
import * as Transaction from "../model/Transaction.ts"
import * as EthMethod from "./EthMethod.ts"
import { blockHash, FEW, index, numberOrTag, transactionHash } from "./ethParams.ts"

/** Maximum time that a call may ask to wait for a block: ten minutes, in milliseconds. */
export const MAX_WAIT = 600_000

/** The transaction with this hash, mined or pending, or null. */
export const eth_getTransactionByHash = /* @__PURE__ */ EthMethod.make("eth_getTransactionByHash", {
  read: "getTransactionByHash",
  trust: "proven",
  params: [transactionHash],
  result: /* @__PURE__ */ Schema.NullOr(Transaction.Transaction),
  doc: "The transaction with this hash, mined or pending, or null.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

/** The transaction at a position of the block with this hash, or null. */
export const eth_getTransactionByBlockHashAndIndex = /* @__PURE__ */ EthMethod.make(
  "eth_getTransactionByBlockHashAndIndex",
  {
    read: "getTransactionByBlockHashAndIndex",
    trust: "proven",
    params: [blockHash, index],
    result: /* @__PURE__ */ Schema.NullOr(Transaction.Transaction),
    doc: "The transaction at this position of the block with this hash, or null.",
    cost: 150,
    verification: "proven",
    cache: "immutable"
  }
)

/** The transaction at a position of the block with this number or tag, or null. */
export const eth_getTransactionByBlockNumberAndIndex = /* @__PURE__ */ EthMethod.make(
  "eth_getTransactionByBlockNumberAndIndex",
  {
    read: "getTransactionByBlockNumberAndIndex",
    trust: "proven",
    params: [numberOrTag, index],
    result: /* @__PURE__ */ Schema.NullOr(Transaction.Transaction),
    doc: "The transaction at this position of the block with this number or tag, or null.",
    cost: 150,
    verification: "proven",
    cache: "block"
  }
)

/**
 * Sends a signed transaction to the network, and returns its hash.
 *
 * The nonce allows the transaction to run only once. Even so, the client does not send it again after a lost answer:
 * the second answer would be an error ("already known", "nonce too low") although the transaction may have succeeded.
 */
export const eth_sendRawTransaction = /* @__PURE__ */ EthMethod.make("eth_sendRawTransaction", {
  read: "sendRawTransaction",
  trust: "proven",
  params: [
    /* @__PURE__ */ EthMethod.param("transaction", Hex.Hex, {
      names: "nothing",
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

const timeout = /* @__PURE__ */ (() => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_WAIT })))()

/**
 * Sends a signed transaction, and waits until a block includes it (EIP-7966). Like `eth_sendRawTransaction`, it is not
 * sent again after a lost answer.
 */
export const eth_sendRawTransactionSync = /* @__PURE__ */ EthMethod.make("eth_sendRawTransactionSync", {
  read: "sendRawTransactionSync",
  trust: "proven",
  params: [
    /* @__PURE__ */ EthMethod.param("transaction", Hex.Hex, {
      names: "nothing",
      doc: "the signed transaction; for type 3 in the network form, with its blobs",
      values: FEW
    }),
    /* @__PURE__ */ EthMethod.param("timeout", timeout, {
      names: "nothing",
      optional: true,
      doc: "time to wait for a block, in milliseconds; nodes have a default and a maximum of their own",
      values: FEW
    })
  ],
  result: Receipt.Receipt,
  doc: "Sends a signed transaction, waits until a block includes it, and returns its receipt.",
  cost: 160,
  verification: "partial",
  cache: "none",
  idempotent: false
})
