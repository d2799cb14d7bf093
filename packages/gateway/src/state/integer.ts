/** Integers of the databases. */

/** Returns an integer as both databases do: a number, or a bigint if a number would be inexact. */
export const fromBigInt = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
