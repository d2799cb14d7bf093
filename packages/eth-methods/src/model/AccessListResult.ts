/**
 * The answer of eth_createAccessList.
 *
 * Source: execution-apis (eth/execute.yaml), EIP-2930.
 */
import type * as Schema from "effect/Schema"

import * as Transaction from "./Transaction.ts"
import * as Wire from "./wire.ts"

const accessListResult = Wire.object("AccessListResult", {
  /** The addresses and slots that the call touches. */
  accessList: Wire.array(Wire.of(Transaction.AccessListItem)),
  /** The gas that the call uses with this list. */
  gasUsed: Wire.quantity,
  /** The reason why the call failed; absent if it did not fail. */
  error: Wire.optional(Wire.string)
})
/** An access list for a call, and the gas that the call uses with it. */
export const AccessListResult: Schema.Codec<AccessListResult, typeof accessListResult.schema.Encoded> =
  accessListResult.schema
/** See the Schema of the same name. */
export interface AccessListResult extends Schema.Schema.Type<typeof accessListResult.schema> {}
