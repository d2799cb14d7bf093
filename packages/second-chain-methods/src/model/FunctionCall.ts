/** A call of a contract that changes nothing. Source: starknet-specs, FUNCTION_CALL. */
import type * as Schema from "effect/Schema"

import * as SecondChainWire from "./secondChainWire.ts"

const functionCall = SecondChainWire.object("FunctionCall", {
  contract_address: SecondChainWire.felt,
  /** The selector of the function, computed from its name (see `Selector`). */
  entry_point_selector: SecondChainWire.felt,
  calldata: SecondChainWire.felts
})
/** A call of a contract's function. */
export const FunctionCall: Schema.Codec<FunctionCall, typeof functionCall.schema.Encoded> = functionCall.schema
/** See the Schema of the same name. */
export interface FunctionCall extends Schema.Schema.Type<typeof functionCall.schema> {}
