/** Answers in memory, bounded by their bytes: the least recently used one leaves first. */

/** Bytes that an entry takes in addition to its key and its answer. */
const OVERHEAD = 200

/** The largest part of the memory that one answer may take. */
const LARGEST = 1 / 8

export class AnswerMemory {
  readonly #most: number
  /** The least recently used first. */
  readonly #answers = new Map<string, Uint8Array>()
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  get bytes(): number {
    return this.#bytes
  }

  get entries(): number {
    return this.#answers.size
  }

  get(key: string): Uint8Array | undefined {
    const answer = this.#answers.get(key)
    if (answer === undefined) return undefined
    this.#answers.delete(key)
    this.#answers.set(key, answer)
    return answer
  }

  set(key: string, answer: Uint8Array): void {
    const size = sizeOf(key, answer)
    if (size > this.#most * LARGEST) return
    const before = this.#answers.get(key)
    if (before !== undefined) this.#drop(key, before)
    this.#answers.set(key, answer)
    this.#bytes += size
    for (const [oldest, old] of this.#answers) {
      if (this.#bytes <= this.#most) break
      this.#drop(oldest, old)
    }
  }

  #drop(key: string, answer: Uint8Array): void {
    this.#answers.delete(key)
    this.#bytes -= sizeOf(key, answer)
  }
}

/** A text of V8 has a byte per letter where all are Latin, as in keys. */
const sizeOf = (key: string, answer: Uint8Array): number => key.length + answer.length + OVERHEAD
