/** Networks for made chains, with the sizes of the minimal preset: 64 slots a period and 32 members. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"

import * as Fork from "../network/Fork.ts"
import type * as Network from "../network/Network.ts"

/** Options of a network: any of its parts, and the distance between its forks. */
export interface MadeNetworkOptions extends Partial<Network.Network> {
  /**
   * Epochs from one fork to the next, from Altair at epoch 0 to Gloas. Default: 12, which is one and a half periods of
   * a sync committee.
   */
  readonly apart?: bigint | undefined
}

/** The defaults of the options that are no part of a network. */
export const defaults: { readonly apart: bigint } = { apart: 12n }

/**
 * Makes a network.
 *
 * ```ts import.meta.vitest
 * import { Clock, MadeNetwork } from "@plumbline/beacon-light-client"
 *
 * const network = MadeNetwork.make()
 * Clock.periodOf(network, 64n) // => 1n
 * Clock.forkAt(network, 12n * 8n) // => "bellatrix"
 * ```
 */
export const make = ({ apart = defaults.apart, ...parts }: MadeNetworkOptions = {}): Network.Network => ({
  name: "made",
  chainId: 1337n,
  genesisTime: 1_600_000_000n,
  genesisValidatorsRoot: Hash32.fromHexUnsafe(`0x${"5a".repeat(32)}`),
  secondsPerSlot: 6,
  slotsPerEpoch: 8,
  epochsPerSyncCommitteePeriod: 8,
  syncCommitteeSize: 32,
  forks: Fork.all.map((name, at) => ({ name, version: `0x0${at + 1}000001`, epoch: BigInt(at) * apart })),
  ...parts
})
