/** The options of add as `ipfs-unixfs-importer` takes them. What it cannot do is refused, not passed over. */
import * as Multihash from "@plumbline/ipfs-client/Multihash"
import * as Result from "effect/Result"
import type { ImporterOptions } from "ipfs-unixfs-importer"
import { type Chunker, fixedSize, rabin } from "ipfs-unixfs-importer/chunker"
import { balanced, trickle } from "ipfs-unixfs-importer/layout"

import type { AddOptions } from "../IpfsNode.ts"
import type { IpfsNodeError } from "../IpfsNodeError.ts"
import { invalid } from "./ipfsFailure.ts"
import * as Names from "./ipfsNames.ts"
import * as Recode from "./ipfsRecode.ts"
import * as Tree from "./ipfsTree.ts"

/** What the importer is told, and what becomes of its blocks. */
export interface Settings {
  readonly importer: ImporterOptions
  readonly recode: Recode.Recode
}

/**
 * The profiles of IPIP-499, the first of which is what Kubo does unless told otherwise; the importer knows the rest of
 * them. Files go one by one, because their bytes may come one after the other.
 */
export const settingsOf = (options: AddOptions): Result.Result<Settings, IpfsNodeError> =>
  Result.gen(function* () {
    const { hash = "sha2-256", profile = "unixfs-v0-2015", trickle: isTrickle = false } = options
    const isV1 = profile === "unixfs-v1-2025"
    const code = yield* Names.hash(hash)
    if (code === Multihash.IDENTITY) return yield* Names.notSupported("the hash function identity in add")
    const cidVersion = yield* versionOf(options.cidVersion ?? (isV1 || code !== Multihash.SHA2_256 ? 1 : 0), code)
    const inlineLimit = yield* between("inline-limit", options.inlineLimit ?? 32, 0, Multihash.MAX_IDENTITY_SIZE)
    const maxChildrenPerNode = yield* between("max-file-links", options.maxFileLinks ?? (isV1 ? 1024 : 174), 2, 8192)
    const fanout = yield* between("max-hamt-fanout", options.maxHamtFanout ?? 256, 8, 1024)
    if (!Number.isInteger(Math.log2(fanout))) return yield* fail("max-hamt-fanout", "not a power of two")
    const chunker = yield* chunkerOf(options.chunker ?? (isV1 ? "size-1048576" : "size-262144"))
    const recode = Recode.make({
      cidVersion,
      hash: code,
      inlineLimit: options.inline === true ? inlineLimit : undefined
    })
    const importer: ImporterOptions = {
      profile,
      cidVersion,
      rawLeaves: options.rawLeaves ?? cidVersion === 1,
      chunker,
      layout: (isTrickle ? trickle : balanced)({ maxChildrenPerNode }),
      reduceSingleLeafToSelf: !isTrickle,
      leafType: isTrickle ? "raw" : "file",
      treeBuilder: Tree.builder({
        cidVersion,
        recode,
        shardFanoutBits: Math.log2(fanout),
        byBlockSize: isV1,
        wrapWithDirectory: options.wrapWithDirectory ?? false
      }),
      fileImportConcurrency: 1,
      blockWriteConcurrency: 8
    }
    return { importer, recode }
  })

const versionOf = (version: number, hash: number): Result.Result<0 | 1, IpfsNodeError> => {
  if (version === 1) return Result.succeed(1)
  if (version !== 0) return fail("cid-version", `unknown CID version ${version}`)
  return hash === Multihash.SHA2_256 ? Result.succeed(0) : fail("hash", "CIDv0 only supports sha2-256")
}

/** The largest chunk: a block of 2 MiB with room for its frame. Source: boxo, `chunker.ChunkSizeLimit`. */
const MAX_CHUNK_SIZE = 2 * 1024 * 1024 - 256

const chunkerOf = (text: string): Result.Result<Chunker, IpfsNodeError> => {
  const [kind, ...rest] = text.split("-")
  const sizes = rest.map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : 0))
  if (sizes.some((size) => size < 1 || size > MAX_CHUNK_SIZE)) {
    return fail("chunker", `sizes are from 1 to ${MAX_CHUNK_SIZE}`)
  }
  const [first = 262_144, avg, max] = sizes
  if (kind === "size" && sizes.length === 1) return Result.succeed(fixedSize({ chunkSize: first }))
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
  return Result.succeed(rabin({ minChunkSize: min, avgChunkSize: avg, maxChunkSize: max }))
}

const between = (what: string, value: number, min: number, max: number): Result.Result<number, IpfsNodeError> =>
  Number.isInteger(value) && value >= min && value <= max
    ? Result.succeed(value)
    : fail(what, `not a whole number from ${min} to ${max}`)

const fail = (what: string, detail: string): Result.Result<never, IpfsNodeError> => Result.fail(invalid(what, detail))
