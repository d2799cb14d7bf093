/**
 * The places that a depth-first walk has not visited yet.
 *
 * A block can have 65,536 links, and a walk visits them one after the other. So the stack holds the links of each block
 * as they are in the block, and makes a place only when its turn comes. The bytes that the links keep in memory are
 * bounded, because the maker of a DAG chooses how many blocks with unvisited links lie on the way to the next one.
 */
import type { BlockLinks } from "../codec/blockLinks.ts"

/** Maximum number of bytes of blocks that unvisited links keep in memory during a walk: 256 MiB. */
export const MAX_HELD_BYTES: number = 256 * 1024 * 1024

/** The places below one block. */
export interface WalkLevel<Place> {
  readonly count: number
  readonly at: (index: number) => Place
  readonly heldBytes: number
  /** The index of the next place that is not made yet. */
  index: number
  /** Places that were made before their turn, in order. */
  readonly made: Array<Place>
}

/**
 * A stack of places.
 *
 * ```ts import.meta.vitest
 * import { Cid, WalkStack } from "@plumbline/ipfs-client"
 *
 * const stack = new WalkStack.WalkStack<string>()
 * const texts = ["a", "b"]
 * stack.push({ count: 2, at: (index) => texts[index]!, heldBytes: 0 }) // => true
 * stack.next() // => "a"
 * stack.push({ count: 1, at: () => "below a", heldBytes: 0 }) // => true
 * stack.next() // => "below a"
 * stack.next() // => "b"
 * stack.next() // => undefined
 * ```
 */
export class WalkStack<Place> {
  readonly #levels: Array<WalkLevel<Place>> = []
  #heldBytes = 0

  /** Adds the places below a block, which come next. Returns false beyond `MAX_HELD_BYTES`, and then adds nothing. */
  push({ at, count, heldBytes }: Pick<WalkLevel<Place>, "at" | "count" | "heldBytes">): boolean {
    if (count === 0) return true
    if (this.#heldBytes + heldBytes > MAX_HELD_BYTES) return false
    this.#heldBytes += heldBytes
    this.#levels.push({ count, at, heldBytes, index: 0, made: [] })
    return true
  }

  /** Adds the targets of links. */
  pushLinks({ at, count, heldBytes }: BlockLinks, placeOf: (cid: ReturnType<BlockLinks["at"]>) => Place): boolean {
    return this.push({ count, heldBytes, at: (index) => placeOf(at(index)) })
  }

  /** Takes the next place; undefined at the end. */
  next(): Place | undefined {
    const level = this.#levels.at(-1)
    if (level === undefined) return undefined
    const place = level.made.shift() ?? level.at(level.index++)
    if (level.made.length === 0 && level.index === level.count) {
      // The last link gives its block free before the walk goes below it, so a long chain of blocks holds none of them.
      this.#levels.pop()
      this.#heldBytes -= level.heldBytes
    }
    return place
  }

  /** Returns up to `most` places that come next, without taking them. */
  coming(most: number): ReadonlyArray<Place> {
    const found: Array<Place> = []
    for (let i = this.#levels.length - 1; i >= 0 && found.length < most; i--) {
      const level = this.#levels[i]!
      while (level.made.length < most - found.length && level.index < level.count) {
        level.made.push(level.at(level.index++))
      }
      found.push(...level.made.slice(0, most - found.length))
    }
    return found
  }
}
