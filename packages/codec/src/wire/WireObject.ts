/**
 * Schemas of wire objects that are converted by hand: as fast as `JSON.parse`, with the errors of a Schema.
 *
 * Effect's interpreter takes several times as long as `JSON.parse` for a block, and it moves the fields that a Schema
 * names to the front of the object. So each piece of this module holds a Schema and the same conversion by hand, and
 * {@link object} installs the conversion as the Schema's own decoder and encoder. If the conversion refuses a value,
 * the interpreter reads the value again to describe the fault.
 *
 * Objects keep undescribed fields and the order of all fields: a decoded value encodes to the same JSON text.
 */
import * as Schema from "effect/Schema"
import * as SchemaCompiler from "effect/schema/SchemaCompiler"

import * as byHand from "./byHand.ts"
import { type Member, members, picked, refuse } from "./objectConversion.ts"

/** A conversion of one value by hand. It throws if it does not accept the value, preferably by {@link fail}. */
export type WireConversion = (value: any) => unknown

/**
 * A Schema and the same conversion by hand, in both directions.
 *
 * `decode` and `encode` must return what the Schema returns. They may refuse a value that the Schema accepts: the
 * interpreter then converts it. They must never accept a value that the Schema refuses.
 */
export interface Wire<out S extends Schema.Top = Schema.Top> {
  readonly schema: S
  readonly decode: WireConversion
  readonly encode: WireConversion
  /** True if an object may lack the field. */
  readonly optional?: true
}

/**
 * The described fields of an object, by name.
 */
export type WireFields = Readonly<Record<string, Wire>>

type SchemasOf<F extends WireFields> = { readonly [K in keyof F]: F[K]["schema"] }

/**
 * Refuses a value inside a conversion. The error carries no reason: the interpreter finds it.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const date: WireObject.Wire<typeof Schema.DateFromString> = {
 *   schema: Schema.DateFromString,
 *   decode: (value) => (typeof value === "string" ? new Date(value) : WireObject.fail()),
 *   encode: (value) => (value instanceof Date ? value.toISOString() : WireObject.fail())
 * }
 * const signing = WireObject.object("Signing", { at: date })
 * Schema.decodeUnknownSync(signing.schema)({ at: "2024-01-02T03:04:05.000Z" }).at.getUTCFullYear() // => 2024
 * ```
 */
export const fail: () => never = refuse

/**
 * The result of a conversion that leaves a field out: an {@link object} or {@link struct} then lacks that field.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Option, Schema, SchemaGetter } from "effect"
 *
 * // a field that some nodes send as null, and others not at all
 * const fee: WireObject.Wire = {
 *   schema: Schema.optionalKey(Schema.NullOr(Schema.Finite)).pipe(
 *     Schema.decodeTo(Schema.optionalKey(Schema.Finite), {
 *       decode: SchemaGetter.transformOptional(Option.filter((fee) => fee !== null)),
 *       encode: SchemaGetter.passthrough()
 *     })
 *   ),
 *   decode: (value) => (value === null ? WireObject.MISSING : WireObject.number.decode(value)),
 *   encode: WireObject.number.encode,
 *   optional: true
 * }
 * Schema.decodeUnknownSync(WireObject.object("Priced", { fee }).schema)({ fee: null }) // => {}
 * ```
 */
export const MISSING = SchemaCompiler.missing

/**
 * Describes a value that is the same on both sides. `check` must be true for exactly the values that the Schema
 * accepts.
 *
 * ```ts import.meta.vitest
 * import { Hash32, WireObject } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const hash = WireObject.kept(Hash32.Hash32, Hash32.isHash32)
 * const seal = WireObject.object("Seal", { hash })
 * Schema.is(seal.schema)({ hash: Hash32.ZERO }) // => true
 * Schema.is(seal.schema)({ hash: "0x" }) // => false
 * ```
 */
export const kept = <S extends Schema.Top>(schema: S, check: (value: unknown) => boolean): Wire<S> => {
  const convert: WireConversion = (value) => (check(value) ? value : fail())
  return { schema, decode: convert, encode: convert }
}

/**
 * Any text.
 */
export const string: Wire<typeof Schema.String> = /* @__PURE__ */ kept(
  Schema.String,
  (value) => typeof value === "string"
)

/**
 * A JSON number.
 */
export const number: Wire<typeof Schema.Finite> = /* @__PURE__ */ kept(Schema.Finite, (value) => Number.isFinite(value))

/**
 * True or false.
 */
export const boolean: Wire<typeof Schema.Boolean> = /* @__PURE__ */ kept(
  Schema.Boolean,
  (value) => typeof value === "boolean"
)

/**
 * Describes text that is one of the given texts.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const mode = WireObject.literals("L1", "L2")
 * Schema.is(mode.schema)("L2") // => true
 * Schema.is(mode.schema)("L3") // => false
 * ```
 */
export const literals = <const L extends ReadonlyArray<string>>(...texts: L): Wire<Schema.Literals<L>> => {
  const known: ReadonlySet<unknown> = new Set(texts)
  return kept(Schema.Literals(texts), (value) => known.has(value))
}

/**
 * Describes a value that may also be null.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const mined = WireObject.object("Mined", { in: WireObject.nullOr(WireObject.string) })
 * Schema.decodeUnknownSync(mined.schema)({ in: null }) // => { in: null }
 * ```
 */
export const nullOr = <S extends Schema.Top>({ decode, encode, schema }: Wire<S>): Wire<Schema.NullOr<S>> => ({
  schema: Schema.NullOr(schema),
  decode: (value) => (value === null ? null : decode(value)),
  encode: (value) => (value === null ? null : encode(value))
})

/**
 * Describes a field that an object may lack.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const tipped = WireObject.object("Tipped", { tip: WireObject.optional(WireObject.number) })
 * Schema.is(tipped.schema)({}) // => true
 * Schema.is(tipped.schema)({ tip: null }) // => false
 * ```
 */
export const optional = <S extends Schema.Top>({ decode, encode, schema }: Wire<S>): Wire<Schema.optionalKey<S>> => {
  const wire = { schema: Schema.optionalKey(schema), decode, encode, optional: true } as const
  // the optional Schema is another object, so the conversions of a described value are installed again
  const known = installed.get(schema)
  return known === undefined ? wire : install(wire, known.interpreted, known.narrow)
}

/**
 * Describes a list.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const call = WireObject.object("Call", { args: WireObject.array(WireObject.number) })
 * Schema.is(call.schema)({ args: [1, 2] }) // => true
 * ```
 */
export const array = <S extends Schema.Top>({ decode, encode, schema }: Wire<S>): Wire<Schema.$Array<S>> => ({
  schema: Schema.Array(schema),
  decode: each(decode),
  encode: each(encode)
})

const each =
  (convert: WireConversion): WireConversion =>
  (values) => {
    if (!Array.isArray(values)) return fail()
    return values.map((value) => convert(value))
  }

/**
 * The Schema of an object whose undescribed fields are kept, but are not part of its type: a misspelt field does not
 * compile. It is not exported, so that declarations of programs contain its full form.
 */
type ObjectSchema<F extends WireFields> = Schema.Codec<
  Schema.Struct.Type<SchemasOf<F>>,
  Schema.Struct.Encoded<SchemasOf<F>>
>

/**
 * Returns a field of an object by its name, also if the object's type does not describe the field; undefined if the
 * object lacks it.
 *
 * The types of wire objects are closed: `block.gasUsd` does not compile. Fields that no type describes are kept, for
 * example those that only one chain sends, and are read here.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const block = WireObject.object("Block", { number: WireObject.number })
 * const decoded = Schema.decodeUnknownSync(block.schema)({ number: 1, l1BlockNumber: "0x5" })
 * WireObject.fieldOf(decoded, "l1BlockNumber") // => "0x5"
 * WireObject.fieldOf(decoded, "toString") // => undefined
 * ```
 */
export const fieldOf = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined

/**
 * Describes an object that has these fields, and keeps any others. {@link fieldOf} reads the others.
 *
 * The result's `schema` is complete: it decodes, encodes, explains, generates and has a JSON Schema. `identifier` is
 * its name there.
 *
 * `copy` makes decoding faster for an object that comes in large numbers. V8 copies an object of 20 fields in 40
 * nanoseconds if the copying line of code sees at most four layouts of objects, and in 320 nanoseconds if it sees more.
 * So write the copy beside the description: that line sees only this object's layouts.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const event = WireObject.object("Event", { from: WireObject.string, keys: WireObject.array(WireObject.string) })
 * const sent = { later: [true], keys: ["0x1"], from: "0x2" }
 * const decoded = Schema.decodeUnknownSync(event.schema)(sent)
 * decoded.from // => "0x2"
 * JSON.stringify(decoded) === JSON.stringify(sent) // => true
 * ```
 */
export const object = <const F extends WireFields>(
  identifier: string,
  fields: F,
  copy: ObjectCopy = copyAny
): Wire<ObjectSchema<F>> => {
  const make = (): ObjectSchema<F> =>
    Schema.StructWithRest(Schema.Struct(schemasOf(fields)), [Schema.Record(Schema.String, Schema.Unknown)]).annotate({
      identifier
    }) as Schema.Top as ObjectSchema<F>
  const interpreted = make()
  return install(
    {
      schema: make(),
      decode: members(membersOf(fields, "decode"), copy),
      encode: members(membersOf(fields, "encode"), copyAny)
    },
    () => interpreted
  )
}

/**
 * A shallow copy of an object, written as `(value) => ({ ...value })` where the object is described.
 */
export type ObjectCopy = (value: Readonly<Record<string, unknown>>) => Record<string, unknown>

const copyAny: ObjectCopy = (value) => ({ ...value })

/**
 * Describes an {@link object} that must meet a condition. `expected` names the condition in errors.
 *
 * `check` gets the wire form before decoding and the domain form before encoding, and must return the same for both.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const isOpen = (value: unknown) => !Object.hasOwn(value as object, "hash")
 * const open = WireObject.objectIf("Open", { number: WireObject.number }, isOpen, "no hash")
 * Schema.is(open.schema)({ number: 1 }) // => true
 * Schema.is(open.schema)({ number: 1, hash: "0x1" }) // => false
 * ```
 */
export const objectIf = <const F extends WireFields>(
  identifier: string,
  fields: F,
  check: (value: unknown) => boolean,
  expected: string
): Wire<ObjectSchema<F>> => {
  const { decode, encode, schema } = object(identifier, fields)
  const make = (): ObjectSchema<F> => schema.check(Schema.makeFilter(check, { expected })).annotate({ identifier })
  const interpreted = make()
  const onlyIf =
    (convert: WireConversion): WireConversion =>
    (value) =>
      check(value) ? convert(value) : fail()
  return install({ schema: make(), decode: onlyIf(decode), encode: onlyIf(encode) }, () => interpreted)
}

/**
 * Describes an object that has these fields and drops any others. Fields come out in the order of their description.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const point = WireObject.struct("Point", { x: WireObject.number, y: WireObject.number })
 * Schema.decodeUnknownSync(point.schema)({ z: 3, y: 2, x: 1 }) // => { x: 1, y: 2 }
 * ```
 */
export const struct = <const F extends WireFields>(
  identifier: string,
  fields: F
): Wire<Schema.Struct<SchemasOf<F>>> => {
  const make = (): Schema.Struct<SchemasOf<F>> => Schema.Struct(schemasOf(fields)).annotate({ identifier })
  const interpreted = make()
  return install(
    { schema: make(), decode: picked(membersOf(fields, "decode")), encode: picked(membersOf(fields, "encode")) },
    () => interpreted
  )
}

const membersOf = (fields: WireFields, direction: "decode" | "encode"): ReadonlyArray<Member> =>
  Object.entries(fields).map(([name, field]) => ({
    name,
    convert: field[direction],
    optional: field.optional
  }))

const schemasOf = <F extends WireFields>(fields: F): SchemasOf<F> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.schema])) as SchemasOf<F>

/**
 * Describes a value of one of several forms. `choose` picks the form, and errors are those of that form.
 *
 * `choose` gets the wire form before decoding and the domain form before encoding. So it must read a part that is the
 * same in both, such as a field of {@link literals}.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const on = WireObject.object("On", { state: WireObject.literals("on"), watts: WireObject.number })
 * const off = WireObject.object("Off", { state: WireObject.literals("off") })
 * const lamp = WireObject.oneOf(Schema.Union([on.schema, off.schema]), (value) => (value?.state === "on" ? on : off))
 * Schema.is(lamp.schema)({ state: "off" }) // => true
 * Schema.is(lamp.schema)({ state: "on" }) // => false
 * ```
 */
export const oneOf = <S extends Schema.Top>(schema: S, choose: (value: any) => Wire): Wire<S> =>
  install(
    { schema, decode: (value) => choose(value).decode(value), encode: (value) => choose(value).encode(value) },
    (value) => choose(value).schema
  )

/**
 * Describes a value that only its Schema converts. Use it for the forms of {@link oneOf} that are small or rare.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const text = WireObject.string
 * const place = WireObject.bySchema(Schema.Struct({ x: Schema.Finite }))
 * const where = WireObject.oneOf(Schema.Union([text.schema, place.schema]), (value) =>
 *   typeof value === "string" ? text : place
 * )
 * Schema.decodeUnknownSync(where.schema)({ x: 1 }) // => { x: 1 }
 * ```
 */
export const bySchema = <S extends Schema.Codec<any, any>>(schema: S): Wire<S> => ({
  schema,
  decode: Schema.decodeUnknownSync(schema),
  encode: Schema.encodeUnknownSync(schema)
})

/**
 * Finds a smaller value that a conversion refuses for the same reason.
 */
export type Narrow = (value: unknown, convert: WireConversion) => unknown

/**
 * Installs the conversions of a {@link Wire} as the own decoder and encoder of its Schema. Returns the wire.
 *
 * `interpreted` returns the Schema that describes the fault of a refused value. It must be equal to the wire's Schema
 * but another object, because decoders are installed for one Schema object. `narrow` is for values so large that the
 * interpreter would take long: it passes on only the wrong part.
 *
 * **When to use**
 *
 * {@link object}, {@link struct}, {@link objectIf} and {@link oneOf} install their own. Use this for other forms.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 * import { Schema } from "effect"
 *
 * const make = () => Schema.Record(Schema.String, Schema.Finite)
 * const interpreted = make()
 * const isCount = (value: unknown): boolean =>
 *   typeof value === "object" && value !== null && Object.values(value).every(Number.isFinite)
 * const counts = WireObject.install(WireObject.kept(make(), isCount), () => interpreted)
 * Schema.decodeUnknownSync(counts.schema)({ apples: 3 }) // => { apples: 3 }
 * Schema.is(counts.schema)({ apples: "3" }) // => false
 * ```
 */
export const install = <S extends Schema.Top>(
  wire: Wire<S>,
  interpreted: (value: unknown) => Schema.Top,
  narrow?: Narrow
): Wire<S> => {
  installed.set(wire.schema, { wire, interpreted, narrow })
  byHand.install(wire.schema, wire, interpreted, narrow)
  return wire
}

interface Installed {
  readonly wire: Wire
  readonly interpreted: (value: unknown) => Schema.Top
  readonly narrow: Narrow | undefined
}

const installed = /* @__PURE__ */ new WeakMap<Schema.Top, Installed>()

/**
 * Returns the {@link Wire} of a Schema that has installed conversions. Use it to describe a field with that Schema.
 * Throws if the Schema has no installed conversions.
 *
 * ```ts import.meta.vitest
 * import { WireObject } from "@plumbline/codec"
 *
 * const Point = WireObject.object("Point", { x: WireObject.number }).schema
 * const line = WireObject.object("Line", { from: WireObject.of(Point), to: WireObject.of(Point) })
 * line.decode({ from: { x: 1 }, to: { x: 2 } }) // => { from: { x: 1 }, to: { x: 2 } }
 * ```
 */
export const of = <S extends Schema.Top>(schema: S): Wire<S> => {
  const wire = installed.get(schema)?.wire
  if (wire === undefined) throw new Error("no wire Schema. Describe it with WireObject.")
  return { schema, decode: wire.decode, encode: wire.encode }
}
