/** Words and keys of storage: up to 64 hex digits on the wire, 32 bytes in programs. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as WireObject from "@plumbline/codec/wire/WireObject"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import { Digits, isDigits, toWord } from "./digits.ts"

const make = (identifier: string) =>
  Digits.pipe(
    Schema.decodeTo(Hash32.Hash32, SchemaTransformation.transform({ decode: toWord, encode: (word) => word }))
  ).annotate({ identifier })

const decode: WireObject.Convert = (value) => (isDigits(value) ? toWord(value) : WireObject.fail())
const encode: WireObject.Convert = (value) => (Hash32.isHash32(value) ? value : WireObject.fail())

/** Returns the Schema of a word, with the conversion by hand. */
export const installed = (identifier: string): ReturnType<typeof make> => {
  const interpreted = make(identifier)
  return WireObject.install({ schema: make(identifier), decode, encode }, () => interpreted).schema
}
