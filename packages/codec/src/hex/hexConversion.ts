/** Converts hex text to bytes and back, by WebAssembly if the platform allows it. It assumes the prefix `0x`. */
import * as WasmMemory from "../wasm/wasmMemory.ts"
import * as HexDigits from "./hexDigits.ts"
import { HEX } from "./hexWasm.ts"
import { decodeInto, type HexCodec, plain } from "./inJavaScript.ts"
import { best as bestText, DIGITS, type MemoryText } from "./memoryText.ts"

type Hex = `0x${string}`

/** The started module and its memory; see `scripts/hexWat.ts`. */
export interface HexModule {
  readonly memory: Uint8Array<ArrayBuffer>
  readonly unhex: (from: number, size: number, to: number) => number
  readonly tohex: (from: number, size: number, to: number) => void
}

/** Starts the module if the platform allows it. */
export const load = (memory: WasmMemory.WasmMemory | undefined): HexModule | undefined => {
  if (memory === undefined) return undefined
  const hex = WasmMemory.instantiate(HEX, memory)
  if (hex === undefined) return undefined
  // the generator and its test guarantee the names and types of the exports
  return {
    memory: new Uint8Array(memory.buffer),
    unhex: hex["unhex"] as HexModule["unhex"],
    tohex: hex["tohex"] as HexModule["tohex"]
  }
}

/** Converts by the started module, 16 bytes at a time. */
export const fromWasm = ({ memory, tohex, unhex }: HexModule, memoryText: MemoryText): HexCodec => {
  // decoding overwrites this prefix with the same prefix, so it stays
  memory[WasmMemory.TEXT] = 0x30
  memory[WasmMemory.TEXT + 1] = 0x78

  const prefixes = Array.from({ length: COPY + 1 }, (_, size) =>
    memory.subarray(WasmMemory.INPUT, WasmMemory.INPUT + size)
  )

  /** Copies the first bytes of the input area. Copying an existing view takes 39 nanoseconds, `slice` takes 54. */
  const copy = (size: number): Uint8Array<ArrayBuffer> =>
    size <= COPY ? new Uint8Array(prefixes[size]!) : memory.slice(WasmMemory.INPUT, WasmMemory.INPUT + size)

  const encodeAt = (at: number, size: number): Hex => {
    tohex(at, size, DIGITS)
    return memoryText.read(WasmMemory.TEXT, DIGITS + 2 * size) as Hex
  }

  /** Reads the text of a part, with the prefix or without it. */
  const encodePart = (bytes: Uint8Array, from: number): string => {
    memory.set(bytes, WasmMemory.INPUT)
    tohex(WasmMemory.INPUT, bytes.length, DIGITS)
    return memoryText.read(from, DIGITS + 2 * bytes.length)
  }

  /**
   * Decodes one part of a text into the input area, with a zero added to an odd number of digits. Returns false if a
   * character is not a hex digit.
   */
  const decodePart = (text: string, digits: number, at: number): boolean => {
    if (memoryText.write(text, at) !== text.length) return false
    if (digits % 2 !== 0) memory[DIGITS + digits] = 0x30
    return unhex(DIGITS, (digits + 1) >> 1, WasmMemory.INPUT) !== 0
  }

  /** Decodes text of any length, and passes the bytes of each part to `take`. */
  const decodeParts = (text: string, take: (bytes: Uint8Array, offset: number) => void): boolean => {
    const step = 2 * WasmMemory.TEXT_BYTES
    for (let from = 2; from < text.length; from += step) {
      const part = text.slice(from, from + step)
      if (!decodePart(part, part.length, DIGITS)) return false
      take(memory.subarray(WasmMemory.INPUT, WasmMemory.INPUT + (part.length >> 1)), (from - 2) / 2)
    }
    return true
  }

  return {
    encode: (bytes) => {
      if (bytes.length <= WasmMemory.TEXT_BYTES) return encodePart(bytes, WasmMemory.TEXT) as Hex
      let text: Hex = "0x"
      for (let from = 0; from < bytes.length; from += WasmMemory.TEXT_BYTES) {
        text += encodePart(bytes.subarray(from, from + WasmMemory.TEXT_BYTES), DIGITS)
      }
      return text
    },
    check: (text) => {
      const digits = text.length - 2
      if (digits <= 2 * SHORT) return HexDigits.allDigits(text, 2)
      return digits <= 2 * WasmMemory.TEXT_BYTES
        ? decodePart(text, digits, WasmMemory.TEXT)
        : decodeParts(text, () => {})
    },
    decode: (text) => {
      const size = (text.length - 2) / 2
      if (size <= WasmMemory.TEXT_BYTES) {
        return decodePart(text, 2 * size, WasmMemory.TEXT) ? copy(size) : undefined
      }
      const out = new Uint8Array(size)
      return decodeParts(text, (bytes, offset) => out.set(bytes, offset)) ? out : undefined
    },
    decodeInto: (text, target, position) => {
      const size = (text.length - 2) / 2
      if (size <= SHORT) return decodeInto(text, target, position)
      if (size > WasmMemory.TEXT_BYTES) {
        return decodeParts(text, (bytes, offset) => target.set(bytes, position + offset))
      }
      if (!decodePart(text, 2 * size, WasmMemory.TEXT)) return false
      if (size > COPY) target.set(memory.subarray(WasmMemory.INPUT, WasmMemory.INPUT + size), position)
      else for (let i = 0; i < size; i++) target[position + i] = memory[WasmMemory.INPUT + i]!
      return true
    },
    decodeAt: (text, at) =>
      memoryText.write(text, WasmMemory.TEXT) === text.length && unhex(DIGITS, (text.length - 2) >> 1, at) !== 0,
    encodeAt
  }
}

/** Up to this many bytes, a loop in JavaScript is faster than the scratch memory. */
const SHORT = 12

/** Up to this many bytes, copying in a loop is faster than making a view. */
const COPY = 64

/** Returns the best codec of this platform. */
export const best = (module: HexModule | undefined): HexCodec =>
  module === undefined ? plain : fromWasm(module, bestText(module.memory))

let chosen: HexCodec | undefined

/** Returns the codec in use, chosen at the first call. */
export const get = (): HexCodec => (chosen ??= best(load(WasmMemory.get())))

/** True if the text is `0x` and whole bytes, and has `size` bytes if a size is given. */
export const isData = (text: string, size?: number): boolean => HexDigits.isWhole(text, size) && get().check(text)
