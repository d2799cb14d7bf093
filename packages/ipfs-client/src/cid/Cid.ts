/**
 * Content identifiers: the codec of a block, and the hash of its bytes.
 *
 * On the wire a CID is text, and the same CID has several texts. `CidText` keeps the text that was sent. `Cid` is the
 * decoded form, a `CID` of `multiformats`.
 *
 * Source: the CID specification of multiformats, versions 0 and 1.
 */
import type * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { base58btc } from "multiformats/bases/base58"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"

import * as BaseEncoders from "./baseEncoders.ts"
import { CidError } from "./CidError.ts"
import * as Multibase from "./multibase.ts"
import type { MultibaseName } from "./multibase.ts"

export type { MultibaseName } from "./multibase.ts"
export { CidError } from "./CidError.ts"

/** A decoded CID: version, codec and multihash. */
export type Cid = CID

/** The text of a CID, as it was sent. */
export type CidText = string & Brand.Brand<"CidText">

/** Maximum size of a CID in bytes. A CID with the widest codec and an identity multihash of 128 bytes has 136. */
export const MAX_SIZE = 160

/**
 * Maximum length of a CID's text in characters: the letter of base2, and `MAX_SIZE` bytes. Texts in other bases are
 * shorter, and each base has its own maximum: 257 characters in base32.
 */
export const MAX_LENGTH = 1281

/**
 * Reads the text of a CID: version 0 (`Qm...`), or version 1 in any base that Kubo reads, such as base32 (`b`), base36
 * (`k`), base58btc (`z`), base16 (`f`) or base64url (`u`).
 *
 * Fails with `CidError`.
 *
 * ```ts import.meta.vitest
 * import { Cid } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const cid = Result.getOrThrow(Cid.fromText("QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"))
 * cid.version // => 0
 * cid.code // => 0x70
 * Result.isFailure(Cid.fromText("Qmnothing")) // => true
 * ```
 */
export const fromText = (text: string): Result.Result<Cid, CidError> => {
  const isV0 = text.startsWith("Q")
  const reader = isV0 ? V0 : Multibase.readerOf(text)
  if (reader === undefined) return fail("UnknownBase")
  // Two characters for the letter of the base, and up to seven for padding.
  if (text.length > Math.ceil((MAX_SIZE * 8) / reader.bits) + 9) return fail("TooLong")
  try {
    return Result.flatMap(fromBytes(reader.decode(text)), (cid) =>
      (cid.version === 0) === isV0 ? Result.succeed(cid) : fail("Malformed")
    )
  } catch {
    return fail("Malformed")
  }
}

const V0 = { bits: 5, decode: (text: string): Uint8Array => base58btc.baseDecode(text) }

/** Works as `fromText`, but throws `CidError`. */
export const fromTextUnsafe = (text: string): Cid => Result.getOrThrow(fromText(text))

/**
 * Reads the bytes of a CID. They must be exactly one CID in canonical form. Fails with `CidError`.
 *
 * `CID.decode` of multiformats also accepts an explicit version 0, and numbers in more bytes than necessary. The Go
 * library, and so Kubo, refuses both.
 *
 * ```ts import.meta.vitest
 * import { Cid } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const bytes = Uint8Array.of(1, 0x55, 0, 2, 7, 7)
 * Cid.toText(Result.getOrThrow(Cid.fromBytes(bytes))) // => "bafkqaaqha4"
 * Result.isFailure(Cid.fromBytes(bytes.subarray(1))) // => true
 * ```
 */
export const fromBytes = (bytes: Uint8Array): Result.Result<Cid, CidError> => {
  if (bytes.length > MAX_SIZE) return fail("TooLong")
  const usual = usualOf(bytes)
  if (usual !== undefined) return Result.succeed(usual)
  try {
    const cid = CID.decode(bytes)
    return isCanonical(cid, bytes) ? Result.succeed(cid) : fail("Malformed")
  } catch {
    return fail("Malformed")
  }
}

/**
 * Makes the CID if it has the usual form: version 0, or version 1 with numbers of one byte each. `CID.decode` of
 * multiformats makes a dozen objects and takes five times as long, and a block can have 65,536 links.
 */
const usualOf = (bytes: Uint8Array): Cid | undefined => {
  const [version = 0x80, codec = 0x80, hash = 0x80, size = 0x80] = bytes
  const { length } = bytes
  if (version === 0x12 && codec === 0x20 && length === 34) {
    const multihash = viewOf(bytes, 0)
    return new CID(0, DAG_PB, new Digest.Digest(version, codec, viewOf(bytes, 2), multihash), multihash)
  }
  if (version !== 1 || (codec | hash | size) >= 0x80 || length !== 4 + size) return undefined
  return new CID(1, codec, new Digest.Digest(hash, size, viewOf(bytes, 4), viewOf(bytes, 2)), viewOf(bytes, 0))
}

const DAG_PB = 0x70

/** Returns the bytes from an index on. `subarray` of a `Buffer` would make a `Buffer`, which takes ten times as long. */
const viewOf = ({ buffer, byteOffset, length }: Uint8Array, from: number): Uint8Array =>
  new Uint8Array(buffer, byteOffset + from, length - from)

/**
 * True if `fromBytes` would read these bytes, from the index `from` to before the index `to`. It makes no object, so it
 * is the way to check many links of a block.
 *
 * ```ts import.meta.vitest
 * import { Cid } from "@plumbline/ipfs-client"
 *
 * Cid.isBytes(Uint8Array.of(1, 0x55, 0, 2, 7, 7)) // => true
 * Cid.isBytes(Uint8Array.of(1, 0x55, 0, 2, 7, 7), 0, 5) // => false
 * ```
 */
export const isBytes = (bytes: Uint8Array, from = 0, to: number = bytes.length): boolean => {
  const length = to - from
  if (length > MAX_SIZE) return false
  if (length === 34 && bytes[from] === 0x12 && bytes[from + 1] === 0x20) return true
  if (length < 4 || bytes[from] !== 1) return false
  // The usual numbers have one byte, or two for the codec. All others are left to the decoder.
  const isWide = bytes[from + 1]! >= 0x80
  const at = from + (isWide ? 3 : 2)
  const [second, hash, size] = [bytes[at - 1]!, bytes[at]!, bytes[at + 1]!]
  if (at + 1 >= to || (second | hash | size) >= 0x80 || (isWide && second === 0)) {
    return Result.isSuccess(fromBytes(bytes.subarray(from, to)))
  }
  return at + 2 + size === to
}

/**
 * Reads a CID at the beginning of bytes, and returns it with the remaining bytes. Fails with `CidError`.
 *
 * ```ts import.meta.vitest
 * import { Cid } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const [cid, rest] = Result.getOrThrow(Cid.firstOf(Uint8Array.of(1, 0x55, 0, 2, 7, 7, 9)))
 * Cid.toText(cid) // => "bafkqaaqha4"
 * rest // => Uint8Array.of(9)
 * ```
 */
export const firstOf = (bytes: Uint8Array): Result.Result<readonly [Cid, rest: Uint8Array], CidError> => {
  try {
    const [cid, rest] = CID.decodeFirst(bytes)
    if (cid.bytes.length > MAX_SIZE) return fail("TooLong")
    return isCanonical(cid, bytes.subarray(0, bytes.length - rest.length))
      ? Result.succeed([cid, rest])
      : fail("Malformed")
  } catch {
    return fail("Malformed")
  }
}

/**
 * True if the bytes are the canonical form of the CID: each number is as short as possible, and a CID of version 0 does
 * not begin with its version.
 */
const isCanonical = ({ code, multihash, version }: Cid, bytes: Uint8Array): boolean => {
  if (version === 0) return bytes.length === 34 && bytes[0] === 0x12 && bytes[1] === 0x20
  const [, codec = 0x80, hash = 0x80, size = 0x80] = bytes
  if ((codec | hash | size) < 0x80) return true
  const { bytes: canonical } = CID.createV1(code, Digest.create(multihash.code, multihash.digest))
  return canonical.length === bytes.length && canonical.every((byte, i) => byte === bytes[i])
}

/**
 * Makes a CID of version 1 from its codec, the code of its hash function and the digest.
 *
 * ```ts import.meta.vitest
 * import { Cid } from "@plumbline/ipfs-client"
 *
 * Cid.toText(Cid.make(0x55, 0, Uint8Array.of(7, 7))) // => "bafkqaaqha4"
 * ```
 */
export const make = (codec: number, hash: number, digest: Uint8Array): Cid =>
  CID.createV1(codec, Digest.create(hash, digest))

/**
 * Makes a CID of version 0, whose codec is dag-pb, from a sha2-256 digest of 32 bytes.
 *
 * ```ts import.meta.vitest
 * import { Cid } from "@plumbline/ipfs-client"
 *
 * Cid.toText(Cid.makeV0(new Uint8Array(32))) // => "QmNLei78zWmzUdbeRB3CiUfAizWUrbeeZh5K1rhAQKCh51"
 * ```
 */
export const makeV0 = (digest: Uint8Array): Cid => CID.createV0(Digest.create(0x12, digest))

/**
 * Writes a CID: version 0 as `Qm...`, version 1 in `base` (default: base32).
 *
 * ```ts import.meta.vitest
 * import { Cid } from "@plumbline/ipfs-client"
 *
 * const cid = Cid.fromTextUnsafe("QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH")
 * Cid.toText(cid) // => "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"
 * Cid.toText(Cid.toV1(cid)) // => "bafybeif7ztnhq65lumvvtr4ekcwd2ifwgm3awq4zfr3srh462rwyinlb4y"
 * Cid.toText(Cid.toV1(cid), "base36") // => "k2jmtxw57e8q3wevq1yz5usxqabvtnck9ehnqx5hk29iz6otpovk09uu"
 * ```
 */
export const toText = (cid: Cid, base: MultibaseName = "base32"): CidText =>
  (cid.version === 0 ? BaseEncoders.base58(cid.bytes) : Multibase.encoders[base].encode(cid.bytes)) as CidText

/**
 * Returns the base with this name or this letter of multibase, as Kubo's option `cid-base` takes them; undefined if there
 * is none.
 *
 * ```ts import.meta.vitest
 * import { Cid } from "@plumbline/ipfs-client"
 *
 * const [name, letter, none] = ["base64url", "f", "base9"].map(Cid.baseOf)
 * name // => "base64url"
 * letter // => "base16"
 * none // => undefined
 * ```
 */
export const baseOf = (name: string): MultibaseName | undefined => Multibase.named(name)

/** Returns the CID of the same content in version 1, with an explicit codec and the same multihash. */
export const toV1 = (cid: Cid): Cid => cid.toV1()

/** True if two CIDs are the same. CIDs of versions 0 and 1 are never the same, although their blocks can be. */
export const equals = (a: Cid, b: Cid): boolean => a.equals(b)

/**
 * Returns the value if it is a CID. Use this function for values from a decoder of blocks, because the decoder may use
 * another copy of `multiformats`.
 *
 * `CID.asCID` alone also accepts a map whose `/` and `bytes` are the same text, as a CID without a hash, and any block
 * can hold such a map. A real CID has itself as its member `asCID`, and no decoder makes an object that contains
 * itself.
 *
 * ```ts import.meta.vitest
 * import { Cid } from "@plumbline/ipfs-client"
 *
 * Cid.asCid(Cid.fromTextUnsafe("bafkqaaqha4"))?.code // => 0x55
 * Cid.asCid({ "/": "x", bytes: "x" }) // => undefined
 * Cid.asCid("bafkqaaqha4") // => undefined
 * ```
 */
export const asCid = (value: unknown): Cid | undefined =>
  typeof value === "object" && value !== null && "asCID" in value && value.asCID === value
    ? (CID.asCID(value) ?? undefined)
    : undefined

/**
 * Returns the multihash as text. All CIDs with the same hash of the same bytes have this key, and blocks are stored
 * under it.
 *
 * ```ts import.meta.vitest
 * import { Cid } from "@plumbline/ipfs-client"
 *
 * const cid = Cid.fromTextUnsafe("QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH")
 * Cid.key(cid) === Cid.key(Cid.toV1(cid)) // => true
 * ```
 */
export const key = (cid: Cid): string => base58btc.baseEncode(cid.multihash.bytes)

/**
 * True if the value is the text of a CID.
 *
 * ```ts import.meta.vitest
 * import { Cid } from "@plumbline/ipfs-client"
 *
 * Cid.isCidText("bafkqaaqha4") // => true
 * Cid.isCidText("hello") // => false
 * ```
 */
export const isCidText = (value: unknown): value is CidText =>
  typeof value === "string" && (isUsual(value) || Result.isSuccess(fromText(value)))

/**
 * The lowest and the highest text of version 0. All CIDs of version 0 begin with the same two bytes, and texts of the
 * same length sort as their bytes do.
 */
const LOWEST_V0 = "QmNLei78zWmzUdbeRB3CiUfAizWUrbeeZh5K1rhAQKCh51"
const HIGHEST_V0 = "QmfZy5bvk7a3DQAjCbGNtmrPXWkyVvPrdnZMyBZ5q5ieKG"

/**
 * True if the text is certainly a CID with a sha2-256 digest in a usual form. The text is not decoded, so other valid
 * CIDs return false.
 */
const isUsual = (text: string): boolean =>
  text.length === 46
    ? /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/.test(text) && text >= LOWEST_V0 && text <= HIGHEST_V0
    : // version 1 in base32: raw, dag-pb or dag-cbor, then the digest, whose last letter has two bits that are zero
      text.length === 59 && /^b(?:afkrei|afybei|afyrei)[a-h][a-z2-7]{50}[aeimquy4]$/.test(text)

/** Schema of the text of a CID. The text stays as it was sent. */
export const CidText: Schema.Codec<CidText, string> = Schema.String.pipe(
  Schema.refine((value: string): value is CidText => isCidText(value), {
    expected: "a CID"
  })
).annotate({ identifier: "CidText" })

const fail = (reason: CidError["reason"]): Result.Result<never, CidError> => Result.fail(new CidError({ reason }))
