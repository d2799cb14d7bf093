/** JSON in the answers of nodes, and paths into it. */

export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

export interface JsonObject {
  readonly [name: string]: Json
}

export type Path = ReadonlyArray<string | number>

/** A place in an answer, with its true value. */
export interface Place {
  readonly path: Path
  readonly value: Json
}

export const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

export const isList = (json: Json | undefined): json is ReadonlyArray<Json> => Array.isArray(json)

/** Lists every place of an answer, starting with the whole answer. */
export const places = (json: Json, path: Path = []): ReadonlyArray<Place> => {
  const here: Place = { path, value: json }
  if (isList(json)) return [here, ...json.flatMap((item, at) => places(item, [...path, at]))]
  if (!isObject(json)) return [here]
  return [here, ...Object.entries(json).flatMap(([name, value]) => places(value, [...path, name]))]
}

export const get = (json: Json, path: Path): Json | undefined => {
  let value: Json | undefined = json
  for (const step of path) {
    if (typeof step === "number") value = isList(value) ? value[step] : undefined
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
    if (value === undefined) return undefined
  }
  return value
}

/** Returns a copy of the answer with another value at a place. `undefined` removes the place. */
export const set = (json: Json, path: Path, value: Json | undefined): Json => {
  const [step, ...rest] = path
  if (step === undefined) return value ?? null
  if (typeof step === "number") {
    if (!isList(json) || step >= json.length) return json
    if (rest.length > 0) return json.with(step, set(json[step]!, rest, value))
    return value === undefined ? json.toSpliced(step, 1) : json.with(step, value)
  }
  if (!isObject(json)) return json
  if (rest.length > 0) {
    return Object.hasOwn(json, step) ? { ...json, [step]: set(json[step]!, rest, value) } : json
  }
  if (value !== undefined) return { ...json, [step]: value }
  const { [step]: _, ...others } = json
  return others
}

/** Returns the answer with every value that equals `from` replaced. */
export const replaceAll = (json: Json, from: Json, to: Json): Json => {
  if (json === from) return to
  if (isList(json)) return json.map((item) => replaceAll(item, from, to))
  if (!isObject(json)) return json
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, replaceAll(value, from, to)]))
}
