/** The belief in a head above the served tip. */

/**
 * Maximum number of blocks that a head may be above the served tip. Honest nodes of one network differ by less while
 * their heads count for the tip, even on a chain with four blocks per second. On a chain with a block each 12 seconds it
 * is 13 minutes of the chain. It needs no bound by time there, because `CONFIRMED_WITHIN` is the stricter one: a claim
 * is believed for 30 seconds whatever its height, and a liar cannot begin another before the tip has reached it.
 */
const MAX_LEAD = 64

/**
 * Maximum time in milliseconds in which the tip must reach a head above it. The heads of nodes that are probed are
 * younger than a third of this time, so honest nodes confirm a block well within it. A silent node confirms what the
 * fastest chain adds meanwhile, or is asked.
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
    // A claim that the tip has reached was true, and says nothing about a later one after the chain went back.
    if (tip >= this.#head) this.#head = -1
    if (tip < 0 || head <= tip) return false
    if (head > tip + MAX_LEAD) return true
    this.begin(head, tip, now)
    return now - this.#at > CONFIRMED_WITHIN
  }

  /** Begins the time of a head above the tip, unless that of an earlier claim runs. */
  begin(head: number, tip: number, now: number): void {
    if (tip < 0 || head <= tip || head > tip + MAX_LEAD) return
    // A claim that is far above the tip was made before the chain went back.
    if (this.#head > tip && this.#head <= tip + MAX_LEAD) return
    this.#head = head
    this.#at = now
  }

  /** Forgets the claim, because another node may answer from now on. */
  clear(): void {
    this.#head = -1
  }
}
