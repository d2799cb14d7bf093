/** Stores blocks in memory, up to a number of bytes. The least recently used block is removed first. */

/** Estimated number of bytes for the key and the entry of a block. */
const OVERHEAD = 256

export class MemoryBlocks {
  readonly #limit: number
  readonly #blocks = new Map<string, Uint8Array>()
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Number of bytes that the blocks take now. */
  get bytes(): number {
    return this.#bytes
  }

  get(key: string): Uint8Array | undefined {
    const bytes = this.#blocks.get(key)
    if (bytes === undefined) return undefined
    // A map iterates in the order of insertion, so a used block is inserted again.
    this.#blocks.delete(key)
    this.#blocks.set(key, bytes)
    return bytes
  }

  put(key: string, bytes: Uint8Array): void {
    // A view would keep its whole buffer in memory.
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
