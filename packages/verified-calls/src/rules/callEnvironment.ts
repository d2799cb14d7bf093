/** The environment of a call: the transaction's fields with their defaults, and the block's, from its proven header. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { CallError } from "@plumbline/eth-methods/call/CallError"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as CallOverrides from "@plumbline/eth-methods/model/CallOverrides"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import * as Result from "effect/Result"

import type { CallBounds } from "./CallBounds.ts"
import * as CallFailures from "./callFailures.ts"
import { type AccountChange, fieldsOf } from "./callOverrides.ts"
import * as Hardforks from "./Hardforks.ts"
import * as TransactionRules from "./transactionRules.ts"

/** The fields of a call. Addresses are in lower case. */
export interface CallFields {
  readonly from: string
  /** Undefined to create a contract. */
  readonly to: string | undefined
  readonly data: Uint8Array
  readonly value: bigint
  readonly gasLimit: bigint
  /** Wei per unit of gas that the call pays, and that its sender must be able to pay at most. */
  readonly gasPrice: bigint
  readonly feeCap: bigint
  readonly tipCap: bigint
  readonly blobFeeCap: bigint
  readonly accessList: ReadonlyArray<{ readonly address: string; readonly storageKeys: ReadonlyArray<string> }>
  readonly blobVersionedHashes: ReadonlyArray<Hex.Hex>
  /** Signed permissions to run other code at accounts (EIP-7702). */
  readonly authorizations?: ReadonlyArray<CallRequest.Authorization> | undefined
}

/** The fields of the block that code can read. */
export interface BlockFields {
  readonly number: bigint
  readonly timestamp: bigint
  readonly coinbase: string
  readonly gasLimit: bigint
  readonly difficulty: bigint
  readonly prevRandao: Uint8Array
  readonly baseFee: bigint | undefined
  readonly blobBaseFee: bigint | undefined
  readonly parentHash: Hash32.Hash32
}

/**
 * True if the call's outcome depends on its sender's account even if no code reads it: the sender pays, its nonce names
 * the new contract, or it may have signed an authorization.
 */
export const usesSender = (call: CallFields): boolean => {
  const { authorizations = [], blobFeeCap, blobVersionedHashes, feeCap, from, to, value } = call
  return (
    to === undefined ||
    to === from ||
    value > 0n ||
    feeCap > 0n ||
    authorizations.length > 0 ||
    (blobFeeCap > 0n && blobVersionedHashes.length > 0)
  )
}

/** The rules and the fields of a block. */
export interface BlockEnvironment {
  readonly chainId: bigint
  readonly hardfork: Hardforks.Hardfork
  readonly block: BlockFields
}

/** A call, and the block as the call sees it: its price changes the base fee and the price of blobs. */
export interface CallEnvironment extends BlockEnvironment {
  readonly call: CallFields
  /** The accounts that the caller changes before the call. */
  readonly changes?: ReadonlyArray<AccountChange> | undefined
}

/** Returns the environment of a block: its proven header, with the caller's changes. */
export const ofBlock = (
  header: Block.Block,
  chain: Hardforks.ChainForks,
  override: CallOverrides.BlockOverride = {}
): Result.Result<BlockEnvironment, CallError> => {
  // a proven block is not pending, so its number and miner are present
  const real = Hardforks.at(chain, { number: header.number!, timestamp: header.timestamp })
  const fault = Hardforks.faultOf(real.hardfork, header)
  if (fault !== undefined) return unsupported(`the block does not fit the chain's rules: ${fault}`)
  const unknown = fieldsOf(override).find((name) => !OVERRIDABLE.has(name))
  if (unknown !== undefined) return unsupported(`an override of the block's ${unknown}`)
  const number = override.number ?? header.number!
  const timestamp = override.time ?? header.timestamp
  if (number > Number.MAX_SAFE_INTEGER) return unsupported("a block number of more than 53 bits")
  if (timestamp > MAX_64) return unsupported("a time of more than 64 bits")
  if ((override.gasLimit ?? 0n) > MAX_64) return unsupported("a gas limit of more than 64 bits")
  const { blobUpdateFraction, hardfork } = Hardforks.at(chain, { number, timestamp })
  const excess = header.excessBlobGas
  const randao = override.prevRandao ?? header.mixHash
  const ofHeader =
    excess === undefined || blobUpdateFraction === undefined ? undefined : blobBaseFee(excess, blobUpdateFraction)
  return Result.succeed({
    chainId: chain.chainId,
    hardfork,
    block: {
      number,
      timestamp,
      coinbase: (override.feeRecipient ?? header.miner!).toLowerCase(),
      gasLimit: override.gasLimit ?? header.gasLimit,
      difficulty: override.difficulty ?? header.difficulty ?? 0n,
      prevRandao: randao === undefined ? new Uint8Array(32) : Hex.toBytesUnsafe(randao),
      baseFee: override.baseFeePerGas ?? header.baseFeePerGas,
      blobBaseFee: override.blobBaseFee ?? ofHeader,
      parentHash: header.parentHash
    }
  })
}

/**
 * Returns the environment of a call in a block.
 *
 * A call without a price runs as in geth with a base fee of zero, so that its fee cap is not below the base fee, and one
 * whose blobs have no price sees them free. In a simulation, a call sees the prices of the block.
 */
export const ofCall = (
  request: CallRequest.CallRequest,
  { block, chainId, hardfork }: BlockEnvironment,
  bounds: CallBounds,
  isSimulated = false
): Result.Result<CallEnvironment, CallError> => {
  const fault = TransactionRules.faultOf(request, hardfork)
  if (fault !== undefined) return Result.fail(CallFailures.invalid(fault))
  const authorizations = request.authorizationList ?? []
  if (authorizations.length > 0 && !Hardforks.isSince(hardfork, "prague")) {
    return unsupported(`an authorization list by the rules of ${hardfork}`)
  }
  if ((request.chainId ?? chainId) !== chainId) return unsupported(`chain ${request.chainId}`)
  const data = request.input ?? request.data ?? "0x"
  if (request.input !== undefined && request.data !== undefined && !Hex.equals(request.input, request.data)) {
    return unsupported("a request whose input and data differ")
  }
  if (Hex.size(data) > bounds.inputBytes) {
    return Result.fail(CallFailures.beyond("bytes of input", bounds.inputBytes))
  }
  const priced = request.gasPrice !== undefined
  const feeCap = request.gasPrice ?? request.maxFeePerGas ?? 0n
  const tipCap = request.gasPrice ?? request.maxPriorityFeePerGas ?? 0n
  const fee = block.baseFee
  const free = feeCap === 0n && tipCap === 0n
  const gasPrice = free ? 0n : smaller(feeCap, priced ? feeCap : tipCap + (fee ?? 0n))
  return Result.succeed({
    chainId,
    hardfork,
    block: {
      ...block,
      baseFee: fee === undefined ? undefined : free && !isSimulated ? 0n : fee,
      blobBaseFee: !isSimulated && hasFreeBlobs(request) ? 0n : block.blobBaseFee
    },
    call: {
      from: (request.from ?? NO_SENDER).toLowerCase(),
      to: request.to?.toLowerCase(),
      data: Hex.toBytesUnsafe(data),
      value: request.value ?? 0n,
      gasLimit: smaller(request.gas ?? bounds.gas, bounds.gas),
      gasPrice,
      feeCap,
      tipCap,
      blobFeeCap: request.maxFeePerBlobGas ?? 0n,
      accessList: (request.accessList ?? []).map(({ address, storageKeys }) => ({
        address: address.toLowerCase(),
        storageKeys: storageKeys.map((key) => key.toLowerCase())
      })),
      blobVersionedHashes: request.blobVersionedHashes ?? [],
      authorizations
    }
  })
}

/** True if the call names a price of blobs of zero, or has blobs and names no price. */
const hasFreeBlobs = ({ blobVersionedHashes, maxFeePerBlobGas }: CallRequest.CallRequest): boolean =>
  maxFeePerBlobGas === 0n || (maxFeePerBlobGas === undefined && blobVersionedHashes !== undefined)

/** The fields of a block that a caller may override. */
const OVERRIDABLE: ReadonlySet<string> = new Set([
  "number",
  "difficulty",
  "time",
  "gasLimit",
  "feeRecipient",
  "prevRandao",
  "baseFeePerGas",
  "blobBaseFee"
])

const MAX_64 = 2n ** 64n - 1n

/**
 * Returns the price of blob gas, in wei per unit: 1 wei times the fraction's exponential of the excess (EIP-4844,
 * `fake_exponential`).
 */
export const blobBaseFee = (excessBlobGas: bigint, updateFraction: bigint): bigint => {
  let output = 0n
  let term = updateFraction
  for (let i = 1n; term > 0n; i++) {
    output += term
    // a header can hold any excess: a price that no schedule reaches is not worked out to its last digit
    if (output > MAX_PRICE) return MAX_PRICE / updateFraction
    term = (term * excessBlobGas) / (updateFraction * i)
  }
  return output / updateFraction
}

const MAX_PRICE = 2n ** 320n

/** The sender of a call that names none. */
export const NO_SENDER = "0x0000000000000000000000000000000000000000"

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

const unsupported = (what: string): Result.Result<never, CallError> => Result.fail(CallFailures.unsupported(what))
