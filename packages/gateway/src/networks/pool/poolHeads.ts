/**
 * The heads of the nodes, the served tip, and the heads that callers have seen.
 *
 * The served tip is the highest block that at least half of the nodes have, of those that are up and whose head is
 * known. A node alone ahead, or one that lies about its height, is not the tip, and a node alone behind does not hold it
 * back. Two nodes cannot outvote each other: the higher of two heads is the tip. The answer to a caller names the tip at
 * most, and never a lower head than before while a node has it. A head above the tip is believed for a while: one that
 * the tip does not reach in this time was a lie. `safe` and `finalized` have no tip of their own: they are the word of
 * the node that answers, up to the belief in its latest block.
 *
 * A node that is silent, because it has a budget or asked for a pause, keeps its vote: without it, one liar would be the
 * majority of the nodes that were heard. It confirms each block that it may have by now on the fastest chain. For
 * anything higher it is asked, because an answer above the tip makes the call go on to another node.
 */
import { Buffer } from "node:buffer"

import { HeadClaim } from "./headClaim.ts"
import * as PoolHeight from "./height.ts"
import type { HeadTag, RoutedCall } from "./poolCall.ts"
import { type PoolMember, SILENT_AGE, VOTE_AGE } from "./poolMember.ts"

/**
 * The pool's judgement of an answer that names a head. `served`: it is the answer. `early`: few nodes have this block yet.
 * `late`: callers have seen a later block, or most nodes have one. `far`: the head is so far above the tip that it is not
 * believed.
 */
export type HeadStanding = "served" | "early" | "late" | "far"

export class PoolHeads {
  readonly #pool: ReadonlyArray<PoolMember>
  /** The highest head that an answer named, by tag. */
  readonly #given: Record<HeadTag, number> = { latest: -1, safe: -1, finalized: -1 }
  /** The highest head that the state in an answer was based on, by tag. */
  readonly #used: Record<HeadTag, number> = { latest: -1, safe: -1, finalized: -1 }
  /** The claims of the heads that callers have seen, by tag. */
  readonly #claims = { latest: new HeadClaim(), safe: new HeadClaim(), finalized: new HeadClaim() }

  /** True if silent nodes are probed, so that a node that stays silent does so by its budget or its pause. */
  readonly #isProbed: boolean

  constructor(pool: ReadonlyArray<PoolMember>, isProbed: boolean) {
    this.#pool = pool
    this.#isProbed = isProbed
  }

  /**
   * Returns the served tip: the highest block that at least half of the nodes with a known head may have. Returns -1 if
   * no head is known. `age` is the maximum age of a head in milliseconds; by default that of a vote.
   */
  tip(now: number, age?: number): number {
    const pool = this.#pool
    let voters = 0
    for (const member of pool) if (this.#votes(member, now, age)) voters++
    let tip = -1
    for (const member of pool) {
      const { latest } = member.heads
      if (latest <= tip || !this.#votes(member, now, age)) continue
      let having = 0
      for (const other of pool) if (other.reach(now) >= latest && this.#votes(other, now, age)) having++
      if (having * 2 >= voters) tip = latest
    }
    return tip
  }

  #votes(member: PoolMember, now: number, age?: number): boolean {
    return member.hasHead(now, age ?? (this.#isProbed ? SILENT_AGE : VOTE_AGE))
  }

  /** Returns the highest known head that is believed; -1 if no head is known. */
  top(now: number): number {
    const tip = this.tip(now)
    return this.#pool.reduce(
      (most, { claim, heads }) => (claim.isFar(heads.latest, tip, now) ? most : Math.max(most, heads.latest)),
      -1
    )
  }

  /** Judges the head that a node's answer names. The node's head must be recorded before. */
  standing({ claim }: PoolMember, tag: HeadTag, head: number, now: number): HeadStanding {
    const tip = this.tip(now)
    const given = this.#believed(tag, this.#given[tag], tip, now)
    if (tip >= 0 && head > Math.max(tip, given)) return claim.isFar(head, tip, now) ? "far" : "early"
    return head < (tag === "latest" ? Math.max(given, tip) : given) ? "late" : "served"
  }

  /** Records that an answer named this head. Returns the head before if the new one is lower. */
  give(tag: HeadTag, number: number, now: number): number | undefined {
    const before = this.#given[tag]
    this.#given[tag] = number
    this.#claims[tag].begin(number, this.tip(now), now)
    if (number >= before) return undefined
    this.#used[tag] = Math.min(this.#used[tag], number)
    return before
  }

  /** Records that an answer without a head was based on the node's last known head. */
  use({ claim, heads }: PoolMember, tag: HeadTag, now: number): void {
    const tip = this.tip(now)
    if (heads[tag] <= this.#used[tag] || claim.isFar(heads[tag], tip, now)) return
    this.#used[tag] = heads[tag]
    this.#claims[tag].begin(heads[tag], tip, now)
  }

  /** True if a caller has seen a higher head than the node is known to have, or if most nodes have one. */
  isStale({ heads }: PoolMember, tag: HeadTag, now: number): boolean {
    const tip = this.tip(now)
    const seen = this.#believed(tag, Math.max(this.#given[tag], this.#used[tag]), tip, now)
    return heads[tag] < (tag === "latest" ? Math.max(seen, tip) : seen)
  }

  /** True if the node's head is not believed: it is too far above the served tip, or has been above it for too long. */
  isFar({ claim, heads }: PoolMember, now: number): boolean {
    return claim.isFar(heads.latest, this.tip(now), now)
  }

  /** True if the node is alone with its head: it is above the served tip. */
  isEarly({ heads }: PoolMember, now: number): boolean {
    const tip = this.tip(now)
    return tip >= 0 && heads.latest > tip
  }

  /** Returns a head that callers have seen. One that is not believed any more was a lie: it is the tip instead. */
  #believed(tag: HeadTag, head: number, tip: number, now: number): number {
    return this.#claims[tag].isFar(head, tip, now) ? tip : head
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
