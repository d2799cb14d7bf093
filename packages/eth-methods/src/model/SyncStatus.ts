/**
 * The answer of eth_syncing: false, or the progress of a node.
 *
 * Source: execution-apis (schemas/client.yaml). Nodes add further fields: reth and Erigon add their stages, and
 * Nethermind adds its mode.
 */
import * as Schema from "effect/Schema"

import * as Wire from "./wire.ts"

const progress = Wire.object("SyncProgress", {
  startingBlock: Wire.optional(Wire.count),
  currentBlock: Wire.optional(Wire.count),
  highestBlock: Wire.optional(Wire.count)
})
/** The sync progress of a node that is behind its network. */
export const Progress: Schema.Codec<Progress, typeof progress.schema.Encoded> = progress.schema
/** See the Schema of the same name. */
export interface Progress extends Schema.Schema.Type<typeof progress.schema> {}

/** The sync progress of the node; false if the node has caught up with its network. */
export const SyncStatus = Schema.Union([Schema.Literal(false), Progress])
/** See the Schema of the same name. */
export type SyncStatus = typeof SyncStatus.Type
