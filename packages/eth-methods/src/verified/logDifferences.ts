/** Compares the logs that a node sent with the proven logs, and keeps the differences of one read as evidence. */
import type { Evidence } from "@plumbline/verdict/Evidence"
import type { RefutedError } from "@plumbline/verdict/RefutedError"

import type * as Log from "../model/Log.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"

type Logs = ReadonlyArray<Log.Log>

/** Maximum number of omitted logs whose places are kept. */
const PLACES = 16

/**
 * Maximum number of blocks about which the node is asked again before its first certain lie. After a reorganisation,
 * several blocks can differ without a lie.
 */
const QUESTIONS = 4

/** The differences of one read. */
export class LogDifferences {
  #first: RefutedError | undefined
  #omitted = 0
  #added = 0
  #asked = 0
  readonly #places: Array<EthEvidence.LogPlace> = []

  /** True if the node's logs certainly differ from the proven ones. */
  get isLie(): boolean {
    return this.#first !== undefined
  }

  /** Adds the differences that were kept apart until it was known that the node is to blame. */
  join(other: LogDifferences): void {
    this.#first ??= other.#first
    this.#omitted += other.#omitted
    this.#added += other.#added
    for (const place of other.#places) if (this.#places.length < PLACES) this.#places.push(place)
  }

  /** Returns true if one more question may find out whether the node is to blame, and counts it. */
  mayAskAgain(): boolean {
    return this.#asked++ < QUESTIONS
  }

  /** Adds the differences of one block. `refuted` is the check that the node's logs of this block failed. */
  add(refuted: RefutedError, said: Logs, proven: Logs): void {
    this.#first ??= refuted
    const sent = new Set(said.map(idOf))
    let found = 0
    for (const log of proven) {
      if (sent.has(idOf(log))) {
        found++
        continue
      }
      this.#omitted++
      if (this.#places.length < PLACES) {
        this.#places.push({ blockNumber: log.blockNumber!, logIndex: log.logIndex! })
      }
    }
    // a log that comes twice counts as added once
    this.#added += said.length - found
  }

  /** Adds logs that the node sent and that no block of the read can hold. */
  addForeign(refuted: RefutedError, count: number): void {
    this.#first ??= refuted
    this.#added += count
  }

  /** Returns the evidence of the differences: none if there is no difference. */
  get evidence(): ReadonlyArray<Evidence> {
    if (this.#first === undefined) return []
    const { check, expected, got } = this.#first
    return [
      EthEvidence.LogsRepaired({
        check,
        expected,
        got,
        omitted: this.#omitted,
        added: this.#added,
        places: this.#places
      })
    ]
  }
}

/** Returns what identifies a log: its place and its content. A log with other content is another log. */
const idOf = ({ address, blockHash, data, logIndex, topics, transactionHash, transactionIndex }: Log.Log): string =>
  [blockHash, logIndex, transactionHash, transactionIndex, address, data, ...topics]
    .map((part) => (typeof part === "string" ? part.toLowerCase() : String(part)))
    .join()
