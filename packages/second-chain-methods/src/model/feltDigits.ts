/** Numbers in the chain's form: `0x` and 1 to 64 hex digits, an even or odd number of them. */

/** Length of `0x` and 64 digits. */
const MAX_TEXT = 66

/** Table of character codes below 128: 1 for a hex digit. */
const DIGIT = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[0-9a-fA-F]/u.test(String.fromCharCode(code)))
)

/** True if the value is `0x` and 1 to 64 hex digits. */
export const isDigits = (value: unknown): value is `0x${string}` => {
  if (typeof value !== "string" || value.length < 3 || value.length > MAX_TEXT || !value.startsWith("0x")) return false
  for (let at = 2; at < value.length; at++) {
    if (DIGIT[value.charCodeAt(at)] !== 1) return false
  }
  return true
}

/**
 * True if the value is the text of a number below `bound`. A number of up to `safe` digits is always below `bound`.
 * Most numbers are that short, and so need no arithmetic.
 */
export const isBelow = (value: unknown, bound: bigint, safe: number): value is `0x${string}` =>
  isDigits(value) && (value.length <= 2 + safe || BigInt(value) < bound)
