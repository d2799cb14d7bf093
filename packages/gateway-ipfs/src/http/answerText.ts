/**
 * Writes answers as JSON, in turns with other work.
 *
 * An answer that is not a stream can list 100,000 entries, and encoding them takes a second. The encoder of a command
 * takes only whole values. So the long lists of a value are encoded in parts, each in the value without the other parts,
 * and the texts of the parts are put together.
 */
import type * as WorkScheduler from "@plumbline/ipfs-client/work/WorkScheduler"

/** Maximum number of items that are encoded in one step. */
const PART = 256

/** Maximum nesting of a list in a value. */
const DEPTH = 4

/** The texts of an empty list. Some commands write a list as an object with a key for each item. */
const EMPTY: ReadonlySet<string> = new Set(["[]", "{}"])

type Path = ReadonlyArray<string>

interface Long {
  readonly path: Path
  readonly items: ReadonlyArray<unknown>
}

/** Returns the text of a value, in steps. */
export function* write(value: unknown, textOf: (value: unknown) => string): WorkScheduler.Steps<string> {
  const lists = longLists(value, [])
  if (lists.length === 0) return textOf(value)
  const bare = lists.reduce((value, { path }) => replaced(value, path, []), value)
  const frame = textOf(bare)
  const found: Array<{ readonly at: number; readonly text: string }> = []
  for (const { items, path } of lists) {
    const parts: Array<string> = []
    let at = 0
    for (let from = 0; from < items.length; from += PART) {
      yield
      const text = textOf(replaced(bare, path, items.slice(from, from + PART)))
      // Both texts are the same up to the first item of the list.
      if (from === 0) while (frame[at] === text[at]) at++
      parts.push(text.slice(at, text.length - (frame.length - at)))
    }
    // An encoder that leaves out empty lists has no place for the parts.
    if (!EMPTY.has(frame.slice(at - 1, at + 1))) return textOf(value)
    found.push({ at, text: parts.join(",") })
  }
  let written = ""
  let from = 0
  for (const { at, text } of found.toSorted((a, b) => a.at - b.at)) {
    written += frame.slice(from, at) + text
    from = at
  }
  return written + frame.slice(from)
}

const longLists = (value: unknown, path: Path): ReadonlyArray<Long> => {
  if (Array.isArray(value) && value.length > PART) return [{ path, items: value }]
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || path.length >= DEPTH) return []
  return Object.entries(value).flatMap(([key, inner]) => longLists(inner, [...path, key]))
}

/** Returns a copy of a value with another value at a path. */
const replaced = (value: unknown, path: Path, inner: unknown): unknown => {
  const [key, ...rest] = path
  if (key === undefined) return inner
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (String(index) === key ? replaced(item, rest, inner) : item))
  }
  const object = value as Readonly<Record<string, unknown>>
  return { ...object, [key]: replaced(object[key], rest, inner) }
}
