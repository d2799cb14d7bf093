/**
 * Overrides of a call: changed accounts, and a changed block, for this call only. Most nodes accept them as further
 * parameters.
 *
 * Source: geth (https://geth.ethereum.org/docs/interacting-with-geth/rpc/objects) and execution-apis
 * (schemas/execute.yaml). Nodes without overrides refuse the call. As in geth, a field that is null is missing.
 */
import type * as Schema from "effect/Schema"

import * as EthWire from "./ethWire.ts"
import { keyed } from "./keyedObjects.ts"
import * as StorageWord from "./StorageWord.ts"

const slots = keyed("StorageOverride", EthWire.hash32, EthWire.of(StorageWord.StorageWord))

const account = EthWire.struct("AccountOverride", {
  /** The balance in wei. */
  balance: EthWire.missable(EthWire.quantity),
  nonce: EthWire.missable(EthWire.quantity),
  code: EthWire.missable(EthWire.data),
  state: EthWire.missable(slots),
  stateDiff: EthWire.missable(slots),
  /** The address to which the precompiled contract at this address is moved for the call. */
  movePrecompileToAddress: EthWire.missable(EthWire.inputAddress)
})
/**
 * The overrides of one account. An omitted field keeps its value. `state` replaces the whole storage, `stateDiff`
 * replaces single slots; the keys of both have 32 bytes.
 */
export const AccountOverride: Schema.Codec<AccountOverride, typeof account.schema.Encoded> = account.schema
/** See the Schema of the same name. */
export interface AccountOverride extends Schema.Schema.Type<typeof account.schema> {}

/** Overrides of accounts, by address. */
export const StateOverride = keyed("StateOverride", EthWire.address, account).schema
/** See the Schema of the same name. */
export type StateOverride = typeof StateOverride.Type

const block = EthWire.object("BlockOverride", {
  number: EthWire.missable(EthWire.quantity),
  difficulty: EthWire.missable(EthWire.quantity),
  /** Unix time in seconds. */
  time: EthWire.missable(EthWire.quantity),
  gasLimit: EthWire.missable(EthWire.quantity),
  feeRecipient: EthWire.missable(EthWire.inputAddress),
  prevRandao: EthWire.missable(EthWire.inputHash32),
  baseFeePerGas: EthWire.missable(EthWire.quantity),
  blobBaseFee: EthWire.missable(EthWire.quantity)
})
/** Overrides of the block in which the call runs. */
export const BlockOverride: Schema.Codec<BlockOverride, typeof block.schema.Encoded> = block.schema
/** See the Schema of the same name. */
export interface BlockOverride extends Schema.Schema.Type<typeof block.schema> {}
