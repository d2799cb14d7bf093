/**
 * A disk that loses power: it keeps what it had synced, and any part of what was written since.
 *
 * The state of the disk follows from SQLite's own rules. `Disk` sees the syncs of the log that the service makes. If the
 * database has changed, a checkpoint has synced the log before; if the log has a new header, SQLite has synced it
 * before the frames behind it.
 */
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs"

import type * as Random from "@plumbline/seeded/Random"

type Done = (error: Error | null) => void

/** Bytes that a disk writes whole. */
const SECTOR = 512

/** Bytes of the header of a write-ahead log. */
const HEADER = 32

interface Asked {
  readonly due: number
  readonly log: Buffer
  readonly done: Done
}

export class PowerCutDisk {
  readonly #file: string
  readonly #random: Random.Random
  #asked: Array<Asked> = []
  #database: Buffer = Buffer.alloc(0)
  #log: Buffer = Buffer.alloc(0)
  /** The number of checkpoints and of new logs so far. */
  checkpoints = 0
  restarts = 0
  now = 0
  /** Milliseconds that the disk takes for a sync. */
  latency: () => number = () => 0

  constructor(file: string, random: Random.Random) {
    this.#file = file
    this.#random = random
  }

  /** Begins a sync, which covers what is in the log now. */
  readonly sync = (done: Done): void => {
    this.#asked.push({ due: this.now + this.latency(), log: this.#read("-wal"), done })
  }

  /** Answers the syncs that are due. */
  advance(now: number): void {
    this.now = now
    const due = this.#asked.filter((asked) => asked.due <= now)
    // An answer can begin another sync.
    this.#asked = this.#asked.filter((asked) => asked.due > now)
    for (const { done, log } of due) {
      // The log may have been restarted since, which SQLite has synced.
      if (isSame(log, this.#log, HEADER) || this.#log.length === 0) this.#log = log
      done(null)
    }
  }

  /** Follows what SQLite has synced itself. Call it after each write. */
  follow(): void {
    const database = this.#read("")
    const header = headerOf(`${this.#file}-wal`)
    if (!database.equals(this.#database)) {
      this.#database = database
      this.#log = this.#read("-wal")
      this.checkpoints++
    } else if (!isSame(header, this.#log, HEADER)) {
      this.#log = Buffer.concat([header, this.#log.subarray(HEADER)])
      this.restarts++
    }
  }

  /** Cuts the power, and writes what the disk holds then to another place. */
  cut(image: string): void {
    const written = this.#read("-wal")
    const log = Buffer.alloc(this.#random() < 0.5 ? written.length : this.#log.length)
    this.#log.copy(log)
    const share = this.#random()
    for (let from = 0; from < log.length; from += SECTOR) {
      if (this.#random() < share) written.copy(log, from, from, Math.min(from + SECTOR, written.length))
    }
    writeFileSync(image, this.#database)
    writeFileSync(`${image}-wal`, log)
  }

  #read(ending: string): Buffer {
    return readFileSync(`${this.#file}${ending}`)
  }
}

const isSame = (one: Buffer, other: Buffer, bytes: number): boolean =>
  one.subarray(0, bytes).equals(other.subarray(0, bytes))

const headerOf = (file: string): Buffer => {
  const header = Buffer.alloc(HEADER)
  const descriptor = openSync(file, "r")
  readSync(descriptor, header, 0, HEADER, 0)
  closeSync(descriptor)
  return header
}
