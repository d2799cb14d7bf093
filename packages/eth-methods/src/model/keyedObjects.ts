/** Objects whose names are addresses or hashes. */
import * as Schema from "effect/Schema"

import * as EthWire from "./ethWire.ts"

/**
 * A Schema of objects whose names are addresses or hashes. It is not exported, so that declarations write out the type.
 */
type Keyed<V extends Schema.Codec<any, any>> = Schema.Codec<
  Readonly<Record<string, V["Type"]>>,
  Readonly<Record<string, V["Encoded"]>>
>

/** A rule about the whole object, for the Schema and as a function. */
export interface Whole {
  readonly expected: string
  readonly holds: (value: Readonly<Record<string, unknown>>) => boolean
}

/**
 * Returns a Schema of objects with one kind of names and one kind of values. It refuses any other name; an index
 * signature alone would silently drop it.
 *
 * Callers send thousands of names, and Effect's interpreter takes ten microseconds for each. So a hand-written
 * conversion runs first. If it refuses a member, the interpreter reads only that member, to describe the fault.
 */
export const keyed = <V extends Schema.Codec<any, any>>(
  identifier: string,
  names: EthWire.Wire<Schema.Codec<any, string>>,
  values: EthWire.Wire<V>,
  whole?: Whole
): EthWire.Wire<Keyed<V>> => {
  // the type of a codec does not say that its values are property names, or that it needs no services
  const key = names.schema as Schema.Codec<string, string> & Schema.Record.Key
  const make = (): Keyed<V> => {
    const record: Keyed<V> = Schema.Record(Schema.String, Schema.toEncoded(values.schema))
      .check(Schema.isPropertyNames(key))
      .pipe(Schema.decodeTo(Schema.Record(key, values.schema)))
    return (
      whole === undefined ? record : record.check(Schema.makeFilter(whole.holds, { expected: whole.expected }))
    ).annotate({ identifier })
  }
  const decode = each(names.decode, values.decode)
  const encode = each(names.encode, values.encode)
  const wire: EthWire.Wire<Keyed<V>> = {
    schema: make(),
    decode: (value) => held(decode(value), whole),
    encode: (value) => (held(value, whole), encode(value))
  }
  const interpreted = make()
  return EthWire.install(wire, () => interpreted, narrow)
}

const each =
  (name: EthWire.WireConversion, value: EthWire.WireConversion) =>
  (object: unknown): Readonly<Record<string, unknown>> => {
    if (!isObject(object)) return EthWire.fail()
    const out: Record<string, unknown> = {}
    for (const key of Object.keys(object)) out[name(key) as string] = value(object[key])
    return out
  }

const held = (object: Readonly<Record<string, unknown>>, whole: Whole | undefined): unknown =>
  whole === undefined || whole.holds(object) ? object : EthWire.fail()

/** Returns an object of only the first member that `convert` refuses; the whole object if it refuses none. */
const narrow: EthWire.Narrow = (object, convert) => {
  if (!isObject(object)) return object
  for (const key of Object.keys(object)) {
    const alone = Object.fromEntries([[key, object[key]]])
    try {
      convert(alone)
    } catch {
      return alone
    }
  }
  return object
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
