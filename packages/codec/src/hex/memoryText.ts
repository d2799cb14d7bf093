/** Writes text to linear memory and reads it back, with Node's `Buffer` or with `TextEncoder` and `TextDecoder`. */
import * as WasmMemory from "../wasm/wasmMemory.ts"

/** The position in memory of the digits of hex text. The prefix `0x` is before them. */
export const DIGITS: number = WasmMemory.TEXT + 2

/** Reads and writes the text of one memory. */
export interface MemoryText {
  /** Reads ASCII text. */
  readonly read: (from: number, to: number) => string
  /**
   * Writes text as UTF-8 up to the end of memory, and returns the number of bytes written. For text that is not all
   * ASCII, this is more than the length of the text.
   */
  readonly write: (text: string, at: number) => number
}

interface NodeBuffer extends Uint8Array {
  readonly latin1Slice?: (from: number, to: number) => string
  readonly utf8Write?: (text: string, at: number) => number
}

/**
 * Uses `Buffer` if the platform has one with both methods. For short text, `Buffer` is faster than `TextDecoder` and
 * `TextEncoder`: it reads the text of 32 bytes in 66 nanoseconds instead of 201, and writes it in 42 instead of 51.
 * `Buffer` is looked up on the global object only, so that no bundler adds one.
 */
export const byBuffer = (memory: Uint8Array<ArrayBuffer>): MemoryText | undefined => {
  const { Buffer } = globalThis as { readonly Buffer?: { readonly from?: (memory: ArrayBuffer) => NodeBuffer } }
  const view = Buffer?.from?.(memory.buffer)
  return typeof view?.latin1Slice === "function" && typeof view.utf8Write === "function"
    ? { read: (from, to) => view.latin1Slice!(from, to), write: (text, at) => view.utf8Write!(text, at) }
    : undefined
}

/** Uses `TextDecoder` and `TextEncoder`. */
export const byCoders = (memory: Uint8Array<ArrayBuffer>): MemoryText => {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const textArea = memory.subarray(WasmMemory.TEXT)
  return {
    read: (from, to) => decoder.decode(memory.subarray(from, to)),
    write: (text, at) => encoder.encodeInto(text, at === WasmMemory.TEXT ? textArea : memory.subarray(at)).written
  }
}

/** Returns the fastest implementation that this platform has. */
export const best = (memory: Uint8Array<ArrayBuffer>): MemoryText => byBuffer(memory) ?? byCoders(memory)
