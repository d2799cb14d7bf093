/** Remembers the newest blocks of a chain. Each block is the parent of the next one. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type { BlockRelation } from "@plumbline/eth-methods/trust/TrustRelation"
import type { Verified } from "@plumbline/verdict/Verdict"

/** A block that is proven by its own hash. */
export type ProvenBlock = Verified<Block.WithHashes>

/** A block of the chain. */
export interface ChainHead {
  readonly block: ProvenBlock
  readonly hash: Hash32.Hash32
  readonly number: bigint
  readonly relation: BlockRelation
}

/** A change of the chain. */
export interface ReorgChange {
  /** Blocks that left the chain, the newest first. */
  readonly removed: ReadonlyArray<ChainHead>
  /** Blocks that joined the chain, the oldest first. */
  readonly added: ReadonlyArray<ChainHead>
}

/** Maximum number of remembered blocks, and of blocks that are read at a time to close a gap. */
export const MAX_BLOCKS = 128

/**
 * The blocks: those that were announced to listeners, and the way from one of them to the newest block.
 *
 * A node's other branch replaces only the way. Announced blocks leave with `tell`, so that a branch that is never told
 * takes nothing back.
 */
export class ReorgTracker {
  /** Blocks that were announced, or are older than the first listener. */
  #told: Array<ChainHead>
  #way: Array<ChainHead> = []

  constructor(base: ChainHead) {
    this.#told = [base]
  }

  find(hash: Hash32.Hash32): ChainHead | undefined {
    const has = (head: ChainHead): boolean => head.hash === hash
    return this.#way.findLast(has) ?? this.#told.findLast(has)
  }

  get oldest(): ChainHead {
    return this.#told[0]!
  }

  get newest(): ChainHead {
    return this.#way.at(-1) ?? this.#told.at(-1)!
  }

  get isFull(): boolean {
    return this.#told.length >= MAX_BLOCKS
  }

  /** Adds the parent of the oldest block. */
  extendDown(parent: ChainHead): void {
    this.#told.unshift(parent)
  }

  /** Replaces the blocks after the one with this hash. Announced blocks stay until others are told. */
  put(parent: Hash32.Hash32, heads: ReadonlyArray<ChainHead>): void {
    this.#way.splice(this.#way.findLastIndex(({ hash }) => hash === parent) + 1)
    this.#way.push(...heads)
  }

  /** Blocks that were not announced yet, the oldest first. */
  get untold(): ReadonlyArray<ChainHead> {
    return this.#way
  }

  /** Announced blocks that leave the chain when the first of `untold` is told, the newest first. */
  get leaving(): ReadonlyArray<ChainHead> {
    const [first] = this.#way
    return first === undefined ? [] : this.#told.slice(this.#forkOf(first)).toReversed()
  }

  /** Takes these blocks, the oldest of `untold` in their latest relation, and returns the change to announce. */
  tell(added: ReadonlyArray<ChainHead>): ReorgChange {
    const removed = this.leaving
    this.#way.splice(0, added.length)
    this.#told.splice(this.#told.length - removed.length, removed.length, ...added)
    this.#told.splice(0, Math.max(0, this.#told.length - MAX_BLOCKS))
    return { removed, added }
  }

  #forkOf(first: ChainHead): number {
    return this.#told.findLastIndex(({ hash }) => hash === first.block.value.parentHash.toLowerCase()) + 1
  }
}
