/** A queue of bytes that arrive in pieces and are taken in pieces of other sizes. Each byte is copied at most once. */
import * as Bytes from "@plumbline/codec/hex/Bytes"

export interface ByteQueue {
  readonly push: (bytes: Uint8Array) => void
  /** Number of bytes in the queue. */
  readonly size: number
  /** Number of bytes that were taken or skipped. */
  readonly position: number
  /** Takes the next bytes. The queue must hold at least that many. */
  readonly take: (count: number) => Uint8Array
  /** Takes the next bytes in the pieces in which they arrived, without a copy. */
  readonly takeParts: (count: number) => ReadonlyArray<Uint8Array>
  readonly skip: (count: number) => void
  /**
   * Reads the varint at the front, and leaves it in the queue. The varint must be at most 2^53, in its shortest form.
   * Returns `undefined` if the queue does not hold the whole varint.
   */
  readonly varint: () => { readonly value: number; readonly length: number } | "malformed" | undefined
}

export const make = (): ByteQueue => {
  let pieces: Array<Uint8Array> = []
  let first = 0
  let offset = 0
  let size = 0
  let position = 0

  /** Takes up to `count` bytes of the first piece. */
  const some = (count: number): Uint8Array => {
    const piece = pieces[first]!
    const part = piece.subarray(offset, offset + count)
    offset += part.length
    size -= part.length
    position += part.length
    if (offset === piece.length) {
      offset = 0
      first++
      if (first === pieces.length || first > 64) {
        pieces = pieces.slice(first)
        first = 0
      }
    }
    return part
  }

  const takeParts = (count: number): ReadonlyArray<Uint8Array> => {
    const parts: Array<Uint8Array> = []
    for (let rest = count; rest > 0;) {
      const part = some(rest)
      rest -= part.length
      parts.push(part)
    }
    return parts
  }

  const take = (count: number): Uint8Array => {
    const parts = takeParts(count)
    return parts.length === 1 ? parts[0]! : Bytes.join(parts)
  }

  const varint = (): { readonly value: number; readonly length: number } | "malformed" | undefined => {
    let value = 0
    let length = 0
    let piece = first
    let at = offset
    while (length < size) {
      while (at === pieces[piece]!.length) {
        piece++
        at = 0
      }
      const byte = pieces[piece]![at++]!
      value += (byte & 0x7f) * 2 ** (7 * length)
      length++
      if (!Number.isSafeInteger(value)) return "malformed"
      if (byte < 0x80) return byte === 0 && length > 1 ? "malformed" : { value, length }
      if (length === 8) return "malformed"
    }
    return undefined
  }

  return {
    push: (bytes) => {
      if (bytes.length === 0) return
      pieces.push(bytes)
      size += bytes.length
    },
    get size() {
      return size
    },
    get position() {
      return position
    },
    take,
    takeParts,
    skip: (count) => {
      for (let rest = count; rest > 0;) rest -= some(rest).length
    },
    varint
  }
}
