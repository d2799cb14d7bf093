/**
 * The server's side of the beacon API for light clients: the calls that a path names, and the bodies of their answers.
 *
 * It proves nothing. A server that did not check what it serves passes on lies, and its readers check everything again.
 *
 * Source: ethereum/beacon-APIs `apis/beacon/light_client`, `apis/beacon/genesis.yaml`, `apis/config/spec.yaml`,
 * `apis/node/health.yaml`.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Result from "effect/Result"

import type * as Bootstrap from "../container/Bootstrap.ts"
import * as Codec from "../container/Codec.ts"
import type * as Update from "../container/Update.ts"
import * as WrittenForm from "../container/writtenForm.ts"
import * as Clock from "../network/Clock.ts"
import type * as Fork from "../network/Fork.ts"
import * as ForkDigest from "../network/forkDigest.ts"
import type * as Network from "../network/Network.ts"
import { MAX_UPDATES } from "./beaconAnswers.ts"

/** A call to the API. `count` is at most 128. */
export type LightClientRequest =
  | { readonly _tag: "Bootstrap"; readonly root: Hash32.Hash32 }
  | { readonly _tag: "Updates"; readonly startPeriod: bigint; readonly count: number }
  | { readonly _tag: "FinalityUpdate" }
  | { readonly _tag: "OptimisticUpdate" }
  | { readonly _tag: "Genesis" }
  | { readonly _tag: "Spec" }
  | { readonly _tag: "Health" }
  /** The path is one of the API, and a parameter is invalid: HTTP 400. */
  | { readonly _tag: "Invalid"; readonly problem: string }

/**
 * Reads the call of a path below `/eth/v1/` and its query. Returns undefined for every other path. A server returns
 * fewer updates than the caller wants if the caller wants more than 128.
 *
 * ```ts import.meta.vitest
 * import { BeaconApi } from "@plumbline/beacon-light-client"
 *
 * const path = "beacon/light_client/updates"
 * BeaconApi.parse(path, "start_period=7&count=1000") // => { _tag: "Updates", startPeriod: 7n, count: 128 }
 * BeaconApi.parse(path, "start_period=7") // => { _tag: "Invalid", problem: "start_period and count must be numbers" }
 * BeaconApi.parse("beacon/blocks/head", "") // => undefined
 * ```
 */
export const parse = (path: string, query: string): LightClientRequest | undefined => {
  if (path.startsWith(BOOTSTRAP)) {
    const root = path.slice(BOOTSTRAP.length)
    return Hash32.isHash32(root)
      ? { _tag: "Bootstrap", root: root.toLowerCase() as Hash32.Hash32 }
      : { _tag: "Invalid", problem: "the block root must be 0x and 64 hex digits" }
  }
  if (path === UPDATES) {
    const parameters = new URLSearchParams(query)
    const [start, count] = ["start_period", "count"].map((name) => parameters.get(name) ?? "")
    return NUMBER.test(start!) && NUMBER.test(count!)
      ? { _tag: "Updates", startPeriod: BigInt(start!), count: Math.min(Number(count), MAX_UPDATES) }
      : { _tag: "Invalid", problem: "start_period and count must be numbers" }
  }
  return Object.hasOwn(WITHOUT_PARAMETERS, path) ? WITHOUT_PARAMETERS[path] : undefined
}

const BOOTSTRAP = "beacon/light_client/bootstrap/"
const UPDATES = "beacon/light_client/updates"

/** Up to 15 digits, which a number can hold. */
const NUMBER = /^[0-9]{1,15}$/u

const WITHOUT_PARAMETERS: Readonly<Record<string, LightClientRequest>> = {
  "beacon/light_client/finality_update": { _tag: "FinalityUpdate" },
  "beacon/light_client/optimistic_update": { _tag: "OptimisticUpdate" },
  "beacon/genesis": { _tag: "Genesis" },
  "config/spec": { _tag: "Spec" },
  "node/health": { _tag: "Health" }
}

/** True if the header `Accept` prefers SSZ to JSON. With equal weights, JSON is preferred. */
export const prefersSsz = (accept: string): boolean => weightOf(accept, SSZ_TYPE) > weightOf(accept, JSON_TYPE)

const weightOf = (accept: string, type: string): number => {
  const part = accept.split(",").find((part) => part.trim().toLowerCase().startsWith(type))
  if (part === undefined) return 0
  const weight = /;\s*q=([0-9.]+)/u.exec(part)
  return weight === null ? 1 : Number(weight[1])
}

/** The types of bodies. */
export const SSZ_TYPE = "application/octet-stream"
export const JSON_TYPE = "application/json"

/** A container in SSZ, with the fork that the header `Eth-Consensus-Version` names for it. */
export interface SszContainer {
  readonly fork: Fork.Fork
  readonly bytes: Uint8Array
}

const encoded = <A>(
  codec: Codec.ContainerCodec<A>,
  value: A,
  fork: Fork.Fork,
  { syncCommitteeSize }: Network.Network
): SszContainer => ({ fork, bytes: codec.encode(value, { fork, syncCommitteeSize }) })

/** Writes a bootstrap in the form in which it was read, under the name of the fork of its slot if that fork has the form. */
export const bootstrap = (value: Bootstrap.Bootstrap, network: Network.Network): SszContainer =>
  encoded(
    Codec.bootstrap,
    value,
    WrittenForm.forkOf(network, value.header.beacon.slot, WrittenForm.familyOfBootstrap(value)),
    network
  )

const forkOfUpdate = (value: Update.FinalityUpdate, network: Network.Network): Fork.Fork =>
  WrittenForm.forkOf(network, value.attestedHeader.beacon.slot, WrittenForm.familyOfUpdate(value))

/** Writes an update, as `bootstrap` writes a bootstrap. */
export const update = (value: Update.Update, network: Network.Network): SszContainer =>
  encoded(Codec.update, value, forkOfUpdate(value, network), network)

/** Writes a finality update, as `bootstrap` writes a bootstrap. */
export const finalityUpdate = (value: Update.FinalityUpdate, network: Network.Network): SszContainer =>
  encoded(Codec.finalityUpdate, value, forkOfUpdate(value, network), network)

/** Writes an optimistic update, as `bootstrap` writes a bootstrap. */
export const optimisticUpdate = (value: Update.OptimisticUpdate, network: Network.Network): SszContainer =>
  encoded(Codec.optimisticUpdate, value, WrittenForm.forkOfOptimistic(network, value.attestedHeader), network)

/** Reads a container that one of these functions wrote. Fails with `RefutedError` for other bytes. */
export const decode = <A>(
  codec: Codec.ContainerCodec<A>,
  { bytes, fork }: SszContainer,
  { syncCommitteeSize }: Network.Network
): Result.Result<A, RefutedError> => codec.decode(bytes, { fork, syncCommitteeSize })

/** Returns the JSON of a container, before `JSON.stringify`: its `version` and its `data`. */
export const toJson = <A>(
  codec: Codec.ContainerCodec<A>,
  container: SszContainer,
  network: Network.Network
): Result.Result<unknown, RefutedError> =>
  Result.map(decode(codec, container, network), (value) => ({
    version: container.fork,
    data: codec.toJson(value, { fork: container.fork, syncCommitteeSize: network.syncCommitteeSize })
  }))

/**
 * Returns an update as a chunk of the SSZ answer, which consists of such chunks: the length of the rest in 8 bytes, the
 * digest of the fork in 4 bytes, and the update. `slot` is the slot of the attested header.
 */
export const chunk = ({ bytes, fork }: SszContainer, slot: bigint, network: Network.Network): Uint8Array => {
  const own = network.forks.find(({ name }) => name === fork)
  const epoch = Clock.forkAt(network, slot) === fork ? Clock.epochOf(network, slot) : (own?.epoch ?? 0n)
  const digest = ForkDigest.at(network, epoch)
  const length = new Uint8Array(8)
  new DataView(length.buffer).setBigUint64(0, BigInt(digest.length + bytes.length), true)
  return Bytes.join([length, digest, bytes])
}

/** Returns the JSON of `beacon/genesis`. The version is that of the first fork that the network's description has. */
export const genesis = ({ forks, genesisTime, genesisValidatorsRoot }: Network.Network): unknown => ({
  data: {
    genesis_time: String(genesisTime),
    genesis_validators_root: genesisValidatorsRoot,
    genesis_fork_version: forks[0]!.version
  }
})

/** Returns the JSON of `config/spec`: the values of the network's description. */
export const spec = (network: Network.Network): unknown => {
  const { blobSchedule, chainId, epochsPerSyncCommitteePeriod, forks, name, secondsPerSlot } = network
  const schedule = forks.flatMap(({ epoch, name, version }) => [
    [`${name.toUpperCase()}_FORK_VERSION`, version],
    [`${name.toUpperCase()}_FORK_EPOCH`, String(epoch)]
  ])
  return {
    data: {
      CONFIG_NAME: name,
      SECONDS_PER_SLOT: String(secondsPerSlot),
      SLOTS_PER_EPOCH: String(network.slotsPerEpoch),
      EPOCHS_PER_SYNC_COMMITTEE_PERIOD: String(epochsPerSyncCommitteePeriod),
      SYNC_COMMITTEE_SIZE: String(network.syncCommitteeSize),
      DEPOSIT_CHAIN_ID: String(chainId),
      ...Object.fromEntries(schedule),
      ...(blobSchedule === undefined
        ? {}
        : {
            BLOB_SCHEDULE: blobSchedule.map(({ epoch, maxBlobs }) => ({
              EPOCH: String(epoch),
              MAX_BLOBS_PER_BLOCK: String(maxBlobs)
            }))
          })
    }
  }
}
