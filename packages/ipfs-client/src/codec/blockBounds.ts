/**
 * Bounds of one block, checked before an object of the block is made. Without them a block of a few MiB could take all
 * memory: each link and each value becomes an object that is much larger than its bytes.
 */
import { MAX_DEPTH } from "./ipldValue.ts"

/**
 * Maximum number of links of a block. A block of 2 MiB, the largest that nodes exchange, holds at most 52,428 links with
 * sha2-256. More fit only if their CIDs hold the data themselves, or if the block is larger.
 */
export const MAX_LINKS = 65_536

/**
 * Maximum number of values of a block that is decoded: a block of 2 MiB in which each value takes 8 bytes. Walking,
 * pinning and exporting only find the links, so they have no such bound.
 */
export const MAX_VALUES = 262_144

/**
 * Maximum number of keys of one map that is decoded. V8 returns the keys of an object in one piece, which takes 60 ms for
 * 262,144 keys and 12 ms for this many. Other implementations have no such bound: Kubo (go-ipld-prime) charges 8 bytes
 * and the length of each key to 10 MiB for the whole block, and `@ipld/dag-cbor` reads any number.
 */
export const MAX_KEYS = 65_536

/** Maximum nesting of lists and maps in a block. */
export const MAX_NESTING = MAX_DEPTH

const LIMITS = { maxLinks: MAX_LINKS, maxValues: MAX_VALUES, maxKeys: MAX_KEYS, maxNesting: MAX_NESTING } as const

/** A bound that a block exceeds. */
export class Exceeded {
  readonly bound: keyof typeof LIMITS
  readonly limit: number

  constructor(bound: Exceeded["bound"]) {
    this.bound = bound
    this.limit = LIMITS[bound]
  }
}

/** The reason why a block cannot be read: a sentence about its form, or a bound that it exceeds. */
export type Flaw = string | Exceeded

/** Returns the sentence of a flaw. */
export const sentenceOf = (flaw: Flaw): string =>
  typeof flaw === "string" ? flaw : `beyond ${flaw.bound}, which is ${flaw.limit}`
