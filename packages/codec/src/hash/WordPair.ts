/**
 * Computes Keccak-256 of two words of 32 bytes, from text to text. Use it for entries of mappings, and for nodes of
 * binary trees.
 */
import * as Result from "effect/Result"

import * as explainHex from "../hex/explain.ts"
import type { HexError } from "../hex/HexError.ts"
import type * as Hash32 from "./Hash32.ts"
import * as pair from "./pairHash.ts"

/**
 * A word of 32 bytes: `0x` text of at most 32 bytes, padded on the left with zeros, or a number modulo 2^256.
 */
export type WordInput = string | bigint

/**
 * Returns Keccak-256 of the 64 bytes of two words, as lower-case text.
 *
 * Fails with {@link HexError} on text that is not `0x` and whole bytes, and with its reason `WrongSize` on more than 32
 * bytes. Only text enters and leaves the scratch memory, which saves the arrays of bytes in between.
 *
 * ```ts import.meta.vitest
 * import { Bytes, Keccak256, WordPair } from "@plumbline/codec"
 * import * as Result from "effect/Result"
 *
 * const bytes = Bytes.padLeftUnsafe(new Uint8Array([0xab, ...new Uint8Array(31), 3]), 64)
 * WordPair.hash("0xAB", 3n) // => Result.succeed(Keccak256.hashHex(bytes))
 * Result.isFailure(WordPair.hash("0xag", 3n)) // => true
 * ```
 */
export const hash = (first: WordInput, second: WordInput): Result.Result<Hash32.Hash32, HexError> => {
  const digest = pair.get()(first, second)
  return digest === undefined ? Result.fail(explain(first, second)) : Result.succeed(digest as Hash32.Hash32)
}

/**
 * Does the same as {@link hash}, but throws {@link HexError}.
 *
 * ```ts import.meta.vitest
 * import { WordPair } from "@plumbline/codec"
 *
 * WordPair.hashUnsafe("0x", 3n) === WordPair.hashUnsafe(0n, "0x03") // => true
 * ```
 */
export const hashUnsafe = (first: WordInput, second: WordInput): Hash32.Hash32 => {
  const digest = pair.get()(first, second)
  if (digest === undefined) throw explain(first, second)
  return digest as Hash32.Hash32
}

/** Returns the error of the first word that is refused. At least one word must be refused. */
const explain = (first: WordInput, second: WordInput): HexError =>
  explainHex.explain(typeof first === "string" && !pair.isWord(first) ? first : String(second), 32)
