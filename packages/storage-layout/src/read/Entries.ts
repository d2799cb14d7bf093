/**
 * Finds entries of mappings by candidate keys.
 *
 * Storage does not list the keys of a mapping. A caller with candidates, such as the addresses in a token's logs, gets
 * a proof that each candidate is present or absent.
 */
import * as Result from "effect/Result"

import type { Layout } from "../layout/Layout.ts"
import type * as StorageType from "../layout/StorageType.ts"
import * as Location from "../location/Location.ts"
import * as KeyText from "../path/keyText.ts"
import * as Path from "../path/Path.ts"
import { PathError } from "../path/PathError.ts"
import type { Slot } from "../slot/Slot.ts"
import type { DecodedValue } from "../value/Value.ts"

/**
 * A key as a program writes it: a number; `true` or `false`; text, for `string` keys; `0x` hex for addresses, `bytesN`
 * and `bytes`; the name of a member, for enums.
 */
export type EntryKey = string | number | bigint | boolean

/** A key, or the keys of nested mappings, starting with the outermost mapping. */
export type EntryCandidate = EntryKey | ReadonlyArray<EntryKey>

/** An entry that is present. */
export interface MappingEntry extends DecodedValue {
  readonly path: string
}

/**
 * The candidates, without repetitions. An entry is absent if every word that it has in place is zero. Storage does not
 * distinguish a deleted entry from an entry that was never written. A struct is absent too if only its mappings have
 * entries.
 */
export interface MappingEntries {
  readonly present: ReadonlyArray<MappingEntry>
  /** Paths of the entries that are proven to be zero. */
  readonly absent: ReadonlyArray<string>
}

/**
 * Locates the entries of a mapping with these keys. Keys with the same meaning, such as an address in two spellings,
 * are one entry, with the path of the first key.
 *
 * Fails with `PathError` at the first key that does not fit the mapping. The position is in the path of that entry.
 *
 * ```ts import.meta.vitest
 * import { Entries, Layout } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const layout = Result.getOrThrow(
 *   Layout.fromVyper({ visits: { type: "HashMap[address, HashMap[uint256, bool]]", slot: 7 } })
 * )
 * const who = "0x00000000219ab540356cBB839Cbe05303d7705Fa"
 * const keys = [
 *   [who, 1],
 *   [who.toLowerCase(), 1n]
 * ]
 * const entries = Result.getOrThrow(Entries.locate(layout, "visits", keys))
 * entries.map(({ path }) => path) // => ["visits[0x00000000219ab540356cbb839cbe05303d7705fa][1]"]
 * ```
 */
export const locate = (
  layout: Layout,
  mapping: string | Path.ParsedPath,
  candidates: ReadonlyArray<EntryCandidate>
): Result.Result<ReadonlyArray<Location.Location>, PathError> =>
  Result.flatMap(typeof mapping === "string" ? Path.parse(mapping) : Result.succeed(mapping), (path) =>
    Result.flatMap(Location.locate(layout, path), ({ type }) => {
      const entries = new Map<Slot, Location.Location>()
      for (const candidate of candidates) {
        const entry = entryPath(layout, path, type, candidate)
        const located = Result.flatMap(entry, (path) => Location.locate(layout, path))
        if (Result.isFailure(located)) return Result.fail(located.failure)
        const { slot } = located.success
        if (!entries.has(slot)) entries.set(slot, located.success)
      }
      return Result.succeed(Array.from(entries.values()))
    })
  )

/** Returns the path of the mapping with the keys appended. */
const entryPath = (
  layout: Layout,
  mapping: Path.ParsedPath,
  type: StorageType.StorageType,
  candidate: EntryCandidate
): Result.Result<Path.ParsedPath, PathError> => {
  let { text } = mapping
  let inner = type
  const steps = [...mapping.steps]
  for (const written of typeof candidate === "object" ? candidate : [candidate]) {
    if (inner._tag !== "Mapping") {
      const detail = `${inner.label} is not a mapping`
      return Result.fail(new PathError({ reason: "NoSuchStep", path: text, at: text.length, detail }))
    }
    if (typeof written === "string" && !written.isWellFormed()) {
      // half a surrogate pair cannot be encoded as UTF-8
      const detail = "the text is not well-formed Unicode"
      return Result.fail(new PathError({ reason: "BadKey", path: text, at: text.length, detail }))
    }
    const of = layout.types.get(inner.key)!
    const key = keyOf(written, "text" in of && of.text)
    steps.push({ _tag: "Key", key, at: text.length + 1 })
    text += `[${KeyText.render(key)}]`
    inner = layout.types.get(inner.value)!
  }
  return Result.succeed({ text, root: mapping.root, steps })
}

const keyOf = (key: EntryKey, isText: boolean): Path.PathKey => {
  if (typeof key === "boolean") return { _tag: "Name", name: String(key) }
  if (typeof key === "bigint") return { _tag: "Number", value: key }
  // a fraction cannot be a key, so its text is refused
  if (typeof key === "number") {
    return Number.isSafeInteger(key) ? { _tag: "Number", value: BigInt(key) } : { _tag: "Name", name: String(key) }
  }
  if (isText) return { _tag: "Text", value: key }
  if (/^0x[0-9a-fA-F]*$/.test(key)) return { _tag: "Hex", digits: key }
  if (/^-?(?:0|[1-9][0-9]*)$/.test(key)) return { _tag: "Number", value: BigInt(key) }
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(key) ? { _tag: "Name", name: key } : { _tag: "Text", value: key }
}
