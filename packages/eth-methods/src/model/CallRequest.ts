/**
 * A transaction that is only simulated: the argument of eth_call, eth_estimateGas and eth_createAccessList.
 *
 * Source: execution-apis (schemas/transaction.yaml, GenericTransaction). Every field is optional: the node fills in
 * what is missing. As in geth, a field that is null is missing; only the receiver may stay null.
 */
import type * as Schema from "effect/Schema"

import type * as Input from "./Input.ts"
import * as Transaction from "./Transaction.ts"
import * as Wire from "./wire.ts"

/** An address and some of its slots, as programs write them. */
export interface AccessListItem {
  readonly address: Input.Address
  readonly storageKeys: ReadonlyArray<Input.Hash32>
}
const accessListItem: Wire.Wire<Schema.Codec<AccessListItem, typeof Transaction.AccessListItem.Encoded>> = Wire.of(
  Transaction.AccessListItem
)

/** A signed permission, as programs write it. */
export interface Authorization extends Pick<Transaction.Authorization, "chainId" | "nonce" | "yParity" | "r" | "s"> {
  readonly address: Input.Address
}
const authorization: Wire.Wire<Schema.Codec<Authorization, typeof Transaction.Authorization.Encoded>> = Wire.of(
  Transaction.Authorization
)

const callRequest = Wire.object("CallRequest", {
  from: Wire.missable(Wire.inputAddress),
  /** The receiver; null or omitted to create a contract. */
  to: Wire.optional(Wire.nullOr(Wire.inputAddress)),
  gas: Wire.missable(Wire.quantity),
  /** Wei per unit of gas, for transactions of types 0 and 1. */
  gasPrice: Wire.missable(Wire.quantity),
  /** Wei per unit of gas, for transactions of types 2 to 4. It cannot be combined with `gasPrice`. */
  maxFeePerGas: Wire.missable(Wire.quantity),
  maxPriorityFeePerGas: Wire.missable(Wire.quantity),
  /** The value in wei. */
  value: Wire.missable(Wire.quantity),
  nonce: Wire.missable(Wire.quantity),
  /** The data of the call, under its standard name. */
  input: Wire.missable(Wire.data),
  /**
   * The data of the call under its older name, which every node accepts. Nodes refuse a request in which `input` and
   * `data` differ.
   */
  data: Wire.missable(Wire.data),
  accessList: Wire.missable(Wire.array(accessListItem)),
  authorizationList: Wire.missable(Wire.array(authorization)),
  maxFeePerBlobGas: Wire.missable(Wire.quantity),
  blobVersionedHashes: Wire.missable(Wire.array(Wire.inputHash32)),
  blobs: Wire.missable(Wire.array(Wire.data)),
  commitments: Wire.missable(Wire.array(Wire.bytes(48))),
  proofs: Wire.missable(Wire.array(Wire.bytes(48))),
  chainId: Wire.missable(Wire.quantity),
  type: Wire.missable(Wire.integer)
})
/** The request of a simulated call. */
export const CallRequest: Schema.Codec<CallRequest, typeof callRequest.schema.Encoded> = callRequest.schema
/** See the Schema of the same name. */
export interface CallRequest extends Schema.Schema.Type<typeof callRequest.schema> {}
