/** Compares a second answer with proven values. */
import { type Refuted, refute } from "@plumbline/verdict/Refuted"

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
): Refuted | undefined => {
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
 * Returns the first of these fields that is proven and that the second answer omits. The absence of such a field would
 * mean an older fork or another type.
 */
export const leftOut = (
  said: Readonly<Record<string, unknown>>,
  proven: Readonly<Record<string, unknown>>,
  path: string,
  fields: Iterable<string>
): Refuted | undefined => {
  for (const field of fields) {
    if (proven[field] != null && said[field] == null) return refute(`${path}.${field}`, show(proven[field]), null)
  }
  return undefined
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (typeof a === "string" && typeof b === "string" && a.length === b.length && a.toLowerCase() === b.toLowerCase())

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const show = (value: unknown): string | bigint | null => {
  if (typeof value === "string" || typeof value === "bigint" || value === null) return value
  return typeof value === "boolean" || typeof value === "number" ? `${value}` : "something of another kind"
}
