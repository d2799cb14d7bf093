/** Answers in memory, up to a number of bytes. The least recently used answer is dropped first. */
import type { UpstreamAnswer } from "../networks/Upstream.ts"

/** Estimated number of bytes of an entry in addition to its key and its answer. */
const OVERHEAD = 200

/** Maximum size of one answer, as a fraction of the whole memory. A larger answer is not stored. */
const LARGEST = 1 / 8

/**
 * An entry of a linked ring, which is sorted by last use and closed by `#ends`. A use moves one entry in the ring.
 * Without the ring, each use would delete the entry from the map and add it again. The map would be rebuilt after a few
 * uses.
 */
interface Entry {
  readonly key: string
  readonly answer: UpstreamAnswer
  readonly size: number
  older: Entry
  newer: Entry
}

export class AnswerMemory {
  readonly #most: number
  readonly #entries = new Map<string, Entry>()
  /** Closes the ring: `#ends.newer` is the least recently used entry, and `#ends.older` the most recently used one. */
  readonly #ends: Entry
  #bytes = 0

  constructor(most: number) {
    this.#most = most
    const ends = { key: "", answer: new Uint8Array(0), size: 0 } as Entry
    ends.older = ends
    ends.newer = ends
    this.#ends = ends
  }

  get bytes(): number {
    return this.#bytes
  }

  get entries(): number {
    return this.#entries.size
  }

  get(key: string): UpstreamAnswer | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#takeOut(entry)
    this.#putLast(entry)
    return entry.answer
  }

  set(key: string, answer: UpstreamAnswer): void {
    const size = sizeOf(key, answer)
    if (size > this.#most * LARGEST) return
    const before = this.#entries.get(key)
    if (before !== undefined) this.#drop(before)
    const entry: Entry = { key, answer, size, older: this.#ends, newer: this.#ends }
    this.#entries.set(key, entry)
    this.#putLast(entry)
    this.#bytes += size
    while (this.#bytes > this.#most) this.#drop(this.#ends.newer)
  }

  #drop(entry: Entry): void {
    this.#entries.delete(entry.key)
    this.#takeOut(entry)
    this.#bytes -= entry.size
  }

  #takeOut({ newer, older }: Entry): void {
    older.newer = newer
    newer.older = older
  }

  #putLast(entry: Entry): void {
    const last = this.#ends.older
    entry.older = last
    entry.newer = this.#ends
    last.newer = entry
    this.#ends.older = entry
  }
}

/** Returns the size of an entry in bytes. Keys are ASCII, which V8 stores with one byte per character. */
const sizeOf = (key: string, answer: Uint8Array): number => key.length + answer.length + OVERHEAD
