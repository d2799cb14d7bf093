/** The places of block files, laid out as Kubo's flatfs does, and the folders around them. */
import * as NodeFs from "node:fs"
import * as Path from "node:path"

/** The name of a block: its multihash in base32. */
export type BlockKey = string

export const EXTENSION = ".data"

export interface BlockFiles {
  /** The folder of all blocks. */
  readonly folder: string
  /** Returns the folder of a block, which is named by the two letters before the key's last letter. */
  readonly shardOf: (key: BlockKey) => string
  readonly fileOf: (key: BlockKey) => string
  /** Makes the folder of a block if it does not exist. */
  readonly makeShard: (key: BlockKey) => void
  /** True if this process made the folder, and the folder's name may not be on the disk yet. */
  readonly isNew: (shard: string) => boolean
  /** Records that the names of these folders are on the disk. */
  readonly flushed: (shards: ReadonlyArray<string>) => void
  readonly newShards: () => ReadonlyArray<string>
  /** Returns a name for an incomplete file, on the same disk as the blocks. */
  readonly beside: () => string
}

/** Opens the places in `folder`; `temporary` is an empty folder on the same disk. Both folders must exist. */
export const make = (folder: string, temporary: string): BlockFiles => {
  let count = 0
  const made = new Set<string>()
  const unflushed = new Set<string>()
  const shardOf = (key: BlockKey): string => `${folder}${Path.sep}${key.slice(-3, -1)}`
  return {
    folder,
    shardOf,
    fileOf: (key) => `${shardOf(key)}${Path.sep}${key}${EXTENSION}`,
    makeShard: (key) => {
      const shard = shardOf(key)
      if (made.has(shard)) return
      NodeFs.mkdirSync(shard, { recursive: true })
      // the name is flushed even if the folder existed, because the process that made the folder may have been killed
      // before it flushed the name
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
