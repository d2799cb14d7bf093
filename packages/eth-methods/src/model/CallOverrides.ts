/**
 * Overrides of a call: changed accounts, and a changed block, for this call only. Most nodes accept them as further
 * parameters.
 *
 * Source: geth (https://geth.ethereum.org/docs/interacting-with-geth/rpc/objects) and execution-apis
 * (schemas/execute.yaml). Nodes without overrides refuse the call. As in geth, a field that is null is missing.
 */
import type * as Schema from "effect/Schema"

import { keyed } from "./keyed.ts"
import * as StorageWord from "./StorageWord.ts"
import * as Wire from "./wire.ts"

const slots = keyed("StorageOverride", Wire.hash32, Wire.of(StorageWord.StorageWord))

const account = Wire.struct("AccountOverride", {
  /** The balance in wei. */
  balance: Wire.missable(Wire.quantity),
  nonce: Wire.missable(Wire.quantity),
  code: Wire.missable(Wire.data),
  state: Wire.missable(slots),
  stateDiff: Wire.missable(slots),
  /** The address to which the precompiled contract at this address is moved for the call. */
  movePrecompileToAddress: Wire.missable(Wire.inputAddress)
})
/**
 * The overrides of one account. An omitted field keeps its value. `state` replaces the whole storage, `stateDiff`
 * replaces single slots; the keys of both have 32 bytes.
 */
export const Account: Schema.Codec<Account, typeof account.schema.Encoded> = account.schema
/** See the Schema of the same name. */
export interface Account extends Schema.Schema.Type<typeof account.schema> {}

/** Overrides of accounts, by address. */
export const State = keyed("StateOverride", Wire.address, account).schema
/** See the Schema of the same name. */
export type State = typeof State.Type

const block = Wire.object("BlockOverride", {
  number: Wire.missable(Wire.quantity),
  difficulty: Wire.missable(Wire.quantity),
  /** Unix time in seconds. */
  time: Wire.missable(Wire.quantity),
  gasLimit: Wire.missable(Wire.quantity),
  feeRecipient: Wire.missable(Wire.inputAddress),
  prevRandao: Wire.missable(Wire.inputHash32),
  baseFeePerGas: Wire.missable(Wire.quantity),
  blobBaseFee: Wire.missable(Wire.quantity)
})
/** Overrides of the block in which the call runs. */
export const Block: Schema.Codec<Block, typeof block.schema.Encoded> = block.schema
/** See the Schema of the same name. */
export interface Block extends Schema.Schema.Type<typeof block.schema> {}
