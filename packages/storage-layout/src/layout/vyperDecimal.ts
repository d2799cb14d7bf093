/** Vyper's `decimal`: a whole number of 10^-10, in 168 bits. Source: vyper, `semantics/types/primitives.py`. */

/** Number of decimal places. */
const PLACES = 10

/** Number of bits. */
const BITS = 168

/** Returns the shortest text, such as `-1.5` for -15000000000, without zeros or a point at the end. */
export const toText = (units: bigint): string => {
  const digits = String(units < 0n ? -units : units).padStart(PLACES + 1, "0")
  const fraction = digits.slice(-PLACES).replace(/0+$/, "")
  return `${units < 0n ? "-" : ""}${digits.slice(0, -PLACES)}${fraction === "" ? "" : `.${fraction}`}`
}

/**
 * Parses a decimal into units of 10^-10; undefined for text that is not a decimal, has more than 10 places, or is too
 * large.
 */
export const fromText = (text: string): bigint | undefined => {
  const [, sign, whole = "", fraction = ""] = /^(-?)(0|[1-9]\d{0,49})(?:\.(\d{1,10}))?$/.exec(text) ?? []
  if (sign === undefined) return undefined
  const units = BigInt(whole + fraction.padEnd(PLACES, "0")) * (sign === "-" ? -1n : 1n)
  return BigInt.asIntN(BITS, units) === units ? units : undefined
}
