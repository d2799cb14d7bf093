/**
 * The one memory that the WebAssembly modules of this package share, and the function that starts a module on it.
 *
 * The memory has a fixed size and is scratch: each call copies its input in and its result out, long inputs in parts.
 * So it never grows, and no view of it ever becomes stale. The last data that was hashed or converted stays there until
 * it is overwritten. Only the items of a batch and the bytes of a borrowed writer are kept from call to call, in
 * separate areas. Pages that are not touched take no physical memory.
 */

/** The position of the hash of a single message, 32 bytes. */
export const DIGEST = 0
/** The position of input bytes. */
export const INPUT = 1024
/** Bytes that fit into the input area, with room for padding: whole blocks of Keccak-256. */
export const INPUT_SIZE = 136 * 960
/** The position of the area for the items of a batch, and its size in bytes. */
export const BATCH = 132 * 1024
export const BATCH_SIZE = 512 * 1024
/** The position of the list of messages that are hashed together, and the maximum number of its entries. */
export const JOBS = BATCH + BATCH_SIZE
export const MAX_JOBS = 1024
/** The position of the hashes of copied messages, and the maximum number of these hashes, a multiple of three. */
export const DIGESTS = JOBS + 12 * MAX_JOBS
export const MAX_DIGESTS = 126
/** The position of the area that a borrowed RLP writer writes to, and its size in bytes. */
export const RLP = DIGESTS + 4096
export const RLP_SIZE = 4 * 1024 * 1024
/**
 * The position of hex text, for input and output. No other area may come after it, because text that is not ASCII takes
 * up to three times the room before it is refused.
 */
export const TEXT = RLP + RLP_SIZE
/** Number of bytes whose text fits into the text area, with its prefix and room for whole vectors. */
export const TEXT_BYTES = 64 * 1024
const PAGES = 77

/**
 * The part of a WebAssembly memory that is used here. Declarations do not name `WebAssembly`, because a program without
 * the dom library has no such namespace.
 */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
}

/** The exports of a module that was started. The code that made the module knows their types. */
export type WasmExports = Readonly<Record<string, unknown>>

/** Makes a new memory. Returns `undefined` without WebAssembly. */
export const make = (): WasmMemory | undefined =>
  attempt(() => new WebAssembly.Memory({ initial: PAGES, maximum: PAGES }))

let shared: { readonly memory: WasmMemory | undefined } | undefined

/** Returns the memory that all modules share, made at the first call. */
export const get = (): WasmMemory | undefined => (shared ??= { memory: make() }).memory

/**
 * Compiles a module and starts it. Returns `undefined` if the platform refuses it, because of its size, SIMD, or a
 * content security policy against all WebAssembly.
 */
export const instantiate = (base64: string, memory: WasmMemory): WasmExports | undefined =>
  attempt(() => {
    const binary = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    return new WebAssembly.Instance(new WebAssembly.Module(binary), { codec: { memory: memory as WebAssembly.Memory } })
      .exports
  })

const attempt = <A>(make: () => A): A | undefined => {
  try {
    return make()
  } catch {
    return undefined
  }
}
