/** Reads the bodies of a beacon node's answers, in SSZ or JSON. Both give the same values. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as PlainHex from "@plumbline/codec/hex/PlainHex"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Result from "effect/Result"

import * as Codec from "../container/Codec.ts"
import type * as Update from "../container/Update.ts"
import * as Fork from "../network/Fork.ts"
import * as ForkDigest from "../network/forkDigest.ts"
import type * as Network from "../network/Network.ts"
import { refuse } from "../refusal/LightClientCheck.ts"
import { ProtocolError, UnknownForkError } from "./BeaconApiError.ts"
import type { BeaconAnswer, BeaconAnswerLimits } from "./beaconRequest.ts"

type Read<A> = Result.Result<A, RefutedError | ProtocolError | UnknownForkError>

/** Maximum number of updates of one request, by the protocol: `MAX_REQUEST_LIGHT_CLIENT_UPDATES`. */
export const MAX_UPDATES = 128

/** Numbers of bytes of the two values in front of each update of a range: its length, and the digest of its fork. */
const LENGTH = 8
const DIGEST = 4

/**
 * Maximum number of bytes of one object for a committee of 512, in SSZ and in JSON: about twice the longest object.
 */
const SSZ = 64 * 1024
const JSON_TEXT = 256 * 1024
const PUBLIC_COMMITTEE = 512

/** Returns the bounds of an answer with this number of objects. */
export const limitsOf = ({ syncCommitteeSize }: Network.Network, count: number): BeaconAnswerLimits => {
  const scale = count * Math.max(1, syncCommitteeSize / PUBLIC_COMMITTEE)
  return { ssz: SSZ * scale, json: JSON_TEXT * scale }
}

/** Reads the answer of one object: in JSON `{version, data}`, in SSZ the bare container with its fork in a header. */
export const one = <A>(codec: Codec.ContainerCodec<A>, answer: BeaconAnswer, network: Network.Network): Read<A> =>
  answer.form === "ssz"
    ? Result.flatMap(forkOf(answer.version, network), (fork) => codec.decode(answer.bytes, formOf(fork, network)))
    : Result.flatMap(parsed(answer.bytes), (json) => versioned(codec, json, network))

/** Reads the answer of a range of updates, at most `count`: in JSON a bare array, in SSZ chunks with their lengths. */
export const range = (
  answer: BeaconAnswer,
  count: number,
  network: Network.Network
): Read<ReadonlyArray<Update.Update>> => {
  if (answer.form === "ssz") return chunks(answer.bytes, count, network)
  return Result.flatMap(parsed(answer.bytes), (json): Read<ReadonlyArray<Update.Update>> => {
    if (!Array.isArray(json)) return Result.fail(refuse("shape", "an array", typeof json, "updates"))
    if (json.length > count) return Result.fail(tooMany(count, `${json.length}`))
    return Result.all(json.map((item: unknown) => versioned(Codec.update, item, network)))
  })
}

const tooMany = (count: number, got: string): RefutedError =>
  refuse("bounds", `at most ${count} updates`, got, "updates")

const chunks = (bytes: Uint8Array, count: number, network: Network.Network): Read<ReadonlyArray<Update.Update>> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const updates: Array<Update.Update> = []
  for (let at = 0; at < bytes.length;) {
    if (updates.length === count) return Result.fail(tooMany(count, "more"))
    const rest = bytes.length - at - LENGTH
    const length = rest < 0 ? undefined : view.getBigUint64(at, true)
    if (length === undefined || length < DIGEST || length > rest) {
      const got = length === undefined ? `${bytes.length - at} bytes` : `a chunk of ${length} bytes`
      return Result.fail(
        refuse("shape", `a chunk within ${bytes.length - at} bytes`, got, `updates[${updates.length}]`)
      )
    }
    const start = at + LENGTH
    at = start + Number(length)
    const digest = bytes.subarray(start, start + DIGEST)
    const forks = ForkDigest.forksOf(network, digest)
    const update = firstRead(forks, (fork) =>
      Codec.update.decode(bytes.subarray(start + DIGEST, at), formOf(fork, network))
    )
    if (Result.isFailure(update)) {
      return Result.fail(
        forks.length === 1 ? update.failure : new UnknownForkError({ fork: PlainHex.fromBytes(digest) })
      )
    }
    updates.push(update.success)
  }
  return Result.succeed(updates)
}

/**
 * Reads with each fork in turn, and returns the first value. If no fork fits, returns the refusal of the first fork.
 */
const firstRead = <A>(
  [first, ...others]: readonly [Fork.Fork, ...ReadonlyArray<Fork.Fork>],
  read: (fork: Fork.Fork) => Result.Result<A, RefutedError>
): Result.Result<A, RefutedError> =>
  others.reduce(
    (result, fork) => Result.orElse(result, (refusal) => Result.mapError(read(fork), () => refusal)),
    read(first)
  )

const versioned = <A>(codec: Codec.ContainerCodec<A>, json: unknown, network: Network.Network): Read<A> => {
  if (typeof json !== "object" || json === null) {
    return Result.fail(refuse("shape", "an object", json === null ? null : typeof json, "answer"))
  }
  const { data, version }: { readonly version?: unknown; readonly data?: unknown } = json
  return Result.flatMap(forkOf(version, network), (fork): Read<A> => codec.fromJson(data, formOf(fork, network)))
}

/** Returns the fork that a node names for its answer. Only a fork that the network has can be read. */
const forkOf = (version: unknown, { forks }: Network.Network): Read<Fork.Fork> => {
  if (typeof version === "string" && Fork.isFork(version) && forks.some(({ name }) => name === version)) {
    return Result.succeed(version)
  }
  return typeof version === "string" && NAME.test(version)
    ? Result.fail(new UnknownForkError({ fork: version }))
    : Result.fail(refuse("shape", "the name of a fork", undefined, "version"))
}

/** Matches the name of a fork. Light clients do not exist before Altair. */
const NAME = /^(?!phase0$)[a-z][a-z0-9_]{1,31}$/u

const formOf = (fork: Fork.Fork, { syncCommitteeSize }: Network.Network) => ({ fork, syncCommitteeSize })

const parsed = (bytes: Uint8Array): Result.Result<unknown, ProtocolError> => {
  try {
    return Result.succeed(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)))
  } catch {
    // the platform's error text would show parts of the answer
    return Result.fail(new ProtocolError({ detail: "the answer is not JSON" }))
  }
}

/** A fork that a node has in its schedule. */
export interface Scheduled {
  /** The name of the fork, in lower case. */
  readonly name: string
  readonly epoch: bigint
}

/**
 * Reads the forks in a node's configuration, except those without an epoch. The configuration is a hint: a schedule
 * that decided how proofs are read could make a lie out of a truth.
 */
export const schedule = (answer: BeaconAnswer): Result.Result<ReadonlyArray<Scheduled>, ProtocolError> =>
  Result.map(parsed(answer.bytes), (json) =>
    Object.entries((json as { readonly data?: object } | null)?.data ?? {}).flatMap(([key, epoch]) => {
      const name = /^([A-Z][A-Z0-9_]{1,31})_FORK_EPOCH$/u.exec(key)?.[1]?.toLowerCase()
      return name === undefined || typeof epoch !== "string" || !/^[0-9]{1,18}$/u.test(epoch)
        ? []
        : [{ name, epoch: BigInt(epoch) }]
    })
  )

/** Reads the genesis validators root of a node's chain, which is a hint too. */
export const genesis = (answer: BeaconAnswer): Result.Result<Hash32.Hash32, ProtocolError> =>
  Result.flatMap(parsed(answer.bytes), (json) => {
    const { data }: { readonly data?: { readonly genesis_validators_root?: unknown } | null } = Object(json)
    const root = data?.genesis_validators_root
    return PlainHex.isHex(root, 32)
      ? Result.succeed(root as Hash32.Hash32)
      : Result.fail(new ProtocolError({ detail: "the answer has no genesis validators root" }))
  })
