/**
 * The answer of eth_config: the present, the next and the last known fork of a node's chain (EIP-7910).
 *
 * Source: execution-apis (schemas/client.yaml).
 */
import * as Address from "@plumbline/codec/value/PlainAddress"
import * as Schema from "effect/Schema"

import * as Wire from "./wire.ts"

/** Addresses by the name of a contract. */
const contracts = Wire.kept(
  Schema.Record(Schema.String, Address.Address),
  (value) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((address) => Address.isAddress(address))
)

const schedule = Wire.object("BlobSchedule", {
  target: Wire.number,
  max: Wire.number,
  baseFeeUpdateFraction: Wire.number
})

const fork = Wire.object("ForkConfig", {
  /** Unix time in seconds. */
  activationTime: Wire.number,
  /** Null before Cancun. */
  blobSchedule: Wire.optional(Wire.nullOr(schedule)),
  chainId: Wire.quantity,
  /** The hash of the forks up to this one (EIP-6122). */
  forkId: Wire.bytes(4),
  precompiles: contracts,
  systemContracts: Wire.optional(Wire.nullOr(contracts))
})

const chainConfig = Wire.object("ChainConfig", {
  current: fork,
  /** Null if no fork is scheduled. */
  next: Wire.nullOr(fork),
  /** Null if no fork is scheduled. */
  last: Wire.nullOr(fork)
})
/** The forks of a chain, as a node is configured. */
export const ChainConfig: Schema.Codec<ChainConfig, typeof chainConfig.schema.Encoded> = chainConfig.schema
/** See the Schema of the same name. */
export interface ChainConfig extends Schema.Schema.Type<typeof chainConfig.schema> {}
