/**
 * Reads the fields of decoded RLP strictly. These readers throw `BlockRlpError`; `attempt` turns that into a `Result`.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import * as Address from "@plumbline/codec/value/Address"
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as Result from "effect/Result"

import { BlockRlpError } from "./BlockRlpError.ts"

/** Runs a reader, and turns the `BlockRlpError`s that it throws into failures. */
export const attempt = <A>(read: () => A): Result.Result<A, BlockRlpError> => {
  try {
    return Result.succeed(read())
  } catch (error) {
    if (error instanceof BlockRlpError) return Result.fail(error)
    throw error
  }
}

/** Throws the error for a value at `path` that differs from the expected value. */
export const refuse = (path: string, expected: string, got: string): never => {
  throw new BlockRlpError({ path, expected, got })
}

/** Returns the item that the bytes encode. */
export const decode = (bytes: Uint8Array, path: string): Rlp.Rlp => {
  const decoded = Rlp.decode(bytes)
  return Result.isSuccess(decoded) ? decoded.success : refuse(path, "canonical RLP", decoded.failure.message)
}

/** Reads a list. If `lengths` is given, the number of items must be one of these lengths. */
export const list = (item: Rlp.Rlp, path: string, lengths?: ReadonlyArray<number>): ReadonlyArray<Rlp.Rlp> => {
  if (item instanceof Uint8Array) return refuse(path, "a list", show(item))
  if (lengths !== undefined && !lengths.includes(item.length)) {
    return refuse(path, `a list of ${lengths.join(", ").replace(/, (\d+)$/u, " or $1")} items`, show(item))
  }
  return item
}

/** Reads a byte string. */
export const bytes = (item: Rlp.Rlp, path: string): Uint8Array =>
  item instanceof Uint8Array ? item : refuse(path, "a byte string", show(item))

/** Reads a byte string of exactly `size` bytes, as text. */
export const sized = (item: Rlp.Rlp, size: number, path: string): Hex.Hex => {
  const value = bytes(item, path)
  return value.length === size ? Hex.fromBytes(value) : refuse(path, `${size} bytes`, show(value))
}

/** Reads any byte string, as text. */
export const data = (item: Rlp.Rlp, path: string): Hex.Hex => Hex.fromBytes(bytes(item, path))

export const hash = (item: Rlp.Rlp, path: string): Hash32.Hash32 => Hash32.fromHexUnsafe(sized(item, 32, path))

export const address = (item: Rlp.Rlp, path: string): Address.Address => Address.fromHexUnsafe(sized(item, 20, path))

/** Reads a whole number below 2^256, without leading zeros. */
export const integer = (item: Rlp.Rlp, path: string): bigint => {
  const value = bytes(item, path)
  const number = value.length > 32 ? undefined : Quantity.fromBytes(value)
  return number !== undefined && Result.isSuccess(number)
    ? number.success
    : refuse(path, "a number below 2^256 without leading zeros", show(value))
}

/** Reads `r` or `s` of a signature, padded to 32 bytes as in the interface. */
export const scalar = (item: Rlp.Rlp, path: string): Hex.Hex =>
  `0x${integer(item, path).toString(16).padStart(64, "0")}`

const SHOWN = 40

const show = (item: Rlp.Rlp): string => {
  if (!(item instanceof Uint8Array)) return `a list of ${item.length} items`
  const text = Hex.fromBytes(item.subarray(0, SHOWN))
  return item.length > SHOWN ? `${text}... of ${item.length} bytes` : text
}
