/** Blocks in memory, within a number of bytes. The block that was used the longest time ago goes first. */

/** A block counts at least this much, for its key and its place. */
const OVERHEAD = 256

export class MemoryBlocks {
  readonly #limit: number
  readonly #blocks = new Map<string, Uint8Array>()
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Bytes taken now. */
  get bytes(): number {
    return this.#bytes
  }

  get(key: string): Uint8Array | undefined {
    const bytes = this.#blocks.get(key)
    if (bytes === undefined) return undefined
    // A map iterates in the order of insertion.
    this.#blocks.delete(key)
    this.#blocks.set(key, bytes)
    return bytes
  }

  put(key: string, bytes: Uint8Array): void {
    // A view would keep the whole buffer that it is a part of.
    const own = bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice()
    if (own.length + OVERHEAD > this.#limit || this.#blocks.has(key)) return
    this.#blocks.set(key, own)
    this.#bytes += own.length + OVERHEAD
    for (const [oldest, { length }] of this.#blocks) {
      if (this.#bytes <= this.#limit) break
      this.#blocks.delete(oldest)
      this.#bytes -= length + OVERHEAD
    }
  }
}
