/** The links of a block as places in its bytes. The object of a link is made only when it is asked for. */
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"

/** The links of a block, in order, with repetitions. */
export interface BlockLinks {
  readonly count: number
  /** Makes the CID of a link. The index must be below `count`. */
  readonly at: (index: number) => Cid.Cid
  /** Number of bytes that these links keep in memory. */
  readonly heldBytes: number
  /** Returns the place of a link's digest in the block; null if the codec writes links as text. */
  readonly placeOf: (index: number) => LinkRange | null
}

/** A range of the bytes of a block. */
export interface LinkRange {
  readonly offset: number
  readonly length: number
}

/** The links of a block that has none. */
export const none: BlockLinks = { count: 0, at: () => missing(), heldBytes: 0, placeOf: () => null }

/** Returns links whose CIDs were already made. `digests` finds their digests, if they are in the block as bytes. */
export const ofCids = (
  cids: ReadonlyArray<Cid.Cid>,
  placeOf: (cid: Cid.Cid) => LinkRange | null = () => null
): BlockLinks =>
  cids.length === 0
    ? none
    : {
        count: cids.length,
        at: (index) => cids[index] ?? missing(),
        heldBytes: cids.reduce((sum, { bytes }) => sum + bytes.length, 0),
        placeOf: (index) => placeOf(cids[index]!)
      }

/**
 * Returns links whose CIDs are in the block. `ends` has the first byte of each CID and the byte after its last one, and
 * the CIDs must be valid. If the CIDs are a small part of the block, they are copied, so that the block can be freed.
 */
export const ofPlaces = (bytes: Uint8Array, ends: ReadonlyArray<number>): BlockLinks => {
  if (ends.length === 0) return none
  let size = 0
  for (let i = 0; i < ends.length; i += 2) size += ends[i + 1]! - ends[i]!
  const isCopied = 2 * size < bytes.length
  const held = isCopied ? copied(bytes, ends, size) : bytes
  const starts = isCopied ? startsOf(ends) : undefined
  return {
    count: ends.length / 2,
    at: (index) => {
      const length = ends[2 * index + 1]! - ends[2 * index]!
      const from = starts === undefined ? ends[2 * index]! : starts[index]!
      return Result.getOrThrow(Cid.fromBytes(held.subarray(from, from + length)))
    },
    heldBytes: held.length,
    placeOf: (index) => {
      const [from, to] = [ends[2 * index]!, ends[2 * index + 1]!]
      const start = starts === undefined ? from : starts[index]!
      const { digest } = Result.getOrThrow(Cid.fromBytes(held.subarray(start, start + to - from))).multihash
      return { offset: to - digest.length, length: digest.length }
    }
  }
}

const copied = (bytes: Uint8Array, ends: ReadonlyArray<number>, size: number): Uint8Array => {
  const copy = new Uint8Array(size)
  let at = 0
  for (let i = 0; i < ends.length; i += 2) {
    const part = bytes.subarray(ends[i], ends[i + 1])
    copy.set(part, at)
    at += part.length
  }
  return copy
}

/** Returns the place of each CID in the copy. */
const startsOf = (ends: ReadonlyArray<number>): Uint32Array => {
  const starts = new Uint32Array(ends.length / 2)
  let at = 0
  for (let i = 0; i < starts.length; i++) {
    starts[i] = at
    at += ends[2 * i + 1]! - ends[2 * i]!
  }
  return starts
}

const missing = (): never => {
  throw new RangeError("no such link")
}
