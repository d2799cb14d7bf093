/** Words and keys of storage: up to 64 hex digits on the wire, 32 bytes in programs. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as WireObject from "@plumbline/codec/wire/WireObject"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import type * as Input from "./Input.ts"
import { Digits, isDigits, isKey, Key as KeyText, prefixed, toWord } from "./wordDigits.ts"

const make = (identifier: string) =>
  Digits.pipe(
    Schema.decodeTo(Hash32.Hash32, SchemaTransformation.transform({ decode: toWord, encode: (word) => word }))
  ).annotate({ identifier })

const decode: WireObject.WireConversion = (value) => (isDigits(value) ? toWord(value) : WireObject.fail())
const encode: WireObject.WireConversion = (value) => (Hash32.isHash32(value) ? value : WireObject.fail())

const Key: Schema.Codec<Input.StorageKey, string> = Digits as Schema.Codec<any, string>

const ofKey: WireObject.WireConversion = (value) => (isKey(value) ? toWord(prefixed(value)) : WireObject.fail())

const makeKey = (identifier: string) =>
  KeyText.pipe(Schema.decodeTo(Key, SchemaTransformation.transform({ decode: toWord, encode: toWord }))).annotate({
    identifier
  })

/**
 * Returns the Schema of a key that programs write. Decoding accepts a key without `0x` too, as geth does. The key is
 * padded to 32 bytes when it is decoded, and also when it is encoded.
 */
export const installedKey = (identifier: string): ReturnType<typeof makeKey> => {
  const interpreted = makeKey(identifier)
  return WireObject.install({ schema: makeKey(identifier), decode: ofKey, encode: decode }, () => interpreted).schema
}

/** Returns the Schema of a word, with the hand-written conversion installed. */
export const installed = (identifier: string): ReturnType<typeof make> => {
  const interpreted = make(identifier)
  return WireObject.install({ schema: make(identifier), decode, encode }, () => interpreted).schema
}
