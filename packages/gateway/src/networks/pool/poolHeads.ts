/**
 * The heads of the nodes, and the heads that callers have seen. A head must not go back for callers when another node
 * answers.
 */
import { Buffer } from "node:buffer"

import * as PoolHeight from "./height.ts"
import type { HeadTag, RoutedCall } from "./poolCall.ts"
import type { PoolMember } from "./poolMember.ts"

export class PoolHeads {
  /** The highest head that an answer was based on, by tag. */
  readonly #given: Record<HeadTag, number> = { latest: -1, safe: -1, finalized: -1 }

  /** Records that an answer was based on this head. */
  give(tag: HeadTag, number: number): void {
    this.#given[tag] = number
  }

  /** Records that an answer without a head was based on the node's last known head. */
  use({ heads }: PoolMember, tag: HeadTag): void {
    if (heads[tag] > this.#given[tag]) this.#given[tag] = heads[tag]
  }

  /** True if a caller has seen a higher head than the node is known to have. */
  isStale({ heads }: PoolMember, tag: HeadTag): boolean {
    return heads[tag] < this.#given[tag]
  }

  /** True if the number is below a head that a caller has seen. */
  isBack(tag: HeadTag, number: number): boolean {
    return number < this.#given[tag]
  }

  /** Returns the head that an answer names; undefined if it names none. */
  named({ tag, trait }: RoutedCall, answer: Uint8Array): number | undefined {
    if (tag === undefined || trait.gives === undefined) return undefined
    const number = trait.gives === "number" ? PoolHeight.read(answer) : numberOf(answer)
    return number === undefined ? undefined : Number(number)
  }
}

/**
 * Returns the number of a block without parsing the block. The first member named `number` belongs to the
 * block, because no object inside a block has a member of this name.
 */
const numberOf = (block: Uint8Array): bigint | undefined => {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  const at = bytes.indexOf(NUMBER)
  return at === -1 ? undefined : PoolHeight.read(valueAfter(bytes, at + NUMBER.length))
}

const NUMBER = Buffer.from('"number"')

/** Returns the number that follows a member's name, as text; empty if there is none. */
const valueAfter = (bytes: Buffer, from: number): Uint8Array => {
  const text = bytes.toString("latin1", from, from + MAX_TEXT)
  return Buffer.from(/^\s*:\s*("0x[0-9a-fA-F]*"|[0-9]+)/u.exec(text)?.[1] ?? "", "latin1")
}

/** Maximum number of bytes in which a number must end. */
const MAX_TEXT = 64
