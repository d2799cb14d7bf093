/**
 * Base64 of RFC 4648, section 4, in steps. `atob` and `btoa` pass a block of 8 MiB in one piece, and need a text with a
 * character for each byte, which takes a second.
 */
import { STEP, type Steps } from "../work/steps.ts"

/** Number of digits that one step passes, about a millisecond of work. The number is a multiple of 4. */
const DIGITS_AT_ONCE = 128 * STEP

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

const DIGITS = /* @__PURE__ */ new TextEncoder().encode(ALPHABET)

const URL_DIGITS = /* @__PURE__ */ new TextEncoder().encode(`${ALPHABET.slice(0, 62)}-_`)

/** The value of each digit by its code, and `NO_DIGIT` for all other codes. */
const VALUES = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => {
  const value = ALPHABET.indexOf(String.fromCharCode(code))
  return value === -1 ? 0xff : value
})

const NO_DIGIT = 0xff
const PADDING = 0x3d
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * Reads a text with or without padding, in steps. As in Go, line breaks are ignored, and so are the bits after the last
 * whole byte. Returns undefined if the text is malformed.
 */
export function* decodeSteps(text: string): Steps<Uint8Array | undefined> {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let count = 0
  let digits = 0
  let padding = 0
  let held = 0
  for (let at = 0; at < text.length; at++) {
    if (at % DIGITS_AT_ONCE === DIGITS_AT_ONCE - 1) yield
    const code = text.charCodeAt(at)
    const value = VALUES[code] ?? NO_DIGIT
    if (value === NO_DIGIT) {
      if (code === LINE_FEED || code === CARRIAGE_RETURN) continue
      if (code !== PADDING || ++padding > 2) return undefined
      continue
    }
    if (padding > 0) return undefined
    held = ((held << 6) | value) & 0xffff
    // The second, third and fourth digit of a group each complete a byte.
    if ((digits++ & 3) !== 0) bytes[count++] = held >> (6 - 2 * ((digits - 1) & 3))
  }
  if (digits % 4 === 1 || (padding > 0 && (digits + padding) % 4 !== 0)) return undefined
  return bytes.subarray(0, count)
}

const decoder = /* @__PURE__ */ new TextDecoder()

/** Writes bytes with padding, in steps. */
export const encodeSteps = (bytes: Uint8Array): Steps<string> => written(bytes, DIGITS)

/** Writes bytes in base64url without padding, in steps. Source: RFC 4648, section 5. */
export function* encodeUrlSteps(bytes: Uint8Array): Steps<string> {
  return (yield* written(bytes, URL_DIGITS)).slice(0, Math.ceil((bytes.length * 4) / 3))
}

function* written(bytes: Uint8Array, alphabet: Uint8Array): Steps<string> {
  const parts: Array<string> = []
  const digits = new Uint8Array(Math.min(DIGITS_AT_ONCE, 4 * Math.ceil(bytes.length / 3)))
  let count = 0
  for (let at = 0; at < bytes.length; at += 3) {
    if (count === DIGITS_AT_ONCE) {
      parts.push(decoder.decode(digits))
      count = 0
      yield
    }
    const [a, b, c] = [bytes[at]!, bytes[at + 1], bytes[at + 2]]
    digits[count++] = alphabet[a >> 2]!
    digits[count++] = alphabet[((a & 3) << 4) | ((b ?? 0) >> 4)]!
    digits[count++] = b === undefined ? PADDING : alphabet[((b & 15) << 2) | ((c ?? 0) >> 6)]!
    digits[count++] = c === undefined ? PADDING : alphabet[c & 63]!
  }
  parts.push(decoder.decode(digits.subarray(0, count)))
  return parts.join("")
}
