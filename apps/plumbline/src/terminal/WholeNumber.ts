/** Whole numbers that a person types. */

/** Reads a number from 0, decimal or with `0x`, of at most so many bits; undefined for any other text. */
export const parse = (text: string, bits: number): bigint | undefined => {
  const most = 2n ** BigInt(bits) - 1n
  const isHex = /^0x/iu.test(text)
  const isShort = text.length <= (isHex ? 2 + Math.ceil(bits / 4) : String(most).length)
  if (!isShort || !/^(?:0x[0-9a-f]+|[0-9]+)$/iu.test(text)) return undefined
  const number = BigInt(text.toLowerCase())
  return number > most ? undefined : number
}
