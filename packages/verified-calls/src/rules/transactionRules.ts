/**
 * The rules that no transaction can break, whatever the state. A node refuses a call that breaks one, so it has no outcome.
 *
 * Sources: geth (core/state_transition.go, preCheck; internal/ethapi/transaction_args.go), EIP-1559, 4844, 7594, 7702.
 */
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"

import { type Hardfork, isSince } from "./Hardforks.ts"

/** Returns the first rule that the request breaks; undefined if it breaks none. */
export const faultOf = (request: CallRequest.CallRequest, hardfork: Hardfork): string | undefined =>
  priceFault(request) ?? sizeFault(request) ?? blobFault(request, hardfork) ?? authorizationFault(request)

const priceFault = ({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallRequest.CallRequest): string | undefined =>
  gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined)
    ? "both gasPrice and a fee cap"
    : undefined

const sizeFault = ({ authorizationList = [], gas = 0n, nonce = 0n }: CallRequest.CallRequest): string | undefined => {
  if (gas > MAX_64) return "a gas limit of more than 64 bits"
  if (nonce > MAX_64) return "a nonce of more than 64 bits"
  return authorizationList.some((authorization) => authorization.nonce > MAX_64)
    ? "an authorization whose nonce has more than 64 bits"
    : undefined
}

/** An empty list is not an absent one: its transaction carries blobs, and has none. */
const blobFault = (
  { blobVersionedHashes: hashes, to }: CallRequest.CallRequest,
  hardfork: Hardfork
): string | undefined => {
  if (hashes === undefined) return undefined
  if (to == null) return "a creation with blobs"
  if (hashes.length === 0) return "an empty list of blobs"
  if (isSince(hardfork, "osaka") && hashes.length > MAX_BLOBS) return `more than ${MAX_BLOBS} blobs`
  const wrong = hashes.findIndex((hash) => !hash.startsWith(KZG_VERSION))
  return wrong === -1 ? undefined : `a hash of another version than ${KZG_VERSION} for blob ${wrong}`
}

const authorizationFault = ({ authorizationList: list, to }: CallRequest.CallRequest): string | undefined => {
  if (list === undefined) return undefined
  if (to == null) return "a creation with an authorization list"
  return list.length === 0 ? "an empty authorization list" : undefined
}

const MAX_64 = 2n ** 64n - 1n

/** The most blobs of a transaction since Osaka (EIP-7594). Before, only the block had a limit. */
const MAX_BLOBS = 6

/** The first byte of a blob's hash (EIP-4844, VERSIONED_HASH_VERSION_KZG). */
const KZG_VERSION = "0x01"
