/**
 * The gas of a transaction beside that of its code: the intrinsic cost, the refund, and the floor of its data.
 *
 * Sources: Yellow Paper section 6.2; EIP-2028, 2930, 3529, 3860, 7623, 7702, 7825.
 */
import type { CallFields } from "./callEnvironment.ts"
import { type Hardfork, isSince } from "./Hardforks.ts"

/** Returns the gas that a transaction costs before its code runs. */
export const intrinsicGas = ({ accessList, authorizations = [], data, to }: CallFields, hardfork: Hardfork): bigint => {
  const nonZero = nonZeroBytes(data)
  const zero = data.length - nonZero
  const creates = to === undefined
  const keys = accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0)
  return BigInt(
    21_000 +
      4 * zero +
      (isSince(hardfork, "istanbul") ? 16 : 68) * nonZero +
      (creates && isSince(hardfork, "homestead") ? 32_000 : 0) +
      (creates && isSince(hardfork, "shanghai") ? 2 * Math.ceil(data.length / 32) : 0) +
      2400 * accessList.length +
      1900 * keys +
      AUTHORIZATION_GAS * authorizations.length
  )
}

/** Gas of an authorization (EIP-7702, PER_EMPTY_ACCOUNT_COST). */
const AUTHORIZATION_GAS = 25_000

/** The part of it that is given back if the account exists (less PER_AUTH_BASE_COST). */
export const AUTHORIZATION_REFUND = 12_500n

/** Returns the gas that a transaction with this data uses at least (EIP-7623). */
export const floorGas = ({ data }: CallFields, hardfork: Hardfork): bigint =>
  isSince(hardfork, "prague") ? BigInt(21_000 + 10 * (data.length + 3 * nonZeroBytes(data))) : 0n

/** Returns the gas that a transaction uses: what its code used, less the refund, and at least the floor. */
export const usedGas = (call: CallFields, hardfork: Hardfork, spent: bigint, refund: bigint): bigint => {
  const most = spent / (isSince(hardfork, "london") ? 5n : 2n)
  const used = spent - (refund < most ? refund : most)
  const floor = floorGas(call, hardfork)
  return used < floor ? floor : used
}

/** The highest gas limit of a transaction since Osaka (EIP-7825). Calls may have more. */
export const MAX_TRANSACTION_GAS = 2n ** 24n

/** The largest code that makes a contract, in bytes, since Shanghai (EIP-3860). */
export const MAX_INITCODE = 49_152

/** Gas of one blob (EIP-4844). */
export const BLOB_GAS = 131_072n

/** Returns the lowest gas limit with which a transaction begins. */
export const leastGas = (call: CallFields, hardfork: Hardfork): bigint => {
  const intrinsic = intrinsicGas(call, hardfork)
  const floor = floorGas(call, hardfork)
  return intrinsic > floor ? intrinsic : floor
}

const nonZeroBytes = (data: Uint8Array): number => {
  let count = 0
  for (let i = 0; i < data.length; i++) if (data[i] !== 0) count++
  return count
}
