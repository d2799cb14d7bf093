/** Parses a CAR, which arrives in pieces of any size, into roots and blocks. The parser checks only the form. */
import * as Result from "effect/Result"

import type { Block } from "../block/Block.ts"
import * as Cid from "../cid/Cid.ts"
import * as ByteQueue from "../codec/byteQueue.ts"
import * as DagCbor from "../codec/dagCbor.ts"
import * as IpldValue from "../codec/ipldValue.ts"
import { CarError } from "./CarError.ts"

export interface CarLimits {
  readonly maxHeaderSize: number
  readonly maxBlockSize: number
}

/** An item of a CAR: the roots, once, before the first block; or a block. */
export type CarItem =
  | { readonly _tag: "Roots"; readonly version: 1 | 2; readonly roots: ReadonlyArray<Cid.Cid> }
  | ({ readonly _tag: "Block" } & Block)

export interface CarParser {
  readonly push: (bytes: Uint8Array) => void
  /** Returns the next item; `undefined` if the parser needs more bytes. */
  readonly next: () => CarItem | CarError | undefined
  /** Returns the error if the file must not end here; `undefined` if it may. */
  readonly end: () => CarError | undefined
}

/**
 * Size in bytes of the second header of a CAR of version 2, which has the position of the blocks. It follows a header
 * like that of version 1, with the version number 2.
 */
const V2_HEADER_SIZE = 40

export const make = (limits: CarLimits): CarParser => {
  const queue = ByteQueue.make()
  let state: "start" | "v2" | "padding" | "inner" | "sections" | "after" = "start"
  let version: 1 | 2 = 1
  /** The range of the blocks, in bytes from the start of the file. In version 1, the range ends with the file. */
  let from = 0
  let to = Number.POSITIVE_INFINITY

  const fail = (reason: CarError["reason"]): CarError => new CarError({ reason, offset: queue.position })

  /** Reads a varint, and then as many bytes as the varint says. */
  const framed = (limit: number, tooLarge: CarError["reason"], bad: CarError["reason"]) => {
    const size = queue.varint()
    if (size === undefined) return undefined
    if (size === "malformed" || size.value === 0) return fail(bad)
    if (size.value > limit) return fail(tooLarge)
    if (queue.position + size.length + size.value > to) return fail(bad)
    if (queue.size < size.length + size.value) return undefined
    queue.skip(size.length)
    return queue.take(size.value)
  }

  const next = (): CarItem | CarError | undefined => {
    switch (state) {
      case "start":
      case "inner": {
        const bytes = framed(limits.maxHeaderSize, "HeaderTooLarge", "BadHeader")
        if (bytes === undefined || bytes instanceof CarError) return bytes
        const header = headerOf(bytes)
        if (header === undefined) return fail("BadHeader")
        if (header.version === 1) {
          state = "sections"
          return { _tag: "Roots", version, roots: header.roots }
        }
        if (state === "inner") return fail("BadHeader")
        version = 2
        state = "v2"
        return next()
      }
      case "v2": {
        if (queue.size < V2_HEADER_SIZE) return undefined
        const header = queue.take(V2_HEADER_SIZE)
        const view = new DataView(header.buffer, header.byteOffset, header.length)
        from = Number(view.getBigUint64(16, true))
        to = from + Number(view.getBigUint64(24, true))
        if (from < queue.position || !Number.isSafeInteger(to)) return fail("BadHeader")
        state = "padding"
        return next()
      }
      case "padding": {
        queue.skip(Math.min(queue.size, from - queue.position))
        if (queue.position < from) return undefined
        state = "inner"
        return next()
      }
      case "sections": {
        if (queue.position === to) {
          state = "after"
          return next()
        }
        const bytes = framed(limits.maxBlockSize + Cid.MAX_SIZE, "SectionTooLarge", "BadSection")
        if (bytes === undefined || bytes instanceof CarError) return bytes
        return sectionOf(bytes) ?? fail("BadSection")
      }
      case "after":
        // The index of version 2 is skipped, because the blocks contain the same information.
        queue.skip(queue.size)
        return undefined
    }
  }

  const end = (): CarError | undefined =>
    state === "after" || (state === "sections" && queue.size === 0 && to === Number.POSITIVE_INFINITY)
      ? undefined
      : fail("Cut")

  return { push: queue.push, next, end }
}

/** Reads a header: a map with only `version` and `roots`. The first header of version 2 has no roots. */
const headerOf = (
  bytes: Uint8Array
): { readonly version: 1; readonly roots: ReadonlyArray<Cid.Cid> } | { readonly version: 2 } | undefined => {
  const header = DagCbor.decode(bytes)
  if (Result.isFailure(header) || !IpldValue.isMap(header.success)) return undefined
  const { roots, version, ...rest } = header.success
  if (Object.keys(rest).length > 0) return undefined
  if (version === 2 && roots === undefined) return { version }
  if (version !== 1 || !Array.isArray(roots)) return undefined
  const cids = roots.map(Cid.asCid)
  return cids.every((cid) => cid !== undefined) ? { version, roots: cids } : undefined
}

const sectionOf = (bytes: Uint8Array): CarItem | undefined => {
  const read = Cid.firstOf(bytes)
  return Result.isSuccess(read) ? { _tag: "Block", cid: read.success[0], bytes: read.success[1] } : undefined
}
