/**
 * Exact values of the IPLD data model: a value that one codec read can be written by another without loss.
 *
 * A JavaScript number does not show whether it was an integer or a float, and a string cannot hold bytes that are not
 * UTF-8. So whole floats and such strings have separate classes. All other values have the types that `Block.decode`
 * returns: null, booleans, numbers (a bigint beyond 2^53), strings, bytes, CIDs, lists and maps.
 */
import * as Cid from "../cid/Cid.ts"
import * as Names from "./names.ts"

/** A float whose value is whole: 1.0, -0.0, 1e300. Floats with a fraction are plain numbers. */
export class Float {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** The bytes of a string that is not UTF-8. */
export class Text {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** Maximum nesting of lists and maps. Source: `defaultMaxDepth` of go-ipld-prime's codecs. */
export const MAX_DEPTH = 1024

/** True for a map: an object of the data model that is not a list, bytes, a CID or one of the classes here. */
export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Uint8Array) &&
  !(value instanceof Float) &&
  !(value instanceof Text) &&
  Cid.asCid(value) === undefined

/** Returns a float as a value. A whole float becomes a `Float`. */
export const float = (value: number): number | Float => (Number.isInteger(value) ? new Float(value) : value)

/** Returns an integer as a value. */
export const integer = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value

/** Returns a string as a value, from its bytes. */
export const text = (bytes: Uint8Array): string | Text => Names.strict(bytes) ?? new Text(bytes)

/** Sets a key of a map. `__proto__` is an ordinary key. */
export const set = (map: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === "__proto__")
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
  else map[key] = value
}

/** Returns the value as programs see it: floats as numbers, and strings that are not UTF-8 as text for display. */
export const plain = (value: unknown): unknown => {
  if (value instanceof Float) return value.value
  if (value instanceof Text) return Names.shown(value.bytes)
  if (Array.isArray(value)) return value.map(plain)
  if (!isMap(value)) return value
  const map: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) set(map, key, plain(inner))
  return map
}
