/**
 * The answer of eth_feeHistory: fees of a range of blocks.
 *
 * Source: execution-apis (eth/fee_market.yaml).
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

import * as EthWire from "./ethWire.ts"

const fees = EthWire.array(EthWire.quantity)
const ratios = EthWire.array(EthWire.number)

/** A list that is empty for a range of no blocks. geth then leaves the list out, or sends null. */
const listed = <S extends Schema.Top>({ decode, encode, schema }: EthWire.Wire<S>): EthWire.Wire<Listed<S>> => ({
  schema: Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.toType(schema), {
      decode: SchemaGetter.transformOptional((found: Option.Option<S["Type"] | null>) =>
        Option.some(Option.getOrNull(found) ?? [])
      ),
      encode: SchemaGetter.passthrough()
    })
  ) as Listed<S>,
  decode: (value) => (value === null ? [] : decode(value)),
  encode
})

/** The Schema of a `listed` field. It is not exported, so that declarations write out the type. */
type Listed<S extends Schema.Top> = Schema.decodeTo<Schema.toType<S>, Schema.optionalKey<Schema.NullOr<S>>>

const feeHistory = EthWire.object("FeeHistory", {
  /** The first block of the range. The range may be shorter than requested. */
  oldestBlock: EthWire.count,
  /** Wei per unit of gas for each block and for the block after the last; 0 before London. */
  baseFeePerGas: listed(fees),
  /** The gas used by each block, as a fraction of its gas limit. */
  gasUsedRatio: listed(ratios),
  /** Tips of each block at the requested percentiles, in wei per unit of gas. */
  reward: EthWire.optional(EthWire.nullOr(EthWire.array(fees))),
  /** Wei per unit of blob gas for each block and for the block after the last; only from nodes since Cancun. */
  baseFeePerBlobGas: EthWire.optional(EthWire.nullOr(fees)),
  blobGasUsedRatio: EthWire.optional(EthWire.nullOr(ratios))
})
/** Fees of a range of blocks, oldest first. */
export const FeeHistory: Schema.Codec<FeeHistory, typeof feeHistory.schema.Encoded> = feeHistory.schema
/** See the Schema of the same name. */
export interface FeeHistory extends Schema.Schema.Type<typeof feeHistory.schema> {}
