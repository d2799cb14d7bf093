/**
 * Converts the options of `add` to those of `FileCid` and `DirectoryCid`. An option that the node does not support is
 * refused, not ignored.
 */
import type * as DirectoryCid from "@plumbline/ipfs-client/build/DirectoryCid"
import * as FileCid from "@plumbline/ipfs-client/build/FileCid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import type { AddOptions } from "@plumbline/ipfs-client/node/IpfsNode"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Result from "effect/Result"

import * as CodecNames from "./codecNames.ts"
import { invalid } from "./embeddedFailure.ts"
import type * as RabinChunker from "./rabinChunker.ts"

/** The settings for making blocks of files and directories. */
export interface ImportSettings {
  readonly file: FileCid.FileCidOptions
  /** The sizes of content-defined chunks; undefined for chunks of a fixed size. */
  readonly rabin: RabinChunker.ChunkSizes | undefined
  readonly directory: DirectoryCid.DirectoryCidOptions
}

/** The profiles of IPIP-499; the first is Kubo's default. */
const PROFILES = {
  "unixfs-v0-2015": { file: FileCid.UNIXFS_V0_2015, shardBy: "links" },
  "unixfs-v1-2025": { file: FileCid.UNIXFS_V1_2025, shardBy: "block" }
} as const

export const settingsOf = (options: AddOptions): Result.Result<ImportSettings, IpfsNodeError> =>
  Result.gen(function* () {
    const { file: defaults, shardBy } = PROFILES[options.profile ?? "unixfs-v0-2015"]
    const hash = yield* hashOf(options.hash ?? defaults.hash)
    const cidVersion = yield* versionOf(options.cidVersion ?? (hash === "sha2-256" ? defaults.cidVersion : 1), hash)
    const inlineLimit = yield* between("inline-limit", options.inlineLimit ?? 32, 0, Multihash.MAX_IDENTITY_SIZE)
    const maxLinks = yield* between("max-file-links", options.maxFileLinks ?? defaults.maxLinks, 2, 8192)
    const fanout = yield* between("max-hamt-fanout", options.maxHamtFanout ?? 256, 8, 1024)
    if (!Number.isInteger(Math.log2(fanout))) return yield* fail("max-hamt-fanout", "not a power of two")
    const { chunkSize, rabin } = yield* chunkerOf(options.chunker ?? `size-${defaults.chunkSize}`)
    const rawLeaves = yield* rawLeavesOf(options, cidVersion === 1)
    const naming = { cidVersion, hash, inlineLimit: options.inline === true ? inlineLimit : undefined }
    return {
      file: { ...naming, rawLeaves, chunkSize, maxLinks, trickle: options.trickle ?? false },
      rabin,
      directory: { ...naming, fanout, shardBy }
    }
  })

const hashOf = (name: string): Result.Result<Multihash.MultihashName, IpfsNodeError> =>
  Object.hasOwn(Multihash.codes, name)
    ? Result.succeed(name as Multihash.MultihashName)
    : CodecNames.notSupported(`the hash function ${name.slice(0, 40)} in add`)

const versionOf = (version: number, hash: Multihash.MultihashName): Result.Result<0 | 1, IpfsNodeError> => {
  if (version === 1) return Result.succeed(1)
  if (version !== 0) return fail("cid-version", `unknown CID version ${version}`)
  return hash === "sha2-256" ? Result.succeed(0) : fail("hash", "CIDv0 only supports sha2-256")
}

/**
 * Returns the setting for raw leaves. A raw block cannot hold a mode or a time, so Kubo makes no raw leaves if one of
 * them is set.
 */
const rawLeavesOf = (options: AddOptions, usual: boolean): Result.Result<boolean, IpfsNodeError> => {
  const { mode, mtime, preserveMode = false, preserveMtime = false, rawLeaves } = options
  if (!preserveMode && !preserveMtime && !mode && !mtime) {
    return Result.succeed(rawLeaves ?? usual)
  }
  return rawLeaves === true
    ? fail("raw-leaves", "raw-leaves can't be used with UnixFS metadata like mode or modification time")
    : Result.succeed(false)
}

/** Maximum size of a chunk in bytes: a block of 2 MiB minus its frame. Source: boxo, `chunker.ChunkSizeLimit`. */
const MAX_CHUNK_SIZE = 2 * 1024 * 1024 - 256

interface Chunker {
  readonly chunkSize: number
  readonly rabin: RabinChunker.ChunkSizes | undefined
}

const chunkerOf = (text: string): Result.Result<Chunker, IpfsNodeError> => {
  const [kind, ...parts] = text.split("-")
  switch (kind) {
    case "":
    case "default":
      return parts.length === 0 ? sizeOf(DEFAULT_CHUNK_SIZE) : fail("chunker", UNRECOGNIZED)
    case "size":
      return parts.length === 1 ? sizeOf(numberOf(parts[0]!)) : fail("chunker", UNRECOGNIZED)
    case "rabin":
      return rabinOfParts(parts)
    case "buzhash":
      return CodecNames.notSupported("the chunker buzhash")
    default:
      return fail("chunker", UNRECOGNIZED)
  }
}

const DEFAULT_CHUNK_SIZE = 262_144

const UNRECOGNIZED = "unrecognized chunker option"

/** Parses a whole number; any other text becomes NaN. */
const numberOf = (text: string): number => (/^\+?\d{1,15}$/.test(text) ? Number(text) : Number.NaN)

const sizeOf = (size: number): Result.Result<Chunker, IpfsNodeError> =>
  size >= 1 && size <= MAX_CHUNK_SIZE
    ? Result.succeed({ chunkSize: size, rabin: undefined })
    : fail("chunker", `a size is from 1 to ${MAX_CHUNK_SIZE}`)

/**
 * Parses the sizes of rabin chunks. The parts are the average size alone, from which the two other sizes follow, or all
 * three sizes, with or without their names. Source: boxo, `chunker/parse.go`.
 */
const rabinOfParts = (parts: ReadonlyArray<string>): Result.Result<Chunker, IpfsNodeError> => {
  if (parts.length < 2) {
    const avg = parts.length === 0 ? DEFAULT_CHUNK_SIZE : numberOf(parts[0]!)
    return rabinOf(Math.floor(avg / 3), avg, avg + Math.floor(avg / 2))
  }
  const labels = ["min", "avg", "max"]
  const numbers = parts.map((part, index) => {
    const [label, number] = part.split(":")
    return number === undefined ? numberOf(part) : label === labels[index] ? numberOf(number) : Number.NaN
  })
  const [min, avg, max] = numbers
  return min !== undefined && avg !== undefined && max !== undefined && numbers.length === 3
    ? rabinOf(min, avg, max)
    : fail("chunker", UNRECOGNIZED)
}

/**
 * Checks the sizes. An average below 48 is refused here, although Kubo accepts it: the shortest chunk is then shorter
 * than the window, a subtraction in Kubo wraps around, and a file of any size becomes one block.
 */
const rabinOf = (min: number, avg: number, max: number): Result.Result<Chunker, IpfsNodeError> => {
  if (!(min >= 16)) return fail("chunker", "rabin min must be a number from 16")
  return min < avg && avg < max && max <= MAX_CHUNK_SIZE
    ? Result.succeed({ chunkSize: max, rabin: { min, avg, max } })
    : fail("chunker", `sizes of rabin ascend to at most ${MAX_CHUNK_SIZE}`)
}

const between = (what: string, value: number, min: number, max: number): Result.Result<number, IpfsNodeError> =>
  Number.isInteger(value) && value >= min && value <= max
    ? Result.succeed(value)
    : fail(what, `not a whole number from ${min} to ${max}`)

const fail = (what: string, detail: string): Result.Result<never, IpfsNodeError> => Result.fail(invalid(what, detail))
