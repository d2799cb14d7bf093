/**
 * Reads the raw format of snappy, in which the consensus tests keep their SSZ.
 *
 * Source: google/snappy `format_description.txt`.
 */

/**
 * Returns the bytes that a block of raw snappy stands for. Throws if the block is cut off, or if it copies bytes from
 * before its start.
 */
export const decode = (block: Uint8Array): Uint8Array => {
  let at = 0
  const byte = (): number => {
    if (at >= block.length) throw new Error("snappy: the block is cut off")
    return block[at++]!
  }
  const little = (size: number): number => {
    let value = 0
    for (let place = 0; place < size; place++) value += byte() * 2 ** (8 * place)
    return value
  }
  let length = 0
  for (let shift = 0, more = true; more; shift += 7) {
    const part = byte()
    length += (part & 0x7f) * 2 ** shift
    more = part >= 0x80
  }
  const out = new Uint8Array(length)
  let end = 0
  while (at < block.length) {
    const tag = byte()
    const high = tag >> 2
    if ((tag & 3) === 0) {
      const count = 1 + (high < 60 ? high : little(high - 59))
      out.set(block.subarray(at, at + count), end)
      at += count
      end += count
      continue
    }
    const isShort = (tag & 3) === 1
    const count = isShort ? 4 + (high & 7) : 1 + high
    const distance = isShort ? (tag >> 5) * 256 + byte() : little((tag & 3) === 2 ? 2 : 4)
    if (distance === 0 || distance > end) throw new Error("snappy: a copy from before the start")
    for (let step = 0; step < count; step++, end++) out[end] = out[end - distance]!
  }
  if (end !== length) throw new Error(`snappy: ${end} bytes where ${length} were promised`)
  return out
}
