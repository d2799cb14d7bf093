/**
 * The links of directories. The links of a plain directory are its entries. A sharded directory is a HAMT of shards.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Result from "effect/Result"

import type { MalformedBlock } from "../block/DagError.ts"
import type * as Cid from "../cid/Cid.ts"
import * as DagPb from "../codec/dagPb.ts"
import * as EntryNames from "../codec/entryNames.ts"
import { STEP, type Steps } from "../work/steps.ts"
import * as Murmur3 from "./murmur3.ts"
import { malformed, type OtherUnixFsNode } from "./unixFsNode.ts"

/** An entry of a directory. */
export interface DirectoryEntry {
  /**
   * The name. If the name is not UTF-8, this text is only for display, with U+FFFD for each byte that is not part of a
   * character. No path finds the entry by this text.
   */
  readonly name: string
  /** The bytes of a name that is not UTF-8. `UnixFs.resolve` finds the entry by them. */
  readonly nameBytes?: Uint8Array | undefined
  readonly cid: Cid.Cid
  /**
   * Number of bytes of all blocks under the entry, as the author of the directory stated it; `undefined` beyond 2^53.
   * It is not checked.
   */
  readonly totalSize: number | undefined
}

/** A link of a shard: an entry, or another shard at this place. */
export type HamtShardLink =
  | { readonly _tag: "Entry"; readonly place: number; readonly entry: DirectoryEntry; readonly name: Uint8Array }
  | { readonly _tag: "Shard"; readonly place: number; readonly cid: Cid.Cid }

/** A shard: the number of its places, which is a power of two, and the links at the occupied places, in order. */
export interface HamtShard {
  readonly fanout: number
  readonly links: ReadonlyArray<HamtShardLink>
}

/** The code of murmur3-x64-64, the only hash function of sharded directories. */
export const HASH_TYPE = 0x22

/** Maximum number of bytes of a name in a shard, because each name is hashed. File systems permit 255. */
const MAX_NAME = 4096

/** The widest shard that Kubo reads. Source: boxo, `hamt`. */
const MAX_FANOUT = 1024

/**
 * Returns the entries of a plain directory, in steps. Their names must differ in their bytes, and each must be valid in
 * a path.
 */
export function* entriesOf(
  cid: Cid.Cid,
  { links }: OtherUnixFsNode
): Steps<Result.Result<ReadonlyArray<DirectoryEntry>, MalformedBlock>> {
  const names = new Set<string>()
  const entries: Array<DirectoryEntry> = []
  for (let i = 0; i < links.count; i++) {
    if (i % STEP === STEP - 1) yield
    const name = DagPb.nameOf(links, i) ?? NOTHING
    if (!EntryNames.isSegment(name)) return malformed(cid, "an entry whose name cannot stand in a path")
    const entry = entryOf(DagPb.linkOf(links, i), name)
    // The key of a name that is not UTF-8 begins with a zero byte, which no name holds. So names that only look alike
    // have different keys.
    const key = entry.nameBytes === undefined ? entry.name : `\0${Hex.fromBytes(entry.nameBytes)}`
    if (names.has(key)) return malformed(cid, "two entries of one name")
    names.add(key)
    entries.push(entry)
  }
  return Result.succeed(entries)
}

/**
 * Finds an entry of a plain directory, in steps. Only the entries of this name are judged: a look-up must not cost as
 * much as a listing.
 */
export function* entryNamed(
  cid: Cid.Cid,
  { links }: OtherUnixFsNode,
  name: Uint8Array
): Steps<Result.Result<Cid.Cid | undefined, MalformedBlock>> {
  const [first, second] = yield* DagPb.named(links, name)
  if (first === undefined) return Result.succeed(undefined)
  if (!EntryNames.isSegment(name)) return malformed(cid, "an entry whose name cannot stand in a path")
  return second === undefined ? Result.succeed(DagPb.cidOf(links, first)) : malformed(cid, "two entries of one name")
}

/** Returns the links of a shard in the order of their places. The places must match the shard's bitfield. */
export const hamtShardOf = (
  cid: Cid.Cid,
  { links, message }: OtherUnixFsNode
): Result.Result<HamtShard, MalformedBlock> => {
  const { data = new Uint8Array(0), fanout = 0, hashType } = message
  if (hashType !== HASH_TYPE) return malformed(cid, "a shard of an unknown hash function")
  if (!isFanout(fanout)) return malformed(cid, `a shard of ${fanout} places`)
  const { length: width } = prefix(0, fanout)
  const found: Array<HamtShardLink> = []
  let before = -1
  for (let i = 0; i < links.count; i++) {
    const label = DagPb.nameOf(links, i) ?? NOTHING
    const digits = String.fromCharCode(...label.subarray(0, width))
    const place = Number.parseInt(digits, 16)
    // This also catches NaN.
    if (!(place < fanout) || prefix(place, fanout) !== digits) {
      return malformed(cid, "a shard's link without a place")
    }
    if (place <= before) return malformed(cid, "a shard's links are not in order")
    if (!hasBit(data, place)) return malformed(cid, "a shard's link at a place that it says is free")
    before = place
    const name = label.subarray(width)
    if (name.length > MAX_NAME) return malformed(cid, `a shard's entry with a name of more than ${MAX_NAME} bytes`)
    if (name.length === 0) found.push({ _tag: "Shard", place, cid: DagPb.cidOf(links, i) })
    else if (EntryNames.isSegment(name)) {
      found.push({ _tag: "Entry", place, entry: entryOf(DagPb.linkOf(links, i), name), name })
    } else return malformed(cid, "an entry whose name cannot stand in a path")
  }
  if (countBits(data) !== found.length) return malformed(cid, "a shard says that more places are taken than are")
  return Result.succeed({ fanout, links: found })
}

/**
 * Returns the place of a name in a shard `depth` levels below the root shard. Returns `undefined` if the name's hash
 * has no bits left.
 */
export const placeOf = (name: Uint8Array, fanout: number, depth: number): number | undefined =>
  placeIn(Murmur3.hash64(name), fanout, depth)

/** True if a shard `depth` levels below the root shard can hold names: a name's hash has bits left for this level. */
export const isReachable = (fanout: number, depth: number): boolean => Math.log2(fanout) * (depth + 1) <= 64

/** True if these places, from the root down, follow from the hash of the name. */
export const standsAt = (name: Uint8Array, fanout: number, places: ReadonlyArray<number>): boolean => {
  const hash = Murmur3.hash64(name)
  return places.every((place, depth) => place === placeIn(hash, fanout, depth))
}

/**
 * Returns the place that a hash gives in a shard: each shard uses the next bits of the hash, beginning with the
 * highest.
 */
const placeIn = (hash: bigint, fanout: number, depth: number): number | undefined => {
  if (!isReachable(fanout, depth)) return undefined
  const shift = 64 - Math.log2(fanout) * (depth + 1)
  return Number((hash >> BigInt(shift)) & BigInt(fanout - 1))
}

const NOTHING = new Uint8Array(0)

const entryOf = ({ cid, totalSize }: DagPb.PbLink, name: Uint8Array): DirectoryEntry => {
  const { bytes, text } = EntryNames.ofBytes(name)
  const entry = { name: text, cid, totalSize: typeof totalSize === "bigint" ? undefined : totalSize }
  return bytes === undefined ? entry : { ...entry, nameBytes: bytes }
}

const isFanout = (fanout: number): boolean => fanout >= 8 && fanout <= MAX_FANOUT && Number.isInteger(Math.log2(fanout))

/** Returns the text of a place, which is the prefix of a link's name. */
export const prefix = (place: number, fanout: number): string =>
  place
    .toString(16)
    .toUpperCase()
    .padStart((fanout - 1).toString(16).length, "0")

/** Encodes the used places as a bitfield: one big-endian number without leading zeros. */
export const bitfield = (places: Iterable<number>, fanout: number): Uint8Array => {
  const field = new Uint8Array(fanout / 8)
  for (const place of places) field[field.length - 1 - (place >> 3)]! |= 1 << (place & 7)
  const start = field.findIndex((byte) => byte !== 0)
  return start < 0 ? new Uint8Array(0) : field.subarray(start)
}

const hasBit = (field: Uint8Array, place: number): boolean =>
  ((field[field.length - 1 - (place >> 3)] ?? 0) & (1 << (place & 7))) !== 0

const countBits = (field: Uint8Array): number => {
  let count = 0
  for (const byte of field) for (let rest = byte; rest > 0; rest &= rest - 1) count++
  return count
}
