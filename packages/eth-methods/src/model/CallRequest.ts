/**
 * A transaction that is only simulated: the argument of eth_call, eth_estimateGas and eth_createAccessList.
 *
 * Source: execution-apis (schemas/transaction.yaml, GenericTransaction). Every field is optional: the node fills in
 * what is missing. As in geth, a field that is null is missing; only the receiver may stay null.
 */
import type * as Schema from "effect/Schema"

import * as EthWire from "./ethWire.ts"
import type * as Input from "./Input.ts"
import * as Transaction from "./Transaction.ts"

/** An address and some of its slots, as programs write them. */
export interface AccessListItem {
  readonly address: Input.Address
  readonly storageKeys: ReadonlyArray<Input.Hash32>
}
const accessListItem: EthWire.Wire<Schema.Codec<AccessListItem, typeof Transaction.AccessListItem.Encoded>> =
  EthWire.of(Transaction.AccessListItem)

/** A signed permission, as programs write it. */
export interface Authorization extends Pick<Transaction.Authorization, "chainId" | "nonce" | "yParity" | "r" | "s"> {
  readonly address: Input.Address
}
const authorization: EthWire.Wire<Schema.Codec<Authorization, typeof Transaction.Authorization.Encoded>> = EthWire.of(
  Transaction.Authorization
)

const callRequest = EthWire.object("CallRequest", {
  from: EthWire.missable(EthWire.inputAddress),
  /** The receiver; null or omitted to create a contract. */
  to: EthWire.optional(EthWire.nullOr(EthWire.inputAddress)),
  gas: EthWire.missable(EthWire.quantity),
  /** Wei per unit of gas, for transactions of types 0 and 1. */
  gasPrice: EthWire.missable(EthWire.quantity),
  /** Wei per unit of gas, for transactions of types 2 to 4. It cannot be combined with `gasPrice`. */
  maxFeePerGas: EthWire.missable(EthWire.quantity),
  maxPriorityFeePerGas: EthWire.missable(EthWire.quantity),
  /** The value in wei. */
  value: EthWire.missable(EthWire.quantity),
  nonce: EthWire.missable(EthWire.quantity),
  /** The data of the call, under its standard name. */
  input: EthWire.missable(EthWire.data),
  /**
   * The data of the call under its older name, which every node accepts. Nodes refuse a request in which `input` and
   * `data` differ.
   */
  data: EthWire.missable(EthWire.data),
  accessList: EthWire.missable(EthWire.array(accessListItem)),
  authorizationList: EthWire.missable(EthWire.array(authorization)),
  maxFeePerBlobGas: EthWire.missable(EthWire.quantity),
  blobVersionedHashes: EthWire.missable(EthWire.array(EthWire.inputHash32)),
  blobs: EthWire.missable(EthWire.array(EthWire.data)),
  commitments: EthWire.missable(EthWire.array(EthWire.bytes(48))),
  proofs: EthWire.missable(EthWire.array(EthWire.bytes(48))),
  chainId: EthWire.missable(EthWire.quantity),
  type: EthWire.missable(EthWire.integer)
})
/** The request of a simulated call. */
export const CallRequest: Schema.Codec<CallRequest, typeof callRequest.schema.Encoded> = callRequest.schema
/** See the Schema of the same name. */
export interface CallRequest extends Schema.Schema.Type<typeof callRequest.schema> {}
