/** Makes the trusts of networks, as the configuration names them. */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import * as BeaconNodes from "@plumbline/beacon-light-client/api/BeaconNodes"
import * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import * as FileStore from "@plumbline/beacon-light-client/store/FileStore"
import * as TrustStore from "@plumbline/beacon-light-client/store/TrustStore"
import * as LightClientEvidence from "@plumbline/beacon-light-client/trust/LightClientEvidence"
import * as LightClientTrust from "@plumbline/beacon-light-client/trust/LightClientTrust"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as BeaconChain from "@plumbline/devnet/beacon/BeaconChain"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import type * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import type { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import * as Integrity from "@plumbline/gateway/integrity/Integrity"
import * as HttpUpstream from "@plumbline/gateway/networks/HttpUpstream"
import * as NodeWatch from "@plumbline/gateway/networks/NodeWatch"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import type { Evidence } from "@plumbline/verdict/Evidence"
import * as Reason from "@plumbline/verdict/Reason"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"

import * as BeaconClock from "../beacon/BeaconClock.ts"
import * as BeaconNetwork from "../beacon/BeaconNetwork.ts"
import * as BlsEngine from "../beacon/BlsEngine.ts"
import type * as IntegritySectionSettings from "../config/IntegritySection.ts"
import type * as ServiceSettings from "../config/ServiceSettings.ts"
import type { DataError } from "../files/DataError.ts"
import * as LaterForksFile from "../rules/LaterForksFile.ts"
import * as BackgroundLightClient from "./BackgroundLightClient.ts"
import type { EmbeddedNodes } from "./EmbeddedNodes.ts"
import type { NetworkTrust } from "./NetworkTrust.ts"
import * as RollupNetworkTrust from "./RollupNetworkTrust.ts"
import * as SharedTrust from "./SharedTrust.ts"
import * as TrustNodes from "./trustNodes.ts"

/** The nodes of the network have fewer operators than the quorum needs, so no block can be believed. */
export const TooFewOperators: Reason.ReasonKind<
  "TooFewOperators",
  { readonly needed: number; readonly operators: number }
> = Reason.kind(
  "TooFewOperators",
  ({ needed, operators }) => `the quorum needs ${needed} operators, and the nodes of the network have ${operators}`
)

/** Makes the trust of a network. The trust ends when the scope closes. */
export type MakeNetworkTrust = (
  network: ServiceSettings.NetworkSettings,
  nodes: ReadonlyArray<Integrity.IntegrityNode>
) => Effect.Effect<NetworkTrust, DataError | GatewayError, Scope.Scope>

/** The parts that trusts share with other processes. */
export interface TrustParts {
  /** The database of a state that several processes share. */
  readonly shared?: SqlClient.SqlClient | undefined
  /** Follows the light client of another process, in place of one of this process. */
  readonly follow?:
    | ((name: string, network: Network.Network, bounds: LightClient.HeadBounds) => Effect.Effect<LightClient.Client>)
    | undefined
  /** Runs with each light client that has started, until the scope closes. */
  readonly onLight?: ((name: string, light: LightClient.Client) => Effect.Effect<void>) | undefined
}

/**
 * Makes the trusts of networks. Light clients keep their heads in the database if several processes share it, otherwise
 * in the folder; without both they start again from the checkpoint.
 */
export const make = Effect.fnUntraced(function* (
  embedded: EmbeddedNodes,
  folder: string | undefined,
  parts: TrustParts = {}
) {
  const files = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const place: TrustPlace = { ...parts, files, folder }

  /** Makes a light client of a network by its name or file. */
  const followed = Effect.fnUntraced(function* (
    name: string,
    nodes: ReadonlyArray<Integrity.IntegrityNode>,
    settings: IntegritySectionSettings.ProvenTrust & {
      readonly checkpoint: Hash32.Hash32
      readonly beacon: ReadonlyArray<Redacted.Redacted>
    } & LightClientTrust.LightClientTrustOptions
  ) {
    const network = yield* Effect.provideContext(BeaconNetwork.named(settings.network!), files)
    return yield* lightClient(place, name, nodes, { ...settings, network, isKept: true })
  })

  /** Makes the trust in the parent chain of a rollup. */
  const ofL1 = (
    name: string,
    l1: RollupNetworkTrust.RollupTrustSettings["l1"],
    nodes: ReadonlyArray<Integrity.IntegrityNode>,
    forks: LaterForks.LaterForks | undefined
  ): Effect.Effect<NetworkTrust, DataError | GatewayError, Scope.Scope> => {
    const { beacon = [], block, checkpoint } = l1
    return checkpoint === undefined
      ? known({ block: block! }, nodes, [])
      : followed(name, nodes, { ...l1, checkpoint, beacon, forks })
  }

  const trustedBlockOf = Effect.fnUntraced(function* (
    { integrity, name, trust, upstreams }: ServiceSettings.NetworkSettings,
    nodes: ReadonlyArray<Integrity.IntegrityNode>,
    forks: LaterForks.LaterForks | undefined
  ): Effect.fn.Return<NetworkTrust, DataError | GatewayError, Scope.Scope> {
    if (integrity !== "prove") return none
    const { l1, rollup, state } = trust ?? {}
    if (rollup !== undefined && l1 !== undefined) {
      const inL1 = RollupNetworkTrust.make({ rollup, l1, accept: state }, nodes, forks, (l1, own) =>
        ofL1(`${name}-l1`, l1, own, forks)
      )
      return yield* Effect.provideContext(inL1, files)
    }
    if (trust === undefined) {
      const [only, ...others] = upstreams
      // the history chain has ended: its last block is known
      if (only?.embedded === "history" && others.length === 0) {
        return yield* known({ block: Hash32.fromHexUnsafe(HistoryChain.head.hash) }, nodes, upstreams)
      }
      const chain = embedded.beacon()
      if (only?.embedded !== "live" || others.length > 0 || chain === undefined) return none
      return yield* lightClient(place, name, nodes, {
        network: chain.network,
        checkpoint: yield* chain.checkpoint,
        maxCheckpointAge: "Infinity",
        beacon: [Redacted.make(yield* opened(chain))],
        // every start makes another chain, so the light client keeps nothing for the next start
        isKept: false
      })
    }
    const { beacon = [], checkpoint } = trust
    if (checkpoint === undefined) return yield* known(trust, nodes, upstreams)
    return yield* followed(name, nodes, { ...trust, checkpoint, beacon, forks })
  })
  const trustOf: MakeNetworkTrust = Effect.fnUntraced(function* (network, nodes) {
    const file = network.laterForks
    const laterForks = file === undefined ? undefined : yield* Effect.provideContext(LaterForksFile.read(file), files)
    const trusted = yield* trustedBlockOf(network, nodes, laterForks)
    // what is kept under other names of header fields is not kept for these
    return laterForks === undefined ? trusted : { ...trusted, id: `${trusted.id} ${digest(laterForks)}`, laterForks }
  })
  return trustOf
})

/** The data folder and the files, and what is shared with other processes. */
interface TrustPlace extends TrustParts {
  readonly files: Context.Context<FileSystem.FileSystem | Path.Path>
  readonly folder: string | undefined
}

interface LightClientSettings
  extends
    LightClientTrust.LightClientTrustOptions,
    Pick<LightClient.LightClientOptions, "maxCheckpointAge" | "maxHeadAge" | "minParticipation"> {
  readonly network: Network.Network
  readonly checkpoint: Hash32.Hash32
  /** At least one. */
  readonly beacon: ReadonlyArray<Redacted.Redacted>
  readonly isKept: boolean
}

/** Makes the trust in the blocks that a light client of the beacon chain follows. */
const lightClient = (
  { files, folder, follow, onLight, shared }: TrustPlace,
  name: string,
  nodes: ReadonlyArray<Integrity.IntegrityNode>,
  settings: LightClientSettings
) => {
  const { beacon, checkpoint, isKept, maxCheckpointAge, maxHeadAge, minParticipation, network } = settings
  const [first, ...others] = beacon
  const beacons = BeaconNodes.layerFetch({ network, nodes: [{ url: first! }, ...others.map((url) => ({ url }))] })
  const store = !isKept
    ? TrustStore.layerMemory()
    : shared !== undefined
      ? Layer.provide(SharedTrust.layer({ name, checkpoint, network }), Layer.succeed(SqlClient.SqlClient, shared))
      : folder === undefined
        ? TrustStore.layerMemory()
        : FileStore.layer({ folder: Context.get(files, Path.Path).join(folder, "light-clients", name) })
  const own = LightClient.layer({ checkpoint, maxCheckpointAge, maxHeadAge, minParticipation })
  const light =
    follow === undefined
      ? Layer.tap(own, (context) =>
          onLight === undefined
            ? Effect.void
            : Effect.forkScoped(onLight(name, Context.get(context, LightClient.LightClient)))
        )
      : Layer.effect(
          LightClient.LightClient,
          follow(name, network, {
            now: Effect.clockWith((clock) => Effect.sync(() => clock.currentTimeMillisUnsafe())),
            maxHeadAge: maxHeadAge === undefined ? undefined : Duration.toMillis(Duration.fromInputUnsafe(maxHeadAge)),
            minParticipation
          })
        )
  const [node, ...more] = nodes.map(({ upstream }) => Integrity.transportOf(upstream))
  const layer = LightClientTrust.layer({ forks: settings.forks, others: more }).pipe(
    Layer.provideMerge(light),
    Layer.provide([beacons, store, BlsEngine.layer, Layer.succeed(Transport, node!)]),
    Layer.provide(BeaconClock.layer),
    Layer.provide(Layer.succeedContext(files))
  )
  // the beacon chain of the live chain is in this process
  const watched = isKept && follow === undefined ? BackgroundLightClient.watchedIn(beacons) : Effect.succeed(() => [])
  return Effect.map(
    Effect.all([BackgroundLightClient.inBackground(name, Layer.build(layer)), watched]),
    ([light, nodes]): NetworkTrust => ({
      trust: light.trust,
      state: () => TrustNodes.withNodes(light.state(), nodes()),
      id: `checkpoint ${network.genesisValidatorsRoot} ${checkpoint}`,
      isFinal: ({ anchor, proven }) =>
        anchor._tag === "LightClient"
          ? anchor.finality === "finalized" || anchor.finality === "checkpoint"
          : anchor._tag === "Transaction" && proven.some(isFinalized)
    })
  )
}

const digest = (forks: LaterForks.LaterForks): string =>
  createHash("sha256").update(JSON.stringify(forks)).digest("hex").slice(0, 16)

const none: NetworkTrust = {
  trust: Effect.runSync(Effect.provide(TrustedBlock.TrustedBlock, TrustedBlock.layerNone())),
  id: "nothing",
  isFinal: () => false
}

/** True if members of a sync committee signed a state in which the block is finalized. */
const isFinalized = (evidence: Evidence): boolean =>
  LightClientEvidence.CommitteeSigned.is(evidence) && evidence.finality === "finalized"

/** Makes a trust that needs no light client. */
const known = (
  { accept = false, block, operator, quorum: needed = 0 }: IntegritySectionSettings.TrustSettings,
  nodes: ReadonlyArray<Integrity.IntegrityNode>,
  upstreams: ServiceSettings.NetworkSettings["upstreams"]
): Effect.Effect<NetworkTrust, GatewayError, Scope.Scope> => {
  if (block !== undefined) {
    return Effect.map(serviceOf(TrustedBlock.layerPinned(block)), (service) => ({
      trust: service,
      id: `block ${block}`,
      isFinal: ({ anchor, proven }) =>
        anchor._tag === "Transaction"
          ? proven.some((evidence) => EthEvidence.OnChain.is(evidence))
          : anchor.hash.toLowerCase() === block
    }))
  }
  // the nodes may name another block later
  const isFinal = () => false
  if (operator !== undefined) {
    return Effect.gen(function* () {
      const node = yield* HttpUpstream.make({ url: operator })
      const transport = Layer.succeed(Transport, Integrity.transportOf(node))
      const nodes = yield* NodeWatch.make([{ name: "operator", answers: RollupNetworkTrust.answersOf(node) }])
      return {
        trust: yield* serviceOf(TrustedBlock.layerOperator(transport, { accept })),
        state: () => TrustNodes.withNodes({ problems: [] }, nodes()),
        id: "operator",
        isFinal
      }
    })
  }
  const voters = nodes.map(({ name, upstream }, index) => ({
    name,
    operator: upstreams[index]!.operator ?? name,
    transport: Integrity.transportOf(upstream)
  }))
  const operators = new Set(voters.map(({ operator }) => operator)).size
  const layer =
    needed > operators
      ? Layer.succeed(TrustedBlock.TrustedBlock, {
          resolve: () => Effect.succeed({ _tag: "Nothing" as const, reason: TooFewOperators({ needed, operators }) })
        })
      : TrustedBlock.layerQuorum(voters, { needed, accept })
  return Effect.map(serviceOf(layer), (service) => ({
    trust: service,
    id: `quorum ${needed} of ${operators}`,
    isFinal
  }))
}

/** Makes trusts without light clients, and none of rollups. */
export const withoutBeacon: MakeNetworkTrust = ({ integrity, trust, upstreams }, nodes) =>
  integrity !== "prove" || trust === undefined || trust.checkpoint !== undefined || trust.rollup !== undefined
    ? Effect.succeed(none)
    : known(trust, nodes, upstreams)

const serviceOf = <E>(layer: Layer.Layer<TrustedBlock.TrustedBlock, E>) =>
  Effect.map(Layer.build(layer), Context.get(TrustedBlock.TrustedBlock))

/** Opens the beacon chain of the embedded live chain on a port of this machine, for the light client of this process. */
const opened = (chain: BeaconChain.BeaconChain["Service"]): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer(chain.handle)
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return server
      }),
      (server) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )
