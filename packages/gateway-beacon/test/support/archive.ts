/** Archives of made chains, and gateways that serve them. */
import {
  BeaconApiError,
  BeaconNode,
  BeaconNodes,
  Bls,
  BlstEngine,
  Clock,
  LightClient,
  MadeNetwork,
  type Network,
  TrustStore
} from "@plumbline/beacon-light-client"
import * as World from "@plumbline/beacon-light-client/support/world"
import type { Hash32 } from "@plumbline/codec"
import { BeaconArchive, BeaconProduct } from "@plumbline/gateway-beacon"
import type * as Databases from "@plumbline/gateway/support/databases"
import * as Service from "@plumbline/gateway/support/service"
import { Clock as EffectClock, Effect, Layer, Logger, Result } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"

export { setSlot, world } from "@plumbline/beacon-light-client/support/world"
export type { World } from "@plumbline/beacon-light-client/support/world"

const native = await Effect.runPromise(Effect.result(BlstEngine.make(() => import("@chainsafe/blst"))))
/** The fastest engine of this platform. */
export const bls: Bls.BlsEngine = Result.isSuccess(native) ? native.success : Bls.noble

/** A network of Electra and later forks: a period has 64 slots, and Gloas begins in period 10. */
export const network: Network.Network = MadeNetwork.make({
  forks: MadeNetwork.make().forks.map((fork, at) => ({ ...fork, epoch: at < 5 ? 0n : at === 5 ? 30n : 84n }))
})

/** The slot of the checkpoint: the first of period 1. */
export const START = 64n

/** An honest node that has the bootstrap of every epoch's first block. */
export const honest = (world: World.World, name = "honest"): BeaconNode.BeaconNode => {
  const { chain, network } = world
  const slots = new Map<string, bigint>()
  let next = 0n
  return {
    ...World.node(world, [], name),
    bootstrap: (root) =>
      Effect.flatMap(EffectClock.currentTimeMillis, (now) => {
        const present = Clock.slotAt(network, now / 1000)
        for (; next <= present; next += BigInt(network.slotsPerEpoch)) slots.set(chain.root(next), next)
        const slot = slots.get(root)
        return slot === undefined ? missing(name, "bootstrap") : Effect.succeed(chain.bootstrap(slot))
      })
  }
}

const missing = (node: string, call: BeaconApiError.BeaconApiCall) =>
  Effect.fail(new BeaconApiError.BeaconApiError({ node, call, reason: new BeaconApiError.UnavailableError() }))

/** A node whose answers end when `isDown` returns true. */
export const mortal = (node: BeaconNode.BeaconNode, isDown: () => boolean): BeaconNode.BeaconNode => {
  const reason = new BeaconApiError.ConnectionError({ detail: "connection failed" })
  const down = Effect.fail(new BeaconApiError.BeaconApiError({ node: node.name, call: "updates", reason }))
  const alive = <A, E>(work: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | BeaconApiError.BeaconApiError> => (isDown() ? down : work))
  return {
    ...node,
    bootstrap: (root) => alive(node.bootstrap(root)),
    updates: (start, count) => alive(node.updates(start, count)),
    finalityUpdate: alive(node.finalityUpdate),
    optimisticUpdate: alive(node.optimisticUpdate)
  }
}

export interface Opened {
  readonly nodes: ReadonlyArray<BeaconNode.BeaconNode>
  readonly database: Databases.Database
  readonly options: BeaconArchive.BeaconArchiveOptions
  readonly records?: TrustStore.TrustStore["Service"]
  readonly of?: Network.Network
}

/** Opens an archive, which stands for a process, until the scope closes. */
export const open = ({ database, nodes, of = network, options, records }: Opened) =>
  Effect.flatMap(
    Layer.build(
      Layer.mergeAll(
        Layer.succeed(BeaconNodes.BeaconNodes, BeaconNodes.make(nodes, of)),
        records === undefined ? TrustStore.layerMemory() : Layer.succeed(TrustStore.TrustStore, records),
        database.layer
      )
    ),
    (context) =>
      BeaconArchive.make({ maxCheckpointAge: "Infinity", ...options }).pipe(
        Effect.provideContext(context),
        Effect.provideService(Bls.Bls, bls),
        Effect.provideService(Logger.CurrentLoggers, new Set())
      )
  )

/** Starts a gateway that serves the archive as the chain `live`, the name of the gateway's network. */
export const serve = (
  archive: BeaconArchive.BeaconArchive,
  options: NonNullable<Parameters<typeof Service.start>[1]> = {},
  state?: Parameters<typeof Service.start>[2]
) =>
  Service.start(
    { call: () => Effect.succeed(new TextEncoder().encode('"0x1"')) },
    { ...options, beacon: BeaconProduct.make([{ name: "live", archive }]) },
    state
  )

/** Starts a light client that knows only the URL of a gateway. */
export const reader = (url: string, checkpoint: Hash32.Hash32, of = network) =>
  Effect.flatMap(
    Layer.build(Layer.mergeAll(BeaconNodes.layerFetch({ network: of, nodes: [{ url }] }), TrustStore.layerMemory())),
    (context) =>
      LightClient.make({ checkpoint, maxCheckpointAge: "Infinity" }).pipe(
        Effect.provideContext(context),
        Effect.provideService(Bls.Bls, bls)
      )
  )

/** A beacon node at a URL, without any check of its answers. */
export const nodeAt = (url: string, accept: string) =>
  BeaconNode.make({ url, headers: { accept } }, network).pipe(Effect.provide(FetchHttpClient.layer))

/** Waits until something holds, while other fibers run. Dies if it does not hold after many turns of the event loop. */
export const until = Effect.fnUntraced(function* <E, R>(holds: Effect.Effect<boolean, E, R>) {
  for (let turn = 0; turn < TURNS; turn++) {
    if (yield* holds) return
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
  return yield* Effect.die(new Error(`it does not hold after ${TURNS} turns`))
})

const TURNS = 50_000

/** Waits until the archive asks its nodes nothing more, and so its light client waits for the next slot. */
const quiet = Effect.fnUntraced(function* (archive: BeaconArchive.BeaconArchive) {
  let asked = -1
  let turns = 0
  yield* until(
    Effect.map(archive.status, ({ nodes }) => {
      const now = nodes.reduce((sum, node) => sum + node.asked, 0)
      turns = now === asked ? turns + 1 : 0
      asked = now
      return turns > QUIET
    })
  )
})

const QUIET = 100

/** Waits until the archive has the bootstrap of a finalized head. */
export const reached = (archive: BeaconArchive.BeaconArchive, root: Hash32.Hash32) =>
  Effect.andThen(until(Effect.map(archive.bootstrap(root), (found) => found !== undefined)), quiet(archive))

/** Lets the light client of an archive sleep until the slot before, and then poll in this slot. */
export const goTo = Effect.fnUntraced(function* (archive: BeaconArchive.BeaconArchive, slot: bigint) {
  yield* quiet(archive)
  yield* World.setSlot(network, slot - 1n)
  yield* quiet(archive)
  // it polls when a third of the slot has passed
  yield* TestClock.setTime(1000 * (Number(Clock.timeOf(network, slot)) + network.secondsPerSlot / 2))
  yield* quiet(archive)
})
