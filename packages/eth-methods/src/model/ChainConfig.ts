/**
 * The answer of eth_config: the present, the next and the last known fork of a node's chain (EIP-7910).
 *
 * Source: execution-apis (schemas/client.yaml).
 */
import * as Address from "@plumbline/codec/value/PlainAddress"
import * as Schema from "effect/Schema"

import * as EthWire from "./ethWire.ts"

/** Addresses by the name of a contract. */
const contracts = EthWire.kept(
  Schema.Record(Schema.String, Address.Address),
  (value) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((address) => Address.isAddress(address))
)

const schedule = EthWire.object("BlobSchedule", {
  target: EthWire.number,
  max: EthWire.number,
  baseFeeUpdateFraction: EthWire.number
})

const fork = EthWire.object("ForkConfig", {
  /** Unix time in seconds. */
  activationTime: EthWire.number,
  /** Null before Cancun. */
  blobSchedule: EthWire.optional(EthWire.nullOr(schedule)),
  chainId: EthWire.quantity,
  /** The hash of the forks up to this one (EIP-6122). */
  forkId: EthWire.bytes(4),
  precompiles: contracts,
  systemContracts: EthWire.optional(EthWire.nullOr(contracts))
})

const chainConfig = EthWire.object("ChainConfig", {
  current: fork,
  /** Null if no fork is scheduled. */
  next: EthWire.nullOr(fork),
  /** Null if no fork is scheduled. */
  last: EthWire.nullOr(fork)
})
/** The forks of a chain, as a node is configured. */
export const ChainConfig: Schema.Codec<ChainConfig, typeof chainConfig.schema.Encoded> = chainConfig.schema
/** See the Schema of the same name. */
export interface ChainConfig extends Schema.Schema.Type<typeof chainConfig.schema> {}
