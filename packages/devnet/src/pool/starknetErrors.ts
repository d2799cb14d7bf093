/**
 * The chain's errors, with the codes and texts of its specification. `data` describes the fault and names the pool; the
 * specification defines such a text for some errors.
 *
 * Source: starknet-specs 0.4.0 to 0.10.2 (starknet_api_openrpc.json, starknet_write_api.json).
 */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"

const texts = {
  CONTRACT_NOT_FOUND: [20, "Contract not found"],
  BLOCK_NOT_FOUND: [24, "Block not found"],
  INVALID_TXN_INDEX: [27, "Invalid transaction index in a block"],
  CLASS_HASH_NOT_FOUND: [28, "Class hash not found"],
  TXN_HASH_NOT_FOUND: [29, "Transaction hash not found"],
  INVALID_TRANSACTION_NONCE: [52, "Invalid transaction nonce"],
  /** Name of the error up to version 0.7. */
  INSUFFICIENT_MAX_FEE: [53, "Max fee is smaller than the minimal transaction cost (validation plus fee transfer)"],
  INSUFFICIENT_RESOURCES_FOR_VALIDATE: [
    53,
    "The transaction's resources don't cover validation or the minimal transaction fee"
  ],
  VALIDATION_FAILURE: [55, "Account validation failed"],
  DUPLICATE_TX: [59, "A transaction with the same hash already exists in the mempool"],
  UNSUPPORTED_TX_VERSION: [61, "the transaction version is not supported"],
  UNEXPECTED_ERROR: [63, "An unexpected error occurred"]
} as const

/** The specification's name of an error. */
export type StarknetErrorName = keyof typeof texts

/** Returns the error for a refused transaction, or for a call without an answer. */
export const refusal = (name: StarknetErrorName, detail: string): ErrorObject.ErrorObject => {
  const [code, message] = texts[name]
  return ErrorObject.make(code, message, `${POOL}: ${detail}`)
}

/**
 * Returns the error for a call that only a sequencer could answer. The specifications have no code for this error,
 * because they assume that every node can answer the call.
 */
export const unsupported = (reason: string): ErrorObject.ErrorObject =>
  ErrorObject.make(ErrorCode.METHOD_NOT_SUPPORTED, `not supported: ${POOL}, ${reason}`)

const POOL = "this is a pool and not a sequencer"
