/**
 * Keccak-256 of two words, from text to text. It works in linear memory if the platform allows it, otherwise on byte
 * arrays.
 */
import * as hexCodec from "../hex/hexConversion.ts"
import * as HexDigits from "../hex/hexDigits.ts"
import { best as bestText, DIGITS, type MemoryText } from "../hex/memoryText.ts"
import * as WasmMemory from "../wasm/wasmMemory.ts"
import * as KeccakEngine from "./keccakEngine.ts"
import { SCALAR } from "./keccakWasm.ts"

type Hex = `0x${string}`

/** Returns the hash of two words, or `undefined` if a text is not `0x` and at most 32 whole bytes. */
export type PairHash = (first: string | bigint, second: string | bigint) => Hex | undefined

const WORD = 32
const LAST_64_BITS = 2n ** 64n - 1n

/** Writes the number modulo 2^256, big-endian. `setBigUint64` takes the low 64 bits by itself. */
const putNumber = (view: DataView, at: number, n: bigint): void => {
  view.setBigUint64(at + 24, n)
  if (n >= 0n && n <= LAST_64_BITS) clear(view, at, 24)
  else {
    view.setBigUint64(at + 16, n >> 64n)
    view.setBigUint64(at + 8, n >> 128n)
    view.setBigUint64(at, n >> 192n)
  }
}

const clear = (view: DataView, at: number, size: number): void => {
  for (let i = 0; i < size; i += 8) view.setBigUint64(at + i, 0n)
}

/** True if the text is `0x` and an even number of characters, at most 64. The characters are not checked. */
const hasForm = (text: string): boolean =>
  HexDigits.hasPrefix(text) && text.length % 2 === 0 && text.length <= 2 + 2 * WORD

/** True if the text is `0x` and at most 32 whole bytes. */
export const isWord = (text: string): boolean => hasForm(text) && hexCodec.get().check(text)

/** The fallback without the modules: joins the words as bytes, and hashes them. */
export const plain: PairHash = (first, second) => {
  const bytes = new Uint8Array(2 * WORD)
  const view = new DataView(bytes.buffer)
  const put = (word: string | bigint, at: number): boolean => {
    if (typeof word !== "bigint") {
      return hasForm(word) && hexCodec.get().decodeInto(word, bytes, at + WORD - (word.length - 2) / 2)
    }
    putNumber(view, at, word)
    return true
  }
  return put(first, 0) && put(second, WORD) ? hexCodec.get().encode(KeccakEngine.get().hash(bytes)) : undefined
}

/** The functions of the started modules, on one memory. */
export interface PairModules extends hexCodec.HexModule {
  readonly absorb: KeccakEngine.KeccakModules["absorb"]
}

/** A word whose 32 bytes are kept as numbers, because copying eight numbers takes less time than writing the word. */
interface Kept<A> {
  word: A
  readonly bytes: Int32Array
}

/**
 * Returns a function that hashes with the started modules. It keeps the last hash and the last number, because entries
 * within entries hash the last hash, and a program asks for many entries of one mapping.
 */
export const fromWasm = ({ absorb, memory, tohex, unhex }: PairModules, memoryText: MemoryText): PairHash => {
  const view = new DataView(memory.buffer)
  const words = new Int32Array(memory.buffer)
  const lastHash: Kept<string | undefined> = { word: undefined, bytes: new Int32Array(WORD / 4) }
  const lastNumber: Kept<bigint> = { word: 0n, bytes: new Int32Array(WORD / 4) }
  memory[WasmMemory.TEXT] = 0x30
  memory[WasmMemory.TEXT + 1] = 0x78

  // loops, because `set` and `copyWithin` take longer for eight numbers
  const keep = ({ bytes }: Kept<unknown>, at: number): void => {
    for (let i = 0; i < bytes.length; i++) bytes[i] = words[(at >> 2) + i]!
  }
  const putKept = ({ bytes }: Kept<unknown>, at: number): true => {
    for (let i = 0; i < bytes.length; i++) words[(at >> 2) + i] = bytes[i]!
    return true
  }

  /** Writes a word. `unhex` overwrites up to 15 bytes after it, so the first word is written first. */
  const put = (word: string | bigint, at: number): boolean => {
    if (typeof word === "bigint") {
      if (word === lastNumber.word) return putKept(lastNumber, at)
      putNumber(view, at, word)
      lastNumber.word = word
      keep(lastNumber, at)
      return true
    }
    if (word === lastHash.word) return putKept(lastHash, at)
    if (!hasForm(word) || memoryText.write(word, WasmMemory.TEXT) !== word.length) return false
    const size = (word.length - 2) / 2
    for (let i = at >> 2; i < (at + WORD) >> 2; i++) words[i] = 0
    return unhex(DIGITS, size, at + WORD - size) !== 0
  }

  return (first, second) => {
    if (!put(first, WasmMemory.INPUT) || !put(second, WasmMemory.INPUT + WORD)) return undefined
    absorb(WasmMemory.INPUT, 2 * WORD, 0)
    tohex(WasmMemory.DIGEST, WORD, DIGITS)
    // the prefix `0x` is already there, because all text that is written to this place starts with it
    const hash = memoryText.read(WasmMemory.TEXT, DIGITS + 2 * WORD) as Hex
    lastHash.word = hash
    keep(lastHash, WasmMemory.DIGEST)
    return hash
  }
}

/** Starts the modules on a memory. Returns `undefined` if the platform cannot run both modules. */
export const load = (memory: WasmMemory.WasmMemory | undefined): PairModules | undefined => {
  const hex = hexCodec.load(memory)
  if (memory === undefined || hex === undefined) return undefined
  const scalar = WasmMemory.instantiate(SCALAR, memory)
  if (scalar === undefined) return undefined
  return { ...hex, absorb: scalar["absorb"] as PairModules["absorb"] }
}

/**
 * Returns the fastest implementation that this platform runs. WebAssembly counts only if its Keccak-256 passed the
 * check of the engine.
 */
export const best = (modules: PairModules | undefined): PairHash =>
  modules === undefined || KeccakEngine.get().name !== "wasm" ? plain : fromWasm(modules, bestText(modules.memory))

let chosen: PairHash | undefined

/** Returns the implementation in use, chosen at the first call. */
export const get = (): PairHash => (chosen ??= best(load(WasmMemory.get())))
