/**
 * The trust of a network: the block from which its nodes' answers are proven.
 *
 * A light client starts in the background, because a beacon node that is down must not keep the service down. Until it
 * has started, answers that need it are only claimed.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import * as BeaconNodes from "@plumbline/beacon-light-client/api/BeaconNodes"
import * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import * as BeaconNetwork from "@plumbline/beacon-light-client/network/Network"
import * as FileStore from "@plumbline/beacon-light-client/store/FileStore"
import * as TrustStore from "@plumbline/beacon-light-client/store/TrustStore"
import * as LightClientEvidence from "@plumbline/beacon-light-client/trust/LightClientEvidence"
import * as LightClientTrust from "@plumbline/beacon-light-client/trust/LightClientTrust"
import type * as BeaconChain from "@plumbline/devnet/beacon/BeaconChain"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import type { Ground } from "@plumbline/gateway/cache/VerifiedCache"
import type { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import * as Integrity from "@plumbline/gateway/integrity/Integrity"
import * as HttpUpstream from "@plumbline/gateway/networks/HttpUpstream"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { oneByOne, Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import type { Evidence } from "@plumbline/verdict/Evidence"
import * as Reason from "@plumbline/verdict/Reason"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"

import * as BeaconClock from "../beacon/BeaconClock.ts"
import * as BlsEngine from "../beacon/BlsEngine.ts"
import * as IntegritySettings from "../config/Integrity.ts"
import type * as Settings from "../config/Settings.ts"
import { DataError, dataError } from "../files/DataError.ts"
import type { EmbeddedNodes } from "./EmbeddedNodes.ts"

/** A light client of the network is starting, or cannot start yet. */
export const NotStarted: Reason.Kind<"NotStarted", { readonly network: string }> = Reason.kind(
  "NotStarted",
  ({ network }) => `the light client of the network ${network} has not started yet`
)

/** The nodes of the network have fewer operators than the quorum needs, so no block can be believed. */
export const TooFewOperators: Reason.Kind<"TooFewOperators", { readonly needed: number; readonly operators: number }> =
  Reason.kind(
    "TooFewOperators",
    ({ needed, operators }) => `the quorum needs ${needed} operators, and the nodes of the network have ${operators}`
  )

/** The trust of a network, and the rules for caching its answers. */
export interface NetworkTrust extends Omit<Ground, "id"> {
  readonly trust: TrustedBlock.TrustedBlock["Service"]
  /** Identifies the trust: two trusts of the same chain have different ids. */
  readonly id: string
}

/** Makes the trust of a network. The trust ends when the scope closes. */
export type TrustOf = (
  network: Settings.Network,
  nodes: ReadonlyArray<Integrity.Member>
) => Effect.Effect<NetworkTrust, DataError | GatewayError, Scope.Scope>

/** Time that the start of the service waits for a light client. */
const PATIENCE = "15 seconds"

/** Time between two tries to start a light client. */
const AGAIN = "30 seconds"

/**
 * Makes the trusts of networks. Light clients keep their heads in the folder; without a folder they start again from
 * the checkpoint.
 */
export const make = Effect.fnUntraced(function* (embedded: EmbeddedNodes, folder: string | undefined) {
  const files = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const path = Context.get(files, Path.Path)

  const lightClient = (
    name: string,
    nodes: ReadonlyArray<Integrity.Member>,
    settings: {
      readonly network: BeaconNetwork.Network
      readonly checkpoint: LightClient.Options["checkpoint"]
      readonly maxCheckpointAge: LightClient.Options["maxCheckpointAge"]
      readonly beacon: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
      readonly isKept: boolean
    }
  ) => {
    const { beacon, checkpoint, isKept, maxCheckpointAge, network } = settings
    const [first, ...others] = beacon
    const store =
      folder === undefined || !isKept
        ? TrustStore.layerMemory
        : FileStore.layer({ folder: path.join(folder, "light-clients", name) })
    const layer = LightClientTrust.layer.pipe(
      Layer.provide(LightClient.layer({ checkpoint, maxCheckpointAge })),
      Layer.provide([
        BeaconNodes.layerFetch({ network, nodes: [{ url: first }, ...others.map((url) => ({ url }))] }),
        store,
        BlsEngine.layer,
        Layer.succeed(Transport, anyOf(nodes))
      ]),
      Layer.provide(BeaconClock.layer),
      Layer.provide(Layer.succeedContext(files))
    )
    const start = Effect.map(Layer.build(layer), Context.get(TrustedBlock.TrustedBlock))
    return Effect.map(inBackground(name, start), (trust): NetworkTrust => ({
      trust,
      id: `checkpoint ${network.genesisValidatorsRoot} ${checkpoint}`,
      isFinal: ({ anchor, proven }) =>
        anchor._tag === "LightClient"
          ? anchor.finality === "finalized" || anchor.finality === "checkpoint"
          : anchor._tag === "Transaction" && proven.some(isFinalized)
    }))
  }

  const trustOf: TrustOf = Effect.fnUntraced(function* ({ integrity, name, upstreams }, nodes) {
    const trust = integrity?.trust
    if (integrity?.mode !== "prove") return none
    if (trust !== undefined && trust._tag !== "Checkpoint") return yield* known(trust, nodes, upstreams)
    if (trust === undefined) {
      const [only, ...others] = upstreams
      const chain = embedded.beacon()
      if (only?._tag !== "Embedded" || only.node !== "live" || others.length > 0 || chain === undefined) return none
      return yield* lightClient(name, nodes, {
        network: chain.network,
        checkpoint: yield* chain.checkpoint,
        maxCheckpointAge: "Infinity",
        beacon: [Redacted.make(yield* opened(chain))],
        // every start makes another chain, so the light client keeps nothing for the next start
        isKept: false
      })
    }
    const network = yield* Effect.provideContext(networkNamed(trust.network), files)
    return yield* lightClient(name, nodes, { ...trust, network, isKept: true })
  })
  return trustOf
})

const none: NetworkTrust = {
  trust: Effect.runSync(Effect.provide(TrustedBlock.TrustedBlock, TrustedBlock.layerNone)),
  id: "nothing",
  isFinal: () => false
}

/** True if members of a sync committee signed a state in which the block is finalized. */
const isFinalized = (evidence: Evidence): boolean =>
  LightClientEvidence.CommitteeSigned.is(evidence) && evidence.finality === "finalized"

/** Makes a trust that needs no light client. */
const known = (
  trust: Exclude<IntegritySettings.Trust, { readonly _tag: "Checkpoint" }>,
  nodes: ReadonlyArray<Integrity.Member>,
  upstreams: Settings.Network["upstreams"]
): Effect.Effect<NetworkTrust, GatewayError, Scope.Scope> => {
  if (trust._tag === "Block") {
    const { hash } = trust
    return Effect.map(serviceOf(TrustedBlock.layerPinned(hash)), (service) => ({
      trust: service,
      id: `block ${hash}`,
      isFinal: ({ anchor, proven }) =>
        anchor._tag === "Transaction"
          ? proven.some((evidence) => EthEvidence.OnChain.is(evidence))
          : anchor.hash.toLowerCase() === hash
    }))
  }
  const { accept } = trust
  // the nodes may name another block later
  const isFinal = () => false
  if (trust._tag === "Operator") {
    const node = Layer.effect(Transport, Effect.map(HttpUpstream.make({ url: trust.url }), Integrity.transportOf))
    return Effect.map(serviceOf(TrustedBlock.layerOperator(node, { accept })), (service) => ({
      trust: service,
      id: "operator",
      isFinal
    }))
  }
  const { needed } = trust
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
export const withoutBeacon: TrustOf = ({ integrity, upstreams }, nodes) => {
  const trust = integrity?.trust
  return integrity?.mode !== "prove" || trust === undefined || trust._tag === "Checkpoint"
    ? Effect.succeed(none)
    : known(trust, nodes, upstreams)
}

const serviceOf = <E>(layer: Layer.Layer<TrustedBlock.TrustedBlock, E>) =>
  Effect.map(Layer.build(layer), Context.get(TrustedBlock.TrustedBlock))

/**
 * Asks the nodes one after the other for the header of a head. The light client knows the hash, so it can check the
 * header.
 */
const anyOf = (nodes: ReadonlyArray<Integrity.Member>): Transport["Service"] => {
  const transports = nodes.map(({ upstream }) => Integrity.transportOf(upstream))
  const from = (at: number, asked: Parameters<Transport["Service"]["call"]>[0]): Effect.Effect<unknown, JsonRpcError> =>
    Effect.catch(transports[at]!.call(asked), (error) =>
      at + 1 < transports.length ? from(at + 1, asked) : Effect.fail(error)
    )
  const call: Transport["Service"]["call"] = (asked) => from(0, asked)
  return { call, callAll: oneByOne(call) }
}

/** Starts a trust, and tries again until it has started. Waits for the first try, but at most `PATIENCE`. */
const inBackground = Effect.fnUntraced(function* <E extends { readonly message: string }>(
  network: string,
  start: Effect.Effect<TrustedBlock.TrustedBlock["Service"], E, Scope.Scope>
) {
  const scope = yield* Effect.scope
  const tried = yield* Deferred.make<void>()
  let trust: TrustedBlock.TrustedBlock["Service"] | undefined
  const attempt = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    trust = yield* Effect.onError(Scope.provide(start, own), () => Scope.close(own, Exit.void))
  })
  const told = Effect.tapError(attempt, (error) =>
    Effect.andThen(
      Effect.annotateLogs(Effect.logWarning("a light client cannot start", error.message), { network }),
      Deferred.succeed(tried, undefined)
    )
  )
  const trying = Effect.andThen(Effect.retry(told, Schedule.spaced(AGAIN)), Deferred.succeed(tried, undefined))
  yield* Effect.forkScoped(Effect.ignore(trying))
  yield* Effect.timeoutOption(Deferred.await(tried), PATIENCE)
  const service: TrustedBlock.TrustedBlock["Service"] = {
    resolve: (block) =>
      trust === undefined ? Effect.succeed({ _tag: "Nothing", reason: NotStarted({ network }) }) : trust.resolve(block)
  }
  return service
})

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

/** Returns the known network of this name. Any other name is the path of a file, which is read. */
const networkNamed = Effect.fnUntraced(function* (name: string) {
  const known = IntegritySettings.known.find((network) => network.name === name)
  if (known !== undefined) return known
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(fs.readFileString(name), (error) => dataError(name, "Unreadable", error))
  return yield* Effect.mapError(
    decode(text),
    ({ message }) =>
      new DataError({ path: name, problem: "Damaged", detail: `it describes no beacon chain: ${message}` })
  )
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(BeaconNetwork.Network))
