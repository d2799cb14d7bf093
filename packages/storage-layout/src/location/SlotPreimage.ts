/**
 * Computes preimages, and finds the entries that preimages name. A preimage is the bytes whose Keccak-256 is the slot
 * of a mapping's entry.
 *
 * Storage keeps entries under hashes, so a word does not reveal its key. The hashed bytes reveal the key and need no
 * trust, because another key hashes to another slot. In Solidity the hashed bytes are the key and then the mapping's
 * slot. In Vyper they are the slot and then the key or, for `String` and `Bytes`, the hash of the key.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Result from "effect/Result"

import type { Layout } from "../layout/Layout.ts"
import * as KeyText from "../path/keyText.ts"
import type * as Path from "../path/Path.ts"
import type { PathError } from "../path/PathError.ts"
import type { Slot } from "../slot/Slot.ts"
import * as Word from "../slot/word.ts"
import * as FollowPath from "./followPath.ts"
import * as Location from "./Location.ts"
import * as MappingKey from "./mappingKey.ts"

/**
 * Returns the byte strings that are hashed along a path, in the order of hashing: one for each key of a mapping, but
 * two for a `String` or `Bytes` key of Vyper: first the key itself, then the slot with the hash of the key.
 *
 * Fails with `PathError` as `Location.locate` does.
 *
 * ```ts import.meta.vitest
 * import { Layout, Location, SlotPreimage, Slot } from "@plumbline/storage-layout"
 * import { Keccak256 } from "@plumbline/codec"
 * import { Result } from "effect"
 *
 * const layout = Result.getOrThrow(Layout.fromVyper({ visits: { type: "HashMap[uint256, bool]", slot: 7 } }))
 * const [preimage] = Result.getOrThrow(SlotPreimage.ofPath(layout, "visits[1]"))
 * const { slot } = Result.getOrThrow(Location.locate(layout, "visits[1]"))
 * Keccak256.hash(preimage ?? new Uint8Array()) // => Slot.numberKey(slot)
 * ```
 */
export const ofPath = (
  layout: Layout,
  path: string | Path.ParsedPath
): Result.Result<ReadonlyArray<Uint8Array>, PathError> => {
  const trail: Array<FollowPath.PassedPlace> = []
  return Result.map(FollowPath.walk(layout, path, trail), () =>
    trail.flatMap(({ steps: [step] }, i) => {
      const from = trail[i - 1]?.to
      if (from?.type._tag !== "Mapping" || step?._tag !== "Key") return []
      // the path was followed up to this step, so the key is valid for this mapping
      const key = layout.types.get(from.type.key)!
      const { preimage, text } = Result.getOrThrow(MappingKey.hashed(layout, key, step.key, from.slot))
      return text === undefined ? [preimage] : [text, preimage]
    })
  )
}

/** Preimages grouped by the slot of their mapping. Build the index once with {@link index}. */
export interface PreimageIndex {
  readonly bySlot: ReadonlyMap<Slot, ReadonlyArray<Uint8Array>>
  /**
   * Byte strings, found by their hashes as numbers. In Vyper, such a byte string may be a key that is hashed alone
   * before it is hashed with the slot.
   */
  readonly byHash: ReadonlyMap<bigint, Uint8Array>
}

/**
 * Indexes byte strings for {@link entries}, which skips byte strings that are not preimages in the layout's dialect.
 */
export const index = (layout: Layout, preimages: Iterable<Uint8Array>): PreimageIndex => {
  const all = Array.from(preimages)
  const long = all.filter(({ length }) => (layout.dialect === "solidity" ? length >= WORD : length === 2 * WORD))
  const slotOf = (bytes: Uint8Array) =>
    Word.fromBytes(layout.dialect === "solidity" ? bytes.subarray(bytes.length - WORD) : bytes.subarray(0, WORD))
  return {
    bySlot: Map.groupBy(long, slotOf),
    byHash:
      layout.dialect === "solidity"
        ? new Map()
        : new Map(all.map((bytes) => [Word.fromBytes(Keccak256.hash(bytes)), bytes]))
  }
}

/**
 * Returns the entries of a mapping that preimages name, each once, in the order of the preimages.
 *
 * Each key is decoded from its preimage, written as a path, and hashed again. The path is returned only if the same
 * bytes are hashed. So a preimage that is not the encoding of a key, such as an address of more than 20 bytes, names no
 * entry.
 *
 * ```ts import.meta.vitest
 * import { Layout, Location, SlotPreimage } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const layout = Result.getOrThrow(Layout.fromVyper({ visits: { type: "HashMap[uint256, bool]", slot: 7 } }))
 * const preimages = Result.getOrThrow(SlotPreimage.ofPath(layout, "visits[1]"))
 * const visits = Result.getOrThrow(Location.locate(layout, "visits"))
 * const entries = SlotPreimage.entries(layout, visits, SlotPreimage.index(layout, preimages))
 * entries.map(({ path }) => path) // => ["visits[1]"]
 * ```
 */
export const entries = (
  layout: Layout,
  mapping: Location.Location,
  { byHash, bySlot }: PreimageIndex
): ReadonlyArray<Location.Location> => {
  const { path, slot, type } = mapping
  if (type._tag !== "Mapping") return []
  const of = layout.types.get(type.key)!
  const found = new Map<string, Location.Location>()
  for (const preimage of bySlot.get(slot) ?? []) {
    const inside =
      layout.dialect === "solidity" ? preimage.subarray(0, preimage.length - WORD) : preimage.subarray(WORD)
    const bytes = of._tag === "BoundedBytes" ? byHash.get(Word.fromBytes(inside)) : inside
    const key = bytes === undefined ? undefined : MappingKey.keyOf(of, bytes)
    if (key === undefined) continue
    const again = MappingKey.hashed(layout, of, key, slot)
    if (Result.isFailure(again) || !Bytes.equals(again.success.preimage, preimage)) continue
    const entry = Location.locate(layout, `${path}[${KeyText.render(key)}]`)
    if (Result.isSuccess(entry)) found.set(entry.success.path, entry.success)
  }
  return [...found.values()]
}

/** Number of bytes of a word. */
const WORD = 32
