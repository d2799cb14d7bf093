/** Converts the fields of objects by hand, for `WireObject`. */
import * as SchemaCompiler from "effect/schema/SchemaCompiler"

type Conversion = (value: any) => unknown
type Copy = (value: Readonly<Record<string, unknown>>) => Record<string, unknown>

/** The only error that conversions throw. A new error for each value would cost a stack trace each time. */
const NOT_WIRE = /* @__PURE__ */ new Error("not the wire form")

/** Refuses a value inside a conversion. */
export const refuse = (): never => {
  throw NOT_WIRE
}

/** A described field of an object, in one direction. */
export interface Member {
  readonly name: string
  readonly convert: Conversion
  readonly optional: true | undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the conversion of an object that keeps only described fields, in the order of their description. */
export const picked =
  (list: ReadonlyArray<Member>): Conversion =>
  (value) => {
    if (!isObject(value)) return refuse()
    const out: Record<string, unknown> = {}
    for (const { convert, name, optional } of list) {
      if (Object.hasOwn(value, name)) {
        const after = convert(value[name])
        if (after !== SchemaCompiler.missing) out[name] = after
      } else if (!optional || name in value) return refuse()
    }
    return out
  }

/** Returns the conversion of an object that keeps all its fields, in their order. */
export const members = (list: ReadonlyArray<Member>, copy: Copy): Conversion => {
  const known = new Map(list.map(({ convert, name }) => [name, convert]))
  let usual: Shape | undefined

  /**
   * Converts an object that has exactly the fields of the shape, in this order. Returns undefined if the object has
   * other fields.
   */
  const convertUsual = (value: Readonly<Record<string, unknown>>, { converts, names }: Shape): unknown => {
    // The copy keeps all fields in order, and its own `__proto__` stays a field. Only changed fields are written.
    const out = copy(value)
    let at = 0
    // This is the fastest loop over fields: V8 reads them by position. An inherited name is not part of the shape.
    for (const name in out) {
      if (name !== names[at]) return undefined
      const convert = converts[at++]
      if (convert === undefined) continue
      const before = out[name]
      // The slow conversion below distinguishes a field that is undefined from a field that is absent.
      if (before === undefined) return undefined
      const after = convert(before)
      if (after === before) continue
      if (after === SchemaCompiler.missing) delete out[name]
      else out[name] = after
    }
    return at === names.length ? out : undefined
  }

  return (value) => {
    if (!isObject(value)) return refuse()
    if (usual !== undefined) {
      const out = convertUsual(value, usual)
      if (out !== undefined) return out
    }
    const out = copy(value)
    for (const { convert, name, optional } of list) {
      const before = out[name]
      if (before === undefined) {
        if (!optional || Object.hasOwn(out, name)) return refuse()
        continue
      }
      const after = convert(before)
      if (after === before) continue
      if (after === SchemaCompiler.missing) delete out[name]
      else out[name] = after
    }
    const names = Object.keys(value)
    if (isSmall(names)) usual = { names, converts: names.map((name) => known.get(name)) }
    return out
  }
}

/** The names of an object's fields, in order, with the conversion of each described field. */
interface Shape {
  readonly names: ReadonlyArray<string>
  readonly converts: ReadonlyArray<Conversion | undefined>
}

/** Maximum number of fields of an object whose shape is remembered, and maximum number of characters of a name. */
const MAX_USUAL = 64

/**
 * True if the names take little memory. A sender may choose names that nothing describes, and the names are remembered.
 */
const isSmall = (names: ReadonlyArray<string>): boolean =>
  names.length <= MAX_USUAL && names.every((name) => name.length <= MAX_USUAL)
