/**
 * The WebAssembly modules of this package and the one small memory that they share.
 *
 * The memory has a fixed size and is scratch: each call copies its input in and its result out, long inputs in parts.
 * So nothing grows, and no view of it ever becomes stale. What was hashed or converted last stays there until it is
 * overwritten.
 */
import { HEX, SCALAR, THREE_LANES } from "./keccakWasm.ts"

/** Where hashes appear: 32 bytes each, up to three. */
export const DIGEST = 0
/** Where bytes go in. */
export const INPUT = 1024
/** Bytes that fit into the input area, with room for padding: whole blocks of Keccak-256. */
export const INPUT_SIZE = 136 * 960
/** Where hex text goes in and out. */
export const TEXT = 132 * 1024
/** Bytes whose text fits into the text area, with its prefix and room for whole vectors. */
export const TEXT_BYTES = 64 * 1024
const PAGES = 5

/** The Keccak functions; see `scripts/keccakWat.ts`. */
export interface Keccak {
  readonly absorb: (from: number, size: number, flags: number) => void
  readonly hash3:
    | ((from: number, stride: number, blocks: number, size0: number, size1: number, size2: number) => void)
    | undefined
}

/** The hex functions; see `scripts/hexWat.ts`. */
export interface Hex {
  readonly unhex: (from: number, size: number, to: number) => number
  readonly tohex: (from: number, size: number, to: number) => void
}

/** What this platform can run. */
export interface Wasm {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly keccak: Keccak
  readonly hex: Hex | undefined
}

/** Compiles what the platform lets us; undefined when that is nothing (no WebAssembly, or a content security policy). */
export const load = (): Wasm | undefined => {
  const memory = attempt(() => new WebAssembly.Memory({ initial: PAGES, maximum: PAGES }))
  if (memory === undefined) return undefined
  const scalar = instantiate(SCALAR, memory)
  if (scalar === undefined) return undefined
  const threeLanes = instantiate(THREE_LANES, memory)
  const hex = instantiate(HEX, memory)
  // the generator and its test vouch for the names and types of the exports
  return {
    bytes: new Uint8Array(memory.buffer),
    keccak: {
      absorb: scalar["absorb"] as Keccak["absorb"],
      hash3: threeLanes === undefined ? undefined : (threeLanes["hash3"] as Keccak["hash3"])
    },
    hex: hex === undefined ? undefined : { unhex: hex["unhex"] as Hex["unhex"], tohex: hex["tohex"] as Hex["tohex"] }
  }
}

let loaded: { readonly wasm: Wasm | undefined } | undefined

/** What this platform can run, compiled at the first call. */
export const get = (): Wasm | undefined => (loaded ??= { wasm: load() }).wasm

const instantiate = (base64: string, memory: WebAssembly.Memory): WebAssembly.Exports | undefined =>
  attempt(() => {
    const binary = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    return new WebAssembly.Instance(new WebAssembly.Module(binary), { codec: { memory } }).exports
  })

const attempt = <A>(make: () => A): A | undefined => {
  try {
    return make()
  } catch {
    return undefined
  }
}
