/**
 * The gas of a transaction beside that of its code: the intrinsic cost, the refund, and the floor of its data.
 *
 * Sources: Yellow Paper section 6.2; EIP-2028, 2930, 3529, 3860, 7623.
 */
import type { CallFields } from "./callEnvironment.ts"
import { type Hardfork, isSince } from "./Hardforks.ts"

/** Returns the gas that a transaction costs before its code runs. */
export const intrinsicGas = ({ accessList, data, to }: CallFields, hardfork: Hardfork): bigint => {
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
      1900 * keys
  )
}

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

const nonZeroBytes = (data: Uint8Array): number => {
  let count = 0
  for (let i = 0; i < data.length; i++) if (data[i] !== 0) count++
  return count
}
