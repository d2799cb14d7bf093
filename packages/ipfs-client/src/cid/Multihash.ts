/**
 * The hash functions of CIDs, by their multicodec code.
 *
 * This module accepts the functions and digest sizes that Kubo accepts (boxo, `verifcid`), except SHA-1 and unused
 * functions. A digest has at least 20 bytes. An identity "digest", which is the data itself, has at most 128.
 *
 * Source: the multicodec table. A shortened digest is the beginning of the function's digest, as in go-multihash.
 */
import { blake2b, blake2s } from "@noble/hashes/blake2.js"
import { blake3 } from "@noble/hashes/blake3.js"
import { sha256, sha512 } from "@noble/hashes/sha2.js"
import { keccak_224, keccak_384, keccak_512, sha3_224, sha3_256, sha3_384, sha3_512 } from "@noble/hashes/sha3.js"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import type { Reason } from "@plumbline/verdict/Reason"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type * as Cid from "./Cid.ts"
import * as IpfsReason from "./IpfsReason.ts"
import * as PlatformHash from "./platformHash.ts"

/** Codes of the hash functions that callers name most often. */
export const IDENTITY = 0x00
export const SHA2_256 = 0x12
export const SHA2_512 = 0x13
export const KECCAK_256 = 0x1b
export const BLAKE3 = 0x1e
export const BLAKE2B_256 = 0xb220

/** The codes of the functions for adding content, by the names that commands use. */
export const codes = {
  "sha2-256": SHA2_256,
  "sha2-512": SHA2_512,
  "sha3-224": 0x17,
  "sha3-256": 0x16,
  "sha3-384": 0x15,
  "sha3-512": 0x14,
  "keccak-256": KECCAK_256,
  "keccak-512": 0x1d,
  "blake2b-256": BLAKE2B_256,
  "blake2s-256": 0xb260,
  blake3: BLAKE3
} as const

/** The name of a supported hash function. */
export type MultihashName = keyof typeof codes

/** Maximum number of bytes of an identity multihash. Source: boxo, `verifcid`. */
export const MAX_IDENTITY_SIZE = 128

/** Minimum number of bytes of a digest. A shorter digest can be forged. Source: boxo, `verifcid`. */
export const MIN_DIGEST_SIZE = 20

type Hash = (bytes: Uint8Array, size: number) => Uint8Array

interface Hasher {
  /** Maximum number of bytes of the function's digest. */
  readonly size: number
  readonly hash: Hash
}

const fixed = (size: number, hash: (bytes: Uint8Array) => Uint8Array): Hasher => ({ size, hash })

const HASHERS: ReadonlyMap<number, Hasher> = new Map([
  [SHA2_256, fixed(32, (bytes) => PlatformHash.digestNow(SHA2_256, bytes) ?? sha256(bytes))],
  [SHA2_512, fixed(64, (bytes) => PlatformHash.digestNow(SHA2_512, bytes) ?? sha512(bytes))],
  [0x14, fixed(64, sha3_512)],
  [0x15, fixed(48, sha3_384)],
  [0x16, fixed(32, sha3_256)],
  [0x17, fixed(28, sha3_224)],
  [0x1a, fixed(28, keccak_224)],
  [KECCAK_256, fixed(32, Keccak256.hash)],
  [0x1c, fixed(48, keccak_384)],
  [0x1d, fixed(64, keccak_512)],
  [BLAKE3, { size: 128, hash: (bytes, size) => blake3(bytes, { dkLen: size }) }]
])

/**
 * Returns the function for a code. blake2b has a code for each size from 1 to 64 bytes, blake2s from 1 to 32; each size
 * is a separate function.
 */
const hasherOf = (code: number): Hasher | undefined => {
  if (code > 0xb200 && code <= 0xb240) {
    const dkLen = code - 0xb200
    return fixed(dkLen, (bytes) => blake2b(bytes, { dkLen }))
  }
  if (code > 0xb240 && code <= 0xb260) {
    const dkLen = code - 0xb240
    return fixed(dkLen, (bytes) => blake2s(bytes, { dkLen }))
  }
  return HASHERS.get(code)
}

/**
 * Returns the first `size` bytes of the hash of `bytes`, by default the whole hash (32 bytes for blake3). For identity,
 * it returns the bytes themselves.
 *
 * Fails with the reason why such a multihash proves nothing: `UnknownHash`, `DigestTooShort`, `DigestTooLong` or
 * `IdentityTooLong` of `IpfsReason`.
 *
 * ```ts import.meta.vitest
 * import { IpfsReason, Multihash } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * Result.getOrThrow(Multihash.digest(Multihash.SHA2_256, new Uint8Array(0)))[0] // => 0xe3
 * Multihash.digest(0x11, new Uint8Array(0)) // => Result.fail(IpfsReason.UnknownHash({ code: 0x11 }))
 * ```
 */
export const digest = (code: number, bytes: Uint8Array, size?: number): Result.Result<Uint8Array, Reason> => {
  if (code === IDENTITY) {
    return Math.max(bytes.length, size ?? 0) <= MAX_IDENTITY_SIZE
      ? Result.succeed(bytes)
      : Result.fail(IpfsReason.IdentityTooLong({ limit: MAX_IDENTITY_SIZE }))
  }
  return Result.map(hasherFor(code, size), ({ hash, size }) => hash(bytes, size).subarray(0, size))
}

/** Returns the whole digest of the bytes by the hash function with this name. */
export const digestOf = (name: MultihashName, bytes: Uint8Array): Uint8Array =>
  Result.getOrThrow(digest(codes[name], bytes))

/**
 * Computes `digest`, with the platform's asynchronous SHA-2 if that exists and the input is large enough. SHA-2 is then
 * several times as fast. On a platform with a synchronous SHA-2, such as Node, `digest` uses that too.
 *
 * ```ts import.meta.vitest
 * import { Multihash } from "@plumbline/ipfs-client"
 * import { Effect, Result } from "effect"
 *
 * const bytes = new Uint8Array(100_000)
 * const platform = await Effect.runPromise(Multihash.digestEffect(Multihash.SHA2_256, bytes))
 * platform // => Result.getOrThrow(Multihash.digest(Multihash.SHA2_256, bytes))
 * ```
 */
export const digestEffect = (code: number, bytes: Uint8Array, size?: number): Effect.Effect<Uint8Array, Reason> =>
  Effect.suspend(() => {
    const sync = Effect.suspend(() => Effect.fromResult(digest(code, bytes, size)))
    const hasher = hasherFor(code, size)
    if (PlatformHash.isNow(code)) return sync
    const digested = Result.isSuccess(hasher) ? PlatformHash.digest(code, bytes) : undefined
    if (digested === undefined || Result.isFailure(hasher)) return sync
    return Effect.flatMap(
      Effect.promise(() => digested),
      (hash) => (hash === undefined ? sync : Effect.succeed(hash.subarray(0, hasher.success.size)))
    )
  })

/** Returns the hash function and the length of its digest, or the reason why the multihash proves nothing. */
const hasherFor = (code: number, size: number | undefined): Result.Result<Hasher, Reason> => {
  const hasher = hasherOf(code)
  if (hasher === undefined) return Result.fail(IpfsReason.UnknownHash({ code }))
  const wanted = size ?? (code === BLAKE3 ? 32 : hasher.size)
  if (wanted < MIN_DIGEST_SIZE) return Result.fail(IpfsReason.DigestTooShort({ size: wanted }))
  if (wanted > hasher.size) return Result.fail(IpfsReason.DigestTooLong({ code, size: wanted }))
  return Result.succeed({ size: wanted, hash: hasher.hash })
}

/**
 * Returns the data of a CID that contains its data (hash function identity), so that no block is fetched. Returns
 * undefined for any other CID.
 *
 * ```ts import.meta.vitest
 * import { Cid, Multihash } from "@plumbline/ipfs-client"
 *
 * Multihash.inlined(Cid.fromTextUnsafe("bafkqaaqha4")) // => Uint8Array.of(7, 7)
 * ```
 */
export const inlined = (cid: Cid.Cid): Uint8Array | undefined =>
  cid.multihash.code === IDENTITY ? cid.multihash.digest : undefined
