/** Formats values of variables as text. */
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import type * as StorageType from "@plumbline/storage-layout/layout/StorageType"
import * as StorageValue from "@plumbline/storage-layout/value/Value"

import * as TextFormats from "../look/TextFormats.ts"

/** Maximum number of characters of a value in one line. */
const MAX_LINE = 400

/** Writes a value of storage in one line. With its type, a member of an enum has its name and its number. */
export const line = (value: StorageValue.Value, type?: StorageType.StorageType, layout?: Layout): string => {
  const text = write(value, type, layout)
  return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text
}

const write = (value: StorageValue.Value, type?: StorageType.StorageType, layout?: Layout): string => {
  if (value instanceof StorageValue.Flaw) return `not a value: ${flaw(value)}`
  if (type?._tag === "Enum" && typeof value === "bigint") return `number ${value}`
  if (type?._tag === "Enum" && typeof value === "string") return `${value} (${type.members?.indexOf(value)})`
  if (typeof value === "bigint") return TextFormats.grouped(value)
  if (typeof value === "boolean") return String(value)
  if (typeof value === "string") return value.startsWith("0x") ? value : JSON.stringify(value)
  const of = (id: StorageType.TypeId | undefined) => (id === undefined ? undefined : layout?.types.get(id))
  if (Array.isArray(value)) {
    const base = of(type !== undefined && "base" in type ? type.base : undefined)
    const shown: ReadonlyArray<StorageValue.Value> = value.slice(0, MAX_SHOWN)
    return `[${shown.map((element) => write(element, base, layout)).join(", ")}]`
  }
  const types = new Map(type?._tag === "Struct" ? type.members.map((member) => [member.name, member.type]) : [])
  return `{ ${Object.entries(value)
    .slice(0, MAX_SHOWN)
    .map(([name, member]) => {
      const own = of(types.get(name))
      return `${name}: ${write(member as StorageValue.Value, own, layout)}`
    })
    .join(", ")} }`
}

/** An array or a struct with this many parts always fills a line, so the parts after them need not be formatted. */
const MAX_SHOWN = 200

/** Returns the reason why bytes are not a valid value. */
export const flaw = ({ bytes, reason }: StorageValue.Flaw): string =>
  `${SAYS[reason]}${bytes === undefined ? "" : ` (${TextFormats.short(bytes)})`}`

const SAYS: Readonly<Record<StorageValue.FlawReason, string>> = {
  NotABool: "larger than 1, so not a bool",
  NotAMember: "beyond the last member of the enum",
  NotPadded: "the rest of the word is not zero padding",
  BadLength: "a length that no program writes",
  NotUtf8: "bytes that are not valid text",
  OutOfRange: "the array is shorter",
  TooLarge: "more words than this page reads at once",
  TooDeep: "more levels than this page reads at once"
}

/** Returns a path with long keys in their short form: `members[0x709979…79c8].score`. */
export const shortPath = (path: string): string =>
  path.replace(/0x[0-9a-f]{20,}/giu, (hex) => TextFormats.short(hex)).replace(/"([^"]{24})[^"]+"/gu, '"$1…"')
