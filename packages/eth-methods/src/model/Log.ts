/**
 * Logs: the events that contracts emitted while a transaction ran.
 *
 * Sources: execution-apis (schemas/receipt.yaml); Yellow Paper, section 4.3.1.
 */
import type * as Schema from "effect/Schema"

import * as EthWire from "./ethWire.ts"

const fields = {
  /** The contract that emitted the log. */
  address: EthWire.address,
  /** The topics of a log: at most four words, by which filters find it. */
  topics: EthWire.array(EthWire.hash32),
  data: EthWire.data,
  /** Null while the transaction is pending, like all fields about the log's place. */
  blockHash: EthWire.nullOr(EthWire.hash32),
  blockNumber: EthWire.nullOr(EthWire.quantity),
  /** Unix time of the block, in seconds; a later addition that not all nodes send. */
  blockTimestamp: EthWire.missable(EthWire.quantity),
  transactionHash: EthWire.nullOr(EthWire.hash32),
  transactionIndex: EthWire.nullOr(EthWire.quantity),
  /** The index among all logs of the block. */
  logIndex: EthWire.nullOr(EthWire.quantity),
  /** True in a subscription, for a log whose block is no longer on the main chain. */
  removed: EthWire.missable(EthWire.boolean)
}

const log = EthWire.object("Log", fields, (value) => ({ ...value }))
/** A log. */
export const Log: Schema.Codec<Log, typeof log.schema.Encoded> = log.schema
/** See the Schema of the same name. */
export interface Log extends Schema.Schema.Type<typeof log.schema> {}

/** Names of the fields that are described here. */
export const knownFields: ReadonlySet<string> = new Set(Object.keys(fields))
