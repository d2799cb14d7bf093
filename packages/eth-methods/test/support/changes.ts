/** Makes well-formed copies of an answer with one change each, as a lying node may send them. */
import type { Json } from "./made.ts"

/** One change: its place in words, and the changed answer. */
export interface Change {
  readonly path: string
  readonly json: Json
}

/**
 * Returns copies of a value, each with a different change of one text or boolean in it. Data gets another last digit
 * or another first digit; a quantity grows by one or doubles; true becomes false.
 */
export const changes = (json: Json, path = ""): ReadonlyArray<Change> => {
  if (typeof json === "string") return texts(json).map((text) => ({ path, json: text }))
  if (typeof json === "boolean") return [{ path, json: !json }]
  if (Array.isArray(json)) {
    return json.flatMap((item, at) =>
      changes(item, `${path}[${at}]`).map((change) => ({ path: change.path, json: json.with(at, change.json) }))
    )
  }
  if (typeof json === "object" && json !== null) {
    return Object.entries(json).flatMap(([name, value]) =>
      changes(value, path === "" ? name : `${path}.${name}`).map((change) => ({
        path: change.path,
        json: { ...json, [name]: change.json }
      }))
    )
  }
  return []
}

/** Returns copies of an answer, each with a different member of one of its objects removed. */
export const removals = (json: Json, path = ""): ReadonlyArray<Change> => {
  if (Array.isArray(json)) {
    return json.flatMap((item, at) =>
      removals(item, `${path}[${at}]`).map((change) => ({ path: change.path, json: json.with(at, change.json) }))
    )
  }
  if (typeof json === "object" && json !== null) {
    return Object.entries(json).flatMap(([name, value]) => {
      const here = path === "" ? name : `${path}.${name}`
      const { [name]: _, ...rest } = json
      return [
        { path: here, json: rest },
        ...removals(value, here).map((change) => ({ path: change.path, json: { ...json, [name]: change.json } }))
      ]
    })
  }
  return []
}

/** Returns copies of an answer, each with null in place of a different member of one of its objects. */
export const nulls = (json: Json, path = ""): ReadonlyArray<Change> => {
  if (Array.isArray(json)) {
    return json.flatMap((item, at) =>
      nulls(item, `${path}[${at}]`).map((change) => ({ path: change.path, json: json.with(at, change.json) }))
    )
  }
  if (typeof json !== "object" || json === null) return []
  return Object.entries(json).flatMap(([name, value]) => {
    const here = path === "" ? name : `${path}.${name}`
    return [
      { path: here, json: { ...json, [name]: null } },
      ...nulls(value, here).map((change) => ({ path: change.path, json: { ...json, [name]: change.json } }))
    ]
  })
}

/**
 * Returns copies of an answer, each with a different change of one of its lists: an item is removed, duplicated or
 * overwritten by another item, or two items are swapped.
 */
export const reorderings = (json: Json, path = ""): ReadonlyArray<Change> => {
  if (Array.isArray(json)) {
    const here = json.flatMap((item, at): ReadonlyArray<readonly [string, Json]> => {
      const next = json[at + 1]
      return [
        ["dropped", json.toSpliced(at, 1)],
        ["doubled", json.toSpliced(at, 0, item)],
        ...(next === undefined || same(item, next)
          ? []
          : ([
              ["swapped", json.toSpliced(at, 2, next, item)],
              ["replaced", json.with(at, next)]
            ] as const))
      ].map(([what, list]) => [`${path}[${at}] ${what as string}`, list as Json] as const)
    })
    return [
      ...here.map(([path, json]) => ({ path, json })),
      ...json.flatMap((item, at) =>
        reorderings(item, `${path}[${at}]`).map((change) => ({ path: change.path, json: json.with(at, change.json) }))
      )
    ]
  }
  if (typeof json === "object" && json !== null) {
    return Object.entries(json).flatMap(([name, value]) =>
      reorderings(value, path === "" ? name : `${path}.${name}`).map((change) => ({
        path: change.path,
        json: { ...json, [name]: change.json }
      }))
    )
  }
  return []
}

const same = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b)

const texts = (text: string): ReadonlyArray<string> => {
  const digits = text.slice(2)
  if (digits === "") return ["0x00", "0x80"]
  const last = text.slice(0, -1) + flip(text.at(-1)!)
  // an even number of digits may be data or a quantity, so the change must be well-formed as both
  const first = `0x${flip(digits[0]!)}${digits.slice(1)}`
  const quantity = digits.length < 32 || digits.length % 2 === 1
  if (!quantity) return first === last ? [last] : [first, last]
  const more = [BigInt(text) + 1n, BigInt(text) * 2n + 1n].map((n) => `0x${n.toString(16)}`)
  return digits.length % 2 === 0 && digits.startsWith("0")
    ? [last]
    : [...more.filter((other) => other !== text), last].filter(wellFormed)
}

const wellFormed = (text: string): boolean => text === "0x0" || !text.startsWith("0x0")

const flip = (digit: string): string => (digit === "1" ? "2" : "1")
