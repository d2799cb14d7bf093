/**
 * Stores blocks in a folder, up to a number of bytes. The least recently used block is removed first.
 *
 * Only this cache uses the folder. The folder contains no pinned content, and can be removed at any time. Files are not
 * flushed, because a reader checks every block. A damaged block is removed, and read from a node again.
 */
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

import * as Effect from "effect/Effect"

/** Size of a block of the disk, in bytes. A file takes at least one block. */
const DISK_BLOCK = 4096

/** Maximum number of writes that wait. Further blocks are not stored, because readers must not wait for the disk. */
const MAX_WAITING = 64

/** Number of files whose times are read at the same time when the folder is opened. */
const SCANNED_AT_ONCE = 32

const sizeOnDisk = (bytes: number): number => Math.max(1, Math.ceil(bytes / DISK_BLOCK)) * DISK_BLOCK

export class DiskBlocks {
  readonly #folder: string
  readonly #limit: number
  /** The size of each block on the disk. The most recently used block is the last entry. */
  readonly #sizes = new Map<string, number>()
  #bytes = 0
  #waiting = 0
  /** Ends after all writes and removals so far, which run one after the other. */
  #work: Promise<void> = Promise.resolve()
  #problem: string | undefined

  private constructor(folder: string, limit: number) {
    this.#folder = folder
    this.#limit = limit
  }

  /** Opens the folder and finds the blocks of an earlier process. It creates the folder if there is none. */
  static async open(folder: string, limit: number): Promise<DiskBlocks> {
    const blocks = new DiskBlocks(folder, limit)
    await Fs.mkdir(folder, { recursive: true })
    await blocks.#scan()
    return blocks
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The code of the last system error; undefined after an operation has succeeded again. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Reads a block without checking it. */
  readonly get = (key: string): Effect.Effect<Uint8Array | undefined> =>
    Effect.suspend(() => {
      const size = this.#sizes.get(key)
      if (size === undefined) return Effect.undefined
      this.#sizes.delete(key)
      this.#sizes.set(key, size)
      return Effect.promise(async () => {
        try {
          return await Fs.readFile(this.#file(key))
        } catch (error) {
          this.#failed(error)
          this.#forget(key)
          return undefined
        }
      })
    })

  /** Starts to write a block. */
  put(key: string, bytes: Uint8Array): void {
    const size = sizeOnDisk(bytes.length)
    if (size > this.#limit || this.#sizes.has(key) || this.#waiting >= MAX_WAITING) return
    this.#waiting++
    this.#then(async () => {
      this.#waiting--
      if (this.#sizes.has(key)) return
      const temporary = Path.join(this.#folder, `${randomUUID()}${TEMPORARY}`)
      await Fs.mkdir(Path.dirname(this.#file(key)), { recursive: true })
      try {
        await Fs.writeFile(temporary, bytes)
        await Fs.rename(temporary, this.#file(key))
      } catch (error) {
        await Fs.rm(temporary, { force: true })
        throw error
      }
      this.#sizes.set(key, size)
      this.#bytes += size
      await this.#evict()
    })
  }

  /** Removes a block, for example because it is damaged. */
  drop(key: string): void {
    this.#forget(key)
    this.#then(() => Fs.rm(this.#file(key), { force: true }))
  }

  /** Waits for all writes and removals that were started. */
  readonly settled: Effect.Effect<void> = Effect.promise(() => this.#work)

  #then(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).then(
      () => {
        this.#problem = undefined
      },
      (error: unknown) => this.#failed(error)
    )
  }

  async #evict(): Promise<void> {
    for (const key of this.#sizes.keys()) {
      if (this.#bytes <= this.#limit) return
      this.#forget(key)
      await Fs.rm(this.#file(key), { force: true })
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#sizes.get(key) ?? 0
    this.#sizes.delete(key)
  }

  #failed(error: unknown): void {
    const code: unknown = error instanceof Error && "code" in error ? error.code : undefined
    this.#problem = typeof code === "string" ? code : "an unknown error"
  }

  /** Returns the path of a block's file. As in Kubo's flatfs, the end of the digest names the subfolder. */
  #file(key: string): string {
    return Path.join(this.#folder, key.slice(-3, -1), `${key}${SUFFIX}`)
  }

  async #scan(): Promise<void> {
    const found: Array<{ readonly key: string; readonly size: number; readonly used: number }> = []
    const files: Array<string> = []
    for (const entry of await Fs.readdir(this.#folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = Path.join(entry.parentPath, entry.name)
      if (entry.name.endsWith(TEMPORARY)) await Fs.rm(file, { force: true })
      else if (entry.name.endsWith(SUFFIX)) files.push(file)
    }
    for (let at = 0; at < files.length; at += SCANNED_AT_ONCE) {
      const some = files.slice(at, at + SCANNED_AT_ONCE)
      for (const [index, { mtimeMs, size }] of (await Promise.all(some.map((file) => Fs.stat(file)))).entries()) {
        const key = Path.basename(some[index]!, SUFFIX)
        if (this.#file(key) === some[index]) found.push({ key, size: sizeOnDisk(size), used: mtimeMs })
      }
    }
    for (const { key, size } of found.sort((a, b) => a.used - b.used)) {
      this.#sizes.set(key, size)
      this.#bytes += size
    }
    await this.#evict()
  }
}

const SUFFIX = ".block"
const TEMPORARY = ".new"
