/** SSZ containers: their bytes, their JSON and their root from one table of fields. */
import * as Bytes from "@plumbline/codec/hex/Bytes"

import { refuse } from "../refusal/LightClientCheck.ts"
import * as Merkle from "./merkle.ts"
import { exactly, type SszType } from "./sszType.ts"

type Fields = Readonly<Record<string, SszType<any>>>

/** The values of a container with these fields. */
type ValueOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends SszType<infer A> ? A : never }

/** The type of a container. The roots of the fields are the leaves of the container's tree. */
export interface SszContainer<A> extends SszType<A> {
  readonly leaves: (value: A) => ReadonlyArray<Uint8Array>
}

/** Number of bytes of an offset, which takes the place of a field of variable length. */
const OFFSET = 4

/**
 * Makes the type of a container. In JSON, the names of the fields are in snake case. `constants` are added to each
 * value that is read. They are not part of its bytes or its JSON.
 *
 * The offsets of a container must leave no gap: the first one points to the end of the fixed part, and each field
 * begins where the previous one ends. Unknown fields in JSON are ignored.
 */
export const container = <F extends Fields, C extends object = {}>(
  fields: F,
  constants: C = {} as C
): SszContainer<ValueOf<F> & C> => {
  const list = Object.entries(fields).map(([name, type]) => ({ name, json: snakeCase(name), type }))
  const fixed = list.reduce((sum, { type }) => sum + (type.size ?? OFFSET), 0)
  const isFixed = list.every(({ type }) => type.size !== undefined)
  const depth = Merkle.depthOf(list.length)
  const build = (valueOf: (field: (typeof list)[number]) => unknown): ValueOf<F> & C => {
    const values: Record<string, unknown> = {}
    for (const field of list) values[field.name] = valueOf(field)
    return { ...constants, ...(values as ValueOf<F>) }
  }
  const leaves = (value: ValueOf<F> & C): ReadonlyArray<Uint8Array> =>
    list.map(({ name, type }) => type.root(value[name]))
  return {
    size: isFixed ? fixed : undefined,
    limit: list.reduce((sum, { type }) => sum + (type.size ?? OFFSET + type.limit), 0),
    zero: build(({ type }) => type.zero),
    decode: (bytes, path) => {
      if (isFixed) exactly(fixed, bytes, path)
      else if (bytes.length < fixed) throw refuse("shape", `at least ${fixed} bytes`, `${bytes.length} bytes`, path)
      const ends = endsOf(list, fixed, bytes, path)
      let at = 0
      let variable = fixed
      return build(({ name, type }) => {
        const where = `${path}.${name}`
        if (type.size !== undefined) return type.decode(bytes.subarray(at, (at += type.size)), where)
        at += OFFSET
        return type.decode(bytes.subarray(variable, (variable = ends.shift()!)), where)
      })
    },
    encode: (value) => {
      const heads: Array<Uint8Array> = []
      const tails: Array<Uint8Array> = []
      let end = fixed
      for (const { name, type } of list) {
        const encoded = type.encode(value[name])
        if (type.size !== undefined) {
          heads.push(encoded)
          continue
        }
        heads.push(offset(end))
        tails.push(encoded)
        end += encoded.length
      }
      return Bytes.join([...heads, ...tails])
    },
    leaves,
    root: (value) => Merkle.merkleize(leaves(value), depth),
    fromJson: (json, path) => {
      if (typeof json !== "object" || json === null || Array.isArray(json)) {
        throw refuse("shape", "an object", json === null ? "null" : typeof json, path)
      }
      return build(({ json: name, type }) =>
        type.fromJson(
          Object.hasOwn(json, name) ? (json as Record<string, unknown>)[name] : undefined,
          `${path}.${name}`
        )
      )
    },
    toJson: (value) => Object.fromEntries(list.map(({ json, name, type }) => [json, type.toJson(value[name])]))
  }
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

const offset = (value: number): Uint8Array => {
  const bytes = new Uint8Array(OFFSET)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

/** Checks the offsets, and returns the position at which each field of varying length ends. */
const endsOf = (
  list: ReadonlyArray<{ readonly name: string; readonly type: SszType<any> }>,
  fixed: number,
  bytes: Uint8Array,
  path: string
): Array<number> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const starts: Array<number> = []
  let at = 0
  for (const { name, type } of list) {
    if (type.size === undefined) {
      const start = view.getUint32(at, true)
      const least = starts.at(-1) ?? fixed
      const isGood = starts.length === 0 ? start === fixed : start >= least && start <= bytes.length
      if (!isGood) {
        const expected = starts.length === 0 ? `offset ${fixed}` : `an offset from ${least} to ${bytes.length}`
        throw refuse("shape", expected, `offset ${start}`, `${path}.${name}`)
      }
      starts.push(start)
    }
    at += type.size ?? OFFSET
  }
  return [...starts.slice(1), bytes.length]
}
