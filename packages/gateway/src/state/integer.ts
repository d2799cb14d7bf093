/** Integers of the databases. */

/** An integer as both databases give it: a number, and a bigint where a number would be wrong. */
export const fromBigInt = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
