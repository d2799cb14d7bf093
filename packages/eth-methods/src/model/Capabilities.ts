/**
 * The answer of eth_capabilities: the data that a node has, so that a router can choose a node.
 *
 * Source: execution-apis (schemas/capabilities.yaml).
 */
import type * as Schema from "effect/Schema"

import * as Wire from "./wire.ts"

const strategy = Wire.object("CapabilitiesStrategy", {
  /** The name of the strategy: `window`, if the node keeps a number of blocks. */
  type: Wire.string,
  retentionBlocks: Wire.optional(Wire.quantity)
})

const resource = Wire.object("CapabilitiesResource", {
  /** True if the node does not have the data at all. */
  disabled: Wire.boolean,
  /** The number of the oldest block with this data. */
  oldestBlock: Wire.optional(Wire.quantity),
  deleteStrategy: Wire.optional(strategy)
})

const head = Wire.object("CapabilitiesHead", { number: Wire.quantity, hash: Wire.hash32 })

const capabilities = Wire.object("Capabilities", {
  head,
  state: resource,
  tx: resource,
  logs: resource,
  receipts: resource,
  blocks: resource,
  stateproofs: resource
})
/** The data that a node has, by kind. */
export const Capabilities: Schema.Codec<Capabilities, typeof capabilities.schema.Encoded> = capabilities.schema
/** See the Schema of the same name. */
export interface Capabilities extends Schema.Schema.Type<typeof capabilities.schema> {}
