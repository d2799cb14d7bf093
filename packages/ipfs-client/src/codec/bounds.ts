/**
 * Bounds of one block, checked before an object of the block is made. Without them a block of a few MiB could take all
 * memory: each link and each value becomes an object that is much larger than its bytes.
 */
import { MAX_DEPTH } from "./value.ts"

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

/** Maximum nesting of lists and maps in a block. */
export const MAX_NESTING = MAX_DEPTH

/** A bound that a block exceeds. */
export class Exceeded {
  readonly bound: "maxLinks" | "maxValues" | "maxNesting"
  readonly limit: number

  constructor(bound: Exceeded["bound"]) {
    this.bound = bound
    this.limit = bound === "maxLinks" ? MAX_LINKS : bound === "maxValues" ? MAX_VALUES : MAX_NESTING
  }
}

/** The reason why a block cannot be read: a sentence about its form, or a bound that it exceeds. */
export type Flaw = string | Exceeded

/** Returns the sentence of a flaw. */
export const sentenceOf = (flaw: Flaw): string =>
  typeof flaw === "string" ? flaw : `beyond ${flaw.bound}, which is ${flaw.limit}`
