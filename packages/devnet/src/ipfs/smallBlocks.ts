/**
 * Stores the small blocks of the embedded IPFS node. Many small blocks share one flush of the disk.
 *
 * 1. `stage` writes a block to a temporary file, and does not flush it.
 * 2. `commit` puts all staged blocks and the waiting changes of the pins into one transaction of the database, and then
 *    gives the blocks their names. From then on they survive a crash, because the journal holds them even if their
 *    files are lost.
 * 3. `checkpoint` flushes the files, and takes them out of the journal. It runs when the journal is large, before a
 *    collection and at the end.
 *
 * So every file was in the journal first, and the journal can repair any file after a power loss.
 */
import * as NodeFs from "node:fs"
import * as Fs from "node:fs/promises"
import { setImmediate as nextTurn } from "node:timers/promises"

import * as Bytes from "@plumbline/codec/hex/Bytes"

import type { BlockFiles, BlockKey } from "./blockFiles.ts"
import type { BlockJournal } from "./blockJournal.ts"
import { codeOf, ofSystem } from "./embeddedFailure.ts"
import { syncFolder } from "./syncFolder.ts"

export interface SmallBlocks {
  /** Returns the bytes of a block that has no name yet. */
  readonly staged: (key: BlockKey) => Uint8Array | undefined
  /** Stages a block. Writes nothing if its intact file exists; replaces a damaged file. */
  readonly stage: (key: BlockKey, bytes: Uint8Array) => void
  /** True if so much is staged that a commit must follow. */
  readonly isFull: () => boolean
  /**
   * Makes a change of the pins durable, after all blocks staged so far. Calls of the same turn of the event loop share
   * a transaction. If a change throws, only that change is undone.
   */
  readonly commit: <A>(change: () => A) => Promise<A>
  /** Takes a block out of the journal, before the caller removes the block. */
  readonly forget: (key: BlockKey) => void
  /** Commits the staged blocks, flushes the files of the journal, and empties the journal. */
  readonly checkpoint: () => Promise<void>
  /** Writes the files of a journal that a killed process left, and empties the journal. */
  readonly recover: () => Promise<void>
}

/**
 * Maximum size in bytes of a block that is written to the journal. For a larger block, writing twice costs more than
 * flushing.
 */
export const MAX_SMALL = 32 * 1024

/**
 * Maximum size of what waits for a commit. A commit writes and renames all staged blocks in one step, so their number
 * bounds the time for which it stops other work: a CAR of one MiB can hold 20,000 blocks.
 */
const MAX_STAGED = { bytes: 4 * 1024 * 1024, blocks: 128 }

/** Two sizes of the journal. At `LARGE` a checkpoint begins. At `FULL` commits also wait until the checkpoint ends. */
const LARGE = { bytes: 16 * 1024 * 1024, blocks: 4096 }
const FULL = { bytes: 64 * 1024 * 1024, blocks: 16_384 }

/** A staged block: its bytes, and its temporary file, or no file if the final file is already complete. */
interface Staged {
  readonly bytes: Uint8Array
  readonly beside: string | undefined
}

interface Waiting {
  readonly attempt: () => void
  readonly settle: () => void
  readonly fail: (error: unknown) => void
}

/** The parts that small blocks use. */
export interface SmallBlockParts {
  readonly files: BlockFiles
  readonly journal: BlockJournal
  /** Limits the number of files that are open at the same time. */
  readonly atOnce: <A>(work: () => Promise<A>) => Promise<A>
  /** True if the bytes match the key. */
  readonly isSound: (key: BlockKey, bytes: Uint8Array) => boolean
}

export const make = ({ atOnce, files, isSound, journal }: SmallBlockParts): SmallBlocks => {
  const staged = new StagedBlocks(files)
  const journaled = new JournaledBlocks()
  let waiting: Array<Waiting> = []
  let checkpoints: Promise<void> = Promise.resolve()
  let isCheckpointDue = false

  const run = (): void => {
    const group = waiting
    waiting = []
    try {
      journal.transaction(() => {
        for (const [key, { bytes }] of staged.blocks) journal.insert(key, bytes)
        for (const { attempt } of group) attempt()
      })
    } catch (error) {
      // the blocks stay staged, so that the next commit tries again
      for (const { fail } of group) fail(error)
      return
    }
    let failed: { readonly error: unknown } | undefined
    for (const [key, block] of staged.blocks) {
      journaled.put(key, block.bytes.length)
      try {
        staged.place(key, block)
      } catch (error) {
        failed ??= { error }
      }
    }
    for (const { fail, settle } of group) {
      if (failed === undefined) settle()
      else fail(failed.error)
    }
  }

  const commit = async <A>(change: () => A): Promise<A> => {
    if (journaled.exceeds(FULL)) await checkpoint()
    else if (journaled.exceeds(LARGE) && !isCheckpointDue) checkpoint().catch(() => undefined)
    return new Promise<A>((resolve, reject) => {
      if (waiting.push(waitingFor(() => journal.part(change), resolve, reject)) === 1) setImmediate(run)
    })
  }

  /** Flushes the files that are in the journal now. */
  const flush = async (): Promise<void> => {
    isCheckpointDue = false
    const entries = [...journaled.blocks]
    if (entries.length === 0) return
    const shards = files.newShards()
    await syncBlocks(
      entries.map(([key]) => key),
      { atOnce, files }
    )
    files.flushed(shards)
    for (let from = 0; from < entries.length; from += MAX_STAGED.blocks) {
      if (from > 0) await nextTurn()
      const some = entries.slice(from, from + MAX_STAGED.blocks)
      // a block that was put into the journal again in the meantime may have another file
      const done = some.flatMap(([key, entry]) => (journaled.blocks.get(key) === entry ? [key] : []))
      journal.remove(done)
      for (const key of done) journaled.drop(key)
    }
  }

  const checkpoint = (): Promise<void> => {
    isCheckpointDue = true
    checkpoints = checkpoints.catch(() => undefined).then(flush)
    return checkpoints
  }

  return {
    staged: (key) => staged.blocks.get(key)?.bytes,
    stage: (key, bytes) => staged.stage(key, bytes),
    isFull: () => staged.isFull(),
    commit,
    forget: (key) => {
      if (!journaled.blocks.has(key)) return
      journal.remove([key])
      journaled.drop(key)
    },
    checkpoint: async () => {
      if (staged.blocks.size > 0) await commit(() => undefined)
      await checkpoint()
    },
    recover: async () => {
      let page = journal.page("")
      for (; page.length > 0; page = journal.page(page.at(-1)!.key)) {
        for (const { bytes, key } of page) {
          journaled.put(key, bytes.length)
          // a damaged block in the journal does not replace a file
          if (!isSound(key, bytes)) continue
          staged.stage(key, bytes)
          staged.place(key, staged.blocks.get(key)!)
        }
      }
      await checkpoint()
    }
  }
}

/** The staged blocks, in the order in which they came. */
class StagedBlocks {
  readonly blocks = new Map<BlockKey, Staged>()
  readonly #files: BlockFiles
  #bytes = 0

  constructor(files: BlockFiles) {
    this.#files = files
  }

  stage(key: BlockKey, bytes: Uint8Array): void {
    if (this.blocks.has(key)) return
    const isThere = isWhole(this.#files.fileOf(key), bytes)
    let beside: string | undefined
    if (!isThere) {
      beside = this.#files.beside()
      try {
        this.#files.makeShard(key)
        NodeFs.writeFileSync(beside, bytes, { flag: "wx" })
      } catch (error) {
        NodeFs.rmSync(beside, { force: true })
        throw ofSystem("writing a block", error)
      }
    }
    this.blocks.set(key, { bytes, beside })
    this.#bytes += bytes.length
  }

  /** Renames a staged block to its final name. */
  place(key: BlockKey, { beside, bytes }: Staged): void {
    try {
      if (beside !== undefined) NodeFs.renameSync(beside, this.#files.fileOf(key))
    } catch (error) {
      throw ofSystem("writing a block", error)
    }
    this.blocks.delete(key)
    this.#bytes -= bytes.length
  }

  isFull(): boolean {
    return this.#bytes > MAX_STAGED.bytes || this.blocks.size >= MAX_STAGED.blocks
  }
}

/** The blocks in the journal, with their sizes. A block gets a new object each time that it is put into the journal. */
class JournaledBlocks {
  readonly blocks = new Map<BlockKey, { readonly size: number }>()
  #bytes = 0

  put(key: BlockKey, size: number): void {
    this.#bytes += size - (this.blocks.get(key)?.size ?? 0)
    this.blocks.set(key, { size })
  }

  drop(key: BlockKey): void {
    this.#bytes -= this.blocks.get(key)?.size ?? 0
    this.blocks.delete(key)
  }

  exceeds(limit: typeof LARGE): boolean {
    return this.#bytes > limit.bytes || this.blocks.size > limit.blocks
  }
}

/** True if the file exists with these bytes. */
const isWhole = (file: string, bytes: Uint8Array): boolean => {
  try {
    return (
      NodeFs.statSync(file, { throwIfNoEntry: false }) !== undefined && Bytes.equals(NodeFs.readFileSync(file), bytes)
    )
  } catch (error) {
    throw ofSystem("reading a block", error)
  }
}

/** Returns a change that waits for a transaction. Its outcome is reported after the transaction. */
const waitingFor = <A>(change: () => A, resolve: (value: A) => void, reject: (error: unknown) => void): Waiting => {
  let settle = (): void => {}
  const attempt = (): void => {
    try {
      const value = change()
      settle = () => resolve(value)
    } catch (error) {
      settle = () => reject(error)
    }
  }
  return { attempt, settle: () => settle(), fail: reject }
}

/** Flushes the files of blocks, and the folders that have their names. */
const syncBlocks = async (
  keys: ReadonlyArray<BlockKey>,
  { atOnce, files }: Pick<SmallBlockParts, "atOnce" | "files">
): Promise<void> => {
  try {
    await Promise.all(keys.map((key) => atOnce(() => syncFile(files.fileOf(key)))))
    const folders = new Set(keys.map((key) => files.shardOf(key)))
    await Promise.all([...folders].map((folder) => atOnce(() => syncFolder(folder))))
    await syncFolder(files.folder)
  } catch (error) {
    throw ofSystem("writing a block", error)
  }
}

/** Flushes a file to the disk. The file may be missing, because its block may have been removed since. */
const syncFile = async (file: string): Promise<void> => {
  try {
    const handle = await Fs.open(file, "r+")
    try {
      await handle.datasync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
}
