/** Scalars of secp256k1 as signed digits: the fewer digits are not zero, the fewer points are added. */

/** Order of the base point. */
export const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * Short vectors `[a, b]` for which `a + b * lambda` is a multiple of the order, where `lambda` times a point is the point
 * with `x` times `beta`: the endomorphism of Gallant, Lambert and Vanstone (2001).
 */
const A1 = 0x3086d221a7d46bcde86c90e49284eb15n
const B1 = -0xe4437ed6010e88286f547fa90abfe4c3n
const A2 = 0x114ca50f7a8e2f3f657c1108d9d44cfd8n
const B2 = A1

/** Number of bits of the parts of a scalar, and one more for the carry of the last digit. */
const BITS = 130

/** The greatest part is below 2^128.2: half of the sum of the vectors' lengths. */
export const POSITIONS = BITS + 1

/** Returns two short numbers whose sum `first + second * lambda` is the scalar, modulo the order. */
export const split = (scalar: bigint): readonly [first: bigint, second: bigint] => {
  const c1 = nearest(B2 * scalar)
  const c2 = nearest(-B1 * scalar)
  return [scalar - c1 * A1 - c2 * A2, -c1 * B1 - c2 * B2]
}

/** Returns the whole number next to the quotient by the order. */
const nearest = (value: bigint): bigint => (value + N / 2n) / N

/**
 * Writes the digits of a number of up to 130 bits, the lowest first: each is zero or odd, and between them are at least
 * `width - 1` zeros. They are below 2^(width - 1). Returns the position after the last digit that is not zero.
 */
export const digits = (out: Int16Array, value: bigint, width: number): number => {
  const sign = value < 0n ? -1 : 1
  const words = wordsOf(value < 0n ? -value : value)
  out.fill(0)
  let carry = 0
  let end = 0
  for (let at = 0; at < POSITIONS;) {
    if (bits(words, at, 1) === carry) {
      at++
      continue
    }
    let digit = bits(words, at, width) + carry
    carry = digit >> (width - 1)
    digit -= carry << width
    out[at] = sign * digit
    end = at + 1
    at += width
  }
  return end
}

/** The words of 32 bits, with two zeros after them for the last digits. */
const wordsOf = (value: bigint): Uint32Array => {
  const words = new Uint32Array(7)
  for (let i = 0, left = value; i < 5; i++, left >>= 32n) words[i] = Number(left & 0xffffffffn)
  return words
}

/** Returns up to 16 bits. */
const bits = (words: Uint32Array, at: number, count: number): number => {
  const word = at >>> 5
  const shift = at & 31
  const low = words[word]! >>> shift
  const high = shift === 0 ? 0 : words[word + 1]! << (32 - shift)
  return (low | high) & ((1 << count) - 1)
}
