/**
 * Overrides of a call: changed accounts, and a changed block, for this call only. Most nodes accept them as further
 * parameters.
 *
 * Source: geth (https://geth.ethereum.org/docs/interacting-with-geth/rpc/objects) and execution-apis
 * (schemas/execute.yaml). Nodes without overrides refuse the call.
 */
import { keyed } from "./keyed.ts"
import * as StorageWord from "./StorageWord.ts"
import * as Wire from "./wire.ts"

const slots = keyed("StorageOverride", Wire.hash32, Wire.of(StorageWord.StorageWord))

const account = Wire.struct("AccountOverride", {
  /** The balance in wei. */
  balance: Wire.optional(Wire.quantity),
  nonce: Wire.optional(Wire.quantity),
  code: Wire.optional(Wire.data),
  state: Wire.optional(slots),
  stateDiff: Wire.optional(slots),
  /** The address to which the precompiled contract at this address is moved for the call. */
  movePrecompileToAddress: Wire.optional(Wire.inputAddress)
})
/**
 * The overrides of one account. An omitted field keeps its value. `state` replaces the whole storage, `stateDiff`
 * replaces single slots; the keys of both have 32 bytes.
 */
export const Account = account.schema
/** See the Schema of the same name. */
export type Account = typeof Account.Type

/** Overrides of accounts, by address. */
export const State = keyed("StateOverride", Wire.address, account).schema
/** See the Schema of the same name. */
export type State = typeof State.Type

const block = Wire.object("BlockOverride", {
  number: Wire.optional(Wire.quantity),
  difficulty: Wire.optional(Wire.quantity),
  /** Unix time in seconds. */
  time: Wire.optional(Wire.quantity),
  gasLimit: Wire.optional(Wire.quantity),
  feeRecipient: Wire.optional(Wire.inputAddress),
  prevRandao: Wire.optional(Wire.inputHash32),
  baseFeePerGas: Wire.optional(Wire.quantity),
  blobBaseFee: Wire.optional(Wire.quantity)
})
/** Overrides of the block in which the call runs. */
export const Block = block.schema
/** See the Schema of the same name. */
export type Block = typeof Block.Type
