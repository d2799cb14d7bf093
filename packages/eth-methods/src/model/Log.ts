/**
 * Logs: the events that contracts emitted while a transaction ran.
 *
 * Sources: execution-apis (schemas/receipt.yaml); Yellow Paper, section 4.3.1.
 */
import type * as Schema from "effect/Schema"

import * as Wire from "./wire.ts"

const fields = {
  /** The contract that emitted the log. */
  address: Wire.address,
  /** The topics of a log: at most four words, by which filters find it. */
  topics: Wire.array(Wire.hash32),
  data: Wire.data,
  /** Null while the transaction is pending, like all fields about the log's place. */
  blockHash: Wire.nullOr(Wire.hash32),
  blockNumber: Wire.nullOr(Wire.quantity),
  /** Unix time of the block, in seconds; a later addition that not all nodes send. */
  blockTimestamp: Wire.missable(Wire.quantity),
  transactionHash: Wire.nullOr(Wire.hash32),
  transactionIndex: Wire.nullOr(Wire.quantity),
  /** The index among all logs of the block. */
  logIndex: Wire.nullOr(Wire.quantity),
  /** True in a subscription, for a log whose block is no longer on the main chain. */
  removed: Wire.missable(Wire.boolean)
}

const log = Wire.object("Log", fields, (value) => ({ ...value }))
/** A log. */
export const Log: Schema.Codec<Log, typeof log.schema.Encoded> = log.schema
/** See the Schema of the same name. */
export interface Log extends Schema.Schema.Type<typeof log.schema> {}

/** Names of the fields that are described here. */
export const knownFields: ReadonlySet<string> = new Set(Object.keys(fields))
