/**
 * Changes to accounts and to the block that a call runs with. Most nodes accept them as further parameters.
 *
 * Source: geth (https://geth.ethereum.org/docs/interacting-with-geth/rpc/objects) and execution-apis
 * (schemas/execute.yaml); nodes that do not know them refuse.
 */
import { keyed } from "./keyed.ts"
import * as StorageWord from "./StorageWord.ts"
import * as Wire from "./wire.ts"

const slots = keyed("StorageOverride", Wire.hash32, Wire.of(StorageWord.StorageWord))

const account = Wire.struct("AccountOverride", {
  /** Wei. */
  balance: Wire.optional(Wire.quantity),
  nonce: Wire.optional(Wire.quantity),
  code: Wire.optional(Wire.data),
  state: Wire.optional(slots),
  stateDiff: Wire.optional(slots),
  /** The address at which the call finds the precompiled contract of this address. */
  movePrecompileToAddress: Wire.optional(Wire.inputAddress)
})
/**
 * The overrides of one account. An omitted field stays as it is. `state` replaces its whole storage, `stateDiff` single
 * slots; the keys of both have 32 bytes.
 */
export const Account = account.schema
/** See the Schema of the same name. */
export type Account = typeof Account.Type

/** Accounts by address. */
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
/** The block in which the call is to find itself. */
export const Block = block.schema
/** See the Schema of the same name. */
export type Block = typeof Block.Type
