/** The table of hex digits, and checks of text that use it. */

/** The mark of characters that are not a hex digit. `BAD` is larger than any digit, and so is `BAD | digit`. */
export const BAD = 0xff

/**
 * Value of the hex digit with each Latin-1 character code, or `BAD`. The caller must check characters beyond 255
 * itself.
 */
export const DIGIT: Uint8Array = (() => {
  const table = new Uint8Array(256).fill(BAD)
  for (let value = 0; value < 16; value++) {
    const digit = value.toString(16)
    table[digit.charCodeAt(0)] = value
    table[digit.toUpperCase().charCodeAt(0)] = value
  }
  return table
})()

/** True if the text starts with `0x`. */
export const hasPrefix = (text: string): boolean => text.charCodeAt(0) === 0x30 && text.charCodeAt(1) === 0x78

/** True if the text has the prefix and the length of whole bytes, of `size` bytes if a size is given. */
export const isWhole = (text: string, size: number | undefined): boolean =>
  (size === undefined ? text.length >= 2 && text.length % 2 === 0 : text.length === 2 + 2 * size) && hasPrefix(text)

/** Returns the position of the first character from `from` on that is not a hex digit, or -1. */
export const firstBadDigit = (text: string, from: number): number => {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 255 || DIGIT[code] === BAD) return i
  }
  return -1
}

/** True if all characters from `from` on are hex digits. */
export const allDigits = (text: string, from: number): boolean => {
  let wide = 0
  let bad = 0
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    wide |= code
    bad |= DIGIT[code & 0xff]!
  }
  return wide < 256 && bad < 16
}
