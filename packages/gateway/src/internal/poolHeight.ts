/** Numbers of latest blocks, and how far one is behind another. */

/** A number, or a quantity in 0x hex. Undefined for whatever is neither. */
export const read = (json: Uint8Array): bigint | undefined => {
  const text = decoder.decode(json.subarray(0, MAX_BYTES)).trim()
  const digits = /^(?:(\d{1,20})|"(0x[0-9a-fA-F]{1,16})")$/u.exec(text)
  return digits === null ? undefined : BigInt(digits[1] ?? digits[2]!)
}

export const highest = (heights: ReadonlyArray<bigint | undefined>): bigint | undefined =>
  heights.reduce(
    (first, height) => (first === undefined || (height !== undefined && height > first) ? height : first),
    undefined
  )

/** Never below zero; undefined where there is nothing to compare. */
export const behind = (height: bigint | undefined, first: bigint | undefined): number | undefined =>
  height === undefined || first === undefined ? undefined : Math.max(0, Number(first - height))

const MAX_BYTES = 64

const decoder = new TextDecoder()
