/**
 * The answer of eth_capabilities: the data that a node has, so that a router can choose a node.
 *
 * Source: execution-apis (schemas/capabilities.yaml).
 */
import type * as Schema from "effect/Schema"

import * as EthWire from "./ethWire.ts"

const strategy = EthWire.object("CapabilitiesStrategy", {
  /** The name of the strategy: `window`, if the node keeps a number of blocks. */
  type: EthWire.string,
  retentionBlocks: EthWire.optional(EthWire.quantity)
})

const resource = EthWire.object("CapabilitiesResource", {
  /** True if the node does not have the data at all. */
  disabled: EthWire.boolean,
  /** The number of the oldest block with this data. */
  oldestBlock: EthWire.optional(EthWire.quantity),
  deleteStrategy: EthWire.optional(strategy)
})

const head = EthWire.object("CapabilitiesHead", { number: EthWire.quantity, hash: EthWire.hash32 })

const capabilities = EthWire.object("Capabilities", {
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
