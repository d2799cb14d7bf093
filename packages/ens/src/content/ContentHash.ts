/**
 * Content hashes: the record of a name that says where its content is (ENSIP-7, EIP-1577).
 *
 * The bytes are the number of a codec and a value. For IPFS the value is a CID, which proves the content.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import * as Result from "effect/Result"

import { ContentHashError } from "./ContentHashError.ts"

export { ContentHashError } from "./ContentHashError.ts"

/** Content of IPFS, by its CID of version 1. */
export interface IpfsContent {
  readonly _tag: "Ipfs"
  readonly cid: Cid.Cid
}

/**
 * A name of IPNS: the CID of a key in base36, or a name of DNS. The content of a name changes, so no hash proves it.
 */
export interface IpnsContent {
  readonly _tag: "Ipns"
  readonly name: string
}

/** Content of another network. `codec` is its name in the table of multicodecs, or the codec's number in hex. */
export interface OtherContent {
  readonly _tag: "Other"
  readonly codec: string
  readonly value: Uint8Array
}

export type ContentHash = IpfsContent | IpnsContent | OtherContent

/** Maximum size of a record in bytes. */
export const MAX_SIZE = 1024

/**
 * Reads the bytes of a record. They must be exactly one content hash in canonical form.
 *
 * Fails with `ContentHashError`.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 * import { ContentHash } from "@plumbline/ens"
 * import { Result } from "effect"
 *
 * const bytes = Hex.toBytesUnsafe("0xe3010170122029f2d17be6139079dc48696d1f582a8530eb9805b561eda517e22a892c7e3f1f")
 * const read = Result.getOrThrow(ContentHash.fromBytes(bytes))
 * ContentHash.toText(read) // => "ipfs://bafybeibj6lixxzqtsb45ysdjnupvqkufgdvzqbnvmhw2kf7cfkesy7r7d4"
 * Result.isFailure(ContentHash.fromBytes(bytes.subarray(0, 30))) // => true
 * ```
 */
export const fromBytes = (bytes: Uint8Array): Result.Result<ContentHash, ContentHashError> => {
  if (bytes.length === 0) return fail("Empty")
  if (bytes.length > MAX_SIZE) return fail("TooLong")
  const read = varint(bytes)
  if (read === undefined) return fail("Codec")
  const [codec, size] = read
  const value = bytes.slice(size)
  if (codec !== IPFS && codec !== IPNS) {
    return Result.succeed({ _tag: "Other", codec: CODECS.get(codec) ?? `0x${codec.toString(16)}`, value })
  }
  const cid = Result.getOrUndefined(Cid.fromBytes(value))
  if (cid === undefined || cid.version !== 1) return fail("Cid")
  if (codec === IPFS) return Result.succeed({ _tag: "Ipfs", cid })
  if (cid.code === LIBP2P_KEY) return Result.succeed({ _tag: "Ipns", name: Cid.toText(cid, "base36") })
  const name = dnsName(cid)
  return name === undefined ? fail("Name") : Result.succeed({ _tag: "Ipns", name })
}

/**
 * Returns the address of the content: `ipfs://`, `ipns://`, or the codec's name and the value in hex.
 *
 * ```ts import.meta.vitest
 * import { ContentHash } from "@plumbline/ens"
 *
 * ContentHash.toText({ _tag: "Ipns", name: "docs.ens.domains" }) // => "ipns://docs.ens.domains"
 * ContentHash.toText({ _tag: "Other", codec: "swarm", value: Uint8Array.of(1, 2) }) // => "swarm:0102"
 * ```
 */
export const toText = (content: ContentHash): string => {
  switch (content._tag) {
    case "Ipfs":
      return `ipfs://${Cid.toText(Cid.toV1(content.cid))}`
    case "Ipns":
      return `ipns://${content.name}`
    case "Other":
      return `${content.codec}:${Hex.fromBytes(content.value).slice(2)}`
  }
}

const IPFS = 0xe3
const IPNS = 0xe5
const LIBP2P_KEY = 0x72

/** The other codecs in use. Source: the table of multicodecs, tag `namespace`. */
const CODECS: ReadonlyMap<number, string> = new Map([
  [0xe4, "swarm"],
  [0x01bc, "onion"],
  [0x01bd, "onion3"],
  [0xb19910, "skynet"],
  [0xb29910, "arweave"]
])

/** Maximum number of bytes of a codec's number: the table of multicodecs has none above 2^28. */
const MAX_VARINT = 4

/** Reads an unsigned varint in its shortest form. Returns it and its size; undefined for anything else. */
const varint = (bytes: Uint8Array): readonly [number, size: number] | undefined => {
  let value = 0
  for (const [i, byte] of bytes.subarray(0, MAX_VARINT).entries()) {
    value |= (byte & 0x7f) << (7 * i)
    if (byte < 0x80) return byte === 0 && i > 0 ? undefined : [value, i + 1]
  }
  return undefined
}

/** Returns the name of DNS that an identity multihash holds; undefined for anything else. */
const dnsName = (cid: Cid.Cid): string | undefined => {
  if (cid.multihash.code !== Multihash.IDENTITY) return undefined
  const name = String.fromCharCode(...cid.multihash.digest)
  return /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)+$/iu.test(
    name
  )
    ? name.toLowerCase()
    : undefined
}

const fail = (reason: ContentHashError["reason"]): Result.Result<never, ContentHashError> =>
  Result.fail(new ContentHashError({ reason }))
