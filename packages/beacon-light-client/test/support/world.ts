/** Made chains that grow with the clock, and beacon nodes in memory that serve them. */
import {
  BeaconApiError,
  type BeaconNode,
  BeaconNodes,
  Bls,
  Clock,
  LightClient,
  MadeChain,
  type Network,
  TrustStore,
  type Update
} from "@plumbline/beacon-light-client"
import type { Hash32 } from "@plumbline/codec"
import { Clock as EffectClock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import { fastest } from "./engines.ts"

/** The distance between the finalized and the optimistic head, in epochs. */
const LAG = 2n

/** The signers and the finality of each slot. A test sets them to make a scenario. */
export interface Story {
  /** Returns the number of signers of an update that is signed in a slot. Default: all members sign. */
  readonly signers?: (slot: bigint) => number
  /** Returns the finalized slot at a head. Default: two epochs before the head's epoch. */
  readonly finalized?: (head: bigint) => bigint
}

/** A chain with its scenario of signatures. */
export interface World {
  readonly chain: MadeChain.MadeChain
  readonly network: Network.Network
  readonly finalized: (head: bigint) => bigint
  readonly signers: (slot: bigint) => number
}

/** Makes a world. */
export const world = (network: Network.Network, story: Story = {}, options?: MadeChain.MadeChainOptions): World => {
  const perEpoch = BigInt(network.slotsPerEpoch)
  return {
    chain: MadeChain.make(network, options),
    network,
    finalized: story.finalized ?? ((head) => (head / perEpoch - LAG) * perEpoch),
    signers: story.signers ?? (() => network.syncCommitteeSize)
  }
}

/** Sets the test's clock to the beginning of a slot. */
export const setSlot = (network: Network.Network, slot: bigint): Effect.Effect<void> =>
  TestClock.setTime(1000 * Number(Clock.timeOf(network, slot)))

const presentSlot = (network: Network.Network): Effect.Effect<bigint> =>
  Effect.map(EffectClock.currentTimeMillis, (now) => Clock.slotAt(network, now / 1000))

const unavailable = (call: BeaconApiError.BeaconApiCall) =>
  Effect.fail(new BeaconApiError.BeaconApiError({ node: "node", call, reason: new BeaconApiError.UnavailableError() }))

/** Makes an honest node. `checkpoints` are the slots whose bootstraps it keeps. */
export const node = (
  { chain, finalized, network, signers }: World,
  checkpoints: ReadonlyArray<bigint>,
  name = "honest"
): BeaconNode.BeaconNode => {
  const newest = (now: bigint) => {
    const attested = now - 1n
    return { attested, finalized: finalized(attested), signature: now, signers: signers(now) }
  }
  const signed = new Map<bigint, Update.Update>()
  const newestUpdate = Effect.map(presentSlot(network), (now) => {
    const known = signed.get(now) ?? chain.update(newest(now))
    signed.clear()
    signed.set(now, known)
    return known
  })
  return {
    name,
    bootstrap: (root) => {
      const slot = checkpoints.find((slot) => chain.root(slot) === root)
      return slot === undefined ? unavailable("bootstrap") : Effect.succeed(chain.bootstrap(slot))
    },
    updates: (start, count) =>
      Effect.map(presentSlot(network), (now) => {
        const last = Clock.periodOf(network, now)
        const size = Clock.slotsPerPeriod(network)
        return Array.from({ length: count }, (_, at) => start + BigInt(at))
          .filter((period) => period <= last)
          .map((period) => {
            const end = (period + 1n) * size - 1n
            return chain.update(newest(end < now ? end : now))
          })
      }),
    finalityUpdate: Effect.map(
      newestUpdate,
      ({ nextSyncCommittee: _committee, nextSyncCommitteeBranch: _branch, ...update }) => update
    ),
    optimisticUpdate: Effect.map(newestUpdate, ({ attestedHeader, signatureSlot, syncAggregate }) => ({
      attestedHeader,
      signatureSlot,
      syncAggregate
    }))
  }
}

/** The parameters with which a light client under test starts. */
export interface Setting {
  readonly network: Network.Network
  readonly nodes: ReadonlyArray<BeaconNode.BeaconNode>
  readonly options: LightClient.LightClientOptions
  readonly store?: TrustStore.TrustStore["Service"]
  readonly bls?: Bls.BlsEngine
}

/** Starts a light client in the scope of the test. */
export const follow = ({ bls = fastest, network, nodes, options, store }: Setting) =>
  Effect.flatMap(
    Layer.build(
      LightClient.layer(options).pipe(
        Layer.provide([
          Layer.succeed(BeaconNodes.BeaconNodes, BeaconNodes.make(nodes, network)),
          store === undefined ? TrustStore.layerMemory() : Layer.succeed(TrustStore.TrustStore, store),
          Layer.succeed(Bls.Bls, bls)
        ])
      )
    ),
    (context) => Effect.provideContext(LightClient.LightClient, context)
  )

/** A store in memory that outlives light clients. */
export const memory: Effect.Effect<TrustStore.TrustStore["Service"]> = Effect.provide(
  TrustStore.TrustStore,
  TrustStore.layerMemory()
)

/** Returns the root of the block at a slot, as a checkpoint. */
export const checkpointAt = ({ chain }: World, slot: bigint): Hash32.Hash32 => chain.root(slot)
