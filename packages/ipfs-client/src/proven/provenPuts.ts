/** Stores single blocks. The node must answer with the CID that follows from the data and the options. */
import type { Reason } from "@plumbline/verdict/Reason"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as Block from "../block/Block.ts"
import * as Cid from "../cid/Cid.ts"
import * as IpfsReason from "../cid/IpfsReason.ts"
import * as Multihash from "../cid/Multihash.ts"
import { unproven } from "../cid/unprovenContent.ts"
import type { AnyClient, Client } from "../client/IpfsClient.ts"
import { EncodeError, IpfsError } from "../client/IpfsError.ts"
import * as DagCodec from "../codec/DagCodec.ts"
import * as DagJsonWriter from "../codec/dagJsonWriter.ts"
import * as IpldValue from "../codec/ipldValue.ts"
import { CODECS } from "../codec/valueCodecs.ts"
import type * as UnixFs from "../unixfs/UnixFs.ts"
import type { Steps } from "../work/steps.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"
import * as AnsweredCid from "./answeredCid.ts"

type Puts = Pick<AnyClient, "blockPut" | "dagPut" | "objectPut">

type BlockPutOptions = NonNullable<Parameters<Client["blockPut"]>[1]>
type DagPutOptions = NonNullable<Parameters<Client["dagPut"]>[1]>

export const make = (ipfs: AnyClient, options: UnixFs.UnixFsOptions): Puts => ({
  blockPut: (bytes, asked = {}) =>
    Effect.gen(function* () {
      // The caller may allow a larger block.
      const limit = asked.allowBigBlock === true ? bytes.length : (options.maxBlockSize ?? Block.defaults.maxBlockSize)
      const expected = yield* Effect.fromResult(blockCid(bytes, asked, limit))
      // The defaults are sent explicitly: Infura's default codec differs from Kubo's, and a node can be configured with
      // another hash function.
      const { cidCodec = "raw", mhtype = "sha2-256" } = asked
      const explicit = asked.format === undefined ? { ...asked, cidCodec, mhtype } : { ...asked, mhtype }
      const answer = yield* ipfs.blockPut(bytes, explicit)
      yield* same(answer.cid, expected, "block CID", asked)
      if (answer.size !== bytes.length) {
        const { cid, size } = answer
        return yield* new RefutedError({
          subject: cid,
          check: "block size",
          expected: String(bytes.length),
          got: String(size)
        })
      }
      return answer
    }),
  dagPut: (bytes, asked = {}) =>
    Effect.gen(function* () {
      const { hash = "sha2-256", inputCodec = "dag-json", storeCodec = "dag-cbor" } = asked
      const computed = yield* WorkScheduler.run(() => stored(bytes, { hash, inputCodec, storeCodec }))
      const { expected, others } = yield* Effect.fromResult(computed)
      const cid = yield* ipfs.dagPut(bytes, { ...asked, hash, inputCodec, storeCodec })
      const got = Cid.fromTextUnsafe(cid)
      if (!Cid.equals(got, expected) && others.some((other) => Cid.equals(got, other))) {
        return yield* unproven(cid, IpfsReason.OtherEncoding({}))
      }
      yield* same(cid, expected, "stored CID", {})
      return cid
    }),
  objectPut: (block, asked) =>
    Effect.gen(function* () {
      const expected = yield* Effect.fromResult(blockCid(block, { format: "v0" }, options.maxBlockSize))
      const cid = yield* ipfs.objectPut(block, asked)
      // For a node that lacks the command, the CID is computed from the block, so both versions of CIDs are accepted.
      yield* same(cid, expected, "object CID", { upgradeCidv0InOutput: true })
      return cid
    })
})

const same = (
  cid: string,
  expected: Cid.Cid,
  check: string,
  asked: AnsweredCid.CidFormOptions
): Effect.Effect<void, RefutedError> =>
  AnsweredCid.isSame(Cid.fromTextUnsafe(cid), expected, asked)
    ? Effect.void
    : Effect.fail(new RefutedError({ subject: cid, check, expected: Cid.toText(expected), got: cid }))

/**
 * Returns the CID of these bytes in `block/put`, by the requested codec, hash function, length of the digest (default:
 * all of it) and version. Fails with `UnprovenError` if this package cannot compute that CID, and with `IpfsError` if the
 * options allow no CID at all.
 *
 * Source: Kubo, `core/coreiface/options/block.go`.
 */
export const blockCid = (
  bytes: Uint8Array,
  { cidCodec = "raw", format, mhlen = -1, mhtype = "sha2-256" }: BlockPutOptions,
  maxBlockSize: number = Block.defaults.maxBlockSize
): Result.Result<Cid.Cid, IpfsError | UnprovenError> => {
  const notProven = (reason: Reason) => Result.fail(unproven("block/put", reason))
  const refused = (name: string, detail: string) =>
    Result.fail(new IpfsError({ command: "block/put", reason: new EncodeError({ name, detail }) }))
  if (bytes.length > maxBlockSize) {
    return notProven(IpfsReason.NotHashed({ size: bytes.length, limit: maxBlockSize }))
  }
  const name = format === undefined ? cidCodec : (FORMATS[format] ?? format)
  const codec = CODES.get(name)
  const hash = hashOf(mhtype)
  if (codec === undefined || hash === undefined) {
    return notProven(IpfsReason.StoreNotComputed({}))
  }
  const digest = Multihash.digest(hash, bytes, mhlen === -1 ? undefined : mhlen)
  if (Result.isFailure(digest))
    return mhlen === -1 ? notProven(digest.failure) : refused("mhlen", digest.failure.sentence)
  if (format !== "v0") return Result.succeed(Cid.make(codec, hash, digest.success))
  return hash === Multihash.SHA2_256 && digest.success.length === 32
    ? Result.succeed(Cid.makeV0(digest.success))
    : refused("format", "version 0 has no other hash than the whole of sha2-256")
}

/** Former names of codecs in `block/put`. */
const FORMATS: Readonly<Record<string, string>> = { v0: "dag-pb", protobuf: "dag-pb", cbor: "dag-cbor" }

const CODES: ReadonlyMap<string, number> = new Map([...Block.codecs].map(([code, name]) => [name, code]))

/** Returns the code of a hash function by its name in commands, including functions that `add` does not use. */
const hashOf = (name: string): number | undefined => {
  if (Object.hasOwn(Multihash.codes, name)) return Multihash.codes[name as Multihash.MultihashName]
  if (Object.hasOwn(OTHER_HASHES, name)) return OTHER_HASHES[name as keyof typeof OTHER_HASHES]
  // Each size of blake2 is a separate hash function.
  const [, kind, bits] = /^blake2([bs])-(\d{2,3})$/u.exec(name) ?? []
  const size = Number(bits) / 8
  if (kind === undefined || !Number.isInteger(size) || size < 1 || size > (kind === "b" ? 64 : 32)) return undefined
  return (kind === "b" ? 0xb200 : 0xb240) + size
}

/** The codes of further hash functions. Source: the multicodec table. */
const OTHER_HASHES = { identity: Multihash.IDENTITY, "keccak-224": 0x1a, "keccak-384": 0x1c } as const

/** The CID that the data has in Kubo, and the CIDs that the same data has in honest nodes of other kinds. */
interface Stored {
  readonly expected: Cid.Cid
  readonly others: ReadonlyArray<Cid.Cid>
}

function* stored(
  bytes: Uint8Array,
  { hash, inputCodec, storeCodec }: Required<Pick<DagPutOptions, "hash" | "inputCodec" | "storeCodec">>
): Steps<Result.Result<Stored, IpfsError | UnprovenError>> {
  const code = hashOf(hash ?? "")
  if (!DagCodec.isName(inputCodec ?? "") || !DagCodec.isName(storeCodec ?? "") || code === undefined) {
    return Result.fail(unproven("dag/put", IpfsReason.StoreNotComputed({})))
  }
  const [input, store] = [inputCodec as DagCodec.ValueCodecName, storeCodec as DagCodec.ValueCodecName]
  const refused = (detail: string): Result.Result<never, IpfsError> =>
    // The sentence is only about the form, because an error must not contain the data.
    Result.fail(new IpfsError({ command: "dag/put", reason: new EncodeError({ name: "data", detail }) }))
  const value = yield* CODECS[input].decode(bytes)
  if (Result.isFailure(value)) return refused(`is not ${input}`)
  const block = yield* CODECS[store].encode(value.success)
  if (Result.isFailure(block)) return refused(`has no form in ${store}`)
  const others = yield* inJavaScript(store, value.success)
  const name = (block: Uint8Array): Result.Result<Cid.Cid, UnprovenError> =>
    Result.mapError(Block.cidOf(CODES.get(store)!, block, code), (reason) => unproven("dag/put", reason))
  return Result.gen(function* () {
    const cids: Array<Cid.Cid> = []
    for (const other of others) cids.push(yield* name(other))
    return { expected: yield* name(block.success), others: cids }
  })
}

/**
 * Returns the blocks of a node that keeps data as values of JavaScript, as js-ipfs does: whole floats become integers,
 * and `JSON.stringify` escapes strings. The answer of such a node is not a lie, although its block differs from the
 * sent data.
 */
function* inJavaScript(store: DagCodec.ValueCodecName, value: unknown): Steps<ReadonlyArray<Uint8Array>> {
  const plain = yield* IpldValue.plainSteps(value)
  const written =
    store === "dag-json"
      ? yield* DagJsonWriter.encodeSteps(plain, { isJavaScript: true })
      : yield* CODECS[store].encode(plain)
  return Result.isSuccess(written) ? [written.success] : []
}
