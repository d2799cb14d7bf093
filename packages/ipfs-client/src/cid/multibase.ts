/**
 * The bases in which CIDs are written, by name and by the letter of multibase.
 *
 * The table has the bases that Kubo reads and writes, except `identity`, whose texts are not UTF-8. As in Kubo, the case
 * of letters makes no difference where a base has letters of one case only.
 *
 * Source: go-multibase 0.3 `multibase.go`; the specification of multibase.
 */
import { base2 } from "multiformats/bases/base2"
import { base16, base16upper } from "multiformats/bases/base16"
import {
  base32,
  base32hex,
  base32hexpad,
  base32hexpadupper,
  base32hexupper,
  base32pad,
  base32padupper,
  base32upper
} from "multiformats/bases/base32"
import { base36, base36upper } from "multiformats/bases/base36"
import { base58btc, base58flickr } from "multiformats/bases/base58"
import { base64, base64pad, base64url, base64urlpad } from "multiformats/bases/base64"
import { base256emoji } from "multiformats/bases/base256emoji"

import * as BaseEncoders from "./baseEncoders.ts"

/** The name of a base in multibase. */
export type MultibaseName =
  | "base2"
  | `base16${"" | "upper"}`
  | `base32${"" | "hex"}${"" | "pad"}${"" | "upper"}`
  | `base36${"" | "upper"}`
  | "base58btc"
  | "base58flickr"
  | `base64${"" | "url"}${"" | "pad"}`
  | "base256emoji"

interface Encoder {
  /** The letter of multibase. */
  readonly prefix: string
  /** Writes bytes, after the letter. */
  readonly encode: (bytes: Uint8Array) => string
}

/** The encoders of all bases, by name. */
export const encoders: Readonly<Record<MultibaseName, Encoder>> = {
  base2,
  base16,
  base16upper,
  base32: { prefix: base32.prefix, encode: (bytes) => BaseEncoders.base32(base32.prefix, bytes) },
  base32upper,
  base32pad,
  base32padupper,
  base32hex,
  base32hexupper,
  base32hexpad,
  base32hexpadupper,
  base36,
  base36upper,
  base58btc: { prefix: base58btc.prefix, encode: (bytes) => base58btc.prefix + BaseEncoders.base58(bytes) },
  base58flickr,
  base64,
  base64url,
  base64pad,
  base64urlpad,
  base256emoji
}

interface Reader {
  /** The least number of bits that a unit of the text holds. */
  readonly bits: number
  readonly decode: (text: string) => Uint8Array
}

/** The letters of multibase, with the bits and the decoder of their base. */
const READERS: ReadonlyArray<readonly [letters: string, bits: number, codec: Pick<Reader, "decode">]> = [
  ["0", 1, base2],
  ["fF", 4, base16],
  ["bB", 5, base32],
  ["cC", 5, base32pad],
  ["vV", 5, base32hex],
  ["tT", 5, base32hexpad],
  ["kK", 5, base36],
  ["z", 5, base58btc],
  ["Z", 5, base58flickr],
  ["m", 6, base64],
  ["u", 6, base64url],
  ["M", 6, base64pad],
  ["U", 6, base64urlpad],
  // A character of this base has one or two units.
  [base256emoji.prefix, 4, base256emoji]
]

const readers: ReadonlyMap<string, Reader> = new Map(
  READERS.flatMap(([letters, bits, codec]) =>
    Array.from(letters, (letter) => {
      // Two letters mean that the base is read in either case.
      const isFolded = /^[a-z][A-Z]$/.test(letters)
      const decode = (text: string): Uint8Array => codec.decode(isFolded ? text.toLowerCase() : text)
      return [letter, { bits, decode }] as const
    })
  )
)

/** Returns the reader of a text, by the text's first character. */
export const readerOf = (text: string): Reader | undefined => {
  const first = text.codePointAt(0)
  return first === undefined ? undefined : readers.get(String.fromCodePoint(first))
}

/** Returns the base with this name or this letter. */
export const named = (name: string): MultibaseName | undefined => {
  if (Object.hasOwn(encoders, name)) return name as MultibaseName
  const found = Object.entries(encoders).find(([, { prefix }]) => prefix === name)
  return found?.[0] as MultibaseName | undefined
}
