/** Converts the integers of the databases. */

/** Returns an integer in the form that both databases use: a number, or a bigint if a number would be inexact. */
export const fromBigInt = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
