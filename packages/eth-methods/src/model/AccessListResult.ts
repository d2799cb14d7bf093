/**
 * The answer of eth_createAccessList.
 *
 * Source: execution-apis (eth/execute.yaml), EIP-2930.
 */
import type * as Schema from "effect/Schema"

import * as EthWire from "./ethWire.ts"
import * as Transaction from "./Transaction.ts"

const accessListResult = EthWire.object("AccessListResult", {
  /** The addresses and slots that the call touches. */
  accessList: EthWire.array(EthWire.of(Transaction.AccessListItem)),
  /** The gas that the call uses with this list. */
  gasUsed: EthWire.quantity,
  /** The reason why the call failed; absent if it did not fail. */
  error: EthWire.optional(EthWire.string)
})
/** An access list for a call, and the gas that the call uses with it. */
export const AccessListResult: Schema.Codec<AccessListResult, typeof accessListResult.schema.Encoded> =
  accessListResult.schema
/** See the Schema of the same name. */
export interface AccessListResult extends Schema.Schema.Type<typeof accessListResult.schema> {}
