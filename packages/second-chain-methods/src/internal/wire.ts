/**
 * Wire objects: a Schema, and beside it the same conversion by hand, installed as the Schema's own (see eth-methods and
 * decision 5: the interpreter is slow, and writes known fields before those that it does not know).
 *
 * Fields that are not described are kept as they came. Decoded and encoded objects have their fields in the order of the
 * input, so that what was read can be written again byte for byte.
 */
import * as Schema from "effect/Schema"
import * as SchemaCompiler from "effect/schema/SchemaCompiler"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"
import * as SchemaTransformation from "effect/SchemaTransformation"

import * as Felt_ from "../Felt.ts"
import * as Uint from "../Uint.ts"

/** Converts one value, or throws: the interpreter then finds out what is wrong. */
type Convert = (value: any) => unknown

/** A Schema with its conversions by hand. */
export interface Wire<out S extends Schema.Top = Schema.Top> {
  readonly schema: S
  readonly decode: Convert
  readonly encode: Convert
  /** Whether the field that has it may be missing. */
  readonly optional?: true
}

/** Fields by name. */
export type Fields = Readonly<Record<string, Wire>>
type SchemasOf<F extends Fields> = { readonly [K in keyof F]: F[K]["schema"] }

/** Thrown by conversions by hand, always this one: making an error each time would cost a stack trace. */
const NOT_WIRE = new Error("not the wire form")

const fail = (): never => {
  throw NOT_WIRE
}

/** A value that is kept, checked by a function. */
export const kept = <S extends Schema.Top>(schema: S, check: (value: unknown) => boolean): Wire<S> => {
  const convert: Convert = (value) => (check(value) ? value : fail())
  return { schema, decode: convert, encode: convert }
}

/** A field element. */
export const felt = kept(Felt_.Felt, Felt_.isFelt)

/** A number below 2^64, in hex. */
export const u64 = kept(Uint.U64, Uint.isU64)

/** A number below 2^128, in hex. */
export const u128 = kept(Uint.U128, Uint.isU128)

/** Any text. */
export const string = kept(Schema.String, (value) => typeof value === "string")

/** One of these texts. */
export const literals = <const L extends ReadonlyArray<string>>(...texts: L): Wire<Schema.Literals<L>> => {
  const known: ReadonlySet<unknown> = new Set(texts)
  return kept(Schema.Literals(texts), (value) => known.has(value))
}

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).pipe(
  Schema.decodeTo(
    Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: BigInt(Number.MAX_SAFE_INTEGER) })),
    SchemaTransformation.transform({ decode: (number) => BigInt(number), encode: (number) => Number(number) })
  )
)

/** A whole number that travels as a JSON number. */
export const count: Wire<typeof Count> = {
  schema: Count,
  decode: (value) => (Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : fail()),
  encode: (value) => (typeof value === "bigint" && value >= 0n && value <= MAX_COUNT ? Number(value) : fail())
}

const CountOrHex = Schema.Union([
  Count,
  Uint.U64.pipe(
    Schema.decodeTo(
      Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: (1n << 64n) - 1n })),
      SchemaTransformation.transform({
        decode: (text) => BigInt(text),
        encode: (number) => `0x${number.toString(16)}` as Uint.U64
      })
    )
  )
])

/** The same, and as old nodes write it, in hex; written as a JSON number. */
export const countOrHex: Wire<typeof CountOrHex> = {
  schema: CountOrHex,
  decode: (value) => (Uint.isU64(value) ? BigInt(value) : count.decode(value)),
  encode: count.encode
}

const MAX_COUNT = BigInt(Number.MAX_SAFE_INTEGER)

/** A field that may be missing. */
export const optional = <S extends Schema.Top>(wire: Wire<S>): Wire<Schema.optionalKey<S>> => ({
  schema: Schema.optionalKey(wire.schema),
  decode: wire.decode,
  encode: wire.encode,
  optional: true
})

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

/** A list of field elements. */
export const felts = array(felt)

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
  const interpreted = make()
  return install(
    { schema: make(), decode: members(fields, "decode"), encode: members(fields, "encode") },
    () => interpreted
  )
}

/** An object that a condition holds of, which must say the same of its wire and its domain form. */
export const objectIf = <const F extends Fields>(
  identifier: string,
  fields: F,
  check: (value: unknown) => boolean,
  expected: string
): Wire<ObjectSchema<F>> => {
  const { decode, encode, schema } = object(identifier, fields)
  const make = (): ObjectSchema<F> => schema.check(Schema.makeFilter(check, { expected })).annotate({ identifier })
  const interpreted = make()
  const onlyIf =
    (convert: Convert): Convert =>
    (value) =>
      check(value) ? convert(value) : fail()
  return install({ schema: make(), decode: onlyIf(decode), encode: onlyIf(encode) }, () => interpreted)
}

/**
 * One of several, chosen by what does not change between wire and domain form, such as a literal field. What is wrong is
 * said of the one that was chosen.
 */
export const oneOf = <S extends Schema.Top>(schema: S, choose: (value: any) => Wire): Wire<S> =>
  install(
    { schema, decode: (value) => choose(value).decode(value), encode: (value) => choose(value).encode(value) },
    (value) => choose(value).schema
  )

/**
 * Makes the conversions by hand the Schema's own. `interpreted` gives the Schema that says what is wrong with a value: a
 * decoder is installed for one Schema object, and an equal one keeps the interpreter's.
 */
const install = <S extends Schema.Top>(wire: Wire<S>, interpreted: (value: unknown) => Schema.Top): Wire<S> => {
  installed.set(wire.schema, wire)
  SchemaCompiler.set(wire.schema.ast, {
    decode: attempt(wire.decode),
    decodeEffect: (value, options) => SchemaParser.decodeUnknownEffect(interpreted(value))(value, options)
  })
  SchemaCompiler.set(SchemaAST.flip(wire.schema.ast), {
    decode: attempt(wire.encode),
    decodeEffect: (value, options) => SchemaParser.encodeUnknownEffect(interpreted(value))(value, options)
  })
  return wire
}

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
}

const members = (fields: Fields, direction: "decode" | "encode"): Convert => {
  const list = Object.entries(fields).map(([name, field]): Member => ({
    name,
    convert: field[direction],
    optional: field.optional === true
  }))
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return fail()
    // a copy has all fields in their order, and an own `__proto__` stays a field; text is checked and left as it is
    const out: Record<string, unknown> = { ...value }
    for (const { convert, name, optional } of list) {
      const before = out[name]
      if (before === undefined) {
        if (!optional || Object.hasOwn(out, name)) return fail()
        continue
      }
      const after = convert(before)
      if (after !== before) out[name] = after
    }
    return out
  }
}
