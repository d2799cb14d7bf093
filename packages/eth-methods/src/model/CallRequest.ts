/**
 * A transaction that is only tried: what eth_call, eth_estimateGas and eth_createAccessList take.
 *
 * Source: execution-apis (schemas/transaction.yaml, GenericTransaction). Every field is optional: the node fills in
 * what is missing.
 */
import * as Transaction from "./Transaction.ts"
import * as Wire from "./wire.ts"

const callRequest = Wire.object("CallRequest", {
  from: Wire.optional(Wire.address),
  /** Null or left out for the creation of a contract. */
  to: Wire.optional(Wire.nullOr(Wire.address)),
  gas: Wire.optional(Wire.quantity),
  /** Wei per unit of gas, in the style of types 0 and 1. */
  gasPrice: Wire.optional(Wire.quantity),
  /** Wei per unit of gas, in the style of types 2 to 4; not together with `gasPrice`. */
  maxFeePerGas: Wire.optional(Wire.quantity),
  maxPriorityFeePerGas: Wire.optional(Wire.quantity),
  /** Wei. */
  value: Wire.optional(Wire.quantity),
  nonce: Wire.optional(Wire.quantity),
  /** The data sent along, under the standard's name. */
  input: Wire.optional(Wire.data),
  /** Its older name, which every node takes. Nodes refuse both where they differ. */
  data: Wire.optional(Wire.data),
  accessList: Wire.optional(Wire.array(Wire.of(Transaction.AccessListItem))),
  authorizationList: Wire.optional(Wire.array(Wire.of(Transaction.Authorization))),
  maxFeePerBlobGas: Wire.optional(Wire.quantity),
  blobVersionedHashes: Wire.optional(Wire.array(Wire.hash32)),
  blobs: Wire.optional(Wire.array(Wire.data)),
  commitments: Wire.optional(Wire.array(Wire.bytes(48))),
  proofs: Wire.optional(Wire.array(Wire.bytes(48))),
  chainId: Wire.optional(Wire.quantity),
  type: Wire.optional(Wire.integer)
})
/** The request. */
export const CallRequest = callRequest.schema
/** See the Schema of the same name. */
export type CallRequest = typeof CallRequest.Type
