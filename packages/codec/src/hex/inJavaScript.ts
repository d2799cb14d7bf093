/** Converts hex text to bytes and back in plain JavaScript. It assumes the prefix `0x`. */
import * as HexDigits from "./hexDigits.ts"

type Hex = `0x${string}`

/** One implementation of the conversions. */
export interface HexCodec {
  /** Returns the lower-case `0x` text of the bytes. */
  readonly encode: (bytes: Uint8Array) => Hex
  /** True if all characters after the prefix are hex digits. */
  readonly check: (text: string) => boolean
  /** Returns the bytes of `0x` text of even length, or `undefined` if a character after `0x` is not a hex digit. */
  readonly decode: (text: string) => Uint8Array<ArrayBuffer> | undefined
  /**
   * Writes the bytes of `0x` text into `target` at `position`. `target` must have room for them. Returns false if a
   * character is not a hex digit.
   */
  readonly decodeInto: (text: string, target: Uint8Array, position: number) => boolean
  /**
   * Writes the bytes of `0x` text, at most `TEXT_BYTES` of them, to a position in linear memory, and overwrites up to
   * 15 bytes after them. Returns false if a character is not a hex digit. Plain JavaScript has no such function.
   */
  readonly decodeAt?: (text: string, at: number) => boolean
  /**
   * Returns the lower-case `0x` text of at most `TEXT_BYTES` bytes in linear memory. Plain JavaScript has no such
   * function.
   */
  readonly encodeAt?: (at: number, size: number) => Hex
}

const PAIRS: ReadonlyArray<string> = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** The function of the same name of `HexCodec`. */
export const decodeInto = (text: string, target: Uint8Array, position: number): boolean => {
  let wide = 0
  let bad = 0
  for (let from = 2, to = position; from < text.length; from += 2, to++) {
    const high = text.charCodeAt(from)
    const low = text.charCodeAt(from + 1)
    const a = HexDigits.DIGIT[high & 0xff]!
    const b = HexDigits.DIGIT[low & 0xff]!
    wide |= high | low
    bad |= a | b
    target[to] = (a << 4) | b
  }
  return wide < 256 && bad < 16
}

/** The conversions in plain JavaScript. */
export const plain: HexCodec = {
  encode: (bytes) => {
    let text: Hex = "0x"
    for (let i = 0; i < bytes.length; i++) text += PAIRS[bytes[i]!]!
    return text
  },
  check: (text) => HexDigits.allDigits(text, 2),
  decode: (text) => {
    const out = new Uint8Array((text.length - 2) >> 1)
    return decodeInto(text, out, 0) ? out : undefined
  },
  decodeInto
}
