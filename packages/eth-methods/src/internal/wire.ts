/**
 * Wire objects: a Schema, and beside it the same conversion by hand.
 *
 * The Schema is what is published: types, JSON Schema, generation, exact errors. Its interpreter takes several
 * times as long as `JSON.parse` for a block, so each object is described once, here, and gets a direct
 * conversion as well, installed as the Schema's own decoder and encoder (`SchemaCompiler`). What that does not take, the
 * interpreter sees, and says what is wrong.
 *
 * Fields that are not described are kept as they came. Decoded and encoded objects have their fields in the order of the
 * input, so that what was read can be written again byte for byte.
 */
import * as Address_ from "@plumbline/codec/Address"
import * as Hash32_ from "@plumbline/codec/Hash32"
import * as Hex from "@plumbline/codec/Hex"
import * as Quantity from "@plumbline/codec/Quantity"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaCompiler from "effect/schema/SchemaCompiler"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaParser from "effect/SchemaParser"

import { isDigits } from "./digits.ts"
import { Count, Integer, MAX_WORD, Quantity256 } from "./numbers.ts"

/** `0x` and 64 digits. */
const MAX_TEXT = 66

/** Converts one value, or throws: the interpreter then finds out what is wrong. */
export type Convert = (value: any) => unknown

/** A Schema with its conversions by hand. */
export interface Wire<S extends Schema.Top = Schema.Top> {
  readonly schema: S
  readonly decode: Convert
  readonly encode: Convert
  /** Whether the field that has it may be missing. */
  readonly optional?: true
  /** Whether null means that the field is missing. */
  readonly nullIsMissing?: true
}

type Fields = Readonly<Record<string, Wire>>
type SchemasOf<F extends Fields> = { readonly [K in keyof F]: F[K]["schema"] }

/** Thrown by conversions by hand, always this one: making an error each time would cost a stack trace. */
const NOT_WIRE = new Error("not the wire form")

/** Says that a value is not what a conversion takes. */
export const fail = (): never => {
  throw NOT_WIRE
}

/** Text that is kept, checked by a function. */
export const text = <S extends Schema.Top>(schema: S, check: (value: unknown) => boolean): Wire<S> => {
  const convert: Convert = (value) => (check(value) ? value : fail())
  return { schema, decode: convert, encode: convert }
}

/** A 32-byte hash. */
export const hash32 = text(Hash32_.Hash32, Hash32_.isHash32)

/** A 20-byte address. */
export const address = text(Address_.Address, Address_.isAddress)

/** Bytes of any number. */
export const data = text(Hex.Hex, Hex.isHex)

/** Exactly `size` bytes. */
export const bytes = (size: number): Wire<Schema.Codec<Hex.Hex, string>> => {
  const length = 2 + 2 * size
  return text(Hex.sized(size), (value) => Hex.isHex(value) && value.length === length)
}

/** A whole number below 2^256. */
export const quantity: Wire<typeof Quantity256> = {
  schema: Quantity256,
  decode: (value) => (typeof value === "string" && value.length <= MAX_TEXT ? Quantity.fromHexUnsafe(value) : fail()),
  encode: (value) => (typeof value === "bigint" && value <= MAX_WORD ? Quantity.toHex(value) : fail())
}

/** A whole number below 2^256, also with leading zeros: what nodes write as one byte or as 32. */
export const integer: Wire<typeof Integer> = {
  schema: Integer,
  decode: (value) => (isDigits(value) && value.length > 2 ? BigInt(value) : fail()),
  encode: (value) => (typeof value === "bigint" && value <= MAX_WORD ? Quantity.toHex(value) : fail())
}

/** A whole number that some nodes write as a JSON number. */
export const count: Wire<typeof Count> = {
  schema: Count,
  decode: (value) => (Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : quantity.decode(value)),
  encode: quantity.encode
}

/** A JSON number. */
export const number: Wire<typeof Schema.Finite> = (() => {
  const convert: Convert = (value) => (Number.isFinite(value) ? value : fail())
  return { schema: Schema.Finite, decode: convert, encode: convert }
})()

/** True or false. */
export const boolean: Wire<typeof Schema.Boolean> = (() => {
  const convert: Convert = (value) => (typeof value === "boolean" ? value : fail())
  return { schema: Schema.Boolean, decode: convert, encode: convert }
})()

/** The one number, as a literal. */
export const literal = <S extends Schema.Top>(schema: S, wire: string, number: bigint): Wire<S> => ({
  schema,
  decode: (value) => (value === wire ? number : fail()),
  encode: (value) => (value === number ? wire : fail())
})

/** The same or null. */
export const nullOr = <S extends Schema.Top>({ decode, encode, schema }: Wire<S>): Wire<Schema.NullOr<S>> => ({
  schema: Schema.NullOr(schema),
  decode: (value) => (value === null ? null : decode(value)),
  encode: (value) => (value === null ? null : encode(value))
})

/** A field that may be missing. */
export const optional = <S extends Schema.Top>(wire: Wire<S>): Wire<Schema.optionalKey<S>> => ({
  schema: Schema.optionalKey(wire.schema),
  decode: wire.decode,
  encode: wire.encode,
  optional: true
})

/**
 * A field that may be missing, and that some nodes send as null instead: it is then missing from what is decoded. A block
 * from before London has no `baseFeePerGas`, whether or not the node says so.
 */
export const missable = <S extends Schema.Top>(wire: Wire<S>): Wire<Missable<S>> => ({
  schema: Schema.optionalKey(Schema.NullOr(wire.schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(wire.schema)), {
      decode: SchemaGetter.transformOptional((found: Option.Option<S["Type"] | null>) =>
        Option.filter(found, (value): value is S["Type"] => value !== null)
      ),
      encode: SchemaGetter.passthrough()
    })
  ) as Missable<S>,
  decode: wire.decode,
  encode: wire.encode,
  optional: true,
  nullIsMissing: true
})

/** The Schema of such a field. Not exported, so that declarations write out what it is. */
type Missable<S extends Schema.Top> = Schema.decodeTo<
  Schema.optionalKey<Schema.toType<S>>,
  Schema.optionalKey<Schema.NullOr<S>>
>

/** A list. */
export const array = <S extends Schema.Top>({ decode, encode, schema }: Wire<S>): Wire<Schema.$Array<S>> => ({
  schema: Schema.Array(schema),
  decode: each(decode),
  encode: each(encode)
})

const each =
  (convert: Convert): Convert =>
  (values) => {
    if (!Array.isArray(values)) return fail()
    return values.map((value) => convert(value))
  }

/**
 * The Schema of an object of these fields and any others.
 *
 * It is not exported, so that declarations write out what it is: a name from here is one that no program may import.
 */
type ObjectSchema<F extends Fields> = Schema.StructWithRest<
  Schema.Struct<SchemasOf<F>>,
  readonly [Schema.$Record<typeof Schema.String, typeof Schema.Unknown>]
>

/** An object of these fields and any others, which are kept. */
export const object = <const F extends Fields>(identifier: string, fields: F): Wire<ObjectSchema<F>> => {
  const make = (): ObjectSchema<F> => {
    const schemas = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.schema]))
    return Schema.StructWithRest(Schema.Struct(schemas as SchemasOf<F>), [
      Schema.Record(Schema.String, Schema.Unknown)
    ]).annotate({ identifier })
  }
  const wire = { schema: make(), decode: members(fields, "decode"), encode: members(fields, "encode") }
  install(wire, make())
  return wire
}

/** An object of these fields. Others are left out, and fields have the order in which they are described. */
export const struct = <const F extends Fields>(identifier: string, fields: F): Wire<Schema.Struct<SchemasOf<F>>> => {
  const make = (): Schema.Struct<SchemasOf<F>> => {
    const schemas = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.schema]))
    return Schema.Struct(schemas as SchemasOf<F>).annotate({ identifier })
  }
  const wire = { schema: make(), decode: picked(fields, "decode"), encode: picked(fields, "encode") }
  install(wire, make())
  return wire
}

/**
 * Makes the conversions by hand the Schema's own. `interpreted` is an equal Schema for what they do not take: a decoder
 * is installed for one Schema object, and this one keeps the interpreter's.
 *
 * `narrow` gives a smaller value that is wrong for the same reason, for a Schema whose values may be so large that the
 * interpreter would take long to find it.
 */
export const install = (wire: Wire, interpreted: Schema.Top, narrow?: Narrow): void => {
  installed.set(wire.schema, wire)
  const explain = (parse: SchemaCompiler.DecodeEffect, convert: Convert): SchemaCompiler.DecodeEffect =>
    narrow === undefined ? parse : (value, options) => parse(narrow(value, convert), options)
  SchemaCompiler.set(wire.schema.ast, {
    decode: attempt(wire.decode),
    decodeEffect: explain(SchemaParser.decodeUnknownEffect(interpreted), wire.decode)
  })
  SchemaCompiler.set(SchemaAST.flip(wire.schema.ast), {
    decode: attempt(wire.encode),
    decodeEffect: explain(SchemaParser.encodeUnknownEffect(interpreted), wire.encode)
  })
}

/** From a value that a conversion does not take to a part of it that it does not take either. */
export type Narrow = (value: unknown, convert: Convert) => unknown

const installed = new WeakMap<Schema.Top, Wire>()

/** The conversions of a Schema that has some installed, for objects that hold it. */
export const of = <S extends Schema.Top>(schema: S): Wire<S> => {
  const wire = installed.get(schema)
  if (wire === undefined) throw new Error("this Schema has no conversions by hand")
  return { schema, decode: wire.decode, encode: wire.encode }
}

const attempt =
  (convert: Convert): SchemaCompiler.Decode =>
  (value) => {
    try {
      return convert(value)
    } catch {
      return SchemaCompiler.invalid
    }
  }

interface Member {
  readonly name: string
  readonly convert: Convert
  readonly optional: boolean
  readonly nullIsMissing: boolean
}

const membersOf = (fields: Fields, direction: "decode" | "encode"): ReadonlyArray<Member> =>
  Object.entries(fields).map(([name, field]) => ({
    name,
    convert: field[direction],
    optional: field.optional === true,
    nullIsMissing: direction === "decode" && field.nullIsMissing === true
  }))

const picked = (fields: Fields, direction: "decode" | "encode"): Convert => {
  const list = membersOf(fields, direction)
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return fail()
    const out: Record<string, unknown> = {}
    for (const { convert, name, optional } of list) {
      if (Object.hasOwn(value, name)) out[name] = convert((value as Readonly<Record<string, unknown>>)[name])
      else if (!optional || name in value) return fail()
    }
    return out
  }
}

const members = (fields: Fields, direction: "decode" | "encode"): Convert => {
  const list = membersOf(fields, direction)
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return fail()
    // a copy has all fields in their order, and an own `__proto__` stays a field; text is checked and left as it is
    const out: Record<string, unknown> = { ...value }
    for (const { convert, name, nullIsMissing, optional } of list) {
      const before = out[name]
      if (before === undefined) {
        if (!optional || Object.hasOwn(out, name)) return fail()
        continue
      }
      if (before === null && nullIsMissing) {
        delete out[name]
        continue
      }
      const after = convert(before)
      if (after !== before) out[name] = after
    }
    return out
  }
}
