/**
 * Networks of beacon chains, as data: their genesis, their sizes and their forks.
 *
 * A network is configuration. The networks of this module are built in. The Schema `Network` reads any other network
 * from a file.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as Schema from "effect/Schema"

import * as Fork_ from "./Fork.ts"
import * as wire from "./networkJson.ts"

/** A fork of a network: from the first slot of `epoch` on, `version` is in the domain of signatures. */
export interface ForkSchedule {
  /**
   * A fork of `Fork.all`, or a later fork that this version does not know. Heads of such a fork cannot be followed, and
   * the light client says so.
   */
  readonly name: string
  /** 4 bytes. */
  readonly version: Hex.Hex
  readonly epoch: bigint
}

/** The number of blobs that blocks may have from an epoch on. */
export interface BlobParameters {
  readonly epoch: bigint
  readonly maxBlobs: number
}

/** A beacon chain. */
export interface Network {
  readonly name: string
  /** Seconds since 1970. */
  readonly genesisTime: bigint
  readonly genesisValidatorsRoot: Hash32.Hash32
  readonly secondsPerSlot: number
  readonly slotsPerEpoch: number
  readonly epochsPerSyncCommitteePeriod: number
  /** Members of a sync committee: a multiple of 8. */
  readonly syncCommitteeSize: number
  /** The forks in order, starting with Altair. A fork whose epoch is not known yet is left out. */
  readonly forks: ReadonlyArray<ForkSchedule>
  /** Chain ID of the execution chain. */
  readonly chainId: bigint
  /**
   * The numbers of blobs that changed from Fulu on, in order: `BLOB_SCHEDULE` (EIP-7892). They are part of the digests
   * by which servers name the fork of an update in SSZ, and decide nothing about proofs. Default: not known.
   */
  readonly blobSchedule?: ReadonlyArray<BlobParameters> | undefined
}

const isOrdered = (forks: ReadonlyArray<ForkSchedule>): boolean =>
  forks[0]?.name === Fork_.all[0] &&
  forks.every(({ epoch, name }, at) => {
    const before = forks[at - 1]
    return before === undefined || (epoch >= before.epoch && (isNext(name, before.name) || isLater(name, before.name)))
  })

const isNext = (name: string, before: string): boolean =>
  Fork_.isFork(before) && name === Fork_.all[Fork_.all.indexOf(before) + 1]

const isLater = (name: string, before: string): boolean => !Fork_.isFork(name) && name !== before

const isPowerOfTwo = (count: number): boolean => (count & (count - 1)) === 0

/**
 * Schema of a network, in the form of a file. Numbers may be JSON numbers or decimal text.
 *
 * Forks that this version does not know may follow the known ones. It refuses forks that are out of order or have a
 * gap, a committee whose size is not a power of two from 8 to 65,536,
 * and periods that do not fit into 32 bits.
 *
 * ```ts import.meta.vitest
 * import { Network } from "@plumbline/beacon-light-client"
 * import { Schema } from "effect"
 *
 * const file = Schema.encodeSync(Network.Network)(Network.sepolia)
 * file.genesisTime // => "1655733600"
 * Schema.decodeUnknownSync(Network.Network)(file) // => Network.sepolia
 * Schema.is(Network.Network)({ ...Network.sepolia, syncCommitteeSize: 500 }) // => false
 * ```
 */
export const Network: Schema.Codec<Network, unknown> = /* @__PURE__ */ (() =>
  Schema.Struct({
    name: Schema.NonEmptyString,
    genesisTime: wire.large,
    genesisValidatorsRoot: wire.root,
    secondsPerSlot: wire.count,
    slotsPerEpoch: wire.count,
    epochsPerSyncCommitteePeriod: wire.count,
    syncCommitteeSize: wire.count.check(
      Schema.makeFilter((size: number) => size >= 8 && size <= 65_536 && isPowerOfTwo(size), {
        expected: "a power of two from 8 to 65536"
      })
    ),
    forks: Schema.Array(
      Schema.Struct({
        name: Schema.String.check(Schema.isPattern(/^(?!phase0$)[a-z][a-z0-9_]{1,31}$/u, { expected: "a fork" })),
        version: wire.version,
        epoch: wire.large
      })
    ).check(
      Schema.makeFilter(isOrdered, {
        expected: "forks in their order, without a gap, from altair on"
      })
    ),
    chainId: wire.large,
    blobSchedule: Schema.optional(Schema.Array(Schema.Struct({ epoch: wire.large, maxBlobs: wire.count })))
  }).check(
    Schema.makeFilter(
      ({ epochsPerSyncCommitteePeriod, slotsPerEpoch }) => {
        return slotsPerEpoch * epochsPerSyncCommitteePeriod <= 0xffff_ffff
      },
      { expected: "a period of at most 4294967295 slots" }
    )
  ))()

/** The preset of public networks. */
const PRESET = {
  secondsPerSlot: 12,
  slotsPerEpoch: 32,
  epochsPerSyncCommitteePeriod: 256,
  syncCommitteeSize: 512
} as const

/** Pairs versions with epochs, from Altair on. */
const schedule = (...forks: ReadonlyArray<readonly [version: Hex.Hex, epoch: bigint]>): ReadonlyArray<ForkSchedule> =>
  forks.map(([version, epoch], at) => ({ name: Fork_.all[at]!, version, epoch }))

/**
 * Mainnet, up to Fulu.
 *
 * Source: consensus-specs `configs/mainnet.yaml`.
 */
export const mainnet: Network = /* @__PURE__ */ (() => ({
  ...PRESET,
  name: "mainnet",
  chainId: 1n,
  genesisTime: 1606824023n,
  genesisValidatorsRoot: "0x4b363db94e286120d76eb905340fdd4e54bfe9f06bf33ff6cf5ad27f511bfe95" as Hash32.Hash32,
  forks: schedule(
    ["0x01000000", 74240n],
    ["0x02000000", 144896n],
    ["0x03000000", 194048n],
    ["0x04000000", 269568n],
    ["0x05000000", 364032n],
    ["0x06000000", 411392n]
  ),
  blobSchedule: [
    { epoch: 412672n, maxBlobs: 15 },
    { epoch: 419072n, maxBlobs: 21 }
  ]
}))()

/**
 * Sepolia, up to Gloas.
 *
 * Source: eth-clients/sepolia `metadata/config.yaml`.
 */
export const sepolia: Network = /* @__PURE__ */ (() => ({
  ...PRESET,
  name: "sepolia",
  chainId: 11155111n,
  genesisTime: 1655733600n,
  genesisValidatorsRoot: "0xd8ea171f3c94aea21ebc42a1ed61052acf3f9209c00e4efbaaddac09ed9b8078" as Hash32.Hash32,
  forks: schedule(
    ["0x90000070", 50n],
    ["0x90000071", 100n],
    ["0x90000072", 56832n],
    ["0x90000073", 132608n],
    ["0x90000074", 222464n],
    ["0x90000075", 272640n],
    ["0x90000076", 353024n]
  ),
  blobSchedule: [
    { epoch: 274176n, maxBlobs: 15 },
    { epoch: 275712n, maxBlobs: 21 }
  ]
}))()

/**
 * Hoodi, up to Fulu.
 *
 * Source: eth-clients/hoodi `metadata/config.yaml`.
 */
export const hoodi: Network = /* @__PURE__ */ (() => ({
  ...PRESET,
  name: "hoodi",
  chainId: 560048n,
  genesisTime: 1742213400n,
  genesisValidatorsRoot: "0x212f13fc4df078b6cb7db228f1c8307566dcecf900867401a92023d7ba99cb5f" as Hash32.Hash32,
  forks: schedule(
    ["0x20000910", 0n],
    ["0x30000910", 0n],
    ["0x40000910", 0n],
    ["0x50000910", 0n],
    ["0x60000910", 2048n],
    ["0x70000910", 50688n]
  ),
  blobSchedule: [
    { epoch: 52480n, maxBlobs: 15 },
    { epoch: 54016n, maxBlobs: 21 }
  ]
}))()
