/**
 * The answer of eth_syncing: false, or the progress of a node.
 *
 * Source: execution-apis (schemas/client.yaml). Clients add further fields: reth and Erigon their stages, Nethermind
 * its mode.
 */
import * as Schema from "effect/Schema"

import * as Wire from "./wire.ts"

const progress = Wire.object("SyncProgress", {
  startingBlock: Wire.optional(Wire.count),
  currentBlock: Wire.optional(Wire.count),
  highestBlock: Wire.optional(Wire.count)
})
/** The progress of a node that is catching up. */
export const Progress = progress.schema
/** See the Schema of the same name. */
export type Progress = typeof Progress.Type

/** False when the node is where its network is. */
export const SyncStatus = Schema.Union([Schema.Literal(false), Progress])
/** See the Schema of the same name. */
export type SyncStatus = typeof SyncStatus.Type
