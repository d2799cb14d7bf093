/**
 * A structural scanner over the bytes of a packet. It counts values and depth before anything is parsed.
 *
 * `JSON.parse` cannot be stopped, and its time depends on the content: new member names cost a hundred times as much as
 * other bytes. So this scanner first counts messages, values and depth in one pass. The pass stores only numbers, works
 * in steps, and stops at the first excess over a limit.
 *
 * The pass also finds the ids, because a response must repeat the id unchanged, but `JSON.parse` turns `1.0` into `1`
 * and `12345678901234567890` into another number.
 *
 * The scan checks structure only. Each found range is parsed afterwards, which detects text that is not JSON.
 */
import { skipSpace, stringEnd } from "./byteScan.ts"
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./punctuation.ts"

/** Bounds of the scan; see `Message.PacketLimits`. */
export interface ScanBounds {
  readonly maxBatch: number
  readonly maxDepth: number
  readonly maxValues: number
}

/** One message of a packet: its bytes, the bytes of its id, and a flag for too many values. */
export interface PacketElement {
  readonly start: number
  readonly end: number
  /** The start of the id; -1 if the message has no id. The range of an id may end with white space. */
  readonly idStart: number
  readonly idEnd: number
  readonly isExcessive: boolean
}

/**
 * The outcome of a scan. `Elements`: the whole packet was scanned. `TooMany`: the elements are the first `maxBatch`.
 * `TooDeep`: nesting went beyond `maxDepth`. `Broken`: text follows the end of a batch, or the batch has no end.
 */
export type ScanOutcome = "Elements" | "TooMany" | "TooDeep" | "Broken"

export class PacketScan {
  readonly #bytes: Uint8Array
  readonly #bounds: ScanBounds
  readonly isBatch: boolean
  readonly elements: Array<PacketElement> = []
  #at: number
  /** Number of open arrays and objects. */
  #depth = 0
  /** The depth at which the members of a message are: 1, or 2 if the message is in a batch. */
  readonly #memberDepth: number
  #start: number
  #values = 0
  #idStart = -1
  #idEnd = -1
  /** True if the next string is the name of a member of the message. */
  #isName = false
  /** True after the name `id`, until its value ends. */
  #isId = false

  constructor(bytes: Uint8Array, bounds: ScanBounds) {
    this.#bytes = bytes
    this.#bounds = bounds
    const first = skipSpace(bytes, 0)
    this.isBatch = bytes[first] === OPEN_BRACKET
    this.#memberDepth = this.isBatch ? 2 : 1
    this.#depth = this.isBatch ? 1 : 0
    this.#at = this.isBatch ? first + 1 : 0
    this.#start = this.#at
  }

  /** Number of bytes that were scanned. */
  get visited(): number {
    return this.#at
  }

  /** Scans about `budget` more bytes; a string counts as one byte. Returns the outcome once there is one. */
  step(budget: number): ScanOutcome | undefined {
    const bytes = this.#bytes
    const stop = Math.min(bytes.length, this.#at + budget)
    const { maxDepth, maxValues } = this.#bounds
    const memberDepth = this.#memberDepth
    if (this.#depth > maxDepth) return "TooDeep"
    let at = this.#at
    let depth = this.#depth
    let values = this.#values
    while (at < stop) {
      const byte = bytes[at]!
      if (byte === QUOTE) {
        const close = stringEnd(bytes, at)
        const end = close === -1 ? bytes.length : close
        if (this.#isName && depth === memberDepth) {
          this.#isName = false
          this.#isId = isIdName(bytes, at + 1, end - 1)
          if (this.#isId) this.#idStart = -1
        }
        at = end
        continue
      }
      at++
      if (byte === COMMA) {
        values++
        if (depth === memberDepth) {
          this.#endId(at - 1)
          this.#isName = true
        } else if (depth === memberDepth - 1 && this.isBatch) {
          if (this.#push(at - 1, values - 1)) {
            this.#at = at
            return "TooMany"
          }
          values = 0
        }
      } else if (byte === COLON) {
        if (this.#isId && depth === memberDepth && this.#idStart === -1) this.#idStart = at
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        values++
        depth++
        if (depth === memberDepth) this.#isName = byte === OPEN_BRACE
        if (depth > maxDepth) {
          this.#at = at
          return "TooDeep"
        }
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === memberDepth) this.#endId(at - 1)
        depth--
        if (depth === 0 && this.isBatch) {
          this.#at = at
          return this.#end(at - 1, values)
        }
      }
    }
    this.#at = at
    this.#depth = depth
    // The count is capped just above the limit, so that it stays bounded.
    this.#values = Math.min(values, maxValues + 1)
    if (at < bytes.length) return undefined
    if (this.isBatch) return "Broken"
    this.#push(bytes.length, values)
    return "Elements"
  }

  #endId(end: number): void {
    if (this.#isId && this.#idStart !== -1) this.#idEnd = end
    this.#isId = false
  }

  /** Adds a message. Returns true if the packet may not have another message. */
  #push(end: number, values: number): boolean {
    const idStart = this.#idEnd === -1 ? -1 : this.#idStart
    const isExcessive = values > this.#bounds.maxValues
    this.elements.push({ start: this.#start, end, idStart, idEnd: this.#idEnd, isExcessive })
    this.#start = end + 1
    this.#idStart = -1
    this.#idEnd = -1
    this.#isId = false
    this.#isName = false
    return this.elements.length >= this.#bounds.maxBatch
  }

  /** Handles the closing bracket of a batch. */
  #end(close: number, values: number): ScanOutcome {
    const bytes = this.#bytes
    const isEmpty = this.elements.length === 0 && skipSpace(bytes, this.#start) === close
    if (!isEmpty) this.#push(close, values)
    if (this.elements.length > this.#bounds.maxBatch) return "TooMany"
    return skipSpace(bytes, close + 1) === bytes.length ? "Elements" : "Broken"
  }
}

/** True for `id`, even if its letters are written as escapes. */
const isIdName = (bytes: Uint8Array, from: number, to: number): boolean => {
  if (to - from === 2) return bytes[from] === 0x69 && bytes[from + 1] === 0x64
  // The longest spelling is \u0069\u0064, twelve characters.
  if (to - from > 12) return false
  const name = bytes.subarray(from, to)
  if (!name.includes(BACKSLASH)) return false
  try {
    return JSON.parse(`"${String.fromCharCode(...name)}"`) === "id"
  } catch {
    return false
  }
}
