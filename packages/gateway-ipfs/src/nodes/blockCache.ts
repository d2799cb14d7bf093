/**
 * Caches blocks of remote nodes by their multihash, in memory and in a folder. Every block from the disk is checked.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import type { IpfsCacheHealth } from "@plumbline/gateway/pipeline/IpfsHealth"
import * as Block from "@plumbline/ipfs-client/block/Block"
import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"

import { DiskBlocks } from "./diskBlocks.ts"
import { MemoryBlocks } from "./memoryBlocks.ts"

/**
 * The options of the cache.
 */
export interface BlockCacheOptions {
  /** Maximum number of bytes in memory. */
  readonly memory: number
  /** A folder that only this cache uses, and the maximum number of bytes on the disk (default: memory only). */
  readonly disk?: { readonly folder: string; readonly bytes: number } | undefined
}

/** A cache of blocks. */
export interface BlockCache {
  readonly get: (cid: Cid.Cid) => Effect.Effect<Uint8Array | undefined>
  /** Stores a checked block. */
  readonly put: (cid: Cid.Cid, bytes: Uint8Array) => void
  readonly health: () => IpfsCacheHealth
}

/**
 * Opens the cache. If the folder cannot be used, the cache uses only memory, and reports this in the log and in health.
 */
export const make = Effect.fnUntraced(function* (
  options: BlockCacheOptions
): Effect.fn.Return<BlockCache, never, Scope.Scope> {
  const memory = new MemoryBlocks(options.memory)
  const { disk: given } = options
  const opened =
    given === undefined
      ? undefined
      : yield* Effect.result(
          Effect.tryPromise({ try: () => DiskBlocks.open(given.folder, given.bytes), catch: codeOf })
        )
  const disk = opened !== undefined && Result.isSuccess(opened) ? opened.success : undefined
  const unusable = opened !== undefined && Result.isFailure(opened) ? opened.failure : undefined
  if (unusable !== undefined) {
    yield* Effect.logWarning(`the cache of IPFS blocks has no folder: ${unusable}`)
  }
  if (disk !== undefined) yield* Effect.addFinalizer(() => disk.settled)
  let hits = 0
  let misses = 0
  let damaged = 0

  const fromDisk = Effect.fnUntraced(function* (cid: Cid.Cid, key: string) {
    const bytes = yield* disk?.get(key) ?? Effect.undefined
    if (bytes === undefined) return undefined
    const checked = yield* Effect.result(Block.checkEffect(cid, bytes, ANY_SIZE))
    if (Result.isSuccess(checked)) {
      memory.put(key, bytes)
      return bytes
    }
    damaged++
    disk?.drop(key)
    return undefined
  })

  return {
    get: (cid) =>
      Effect.suspend(() => {
        const key = keyOf(cid)
        const inMemory = memory.get(key)
        if (inMemory !== undefined) {
          hits++
          return Effect.succeed(inMemory)
        }
        return Effect.tap(fromDisk(cid, key), (bytes) =>
          Effect.sync(() => {
            if (bytes === undefined) misses++
            else hits++
          })
        )
      }),
    put: (cid, bytes) => {
      const key = keyOf(cid)
      memory.put(key, bytes)
      disk?.put(key, bytes)
    },
    health: () => {
      const problem = unusable ?? disk?.problem
      return {
        hits,
        misses,
        damaged,
        memoryBytes: memory.bytes,
        diskBytes: disk?.bytes ?? 0,
        ...(problem === undefined ? {} : { problem })
      }
    }
  }
})

const ANY_SIZE = { maxBlockSize: Number.MAX_SAFE_INTEGER }

/** Returns the multihash as hex, which is a valid file name in every file system. */
const keyOf = ({ multihash }: Cid.Cid): string => Hex.fromBytes(multihash.bytes).slice(2)

const codeOf = (error: unknown): string => {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined
  return typeof code === "string" ? code : "an unknown error"
}
