/**
 * Recursive Length Prefix, the encoding of Ethereum's blocks, transactions and tries. Strict: one item, one encoding.
 */
import * as Result from "effect/Result"

import { encode as encodeItem, type Rlp } from "./encode.ts"
import { RlpError } from "./RlpError.ts"

export { RlpEncodeError, RlpError } from "./RlpError.ts"
export type { Rlp } from "./encode.ts"

/**
 * Bounds of {@link decode} and {@link encode}.
 */
export interface RlpOptions {
  /** Maximum number of levels of nested lists; a list of byte strings is 1 deep. Default: 64. */
  readonly maxDepth?: number
  /** The largest encoding in bytes. Default: 32 MiB. */
  readonly maxBytes?: number
}

/** The defaults of the options. */
export const defaults: { readonly maxDepth: number; readonly maxBytes: number } = {
  maxDepth: 64,
  maxBytes: 32 * 1024 * 1024
}

/**
 * Returns the encoding of an item (Yellow Paper, appendix B).
 *
 * Throws `RlpEncodeError` beyond the bounds. This includes a list that contains itself.
 *
 * ```ts import.meta.vitest
 * import { Rlp } from "@plumbline/codec"
 *
 * const cat = new TextEncoder().encode("cat")
 * Rlp.encode(cat) // => new Uint8Array([0x83, 99, 97, 116])
 * Rlp.encode([cat, []]) // => new Uint8Array([0xc5, 0x83, 99, 97, 116, 0xc0])
 * ```
 */
export const encode = (item: Rlp, options?: RlpOptions): Uint8Array<ArrayBuffer> =>
  encodeItem(item, {
    maxDepth: options?.maxDepth ?? defaults.maxDepth,
    maxBytes: options?.maxBytes ?? defaults.maxBytes
  })

/**
 * Returns the one item whose canonical encoding is the bytes.
 *
 * Fails with {@link RlpError}, which names the rule and the place, on every input that `encode` would not produce. Byte
 * strings are views of the input, not copies: they change with it.
 *
 * ```ts import.meta.vitest
 * import { Rlp } from "@plumbline/codec"
 * import * as Result from "effect/Result"
 *
 * Rlp.decode(new Uint8Array([0xc1, 5])) // => Result.succeed([new Uint8Array([5])])
 * Result.getOrUndefined(Result.flip(Rlp.decode(new Uint8Array([0x81, 5]))))?.reason // => "NonCanonicalSingleByte"
 * ```
 */
export const decode = (bytes: Uint8Array, options?: RlpOptions): Result.Result<Rlp, RlpError> => {
  const item = read(bytes, options)
  return item instanceof RlpError ? Result.fail(item) : Result.succeed(item)
}

/**
 * Does the same as {@link decode}, but throws {@link RlpError}.
 */
export const decodeUnsafe = (bytes: Uint8Array, options?: RlpOptions): Rlp => {
  const item = read(bytes, options)
  if (item instanceof RlpError) throw item
  return item
}

const fail = (reason: RlpError["reason"], offset: number): RlpError => new RlpError({ reason, offset })

/** Reads the item in a loop with its own stack, so that no input can exhaust the stack of the program. */
const read = (bytes: Uint8Array, options: RlpOptions | undefined): Rlp | RlpError => {
  const maxDepth = options?.maxDepth ?? defaults.maxDepth
  const maxBytes = options?.maxBytes ?? defaults.maxBytes
  const { buffer, byteOffset, length } = bytes
  if (length === 0) return fail("Empty", 0)
  if (length > maxBytes) return fail("TooLarge", maxBytes)

  const parents: Array<Array<Rlp>> = []
  const ends: Array<number> = []
  let list: Array<Rlp> | undefined
  let end = length
  let position = 0
  for (;;) {
    const start = position
    const head = bytes[start]!
    let from = start
    let size = 1
    if (head >= 0x80) {
      from = start + 1
      size = head < 0xc0 ? head - 0x80 : head - 0xc0
      if (size > 55) {
        const width = size - 55
        if (width > end - from) return overrun(start, end, length)
        if (bytes[from] === 0) return fail("LeadingZeroInSize", start)
        // a size of more than six bytes exceeds any input, and the range in which numbers are exact
        if (width > 6) return overrun(start, end, length)
        size = 0
        for (const to = from + width; from < to; from++) size = size * 256 + bytes[from]!
        if (size < 56) return fail("NonCanonicalSize", start)
      }
      if (size > end - from) return overrun(start, end, length)
    }
    if (head < 0xc0) {
      if (size === 1 && head === 0x81 && bytes[from]! < 0x80) return fail("NonCanonicalSingleByte", start)
      const item = new Uint8Array(buffer, byteOffset + from, size)
      position = from + size
      if (list === undefined) return position === length ? item : fail("TrailingBytes", position)
      list.push(item)
    } else {
      const depth = list === undefined ? 0 : parents.length + 1
      if (depth >= maxDepth) return fail("TooDeep", start)
      position = from
      const items: Array<Rlp> = []
      if (list !== undefined) {
        list.push(items)
        parents.push(list)
        ends.push(end)
      }
      list = items
      end = from + size
    }
    while (position === end) {
      const parent = parents.pop()
      if (parent === undefined) return position === length ? list : fail("TrailingBytes", position)
      list = parent
      end = ends.pop()!
    }
  }
}

const overrun = (start: number, end: number, length: number): RlpError =>
  fail(end === length ? "UnexpectedEnd" : "ListOverrun", start)
