/**
 * Writes bytes in base32 and base58, the two bases in which CIDs are usually written.
 *
 * The encoders of multiformats append one character after the other. V8 keeps such a text as a chain of its characters,
 * twenty times as large as the text, so an answer with 65,000 CIDs would hold 100 MB. These functions make a text in one
 * piece, in half the time or less.
 *
 * Sources: RFC 4648, section 6, in lower case and without padding; draft-msporny-base58-03.
 */

const BASE32 = /* @__PURE__ */ codesOf("abcdefghijklmnopqrstuvwxyz234567")

const BASE58 = /* @__PURE__ */ codesOf("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")

/** Writes bytes in base32, after a prefix of one character. */
export const base32 = (prefix: string, bytes: Uint8Array): string => {
  const codes = [prefix.charCodeAt(0)]
  let rest = 0
  let bits = 0
  for (const byte of bytes) {
    rest = (rest << 8) | byte
    for (bits += 8; bits >= 5;) {
      bits -= 5
      codes.push(BASE32[(rest >>> bits) & 31]!)
    }
    rest &= 31
  }
  if (bits > 0) codes.push(BASE32[(rest << (5 - bits)) & 31]!)
  return textOf(codes)
}

/** Writes bytes in base58 with the alphabet of Bitcoin. */
export const base58 = (bytes: Uint8Array): string => {
  let zeros = 0
  while (bytes[zeros] === 0) zeros++
  // The number in base 58^5, the lowest digit first. All products are below 2^53.
  const limbs: Array<number> = []
  for (let i = zeros; i < bytes.length; i++) {
    let carry = bytes[i]!
    for (let j = 0; j < limbs.length; j++) {
      const value = limbs[j]! * 256 + carry
      carry = Math.floor(value / LIMB)
      limbs[j] = value - carry * LIMB
    }
    if (carry > 0) limbs.push(carry)
  }
  const codes: Array<number> = []
  for (const limb of limbs) {
    let rest = limb
    for (let i = 0; i < LIMB_DIGITS; i++) {
      codes.push(BASE58[rest % 58]!)
      rest = Math.floor(rest / 58)
    }
  }
  while (codes.at(-1) === ZERO) codes.pop()
  for (let i = 0; i < zeros; i++) codes.push(ZERO)
  return textOf(codes.toReversed())
}

const ZERO = "1".charCodeAt(0)
const LIMB_DIGITS = 5
const LIMB = 58 ** LIMB_DIGITS

/**
 * Makes a text of ASCII in one piece. The codes are an array, because spreading a `Uint8Array` takes twenty times as long.
 * The parts are small, because the codes become arguments of a call.
 */
const textOf = (codes: ReadonlyArray<number>): string => {
  if (codes.length <= PIECE) return String.fromCharCode(...codes)
  const parts: Array<string> = []
  for (let at = 0; at < codes.length; at += PIECE) parts.push(String.fromCharCode(...codes.slice(at, at + PIECE)))
  return parts.join("")
}

const PIECE = 4096

function codesOf(alphabet: string): ReadonlyArray<number> {
  return Array.from(alphabet, (character) => character.charCodeAt(0))
}
