/**
 * The answer of `syncing`: false, or the node's progress.
 *
 * Source: starknet-specs, SYNC_STATUS. Up to 0.3 the numbers are sent as hex.
 */
import * as Schema from "effect/Schema"

import * as Wire from "./wire.ts"

const progress = Wire.object("SyncProgress", {
  starting_block_hash: Wire.felt,
  starting_block_num: Wire.countOrHex,
  current_block_hash: Wire.felt,
  current_block_num: Wire.countOrHex,
  highest_block_hash: Wire.felt,
  highest_block_num: Wire.countOrHex
})
/** The progress of a node that is syncing. */
export const Progress: Schema.Codec<Progress, typeof progress.schema.Encoded> = progress.schema
/** See the Schema of the same name. */
export interface Progress extends Schema.Schema.Type<typeof progress.schema> {}

/** The sync status; false if the node is up to date with its network. */
export const SyncStatus = Schema.Union([Schema.Literal(false), Progress])
/** See the Schema of the same name. */
export type SyncStatus = typeof SyncStatus.Type
