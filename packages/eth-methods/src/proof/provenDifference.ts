/** Compares answers with proven values, and completes answers that leave proven values out. */
import { type ComparableValue, type RefutedError, refute } from "@plumbline/verdict/RefutedError"

/**
 * Returns the first place in which the answer contradicts the proven values. The case of hex digits does not matter.
 *
 * An omitted field contradicts nothing (see `leftOut` for the exceptions). `loose` receives the path of every field
 * that is not proven, even if its value is null. In these paths, `[]` stands for any index.
 */
export const difference = (
  said: unknown,
  proven: unknown,
  path: string,
  loose: (path: string) => void
): RefutedError | undefined => {
  if (Array.isArray(said) && Array.isArray(proven)) {
    if (said.length !== proven.length) return refute(path, `${proven.length} items`, `${said.length} items`)
    for (const [at, item] of said.entries()) {
      const wrong = difference(item, proven[at], `${path}[${at}]`, loose)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }
  if (isObject(said) && isObject(proven)) {
    for (const [name, value] of Object.entries(said)) {
      const inside = `${path}.${name}`
      const known = Object.hasOwn(proven, name) ? proven[name] : undefined
      if (known === undefined) {
        if (value !== undefined) loose(inside.replaceAll(/\[\d+\]/gu, "[]"))
        continue
      }
      const wrong = difference(value, known, inside, loose)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }
  return isSame(said, proven) ? undefined : refute(path, show(proven), show(said))
}

/**
 * Returns the answer with the proven values that it leaves out, at any depth; the same object if it leaves out none.
 * Call it after `difference` found none. `isClaimed` receives the paths of missing fields, with `[]` for any index; a
 * field that is only claimed is not added.
 */
export const completed = <T>(said: T, proven: unknown, isClaimed: (path: string) => boolean, path = ""): T => {
  if (Array.isArray(said) && Array.isArray(proven)) {
    const items = said.map((item, at) => completed(item, proven[at], isClaimed, `${path}[]`))
    return items.some((item, at) => item !== said[at]) ? (items as T) : said
  }
  if (!isObject(said) || !isObject(proven)) return said
  let out: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(proven)) {
    const inside = path === "" ? name : `${path}.${name}`
    const before = Object.hasOwn(said, name) ? said[name] : undefined
    if (before === undefined && (value === undefined || isClaimed(inside))) continue
    const after = before === undefined ? value : completed(before, value, isClaimed, inside)
    if (after !== before) (out ??= { ...said })[name] = after
  }
  return (out ?? said) as T
}

/**
 * The fields of one object that follow from its proof, with their values. A field whose value is undefined does not
 * follow for this object.
 */
export interface Derived {
  /** Fields that readers take for "none" if they are missing. They are checked, and added if they are missing. */
  readonly always: Readonly<Record<string, ComparableValue | boolean>>
  /** Fields that only some nodes send. They are checked if they are present. */
  readonly ifSent?: Readonly<Record<string, ComparableValue | boolean>> | undefined
}

/** A wrong field, with the expected and the received value. The path to the field is built only when it is read. */
type Mismatch = readonly [field: string, expected: ComparableValue, got: ComparableValue]

/** Returns the first field of the object that contradicts a derived value. */
export const contradiction = (
  said: Readonly<Record<string, unknown>>,
  { always, ifSent }: Derived
): Mismatch | undefined => {
  for (const truth of ifSent === undefined ? [always] : [always, ifSent]) {
    for (const [name, value] of Object.entries(truth)) {
      const found = said[name]
      if (found === undefined || value === undefined || isSame(found, value)) continue
      return [name, show(value), show(found)]
    }
  }
  return undefined
}

/**
 * Returns the first of these fields that is proven and that the second answer omits. The absence of such a field would
 * mean an older fork or another type.
 */
export const leftOut = (
  said: Readonly<Record<string, unknown>>,
  proven: Readonly<Record<string, unknown>>,
  path: string,
  fields: Iterable<string>
): RefutedError | undefined => {
  for (const field of fields) {
    if (proven[field] != null && said[field] == null) return refute(`${path}.${field}`, show(proven[field]), null)
  }
  return undefined
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (typeof a === "number" && typeof b === "bigint" && BigInt(a) === b) ||
  (typeof a === "string" && typeof b === "string" && a.length === b.length && a.toLowerCase() === b.toLowerCase())

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const show = (value: unknown): string | bigint | null => {
  if (typeof value === "string" || typeof value === "bigint" || value === null) return value
  return typeof value === "boolean" || typeof value === "number" ? `${value}` : "something of another kind"
}
