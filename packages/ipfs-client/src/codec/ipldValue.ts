/**
 * Exact values of the IPLD data model: a value that one codec read can be written by another without loss.
 *
 * A JavaScript number does not show whether it was an integer or a float, and a string cannot hold bytes that are not
 * UTF-8. So whole floats and such strings have separate classes. All other values have the types that `Block.decode`
 * returns: null, booleans, numbers (a bigint beyond 2^53), strings, bytes, CIDs, lists and maps.
 */
import * as Cid from "../cid/Cid.ts"
import { now, STEP, type Steps } from "../work/steps.ts"
import * as EntryNames from "./entryNames.ts"

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

/** True for a list or a map. */
export const isNested = (value: unknown): value is object => Array.isArray(value) || isMap(value)

/** Returns a float as a value. A whole float becomes a `Float`. */
export const float = (value: number): number | Float => (Number.isInteger(value) ? new Float(value) : value)

/** Returns an integer as a value. */
export const integer = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value

/** Returns a string as a value, from its bytes. */
export const text = (bytes: Uint8Array): string | Text => EntryNames.strict(bytes) ?? new Text(bytes)

/** Sets a key of a map. `__proto__` is an ordinary key. */
export const set = (map: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === "__proto__")
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
  else map[key] = value
}

/** Returns the value as programs see it: floats as numbers, and strings that are not UTF-8 as text for display. */
export const plain = (value: unknown): unknown => now(plainSteps(value))

/** Does the same as `plain`, in steps. */
export function* plainSteps(value: unknown): Steps<unknown> {
  return isNested(value) ? yield* plainNested(value, { count: 0 }) : plainLeaf(value)
}

const plainLeaf = (value: unknown): unknown =>
  value instanceof Float ? value.value : value instanceof Text ? EntryNames.shown(value.bytes) : value

function* plainNested(value: object, done: { count: number }): Steps<unknown> {
  const list: Array<unknown> | undefined = Array.isArray(value) ? [] : undefined
  const map: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    if (++done.count % STEP === 0) yield
    const inner = memberOf(value, key)
    const shown: unknown = isNested(inner) ? yield* plainNested(inner, done) : plainLeaf(inner)
    if (list === undefined) set(map, key, shown)
    else list.push(shown)
  }
  return list ?? map
}

/** Returns the value of an own key. */
const memberOf = (value: object, key: string): unknown => (value as Readonly<Record<string, unknown>>)[key]

/**
 * Returns the keys and values of a map, in steps. `Object.entries` is one step, and takes 80 ms for a map of 100,000
 * keys; `Object.keys` takes 20.
 */
export function* entriesOf(map: object): Steps<Array<readonly [key: string, value: unknown]>> {
  const entries: Array<readonly [string, unknown]> = []
  for (const key of Object.keys(map)) {
    if (entries.length % STEP === STEP - 1) yield
    entries.push([key, memberOf(map, key)])
  }
  return entries
}

/** Returns the member of a value under a name: an item of a list, or the value of a key. */
export const field = (value: unknown, name: string): unknown => {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,15})$/.test(name) ? value[Number(name)] : undefined
  return isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
