/** Words and keys of storage, with their conversions by hand. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"

import { isDigits, toWord } from "./digits.ts"
import * as StorageKey from "./StorageKey.ts"
import * as StorageWord from "./StorageWord.ts"
import * as Wire from "./wire.ts"

const decode: Wire.Convert = (value) => (isDigits(value) ? toWord(value) : Wire.fail())
const encode: Wire.Convert = (value) => (Hash32.isHash32(value) ? value : Wire.fail())

/** A word of storage. */
export const word: Wire.Wire<typeof StorageWord.StorageWord> = { schema: StorageWord.StorageWord, decode, encode }

/** A place in storage. */
export const key: Wire.Wire<typeof StorageKey.StorageKey> = { schema: StorageKey.StorageKey, decode, encode }
