/** Remembers the newest blocks of a chain. Each block is the parent of the next one. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"

import type { ProvenBlock, Standing } from "./standing.ts"

/** A block of the chain. */
export interface Head {
  readonly block: ProvenBlock
  readonly hash: Hash32.Hash32
  readonly number: bigint
  readonly standing: Standing
}

/** A change of the chain. */
export interface Change {
  /** Blocks that left the chain, the newest first. */
  readonly removed: ReadonlyArray<Head>
  /** Blocks that joined the chain, the oldest first. */
  readonly added: ReadonlyArray<Head>
}

/** Maximum number of remembered blocks, and of blocks that are read at a time to close a gap. */
export const MAX_BLOCKS = 128

/** The blocks. Blocks before `told` were announced to listeners, or are older than the first listener. */
export class Branch {
  #heads: Array<Head>
  #told = 1
  #removed: ReadonlyArray<Head> = []

  constructor(base: Head) {
    this.#heads = [base]
  }

  find(hash: Hash32.Hash32): Head | undefined {
    return this.#heads.findLast((head) => head.hash === hash)
  }

  get oldest(): Head {
    return this.#heads[0]!
  }

  get newest(): Head {
    return this.#heads.at(-1)!
  }

  get isFull(): boolean {
    return this.#heads.length >= MAX_BLOCKS
  }

  /** Adds the parent of the oldest block. */
  extendDown(parent: Head): void {
    this.#heads.unshift(parent)
    this.#told++
  }

  /** Replaces the blocks after the one with this hash. */
  put(parent: Hash32.Hash32, heads: ReadonlyArray<Head>): void {
    const kept = this.#heads.findLastIndex(({ hash }) => hash === parent) + 1
    const left = this.#heads.splice(kept)
    const told = Math.max(0, this.#told - kept)
    this.#removed = [...left.slice(0, told).toReversed(), ...this.#removed]
    this.#told = Math.min(this.#told, kept)
    this.#heads.push(...heads)
  }

  /** Blocks that were not announced yet, the oldest first. */
  get untold(): ReadonlyArray<Head> {
    return this.#heads.slice(this.#told)
  }

  /** Replaces the oldest blocks that were not announced yet, and returns the change to announce. */
  tell(added: ReadonlyArray<Head>): Change {
    this.#heads.splice(this.#told, added.length, ...added)
    this.#told += added.length
    const forgotten = Math.min(Math.max(0, this.#heads.length - MAX_BLOCKS), this.#told - 1)
    this.#heads.splice(0, forgotten)
    this.#told -= forgotten
    const removed = this.#removed
    this.#removed = []
    return { removed, added }
  }
}
