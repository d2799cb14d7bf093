/** The names of hash functions and codecs in options. Source: the multicodec table; boxo for the old names. */
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import { type IpfsNodeError, NotSupported } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Result from "effect/Result"

import { failure } from "./embeddedFailure.ts"

const HASHES: ReadonlyMap<string, number> = new Map([
  ["identity", Multihash.IDENTITY],
  ["sha2-256", Multihash.SHA2_256],
  ["sha2-512", Multihash.SHA2_512],
  ["sha3-512", 0x14],
  ["sha3-384", 0x15],
  ["sha3-256", 0x16],
  ["sha3-224", 0x17],
  ["keccak-256", Multihash.KECCAK_256],
  ["keccak-512", 0x1d],
  ["blake3", Multihash.BLAKE3],
  ["blake2b-256", Multihash.BLAKE2B_256],
  ["blake2s-256", 0xb260]
])

const CODECS: ReadonlyMap<string, number> = new Map([...Block.codecs].map(([code, name]) => [name, code]))

/** The old names of codecs in block/put. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["v0", "dag-pb"],
  ["protobuf", "dag-pb"],
  ["cbor", "dag-cbor"]
])

export const hash = (name: string): Result.Result<number, IpfsNodeError> => find(HASHES, "hash function", name)

export const codec = (name: string): Result.Result<number, IpfsNodeError> => find(CODECS, "codec", name)

/** Returns a codec by its old or current name. */
export const format = (name: string): Result.Result<number, IpfsNodeError> => codec(FORMATS.get(name) ?? name)

export const notSupported = (what: string): Result.Result<never, IpfsNodeError> =>
  Result.fail(failure(new NotSupported({ what })))

const find = (codes: ReadonlyMap<string, number>, kind: string, name: string): Result.Result<number, IpfsNodeError> => {
  const code = codes.get(name)
  return code === undefined ? notSupported(`the ${kind} ${name.slice(0, 40)}`) : Result.succeed(code)
}
