/** Writes whole numbers as minimal big-endian bytes, 64 bits at a time, without text in between. */

/** Maximum number of bytes of a number that is written here. */
export const MAX_SIZE = 32

/**
 * Writes the number at `at`, without leading zeros, and returns its number of bytes: 0 for zero, -1 if it needs more
 * than `MAX_SIZE`. The number must be zero or more. `MAX_SIZE` bytes from `at` on are overwritten.
 */
export const write = (n: bigint, bytes: Uint8Array, view: DataView, at: number): number =>
  n < TWO_64 ? writeShort(n, view, at) : writeLong(n, bytes, view, at)

const TWO_64 = 2n ** 64n

/** Writes a number of up to 64 bits as two halves, shifted to the left to drop the leading zeros. */
const writeShort = (n: bigint, view: DataView, at: number): number => {
  view.setBigUint64(at, n)
  const high = view.getUint32(at)
  const low = view.getUint32(at + 4)
  const zeros = Math.clz32(high === 0 ? low : high) & ~7
  if (high === 0) {
    view.setUint32(at, low << zeros)
    return 4 - (zeros >> 3)
  }
  if (zeros > 0) {
    view.setUint32(at, (high << zeros) | (low >>> (32 - zeros)))
    view.setUint32(at + 4, low << zeros)
  }
  return 8 - (zeros >> 3)
}

const writeLong = (n: bigint, bytes: Uint8Array, view: DataView, at: number): number => {
  const end = at + MAX_SIZE
  let from = end - 8
  view.setBigUint64(from, n)
  for (let rest = n >> 64n; rest > 0n; rest >>= 64n) {
    if (from === at) return -1
    from -= 8
    view.setBigUint64(from, rest)
  }
  while (from < end && bytes[from] === 0) from++
  const size = end - from
  if (from > at) for (let i = 0; i < size; i++) bytes[at + i] = bytes[from + i]!
  return size
}
