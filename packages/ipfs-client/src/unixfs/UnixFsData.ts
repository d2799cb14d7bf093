/**
 * The message in the Data of a dag-pb block that is part of a UnixFS file or directory.
 *
 * This module reads the message strictly. It does not use `ipfs-unixfs`, because that library discards `filesize`, a
 * number that must be checked. The tests compare this module with that library.
 *
 * Source: the UnixFS specification, section "Data Format". Protobuf, proto2.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Result from "effect/Result"

import { MAX_LINKS } from "../codec/blockBounds.ts"
import * as Protobuf from "../codec/protobuf.ts"
import { KINDS, messageOf } from "./unixFsMessage.ts"

/** The part that a block plays in a file or a directory. */
export type UnixFsKind = "raw" | "directory" | "file" | "metadata" | "symlink" | "hamt-shard"

/** The time of the last change of content: seconds since 1970, which may be negative, and nanoseconds. */
export interface ModificationTime {
  readonly seconds: bigint
  readonly nanoseconds?: number | undefined
}

/** A UnixFS message. Sizes are bytes of the file. */
export interface UnixFsData {
  readonly kind: UnixFsKind
  /**
   * For a file, its bytes in this block. For a symlink, its target. For a shard, the bitfield of its occupied places.
   */
  readonly data?: Uint8Array | undefined
  /** Bytes of the file in this block and below it. */
  readonly fileSize?: number | undefined
  /** Bytes of the file below each link. */
  readonly blockSizes: ReadonlyArray<number>
  readonly hashType?: number | undefined
  readonly fanout?: number | undefined
  readonly mode?: number | undefined
  readonly mtime?: ModificationTime | undefined
}

/**
 * Reads a message. Fields that the specification does not have are ignored, as everywhere in protobuf.
 *
 * Fails with a sentence: not protobuf, a field twice, no type, a type above 5, or a size beyond 2^53.
 *
 * ```ts import.meta.vitest
 * import { UnixFsData } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const message = Uint8Array.of(8, 2, 18, 2, 104, 105, 24, 2)
 * const { fileSize, kind } = Result.getOrThrow(UnixFsData.decode(message))
 * kind // => "file"
 * fileSize // => 2
 * UnixFsData.decode(Uint8Array.of(8, 9)) // => Result.fail("a UnixFS type that there is not: 9")
 * ```
 */
export const decode = (bytes: Uint8Array): Result.Result<UnixFsData, string> => {
  const found: { -readonly [K in keyof UnixFsData]?: UnixFsData[K] } = {}
  const blockSizes: Array<number> = []
  let seen = 0
  const problem = Protobuf.read(bytes, (field, value, wire) => {
    if (field > 8) return undefined
    if (field !== 4) {
      if ((seen & (1 << field)) !== 0) return `field ${field} comes twice`
      seen |= 1 << field
    }
    if (field === 2 || field === 8) {
      if (typeof value === "bigint" || wire !== 2) return `field ${field} is a number`
      if (field === 2) found.data = value
      else {
        const mtime = decodeMtime(value)
        if (Result.isFailure(mtime)) return mtime.failure
        found.mtime = mtime.success
      }
      return undefined
    }
    const numbers = typeof value === "bigint" ? [value] : field === 4 && wire === 2 ? Protobuf.packed(value) : undefined
    if (numbers === undefined) return `field ${field} is not a number`
    for (const number of numbers) {
      if (number > MAX_NUMBER) return `field ${field} is beyond 2^53`
    }
    const number = Number(numbers[0] ?? 0n)
    if (field === 1) {
      const kind = KINDS[number]
      if (kind === undefined) return `a UnixFS type that there is not: ${number}`
      found.kind = kind
    } else if (field === 3) found.fileSize = number
    else if (field === 4) {
      if (blockSizes.length + numbers.length > MAX_LINKS) return "more block sizes than a block has links"
      for (const size of numbers) blockSizes.push(Number(size))
    } else if (field === 5) found.hashType = number
    else if (field === 6) found.fanout = number
    else if (field === 7) found.mode = number
    return undefined
  })
  if (problem !== undefined) return Result.fail(problem)
  if (found.kind === undefined) return Result.fail("a UnixFS message without a type")
  return Result.succeed({ ...found, kind: found.kind, blockSizes })
}

/**
 * Writes a message as Kubo does: fields in the order of their numbers, `blocksizes` one by one.
 *
 * ```ts import.meta.vitest
 * import { UnixFsData } from "@plumbline/ipfs-client"
 *
 * UnixFsData.encode({ kind: "directory", blockSizes: [] }) // => Uint8Array.of(8, 1)
 * ```
 */
export const encode = (message: UnixFsData): Uint8Array =>
  Bytes.join(messageOf({ ...message, data: message.data === undefined ? undefined : [message.data] }))

const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER)

/** Seconds are an int64, nanoseconds a fixed32 from 1 to 999,999,999. */
const decodeMtime = (bytes: Uint8Array): Result.Result<ModificationTime, string> => {
  let seconds: bigint | undefined
  let nanoseconds: number | undefined
  const problem = Protobuf.read(bytes, (field, value, wire) => {
    if (field === 1 && typeof value === "bigint") seconds = BigInt.asIntN(64, value)
    else if (field === 2 && typeof value !== "bigint" && wire === 5) {
      nanoseconds = new DataView(value.buffer, value.byteOffset).getUint32(0, true)
    } else if (field <= 2) return "a modification time that is none"
    return undefined
  })
  if (problem !== undefined) return Result.fail(problem)
  if (seconds === undefined || (nanoseconds !== undefined && (nanoseconds < 1 || nanoseconds > 999_999_999))) {
    return Result.fail("a modification time that is none")
  }
  return Result.succeed(nanoseconds === undefined ? { seconds } : { seconds, nanoseconds })
}
