/**
 * Small checked operations on `Uint8Array`, and the Schema of wire data as bytes.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import { BytesError } from "./BytesError.ts"
import * as Hex from "./Hex.ts"

export { BytesError } from "./BytesError.ts"

/**
 * Bytes in memory.
 */
export type Bytes = Uint8Array

/**
 * Schema of wire data (`0x` text of whole bytes) as `Uint8Array`. It encodes in lower case.
 *
 * ```ts import.meta.vitest
 * import { Bytes } from "@plumbline/codec"
 * import * as Schema from "effect/Schema"
 *
 * Schema.decodeUnknownSync(Bytes.Bytes)("0xC0ffee") // => new Uint8Array([192, 255, 238])
 * Schema.encodeSync(Bytes.Bytes)(new Uint8Array([192, 255, 238])) // => "0xc0ffee"
 * ```
 */
export const Bytes: Schema.Codec<Bytes, string> = /* @__PURE__ */ (() =>
  Hex.Hex.pipe(
    Schema.decodeTo(
      Schema.Uint8Array,
      SchemaTransformation.transform({
        decode: (hex): Bytes => Hex.toBytesUnsafe(hex),
        encode: (bytes) => Hex.fromBytes(bytes)
      })
    )
  ))()

/**
 * Returns all parts one after the other, as new bytes.
 *
 * ```ts import.meta.vitest
 * import { Bytes } from "@plumbline/codec"
 *
 * Bytes.concat(new Uint8Array([1]), new Uint8Array([2, 3])) // => new Uint8Array([1, 2, 3])
 * ```
 */
export const concat = (...parts: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => join(parts)

/**
 * Does the same as `concat`, but takes a list. A list can have more parts than a call can have arguments.
 *
 * ```ts import.meta.vitest
 * import { Bytes } from "@plumbline/codec"
 *
 * const parts = Array.from({ length: 300_000 }, () => new Uint8Array(1))
 * Bytes.join(parts).length // => 300000
 * ```
 */
export const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  let size = 0
  for (const part of parts) size += part.length
  const out = new Uint8Array(size)
  let position = 0
  for (const part of parts) {
    out.set(part, position)
    position += part.length
  }
  return out
}

/**
 * True if two byte arrays have the same length and content. Do not use it for secrets: it stops at the first
 * difference.
 *
 * ```ts import.meta.vitest
 * import { Bytes } from "@plumbline/codec"
 *
 * Bytes.equals(new Uint8Array([1]), new Uint8Array([1])) // => true
 * ```
 */
export const equals = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/**
 * Returns new bytes of length `size`: the given bytes with zeros before them.
 *
 * Fails with {@link BytesError} `TooLong` if there are more than `size` bytes already. Nothing is ever cut off.
 *
 * ```ts import.meta.vitest
 * import { Bytes } from "@plumbline/codec"
 *
 * Bytes.padLeftUnsafe(new Uint8Array([1, 2]), 4) // => new Uint8Array([0, 0, 1, 2])
 * Bytes.padLeft(new Uint8Array(5), 4)._tag // => "Failure"
 * ```
 */
export const padLeft = (bytes: Uint8Array, size: number): Result.Result<Uint8Array<ArrayBuffer>, BytesError> => {
  if (bytes.length > size) {
    return Result.fail(new BytesError({ reason: "TooLong", size: bytes.length, start: 0, end: size }))
  }
  const out = new Uint8Array(size)
  out.set(bytes, size - bytes.length)
  return Result.succeed(out)
}

/**
 * Does the same as {@link padLeft}, but throws {@link BytesError}.
 */
export const padLeftUnsafe = (bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> =>
  Result.getOrThrow(padLeft(bytes, size))

/**
 * Returns a view of the bytes from `start` up to, but not including, `end` (default: the end of the bytes).
 *
 * Fails with {@link BytesError} `OutOfRange` if the range is not within the bytes. `Uint8Array`'s own `slice` would
 * return fewer bytes than requested.
 *
 * ```ts import.meta.vitest
 * import { Bytes } from "@plumbline/codec"
 *
 * const bytes = new Uint8Array([1, 2, 3])
 * Bytes.sliceUnsafe(bytes, 1, 3) // => new Uint8Array([2, 3])
 * Bytes.slice(bytes, 1, 4)._tag // => "Failure"
 * ```
 */
export const slice = (
  bytes: Uint8Array,
  start: number,
  end: number = bytes.length
): Result.Result<Uint8Array, BytesError> =>
  Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end <= bytes.length
    ? Result.succeed(bytes.subarray(start, end))
    : Result.fail(new BytesError({ reason: "OutOfRange", size: bytes.length, start, end }))

/**
 * Does the same as {@link slice}, but throws {@link BytesError}.
 */
export const sliceUnsafe = (bytes: Uint8Array, start: number, end?: number): Uint8Array =>
  Result.getOrThrow(slice(bytes, start, end))
