/**
 * Checks the bytes of blocks against their CIDs, and finds the links of blocks.
 *
 * Every proof of this package rests on `check`: the hash of the bytes equals the hash in the CID.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { Reason } from "@plumbline/verdict/Reason"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import * as IpfsReason from "../cid/IpfsReason.ts"
import * as Multihash from "../cid/Multihash.ts"
import { unproven } from "../cid/unprovenContent.ts"
import type { BlockLinks } from "../codec/blockLinks.ts"
import * as DagCodec from "../codec/DagCodec.ts"
import * as IpldCodecs from "../codec/ipldCodecs.ts"
import { now } from "../work/steps.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"
import { type DecodeError, linksSteps, unknownCodec } from "./linksSteps.ts"
import { flawed } from "./malformedBlock.ts"

/** A block whose bytes match its CID. */
export interface Block {
  readonly cid: Cid.Cid
  readonly bytes: Uint8Array
}

/** Limits for the size of blocks. */
export interface BlockOptions {
  /** Maximum number of bytes of a block. Default: 2 MiB, as nodes exchange them (boxo, bitswap). */
  readonly maxBlockSize?: number | undefined
}

/** Defaults for options that a caller omits. */
export const defaults = { maxBlockSize: 2 * 1024 * 1024 } as const

/**
 * Checks that `cid` contains the hash of `bytes`.
 *
 * Fails with `RefutedError` if the bytes have another hash (`block hash`). Fails with `UnprovenError` if there are more bytes
 * than `maxBlockSize`, or if the CID's hash function proves nothing: it is unknown, or its digest is too short.
 *
 * ```ts import.meta.vitest
 * import { Block, Cid } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const cid = Cid.fromTextUnsafe("bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq")
 * const hello = new TextEncoder().encode("hello")
 * Result.isSuccess(Block.check(cid, hello)) // => true
 * const refused = Block.check(cid, hello.subarray(1))
 * Result.isFailure(refused) && refused.failure._tag // => "RefutedError"
 * ```
 */
export const check = (
  cid: Cid.Cid,
  bytes: Uint8Array,
  options?: BlockOptions
): Result.Result<Block, RefutedError | UnprovenError> => {
  const refused = beforeHash(cid, bytes, options)
  if (refused !== undefined) return Result.fail(refused)
  const { code, digest } = cid.multihash
  return judge(cid, bytes, Multihash.digest(code, bytes, digest.length))
}

/**
 * Verifies a block as `check` does, by the platform's own SHA-2. Use it for many blocks; see `Multihash.digestEffect`.
 *
 * ```ts import.meta.vitest
 * import { Block, Cid } from "@plumbline/ipfs-client"
 * import { Effect } from "effect"
 *
 * const cid = Cid.fromTextUnsafe("bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq")
 * const refused = await Effect.runPromise(Effect.flip(Block.checkEffect(cid, new Uint8Array(100_000))))
 * refused._tag // => "RefutedError"
 * ```
 */
export const checkEffect = (
  cid: Cid.Cid,
  bytes: Uint8Array,
  options?: BlockOptions
): Effect.Effect<Block, RefutedError | UnprovenError> =>
  Effect.suspend(() => {
    const refused = beforeHash(cid, bytes, options)
    if (refused !== undefined) return Effect.fail(refused)
    const { code, digest } = cid.multihash
    return Effect.flatMap(Effect.result(Multihash.digestEffect(code, bytes, digest.length)), (got) =>
      Effect.fromResult(judge(cid, bytes, got))
    )
  })

/**
 * Returns the CID of bytes: version 1, with sha2-256 unless you name another hash function.
 *
 * Fails with a reason of `IpfsReason` if the hash function proves nothing; see `Multihash.digest`.
 *
 * ```ts import.meta.vitest
 * import { Block, Cid } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const cid = Result.getOrThrow(Block.cidOf(Block.RAW, new TextEncoder().encode("hello")))
 * Cid.toText(cid) // => "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"
 * ```
 */
export const cidOf = (
  codec: number,
  bytes: Uint8Array,
  hash: number = Multihash.SHA2_256
): Result.Result<Cid.Cid, Reason> =>
  Result.map(Multihash.digest(hash, bytes), (digest) => Cid.make(codec, hash, digest))

/** Codes of the codecs that callers name most often. */
export {
  DAG_CBOR,
  DAG_JOSE,
  DAG_JSON,
  DAG_PB,
  ETH_BLOCK,
  ETH_STATE_TRIE,
  ETH_STORAGE_TRIE,
  RAW
} from "../codec/ipldCodecs.ts"

/** The names of the codecs whose blocks can be decoded, by their codes. */
export const codecs: ReadonlyMap<number, string> = new Map([...IpldCodecs.all].map(([code, { name }]) => [code, name]))

/** Bounds of one block, which are checked before an object of the block is made. */
export { MAX_KEYS, MAX_LINKS, MAX_NESTING, MAX_VALUES } from "../codec/blockBounds.ts"

export type { BlockLinks, LinkRange } from "../codec/blockLinks.ts"

export type { DecodeError } from "./linksSteps.ts"

/**
 * Decodes a block with the codec of its CID. Returns a value of the IPLD data model, the unchanged bytes for raw, or
 * RLP items for the codecs of Ethereum.
 *
 * The bytes are not compared with the CID; use `check` for that. To write a value again, read it with `DagCodec`, which
 * distinguishes integers from floats. Names of dag-pb that are not UTF-8 become text that is only for display; see
 * `UnixFs`. A block of a few MiB can take a tenth of a second; `Dag.resolve` decodes in turns with other work.
 *
 * Fails with `MalformedBlock` if the bytes are invalid in the codec, with `LimitExceeded` beyond `MAX_LINKS` (65,536),
 * `MAX_VALUES` (262,144), `MAX_KEYS` of one map (65,536) or `MAX_NESTING` (1024), and with `UnprovenError` if `codecs` does not have the codec.
 *
 * ```ts import.meta.vitest
 * import { Block, Cid } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const cid = Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, Uint8Array.of(0x82, 1, 2)))
 * Result.getOrThrow(Block.decode({ cid, bytes: Uint8Array.of(0x82, 1, 2) })) // => [1, 2]
 * ```
 */
export const decode = ({ bytes, cid }: Block): Result.Result<unknown, DecodeError> => {
  const codec = IpldCodecs.all.get(cid.code)
  return codec === undefined
    ? unknownCodec(cid)
    : Result.mapBoth(now(codec.decode(bytes)), { onFailure: flawed(cid), onSuccess: DagCodec.plain })
}

/**
 * Returns the CIDs that a block links to, in the order of the block, with repetitions. Fails as `decode` does. Only
 * dag-json has a maximum number of values here.
 *
 * ```ts import.meta.vitest
 * import { Block } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const cid = Result.getOrThrow(Block.cidOf(Block.RAW, new Uint8Array(9)))
 * Block.links({ cid, bytes: new Uint8Array(9) }) // => Result.succeed([])
 * ```
 */
export const links = (block: Block): Result.Result<ReadonlyArray<Cid.Cid>, DecodeError> =>
  Result.map(now(linksSteps(block)), ({ at, count }) => Array.from({ length: count }, (_, index) => at(index)))

/**
 * Finds the links of a block as `links` does, in turns with other work. No CID is made before it is asked for, so a
 * reader that needs few of many links pays for few.
 *
 * ```ts import.meta.vitest
 * import { Block, Cid, DagCodec } from "@plumbline/ipfs-client"
 * import { Effect, Result } from "effect"
 *
 * const bytes = Result.getOrThrow(DagCodec.encode("dag-cbor", [Cid.fromTextUnsafe("bafkqaaqha4")]))
 * const cid = Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, bytes))
 * const { at, count } = await Effect.runPromise(Block.linksEffect({ cid, bytes }))
 * count // => 1
 * Cid.toText(at(0)) // => "bafkqaaqha4"
 * ```
 */
export const linksEffect = (block: Block): Effect.Effect<BlockLinks, DecodeError> =>
  Effect.flatMap(
    WorkScheduler.run(() => linksSteps(block)),
    Effect.fromResult
  )

/** Returns a fault that can be found without hashing the bytes, if there is one. */
const beforeHash = (
  cid: Cid.Cid,
  bytes: Uint8Array,
  options: BlockOptions | undefined
): RefutedError | UnprovenError | undefined => {
  const limit = options?.maxBlockSize ?? defaults.maxBlockSize
  // A block that is too large is not hashed, so it is not refuted: a CID can name a block of any size.
  if (bytes.length > limit) return notProven(cid, IpfsReason.NotHashed({ size: bytes.length, limit }))
  const inlined = Multihash.inlined(cid)
  if (inlined === undefined) return undefined
  if (inlined.length > Multihash.MAX_IDENTITY_SIZE) {
    return notProven(cid, IpfsReason.IdentityTooLong({ limit: Multihash.MAX_IDENTITY_SIZE }))
  }
  return Bytes.equals(inlined, bytes) ? undefined : refuted(cid, "block hash", text(inlined), text(bytes))
}

const judge = (
  cid: Cid.Cid,
  bytes: Uint8Array,
  got: Result.Result<Uint8Array, Reason>
): Result.Result<Block, RefutedError | UnprovenError> => {
  if (Result.isFailure(got)) return Result.fail(notProven(cid, got.failure))
  const { digest } = cid.multihash
  return Bytes.equals(got.success, digest)
    ? Result.succeed({ cid, bytes })
    : Result.fail(refuted(cid, "block hash", text(digest), text(got.success)))
}

const text = (digest: Uint8Array): string => Hex.fromBytes(digest.subarray(0, Multihash.MAX_IDENTITY_SIZE)).slice(2)

const refuted = (cid: Cid.Cid, check: string, expected: string, got: string): RefutedError =>
  new RefutedError({ subject: Cid.toText(cid), check, expected, got })

const notProven = (cid: Cid.Cid, reason: Reason): UnprovenError => unproven(Cid.toText(cid), reason)
