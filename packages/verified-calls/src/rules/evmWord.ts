/** The numbers of the virtual machine as bytes, the most significant first. A word has 32 bytes. */

/** The bytes that a float holds without loss, and the bits in them. */
const PART = 6
const PART_BITS = BigInt(8 * PART)

/** Reads the number in a range of bytes. Zeros follow the bytes. */
export const read = (bytes: Uint8Array, from: number, end: number): bigint => {
  let at = from
  while (at < end && bytes[at] === 0) at++
  let value = 0n
  for (let isFirst = true; at < end; isFirst = false) {
    const to = Math.min(end, at + PART)
    let part = 0
    for (let i = at; i < to; i++) part = part * 256 + (bytes[i] ?? 0)
    value = isFirst ? BigInt(part) : (value << (to - at === PART ? PART_BITS : BigInt(8 * (to - at)))) | BigInt(part)
    at = to
  }
  return value
}

/** Writes a number below 2^256 as 32 bytes. */
export const write = (bytes: Uint8Array, at: number, value: bigint): void => {
  let rest = value
  let end = at + 32
  bytes.fill(0, at, end)
  while (rest > 0n) {
    let part = Number(BigInt.asUintN(8 * PART, rest))
    rest >>= PART_BITS
    for (let i = end - 1; part > 0 && i >= at; i--) {
      bytes[i] = part % 256
      part = Math.floor(part / 256)
    }
    end -= PART
  }
}

/** Returns a number below 2^256 as 32 bytes. */
export const toBytes = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(32)
  write(bytes, 0, value)
  return bytes
}
