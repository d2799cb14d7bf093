/** Answers in memory, bounded by their bytes: the least recently used one leaves first. */

/** Bytes that an entry takes in addition to its key and its answer. */
const OVERHEAD = 200

/** The largest part of the memory that one answer may take. */
const LARGEST = 1 / 8

/**
 * Entries in the order of their last use, as a ring through `#ends`. A use moves one entry in the ring. Deleting and
 * setting it in the map would give the same order, and rebuild the map after a few uses.
 */
interface Entry {
  readonly key: string
  readonly answer: Uint8Array
  readonly size: number
  older: Entry
  newer: Entry
}

export class AnswerMemory {
  readonly #most: number
  readonly #entries = new Map<string, Entry>()
  /** The border of the ring: its `newer` is the least recently used entry, and its `older` the most recently used. */
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

  get(key: string): Uint8Array | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#takeOut(entry)
    this.#putLast(entry)
    return entry.answer
  }

  set(key: string, answer: Uint8Array): void {
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

/** A text of V8 has a byte per letter where all are Latin, as in keys. */
const sizeOf = (key: string, answer: Uint8Array): number => key.length + answer.length + OVERHEAD
