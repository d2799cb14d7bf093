/**
 * The answer of eth_syncing: false, or the progress of a node.
 *
 * Source: execution-apis (schemas/client.yaml). Nodes add further fields: reth and Erigon add their stages, and
 * Nethermind adds its mode.
 */
import * as Schema from "effect/Schema"

import * as EthWire from "./ethWire.ts"

const progress = EthWire.object("SyncProgress", {
  startingBlock: EthWire.optional(EthWire.count),
  currentBlock: EthWire.optional(EthWire.count),
  highestBlock: EthWire.optional(EthWire.count)
})
/** The sync progress of a node that is behind its network. */
export const SyncProgress: Schema.Codec<SyncProgress, typeof progress.schema.Encoded> = progress.schema
/** See the Schema of the same name. */
export interface SyncProgress extends Schema.Schema.Type<typeof progress.schema> {}

/** The sync progress of the node; false if the node has caught up with its network. */
export const SyncStatus = Schema.Union([Schema.Literal(false), SyncProgress])
/** See the Schema of the same name. */
export type SyncStatus = typeof SyncStatus.Type
