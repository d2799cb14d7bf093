/** Hex text to bytes and back, by WebAssembly and by plain JavaScript. The prefix `0x` is taken for granted. */
import { DIGIT } from "./hexDigits.ts"
import * as wasm from "./wasm.ts"

type Hex = `0x${string}`

/** One implementation of the conversions. */
export interface HexCodec {
  /** `0x` text of the bytes, lower case. */
  readonly encode: (bytes: Uint8Array) => Hex
  /** Bytes of `0x` text with an even number of characters, or undefined when one is not a hex digit. */
  readonly decode: (text: string) => Uint8Array<ArrayBuffer> | undefined
  /** The same into `target` at `position`, which has room for it; false when a character is not a hex digit. */
  readonly decodeInto: (text: string, target: Uint8Array, position: number) => boolean
}

const PAIRS: ReadonlyArray<string> = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const decodeInto = (text: string, target: Uint8Array, position: number): boolean => {
  let wide = 0
  let bad = 0
  for (let from = 2, to = position; from < text.length; from += 2, to++) {
    const high = text.charCodeAt(from)
    const low = text.charCodeAt(from + 1)
    const a = DIGIT[high & 0xff]!
    const b = DIGIT[low & 0xff]!
    wide |= high | low
    bad |= a | b
    target[to] = (a << 4) | b
  }
  return wide < 256 && bad < 16
}

/** The fallback: plain JavaScript. */
export const plain: HexCodec = {
  encode: (bytes) => {
    let text: Hex = "0x"
    for (let i = 0; i < bytes.length; i++) text += PAIRS[bytes[i]!]!
    return text
  },
  decode: (text) => {
    const out = new Uint8Array((text.length - 2) >> 1)
    return decodeInto(text, out, 0) ? out : undefined
  },
  decodeInto
}

/** Reads ASCII text from memory. */
export type ReadText = (from: number, to: number) => string

/**
 * Node's `Buffer` reads short text from memory twice as fast as `TextDecoder`: 63 against 130 nanoseconds for 66
 * characters. It is only asked for on the global object, so no bundler adds a Buffer for us.
 */
export const readTextByBuffer = (memory: Uint8Array<ArrayBuffer>): ReadText | undefined => {
  interface NodeBuffer extends Uint8Array {
    readonly latin1Slice?: (from: number, to: number) => string
  }
  const { Buffer } = globalThis as { readonly Buffer?: { readonly from?: (memory: ArrayBuffer) => NodeBuffer } }
  const view = Buffer?.from?.(memory.buffer)
  return typeof view?.latin1Slice === "function" ? (from, to) => view.latin1Slice!(from, to) : undefined
}

/** What every platform has. */
export const readTextByDecoder = (memory: Uint8Array<ArrayBuffer>): ReadText => {
  const decoder = new TextDecoder()
  return (from, to) => decoder.decode(memory.subarray(from, to))
}

/** Converts by the loaded module, 16 bytes at a time. */
export const fromWasm = (memory: Uint8Array<ArrayBuffer>, { unhex, tohex }: wasm.Hex, readText: ReadText): HexCodec => {
  const encoder = new TextEncoder()
  const textArea = memory.subarray(wasm.TEXT)
  const digitArea = memory.subarray(wasm.TEXT + 2)
  // decoding writes this prefix over itself, so it stays
  memory[wasm.TEXT] = 0x30
  memory[wasm.TEXT + 1] = 0x78

  /** Reads the text of a part, with the prefix or without it. */
  const encodePart = (bytes: Uint8Array, from: number): string => {
    memory.set(bytes, wasm.INPUT)
    tohex(wasm.INPUT, bytes.length, wasm.TEXT + 2)
    return readText(from, wasm.TEXT + 2 + 2 * bytes.length)
  }

  /** Leaves the bytes of a part in the input area. `encodeInto` writes more than `length` bytes when not all is ASCII. */
  const decodePart = (text: string, size: number, area: Uint8Array): boolean =>
    encoder.encodeInto(text, area).written === text.length && unhex(wasm.TEXT + 2, size, wasm.INPUT) !== 0

  const decodeLong = (text: string, target: Uint8Array, position: number): boolean => {
    for (let from = 2, to = position; from < text.length; from += 2 * wasm.TEXT_BYTES, to += wasm.TEXT_BYTES) {
      const part = text.slice(from, from + 2 * wasm.TEXT_BYTES)
      const size = part.length / 2
      if (!decodePart(part, size, digitArea)) return false
      target.set(memory.subarray(wasm.INPUT, wasm.INPUT + size), to)
    }
    return true
  }

  return {
    encode: (bytes) => {
      if (bytes.length <= wasm.TEXT_BYTES) return encodePart(bytes, wasm.TEXT) as Hex
      let text: Hex = "0x"
      for (let from = 0; from < bytes.length; from += wasm.TEXT_BYTES) {
        text += encodePart(bytes.subarray(from, from + wasm.TEXT_BYTES), wasm.TEXT + 2)
      }
      return text
    },
    decode: (text) => {
      const size = (text.length - 2) / 2
      if (size <= wasm.TEXT_BYTES) {
        return decodePart(text, size, textArea) ? memory.slice(wasm.INPUT, wasm.INPUT + size) : undefined
      }
      const out = new Uint8Array(size)
      return decodeLong(text, out, 0) ? out : undefined
    },
    decodeInto: (text, target, position) => {
      const size = (text.length - 2) / 2
      if (size <= SHORT) return decodeInto(text, target, position)
      if (size > wasm.TEXT_BYTES) return decodeLong(text, target, position)
      if (!decodePart(text, size, textArea)) return false
      if (size > COPY) target.set(memory.subarray(wasm.INPUT, wasm.INPUT + size), position)
      else for (let i = 0; i < size; i++) target[position + i] = memory[wasm.INPUT + i]!
      return true
    }
  }
}

/** Up to this many bytes the loop in JavaScript is the quicker way into a buffer that is already there. */
const SHORT = 12

/** Up to this many bytes a loop copies quicker than a view is made. */
const COPY = 64

/** The best codec of this platform. */
export const best = (modules: wasm.Wasm | undefined): HexCodec => {
  if (modules?.hex === undefined) return plain
  const { bytes: memory, hex } = modules
  return fromWasm(memory, hex, readTextByBuffer(memory) ?? readTextByDecoder(memory))
}

let chosen: HexCodec | undefined

/** The codec in use, chosen at the first call. */
export const get = (): HexCodec => (chosen ??= best(wasm.get()))
