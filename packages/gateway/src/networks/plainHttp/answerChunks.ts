/**
 * A body in chunks, without extensions and trailers, as Go's and Node's servers write it. The bytes are kept as they
 * came, so an answer with any other form can still be read by undici, from its beginning.
 */
import { Buffer } from "node:buffer"

/** Whether a body needs more bytes, is whole, or does not have the form. */
export type ChunksState = "more" | "whole" | "other"

export class AnswerChunks {
  /** The bytes of the whole answer, from its head on. */
  readonly raw: Array<Buffer>
  readonly #limit: number
  readonly #pieces: Array<Buffer> = []
  #size = 0
  #rawSize = 0
  /** Number of bytes left of the chunk. */
  #left = 0
  /** What was read of the text between two chunks. Nothing is before the first chunk, so a line end is put there. */
  #between = "\r\n"
  /** The number of bytes behind the body. */
  rest = 0

  /** `limit`: the number of bytes that a body may have. */
  constructor(limit: number, head: Buffer) {
    this.#limit = limit
    this.raw = [head]
  }

  push(raw: Buffer): ChunksState {
    this.raw.push(raw)
    return this.read(raw)
  }

  get body(): Buffer {
    return this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces, this.#size)
  }

  read(bytes: Buffer): ChunksState {
    this.#rawSize += bytes.length
    for (let at = 0; at < bytes.length;) {
      if (this.#left > 0) {
        const piece = bytes.subarray(at, at + this.#left)
        this.#pieces.push(piece)
        this.#size += piece.length
        this.#left -= piece.length
        at += piece.length
        continue
      }
      const known = this.#between.length
      const text = this.#between + bytes.toString("latin1", at, at + LONGEST - known)
      const found = BETWEEN.exec(text)
      if (found === null) {
        this.#between = text
        return at + text.length - known === bytes.length && BEGUN.test(text) ? "more" : "other"
      }
      at += found[0].length - known
      this.#between = ""
      if (found[1] === undefined) {
        this.rest = bytes.length - at
        return this.#isFair() ? "whole" : "other"
      }
      this.#left = Number.parseInt(found[1], 16)
    }
    return this.#isFair() ? "more" : "other"
  }

  /** False if the body is too large, or if so little of it is content that the limit would not bound what is kept. */
  #isFair(): boolean {
    return this.#size <= this.#limit && this.#rawSize - this.#size <= ALLOWANCE + this.#size / 128
  }
}

/** Number of bytes between chunks that are always kept. */
const ALLOWANCE = 4096

const BETWEEN = /^\r\n(?:0\r\n\r\n|([1-9a-f][0-9a-f]{0,6})\r\n)/iu
const BEGUN = /^\r?$|^\r\n(?:0?|0\r|0\r\n\r?|[1-9a-f][0-9a-f]{0,6}\r?)$/iu
/** The length of the longest text between two chunks. */
const LONGEST = "\r\nfffffff\r\n".length
