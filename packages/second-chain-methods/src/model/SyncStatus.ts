/**
 * The answer of `syncing`: false, or the node's progress.
 *
 * Source: starknet-specs, SYNC_STATUS. Up to 0.3 the numbers are sent as hex.
 */
import * as Schema from "effect/Schema"

import * as SecondChainWire from "./secondChainWire.ts"

const progress = SecondChainWire.object("SyncProgress", {
  starting_block_hash: SecondChainWire.felt,
  starting_block_num: SecondChainWire.countOrHex,
  current_block_hash: SecondChainWire.felt,
  current_block_num: SecondChainWire.countOrHex,
  highest_block_hash: SecondChainWire.felt,
  highest_block_num: SecondChainWire.countOrHex
})
/** The progress of a node that is syncing. */
export const SyncProgress: Schema.Codec<SyncProgress, typeof progress.schema.Encoded> = progress.schema
/** See the Schema of the same name. */
export interface SyncProgress extends Schema.Schema.Type<typeof progress.schema> {}

/** The sync status; false if the node is up to date with its network. */
export const SyncStatus = Schema.Union([Schema.Literal(false), SyncProgress])
/** See the Schema of the same name. */
export type SyncStatus = typeof SyncStatus.Type
