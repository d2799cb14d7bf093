/** The belief in a head above the served tip. */

/**
 * Maximum number of blocks that a head may be above the served tip. Honest nodes of one network differ by less while
 * their heads count for the tip, even on a chain with four blocks per second.
 */
const MAX_LEAD = 64

/**
 * Maximum time in milliseconds in which the tip must reach a head above it. The heads that make the tip are younger than
 * a third of this time, so honest nodes confirm a block well within it.
 */
const CONFIRMED_WITHIN = 30_000

/** The first head above the served tip that the tip has not reached yet. */
export class HeadClaim {
  #head = -1
  #at = 0

  /**
   * True if a head is not believed: it is too far above the tip, or the tip has not reached an earlier claim in time.
   * `tip` is -1 if it is unknown. A lower head in between does not renew the time, so a liar cannot begin again.
   */
  isFar(head: number, tip: number, now: number): boolean {
    if (tip < 0 || head <= tip) return false
    if (head > tip + MAX_LEAD) return true
    // A claim that is far above the tip was made before the chain went back.
    if (this.#head <= tip || this.#head > tip + MAX_LEAD) {
      this.#head = head
      this.#at = now
    }
    return now - this.#at > CONFIRMED_WITHIN
  }

  /** Forgets the claim, because another node may answer from now on. */
  clear(): void {
    this.#head = -1
  }
}
