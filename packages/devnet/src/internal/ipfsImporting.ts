/** The options of add as `FileCid` and `DirectoryCid` take them. What cannot be done is refused, not passed over. */
import type * as DirectoryCid from "@plumbline/ipfs-client/DirectoryCid"
import * as FileCid from "@plumbline/ipfs-client/FileCid"
import type { AddOptions } from "@plumbline/ipfs-client/IpfsNode"
import type { IpfsNodeError } from "@plumbline/ipfs-client/IpfsNodeError"
import * as Multihash from "@plumbline/ipfs-client/Multihash"
import * as Result from "effect/Result"

import { invalid } from "./ipfsFailure.ts"
import * as Names from "./ipfsNames.ts"
import type * as Rabin from "./ipfsRabin.ts"

/** How files and directories become blocks. */
export interface Settings {
  readonly file: FileCid.Options
  /** Where files are cut, if not every so many bytes. */
  readonly rabin: Rabin.Sizes | undefined
  readonly directory: DirectoryCid.Options
}

/** The profiles of IPIP-499, the first of which is what Kubo does unless told otherwise. */
const PROFILES = {
  "unixfs-v0-2015": { file: FileCid.UNIXFS_V0_2015, shardBy: "links" },
  "unixfs-v1-2025": { file: FileCid.UNIXFS_V1_2025, shardBy: "block" }
} as const

export const settingsOf = (options: AddOptions): Result.Result<Settings, IpfsNodeError> =>
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

const hashOf = (name: string): Result.Result<Multihash.Name, IpfsNodeError> =>
  Object.hasOwn(Multihash.codes, name)
    ? Result.succeed(name as Multihash.Name)
    : Names.notSupported(`the hash function ${name.slice(0, 40)} in add`)

const versionOf = (version: number, hash: Multihash.Name): Result.Result<0 | 1, IpfsNodeError> => {
  if (version === 1) return Result.succeed(1)
  if (version !== 0) return fail("cid-version", `unknown CID version ${version}`)
  return hash === "sha2-256" ? Result.succeed(0) : fail("hash", "CIDv0 only supports sha2-256")
}

/** A raw block has no place for a mode and a time, so that Kubo makes none where these are asked for. */
const rawLeavesOf = (options: AddOptions, usual: boolean): Result.Result<boolean, IpfsNodeError> => {
  const { mode, mtime, preserveMode = false, preserveMtime = false, rawLeaves } = options
  if (!preserveMode && !preserveMtime && mode === undefined && mtime === undefined) {
    return Result.succeed(rawLeaves ?? usual)
  }
  return rawLeaves === true
    ? fail("raw-leaves", "can't be used with UnixFS metadata like mode or modification time")
    : Result.succeed(false)
}

/** The largest chunk: a block of 2 MiB with room for its frame. Source: boxo, `chunker.ChunkSizeLimit`. */
const MAX_CHUNK_SIZE = 2 * 1024 * 1024 - 256

interface Chunker {
  readonly chunkSize: number
  readonly rabin: Rabin.Sizes | undefined
}

const chunkerOf = (text: string): Result.Result<Chunker, IpfsNodeError> => {
  const [kind, ...rest] = text.split("-")
  const sizes = rest.map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : 0))
  if (sizes.some((size) => size < 1 || size > MAX_CHUNK_SIZE)) {
    return fail("chunker", `sizes are from 1 to ${MAX_CHUNK_SIZE}`)
  }
  const [first = 262_144, avg, max] = sizes
  if (kind === "size" && sizes.length === 1) return Result.succeed({ chunkSize: first, rabin: undefined })
  if (kind === "rabin" && sizes.length < 2) {
    return rabinOf(Math.floor(first / 3), first, first + Math.floor(first / 2))
  }
  if (kind === "rabin" && avg !== undefined && max !== undefined && sizes.length === 3) return rabinOf(first, avg, max)
  return kind === "buzhash" ? Names.notSupported("the chunker buzhash") : fail("chunker", "unrecognized chunker option")
}

const rabinOf = (min: number, avg: number, max: number): Result.Result<Chunker, IpfsNodeError> => {
  if (min < 16) return fail("chunker", "rabin min must be greater than 16")
  if (min > avg || avg > max || max > MAX_CHUNK_SIZE) {
    return fail("chunker", `sizes of rabin ascend to at most ${MAX_CHUNK_SIZE}`)
  }
  return Result.succeed({ chunkSize: max, rabin: { min, avg, max } })
}

const between = (what: string, value: number, min: number, max: number): Result.Result<number, IpfsNodeError> =>
  Number.isInteger(value) && value >= min && value <= max
    ? Result.succeed(value)
    : fail(what, `not a whole number from ${min} to ${max}`)

const fail = (what: string, detail: string): Result.Result<never, IpfsNodeError> => Result.fail(invalid(what, detail))
