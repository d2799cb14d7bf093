/**
 * Keeps a part of the disk free.
 *
 * The records of usage and the blocks of IPFS are on the same disk. If uploads filled it, usage could not be written, and
 * then every call of every project would be refused. So uploads end while there is still room for the records.
 */
import * as Fs from "node:fs/promises"

import { type IpfsNodeError, StorageFull } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"

import { failure } from "./ledgerErrors.ts"

/** The disk of a folder, and the number of bytes of it that uploads leave free. */
export interface DiskReserveOptions {
  readonly folder: string
  readonly reserve: number
}

export interface DiskReserve {
  /** Fails if less than the reserve is free. */
  readonly check: Effect.Effect<void, IpfsNodeError>
  /** Counts bytes that are about to be stored, and checks the disk again from time to time. */
  readonly take: (bytes: number) => Effect.Effect<void, IpfsNodeError>
}

/** Number of bytes of all uploads together between two looks at the disk. */
const STEP = 1024 * 1024

/** Returns the number of free bytes of a folder's disk. */
export type FreeBytes = (folder: string) => Promise<number>

const freeBytes: FreeBytes = async (folder) => {
  const { bavail, bsize } = await Fs.statfs(folder)
  return bavail * bsize
}

export const make = (disk: DiskReserveOptions | undefined, freeOf: FreeBytes = freeBytes): DiskReserve => {
  if (disk === undefined) return { check: Effect.void, take: () => Effect.void }
  const { folder, reserve } = disk
  let unchecked = 0
  const check = Effect.flatMap(
    // A disk that cannot be asked does not end uploads: the write itself fails if the disk is full.
    Effect.orElseSucceed(
      Effect.tryPromise(() => freeOf(folder)),
      () => Number.POSITIVE_INFINITY
    ),
    (free) => (free < reserve ? Effect.fail(failure(new StorageFull({ free, reserve }))) : Effect.void)
  )
  return {
    check,
    take: (bytes) =>
      Effect.suspend(() => {
        unchecked += bytes
        if (unchecked < STEP) return Effect.void
        unchecked = 0
        return check
      })
  }
}
