/** The places of block files, laid out as Kubo's flatfs does, and the folders around them. */
import * as NodeFs from "node:fs"
import * as Path from "node:path"

/** The name of a block: its multihash in base32. */
export type Key = string

export const EXTENSION = ".data"

export interface BlockFiles {
  /** The folder of all blocks. */
  readonly folder: string
  /** Returns the folder of a block: it is named by the two letters before the last of the key. */
  readonly shardOf: (key: Key) => string
  readonly fileOf: (key: Key) => string
  /** Makes the folder of a block if it is not there. */
  readonly makeShard: (key: Key) => void
  /** True if the folder of a block was made by this process, and its name is perhaps not on the disk. */
  readonly isNew: (shard: string) => boolean
  /** Records that the names of these folders are on the disk. */
  readonly flushed: (shards: ReadonlyArray<string>) => void
  readonly newShards: () => ReadonlyArray<string>
  /** Returns a name in the folder of the blocks, so on the same disk, for a file that is not complete yet. */
  readonly beside: () => string
}

/** Opens the places in `folder`; `temporary` is on the same disk, and empty. Both must exist. */
export const make = (folder: string, temporary: string): BlockFiles => {
  let count = 0
  const made = new Set<string>()
  const unflushed = new Set<string>()
  const shardOf = (key: Key): string => `${folder}${Path.sep}${key.slice(-3, -1)}`
  return {
    folder,
    shardOf,
    fileOf: (key) => `${shardOf(key)}${Path.sep}${key}${EXTENSION}`,
    makeShard: (key) => {
      const shard = shardOf(key)
      if (made.has(shard)) return
      NodeFs.mkdirSync(shard, { recursive: true })
      // also if it was there: its maker may have been killed before the name was on the disk
      unflushed.add(shard)
      made.add(shard)
    },
    isNew: (shard) => unflushed.has(shard),
    newShards: () => [...unflushed],
    flushed: (shards) => {
      for (const shard of shards) unflushed.delete(shard)
    },
    beside: () => `${temporary}${Path.sep}${count++}`
  }
}
