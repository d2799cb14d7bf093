/**
 * The trust of a network: the block from which its nodes' answers are proven.
 *
 * A light client starts in the background, because a beacon node that is down must not keep the service down. Until it
 * has started, answers that need it are only claimed.
 */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import * as BeaconNodes from "@plumbline/beacon-light-client/api/BeaconNodes"
import * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import * as BeaconSlots from "@plumbline/beacon-light-client/network/Clock"
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import * as FileStore from "@plumbline/beacon-light-client/store/FileStore"
import * as TrustStore from "@plumbline/beacon-light-client/store/TrustStore"
import * as LightClientEvidence from "@plumbline/beacon-light-client/trust/LightClientEvidence"
import * as LightClientReason from "@plumbline/beacon-light-client/trust/LightClientReason"
import * as LightClientTrust from "@plumbline/beacon-light-client/trust/LightClientTrust"
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as BeaconChain from "@plumbline/devnet/beacon/BeaconChain"
import type * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import type { ChainTrust } from "@plumbline/gateway/cache/VerifiedCache"
import type { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import * as Integrity from "@plumbline/gateway/integrity/Integrity"
import * as HttpUpstream from "@plumbline/gateway/networks/HttpUpstream"
import type { TrustedHead, TrustState } from "@plumbline/gateway/networks/Network"
import * as NodeWatch from "@plumbline/gateway/networks/NodeWatch"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import type { Evidence } from "@plumbline/verdict/Evidence"
import * as Reason from "@plumbline/verdict/Reason"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"

import * as BeaconClock from "../beacon/BeaconClock.ts"
import * as BeaconNetwork from "../beacon/BeaconNetwork.ts"
import * as BlsEngine from "../beacon/BlsEngine.ts"
import type * as IntegritySectionSettings from "../config/IntegritySection.ts"
import type * as ServiceSettings from "../config/ServiceSettings.ts"
import type { DataError } from "../files/DataError.ts"
import * as LaterForksFile from "../rules/LaterForksFile.ts"
import type { EmbeddedNodes } from "./EmbeddedNodes.ts"
import * as RollupNetworkTrust from "./RollupNetworkTrust.ts"
import * as SharedTrust from "./SharedTrust.ts"
import * as TrustNodes from "./trustNodes.ts"

/** A light client of the network is starting, or cannot start yet. */
export const NotStarted: Reason.ReasonKind<"NotStarted", { readonly network: string }> = Reason.kind(
  "NotStarted",
  ({ network }) => `the light client of the network ${network} has not started yet`
)

/** The nodes of the network have fewer operators than the quorum needs, so no block can be believed. */
export const TooFewOperators: Reason.ReasonKind<
  "TooFewOperators",
  { readonly needed: number; readonly operators: number }
> = Reason.kind(
  "TooFewOperators",
  ({ needed, operators }) => `the quorum needs ${needed} operators, and the nodes of the network have ${operators}`
)

/** The trust of a network, and the rules for caching its answers. */
export interface NetworkTrust extends Omit<ChainTrust, "id"> {
  readonly trust: TrustedBlock.TrustedBlock["Service"]
  /** Identifies the trust: two trusts of the same chain have different ids. */
  readonly id: string
  /** Returns the state of the trust, if it asks nodes. */
  readonly state?: (() => TrustState) | undefined
  /** The forks that the network's file names, whose headers the proofs take as known. */
  readonly laterForks?: LaterForks.LaterForks | undefined
}

/** Makes the trust of a network. The trust ends when the scope closes. */
export type MakeNetworkTrust = (
  network: ServiceSettings.NetworkSettings,
  nodes: ReadonlyArray<Integrity.IntegrityNode>
) => Effect.Effect<NetworkTrust, DataError | GatewayError, Scope.Scope>

/** Time that the start of the service waits for a light client. */
const PATIENCE = "15 seconds"

/** Time between two tries to start a light client. */
const AGAIN = "30 seconds"

/** Time between two questions for forks that the light client does not know. */
const LOOK = "1 hour"

/** The warning about such a fork begins this long before the fork, in seconds. */
const AHEAD = 14 * 86_400

/**
 * Makes the trusts of networks. Light clients keep their heads in the database if several processes share it, otherwise
 * in the folder; without both they start again from the checkpoint.
 */
export const make = Effect.fnUntraced(function* (
  embedded: EmbeddedNodes,
  folder: string | undefined,
  shared?: SqlClient.SqlClient
) {
  const files = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const path = Context.get(files, Path.Path)

  const lightClient = (
    name: string,
    nodes: ReadonlyArray<Integrity.IntegrityNode>,
    settings: {
      readonly network: Network.Network
      readonly checkpoint: Hash32.Hash32
      /** At least one. */
      readonly beacon: ReadonlyArray<Redacted.Redacted>
      readonly isKept: boolean
    } & LightClientTrust.LightClientTrustOptions &
      Pick<LightClient.LightClientOptions, "maxCheckpointAge" | "maxHeadAge" | "minParticipation">
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
          : FileStore.layer({ folder: path.join(folder, "light-clients", name) })
    const layer = LightClientTrust.layer({ forks: settings.forks }).pipe(
      Layer.provideMerge(LightClient.layer({ checkpoint, maxCheckpointAge, maxHeadAge, minParticipation })),
      Layer.provide([beacons, store, BlsEngine.layer, Layer.succeed(Transport, TrustNodes.anyOf(nodes))]),
      Layer.provide(BeaconClock.layer),
      Layer.provide(Layer.succeedContext(files))
    )
    // the beacon chain of the live chain is in this process
    const watched = isKept ? watchedIn(beacons) : Effect.succeed(() => [])
    return Effect.map(
      Effect.all([inBackground(name, Layer.build(layer)), watched]),
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
    return yield* lightClient(name, nodes, { ...settings, network, isKept: true })
  })

  /** Makes the trust in the parent chain of a rollup. */
  const ofL1 = (
    name: string,
    l1: RollupNetworkTrust.RollupTrustSettings["l1"],
    nodes: ReadonlyArray<Integrity.IntegrityNode>
  ): Effect.Effect<NetworkTrust, DataError | GatewayError, Scope.Scope> => {
    const { beacon = [], block, checkpoint } = l1
    return checkpoint === undefined
      ? known({ block: block! }, nodes, [])
      : followed(name, nodes, { ...l1, checkpoint, beacon })
  }

  const trustedBlockOf = Effect.fnUntraced(function* (
    { integrity, name, trust, upstreams }: ServiceSettings.NetworkSettings,
    nodes: ReadonlyArray<Integrity.IntegrityNode>,
    forks: LaterForks.LaterForks | undefined
  ): Effect.fn.Return<NetworkTrust, DataError | GatewayError, Scope.Scope> {
    if (integrity !== "prove") return none
    const { l1, rollup, state } = trust ?? {}
    if (rollup !== undefined && l1 !== undefined) {
      const inL1 = RollupNetworkTrust.make({ rollup, l1, accept: state }, nodes, (l1, own) =>
        ofL1(`${name}-l1`, l1, own)
      )
      return yield* Effect.provideContext(inL1, files)
    }
    if (trust === undefined) {
      const [only, ...others] = upstreams
      const chain = embedded.beacon()
      if (only?.embedded !== "live" || others.length > 0 || chain === undefined) return none
      return yield* lightClient(name, nodes, {
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

/** Makes trusts without light clients. */
export const withoutBeacon: MakeNetworkTrust = ({ integrity, trust, upstreams }, nodes) =>
  integrity !== "prove" || trust === undefined || trust.checkpoint !== undefined
    ? Effect.succeed(none)
    : known(trust, nodes, upstreams)

const serviceOf = <E>(layer: Layer.Layer<TrustedBlock.TrustedBlock, E>) =>
  Effect.map(Layer.build(layer), Context.get(TrustedBlock.TrustedBlock))

/** Starts a light client, and tries again until it has started. Waits for the first try, but at most `PATIENCE`. */
const inBackground = Effect.fnUntraced(function* <E extends { readonly message: string }>(
  network: string,
  start: Effect.Effect<Context.Context<TrustedBlock.TrustedBlock | LightClient.LightClient>, E, Scope.Scope>
) {
  const scope = yield* Effect.scope
  const tried = yield* Deferred.make<void>()
  let trust: TrustedBlock.TrustedBlock["Service"] | undefined
  let light: LightClient.Client | undefined
  let fork: BeaconNodes.UnknownFork | undefined
  let failure: unknown
  const attempt = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    const started = yield* Effect.onError(Scope.provide(start, own), () => Scope.close(own, Exit.void))
    trust = Context.get(started, TrustedBlock.TrustedBlock)
    light = Context.get(started, LightClient.LightClient)
  })
  const told = Effect.tapError(attempt, (error) => {
    failure = error
    return Effect.andThen(
      Effect.annotateLogs(Effect.logWarning("a light client cannot start", error.message), { network }),
      Deferred.succeed(tried, undefined)
    )
  })
  const look = Effect.suspend(() => light?.unknownFork ?? Effect.undefined).pipe(
    Effect.tap((found) => Effect.sync(() => (fork = found))),
    Effect.repeat(Schedule.spaced(LOOK))
  )
  const trying = Effect.retry(told, Schedule.spaced(AGAIN)).pipe(
    Effect.andThen(Deferred.succeed(tried, undefined)),
    Effect.andThen(look)
  )
  yield* Effect.forkScoped(Effect.ignore(trying))
  yield* Effect.timeoutOption(Deferred.await(tried), PATIENCE)
  const notStarted = (): Reason.Reason => {
    const fork = LightClientTrust.unknownForkOf(failure)
    return fork === undefined ? NotStarted({ network }) : LightClientReason.UnknownFork({ fork })
  }
  const service: TrustedBlock.TrustedBlock["Service"] = {
    resolve: (block) =>
      trust === undefined
        ? Effect.succeed({ _tag: "Nothing", reason: notStarted(), isYet: true })
        : trust.resolve(block)
  }
  const state = (): TrustState =>
    light === undefined ? { heads: [], problems: [notStarted().sentence] } : Effect.runSync(stateOf(light, fork))
  return { trust: service, state }
})

/** Watches the beacon nodes, also while the light client cannot start. Endpoints that are invalid are not watched. */
const watchedIn = (beacons: ReturnType<typeof BeaconNodes.layerFetch>) =>
  Layer.build(beacons).pipe(
    Effect.map((context) => Context.get(context, BeaconNodes.BeaconNodes).pulses),
    // `/health` is open to all, so it names positions instead of hosts, as for the nodes of networks
    Effect.map((pulses) => pulses.map(({ answers }, index) => ({ name: `beacon-${index + 1}`, answers }))),
    Effect.orElseSucceed(() => []),
    Effect.flatMap(NodeWatch.make)
  )

/** Returns the state of a light client. `fork` is the first fork that it does not know. */
const stateOf = Effect.fnUntraced(function* (light: LightClient.Client, fork: BeaconNodes.UnknownFork | undefined) {
  const found = yield* Effect.result(light.heads)
  if (found._tag === "Failure") {
    return { heads: [], problems: [`a check refuted the light client's chain: ${found.failure.check}`] }
  }
  const { network } = light
  const heads: Array<TrustedHead> = []
  const problems: Array<string> = []
  for (const [head, which] of [
    ["optimistic", "newest"],
    ["finalized", "finalized"]
  ] as const) {
    const followed = found.success[head]
    const { header, support } = followed
    const reason = yield* LightClientTrust.distrustReason(light, followed, which)
    if (reason !== undefined) problems.push(reason.sentence)
    heads.push({
      head,
      slot: Number(header.beacon.slot),
      ageSeconds: yield* LightClientTrust.ageOf(light, followed),
      signed: support._tag === "Checkpoint" ? 0 : support.signed,
      isTrusted: reason === undefined
    })
  }
  const problem = yield* light.problem
  if (problem?._tag === "RefutedError") problems.push(`a beacon node's answer was refuted: ${problem.check}`)
  if (fork === undefined) return { heads, problems }
  const now = yield* light.bounds?.now ?? Clock.currentTimeMillis
  const begins = Number(BeaconSlots.timeOf(network, fork.epoch * BigInt(network.slotsPerEpoch)))
  const inSeconds = begins - Math.floor(now / 1000)
  if (inSeconds < AHEAD) problems.push(warningOf(fork.name, begins, inSeconds))
  return { heads, problems, unknownFork: { name: fork.name, inSeconds } }
})

const warningOf = (fork: string, begins: number, inSeconds: number): string => {
  const day = new Date(1000 * begins).toISOString().slice(0, 10)
  const when = inSeconds > 0 ? `begins on ${day}` : `began on ${day}`
  return `the fork ${fork} ${when}, and the light client does not know it: update this version, or add the fork to the network's file`
}

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
