/** Small values of answers. Nodes send these values in different forms, but programs see only one form. */
import * as WireObject from "@plumbline/codec/wire/WireObject"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import { CidText } from "../cid/Cid.ts"
import * as FileModes from "./fileModes.ts"

/** A number of bytes, blocks or links. */
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

// The checks apply to the value on the wire, so that an error names the member as it was sent.
const CountOrText = Schema.Union([
  Count,
  Schema.String.check(Schema.isPattern(/^[0-9]{1,15}$/u, { expected: "a number in decimal digits" }))
])

/** A mode as a number, or as a text of octal digits. */
export const ModeOrText = Schema.Union([
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: FileModes.MAX })),
  // At most 32 bits, after the zero with which Go begins octal numbers.
  Schema.String.check(Schema.isPattern(/^0?(?:[0-3][0-7]{10}|[0-7]{1,10})$/u, { expected: "a mode in octal digits" }))
])

/** A size. Kubo and js-ipfs send it as a number, and some proxies send it as text. */
export const Size = CountOrText.pipe(
  Schema.decodeTo(
    Count,
    SchemaTransformation.transform<number, number | string>({ decode: Number, encode: (size) => size })
  )
)

/** A size. Kubo sends it as decimal text, and js-ipfs sends it as a number. */
export const SizeText = CountOrText.pipe(
  Schema.decodeTo(Count, SchemaTransformation.transform<number, number | string>({ decode: Number, encode: String }))
)

const modeWrittenBy = (encode: (mode: number) => number | string) =>
  ModeOrText.pipe(
    Schema.decodeTo(
      Count,
      SchemaTransformation.transform<number, number | string>({
        decode: (mode) => FileModes.permissions(FileModes.toNumber(mode)),
        encode
      })
    )
  )

/**
 * Permission bits. Kubo sends Go's mode in octal digits, such as `20000000755` for a directory and `01000000777` for a
 * symlink; js-ipfs sends the mode of Unix. The kind of file, which a mode also contains, is dropped.
 */
export const Mode = /* @__PURE__ */ modeWrittenBy((mode) => FileModes.toGo(mode).toString(8).padStart(4, "0"))

/** Permission bits in the answer of `add`, where Kubo writes a zero and then the mode from the upload. */
export const ModeOfAdded = /* @__PURE__ */ modeWrittenBy((mode) => `0${mode.toString(8)}`)

/** Seconds since 1970. Earlier times are negative. */
export const Seconds = Schema.Int

/** Nanoseconds of a second. */
export const Nanoseconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999_999_999 }))

/** A CID in IPLD's JSON form of a link: `{"/": "bafy..."}`. */
export const Link = Schema.Struct({ "/": CidText }).pipe(
  Schema.decodeTo(
    CidText,
    SchemaTransformation.transform<typeof CidText.Encoded, { readonly "/": CidText }>({
      decode: (link) => link["/"],
      encode: (cid) => ({ "/": cid as CidText })
    })
  )
)

/** A member that must be absent. It distinguishes one form of an answer from another. */
export const Absent = Schema.optionalKey(Schema.Never)

/** A list that Go sends as null when it is empty. */
export const listOf = <S extends Schema.Codec<any, any>>(item: S) =>
  Schema.NullOr(Schema.Array(item)).pipe(
    Schema.decodeTo(
      Schema.Array(Schema.toType(item)),
      SchemaTransformation.transform<ReadonlyArray<any>, ReadonlyArray<any> | null>({
        decode: (items) => items ?? [],
        encode: (items) => items
      })
    )
  )

/**
 * A line in one of two forms. A line of the first form has the given member, by its name on the wire or in programs.
 * Errors are those of the form that the member selects.
 */
export const eitherOf = <A extends Schema.Codec<any, any>, B extends Schema.Codec<any, any>>(
  first: A,
  second: B,
  names: readonly [wire: string, own: string]
): Schema.Union<readonly [A, B]> => {
  const [has, lacks] = [WireObject.bySchema(first), WireObject.bySchema(second)]
  return WireObject.oneOf(Schema.Union([first, second]), (line) =>
    names.some((name) => line?.[name] !== undefined) ? has : lacks
  ).schema
}
