/**
 * Keccak-256, the hash of Ethereum. It differs from SHA3-256 in its padding.
 */
import * as Hex from "../hex/Hex.ts"
import type * as Hash32 from "./Hash32.ts"
import * as KeccakEngine from "./keccakEngine.ts"

/**
 * The hash of no bytes: the code hash of an account without code.
 */
export const EMPTY: Hash32.Hash32 =
  "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470" as Hash32.Hash32

/**
 * Returns the 32 bytes of the hash.
 *
 * The input can have any size. It is copied in parts into memory that all calls share. The last input stays
 * there until it is overwritten, so do not hash secrets.
 *
 * ```ts import.meta.vitest
 * import { Keccak256 } from "@plumbline/codec"
 *
 * Keccak256.hash(new TextEncoder().encode("abc")).slice(0, 4) // => new Uint8Array([78, 3, 101, 122])
 * ```
 */
export const hash = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => KeccakEngine.get().hash(bytes)

/**
 * Returns the hash as lower-case text.
 *
 * ```ts import.meta.vitest
 * import { Keccak256 } from "@plumbline/codec"
 *
 * Keccak256.hashHex(new Uint8Array(0)) // => Keccak256.EMPTY
 * ```
 */
export const hashHex = (bytes: Uint8Array): Hash32.Hash32 => Hex.fromBytes(hash(bytes)) as Hash32.Hash32

/**
 * Returns the hash of each input, in the same order.
 *
 * Hashes three inputs with the same number of 136-byte blocks at a time if the platform has SIMD. This saves a
 * quarter of the time or more, so collect inputs if you can.
 *
 * ```ts import.meta.vitest
 * import { Keccak256 } from "@plumbline/codec"
 *
 * const inputs = [1, 2, 3].map((byte) => new Uint8Array([byte]))
 * Keccak256.hashMany(inputs) // => inputs.map((input) => Keccak256.hash(input))
 * ```
 */
export const hashMany = (inputs: ReadonlyArray<Uint8Array>): Array<Uint8Array<ArrayBuffer>> =>
  KeccakEngine.get().hashMany(inputs)

/**
 * Returns the engine that hashes: `"wasm"`, or `"noble"` (plain JavaScript, about ten times slower). It is `"noble"` if
 * the platform has no WebAssembly or a content security policy refuses it (`script-src` without `wasm-unsafe-eval`).
 *
 * ```ts import.meta.vitest
 * import { Keccak256 } from "@plumbline/codec"
 *
 * Keccak256.engine() // => "wasm"
 * ```
 */
export const engine = (): "wasm" | "noble" => KeccakEngine.get().name
