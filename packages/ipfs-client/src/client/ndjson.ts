/** Splits a stream of bytes into lines, regardless of how the bytes were divided into pieces. */

import * as Bytes from "@plumbline/codec/hex/Bytes"

const NEWLINE = 0x0a

/** The fault of a line. */
export type LineFault = "too long" | "not UTF-8"

/** The lines that are now complete, in order. After a fault there are no more lines. */
export interface CompleteLines {
  readonly lines: ReadonlyArray<string>
  readonly fault: LineFault | undefined
}

/**
 * Collects the bytes of lines.
 *
 * Reading stops as soon as a line exceeds `maxBytes`, so at most `maxBytes` are held. Blank lines are left out. Each
 * byte is examined only once, even if the pieces are small.
 */
export class LineSplitter {
  readonly #maxBytes: number
  readonly #decoder = new TextDecoder("utf-8", { fatal: true })
  #pieces: Array<Uint8Array> = []
  #size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  push(bytes: Uint8Array): CompleteLines {
    const lines: Array<string> = []
    let from = 0
    for (;;) {
      const at = bytes.indexOf(NEWLINE, from)
      const piece = bytes.subarray(from, at === -1 ? bytes.length : at)
      if (this.#size + piece.length > this.#maxBytes) {
        return { lines, fault: "too long" }
      }
      if (at === -1) {
        if (piece.length > 0) {
          // The platform may reuse its buffer, so the piece is copied.
          this.#pieces.push(piece.slice())
          this.#size += piece.length
        }
        return { lines, fault: undefined }
      }
      if (!this.#take(piece, lines)) {
        return { lines, fault: "not UTF-8" }
      }
      from = at + 1
    }
  }

  /** Returns the last line, which needs no newline at its end. */
  end(): CompleteLines {
    const lines: Array<string> = []
    return { lines, fault: this.#take(new Uint8Array(), lines) ? undefined : "not UTF-8" }
  }

  #take(last: Uint8Array, lines: Array<string>): boolean {
    const line = this.#pieces.length === 0 ? last : Bytes.join([...this.#pieces, last])
    this.#pieces = []
    this.#size = 0
    try {
      const text = this.#decoder.decode(line)
      if (/\S/.test(text)) {
        lines.push(text)
      }
      return true
    } catch {
      return false
    }
  }
}
