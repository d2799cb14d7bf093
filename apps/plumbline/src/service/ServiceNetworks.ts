/**
 * The networks of a configuration. After a change of configuration, a network with unchanged settings keeps its nodes,
 * with their connections and their known health.
 */
import { createHash } from "node:crypto"

import * as EthFilters from "@plumbline/eth-methods/methods/EthFilters"
import type { VerifiedCache } from "@plumbline/gateway/cache/VerifiedCache"
import type { SettingError } from "@plumbline/gateway/errors/SettingError"
import * as CallQueue from "@plumbline/gateway/integrity/CallQueue"
import * as Integrity from "@plumbline/gateway/integrity/Integrity"
import * as EthFeeds from "@plumbline/gateway/networks/eth/EthFeeds"
import * as EthFilterCalls from "@plumbline/gateway/networks/eth/EthFilterCalls"
import * as HttpUpstream from "@plumbline/gateway/networks/HttpUpstream"
import type { Network } from "@plumbline/gateway/networks/Network"
import * as PendingUpstream from "@plumbline/gateway/networks/PendingUpstream"
import * as UpstreamPool from "@plumbline/gateway/networks/pool/UpstreamPool"
import type { Upstream } from "@plumbline/gateway/networks/Upstream"
import * as WebSocketUpstream from "@plumbline/gateway/networks/WebSocketUpstream"
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import * as OpStackChains from "@plumbline/op-stack/chain/OpStackChains"
import * as CallBounds from "@plumbline/verified-calls/rules/CallBounds"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"

import { isSocket, methodsWith, usualMethods } from "../config/NetworksSection.ts"
import type * as ServiceSettings from "../config/ServiceSettings.ts"
import * as ProgramVersion from "../home/ProgramVersion.ts"
import type * as CallThreads from "./CallThreads.ts"
import type { EmbeddedLies } from "./EmbeddedLies.ts"
import type { EmbeddedNodes } from "./EmbeddedNodes.ts"
import * as Fingerprint from "./Fingerprint.ts"
import * as HashRule from "./HashRule.ts"
import * as NetworkTrusts from "./NetworkTrusts.ts"

/** The parts that networks with integrity need. */
export interface NetworkProofs {
  readonly trustOf: NetworkTrusts.MakeNetworkTrust
  /** The cache of proven answers, which is opened by the first network that needs it. */
  readonly cache: Effect.Effect<VerifiedCache | undefined>
  /** The threads that run calls, and the queue of all networks; undefined if no calls are run. */
  readonly calls?: { readonly threads: CallThreads.CallThreads; readonly queue: CallQueue.CallQueue } | undefined
  /** The embedded nodes that can be told to lie. */
  readonly lies?: EmbeddedLies | undefined
  /** Makes the subscriptions and filters of a network. Default: over the network's own nodes. */
  readonly feedsOf?: ((network: string) => Effect.Effect<NetworkFeeds, never, Scope.Scope>) | undefined
}

/** The subscriptions of a network, and its filters. */
export type NetworkFeeds = Required<Pick<Network, "feeds" | "filters">>

/** The same, with the queue of long ranges of logs of all networks. */
interface SharedProofs extends NetworkProofs {
  readonly logQueue: CallQueue.CallQueue
}

/** Networks that are ready, but not yet in use. */
export interface PreparedNetworks {
  readonly networks: ReadonlyArray<Network>
  /**
   * Puts the networks in use. Returns the effect that closes the old nodes that the new networks do not use. Run it
   * when no call uses those nodes.
   */
  readonly commit: Effect.Effect<Effect.Effect<void>>
  /** Closes networks that will not be used. */
  readonly discard: Effect.Effect<void>
}

/** Returns the maker of networks. The nodes of these networks close with the scope. */
export const make = Effect.fnUntraced(function* (
  embedded: EmbeddedNodes,
  proofs: NetworkProofs = { trustOf: NetworkTrusts.withoutBeacon, cache: Effect.undefined }
) {
  const scope = yield* Effect.scope
  const logQueue = yield* Effect.fromResult(CallQueue.make())
  let used: ReadonlyMap<string, Entry> = new Map()

  return {
    prepare: Effect.fnUntraced(function* (wanted: ReadonlyArray<ServiceSettings.NetworkSettings>) {
      const next = new Map<string, Entry>()
      const fresh: Array<Scope.Closeable> = []
      const discard = Effect.suspend(() => closeAll(fresh))
      const build = Effect.forEach(
        wanted,
        Effect.fnUntraced(function* (settings) {
          const key = Fingerprint.of(settings)
          const known = used.get(key)
          if (known !== undefined) {
            next.set(key, known)
            return known.network
          }
          const own = yield* Scope.fork(scope)
          fresh.push(own)
          const network = yield* Scope.provide(networkOf(settings, embedded, { ...proofs, logQueue }), own)
          next.set(key, { network, scope: own })
          return network
        }),
        // in parallel, because the first start of an embedded node takes long
        { concurrency: "unbounded" }
      )
      const networks = yield* Effect.onError(
        Effect.tap(build, (networks) => Effect.fromResult(sameChains([...used.values()], networks))),
        () => discard
      )
      const prepared: PreparedNetworks = {
        networks,
        discard,
        commit: Effect.sync(() => {
          const gone = [...used].filter(([key]) => !next.has(key)).map(([, entry]) => entry.scope)
          used = next
          return closeAll(gone)
        })
      }
      return prepared
    })
  }
})

/**
 * Fails if a network would belong to another chain under its old name. Callers of a name, their filters and their
 * subscriptions would get answers of both chains, and no error.
 */
const sameChains = (
  used: ReadonlyArray<Entry>,
  networks: ReadonlyArray<Network>
): Result.Result<void, SettingError> => {
  for (const { chainId, name } of networks) {
    const before = used.find(({ network }) => network.name === name)?.network.chainId
    if (before === undefined || String(before) === String(chainId)) continue
    const problem = `was ${before} and would be ${chainId}: give the other chain a name of its own, or restart the service`
    return Result.fail(Setting.settingError({ path: ["networks", name, "chainId"], problem }))
  }
  return Result.void
}

export type ServiceNetworks = Effect.Success<ReturnType<typeof make>>

const closeAll = (scopes: ReadonlyArray<Scope.Closeable>): Effect.Effect<void> =>
  Effect.forEach(scopes, (scope) => Scope.close(scope, Exit.void), { discard: true })

interface Entry {
  readonly network: Network
  readonly scope: Scope.Closeable
}

const networkOf = Effect.fnUntraced(function* (
  settings: ServiceSettings.NetworkSettings,
  embedded: EmbeddedNodes,
  proofs: SharedProofs
) {
  const { hosts, kind, name, upstreams } = settings
  const nodes = yield* Effect.forEach(upstreams, (upstream) => nodeOf(upstream, kind, embedded), {
    concurrency: "unbounded"
  })
  // a network with an embedded node has that node's methods, because a pool has methods of its own
  const own = nodes.find((node) => node.chainId !== undefined)
  const methods = methodsWith(own?.methods ?? usualMethods(kind), settings)
  const chainId = settings.chainId ?? own!.chainId
  const integrity = yield* integrityOf(
    settings,
    chainId,
    nodes.map(({ upstream }, index) => {
      const { embedded, name } = upstreams[index]!
      return { name, upstream: (embedded && proofs.lies?.around(embedded, upstream)) ?? upstream }
    }),
    own?.hardforks,
    proofs
  )
  // a single embedded node needs no check; any other node is asked for its chain id, and watched
  const only = nodes.length === 1 && own !== undefined && integrity === undefined ? own.upstream : undefined
  const pool =
    only ??
    (yield* UpstreamPool.make(
      nodes.map(({ upstream }, index) => {
        return { ...upstreams[index]!, upstream: integrity?.members[index] ?? upstream }
      }),
      { ...settings, methods, chain: { method: `${kind}_chainId`, id: chainId } }
    ))
  const upstream = integrity?.around(pool) ?? pool
  const network: Network = {
    name,
    hosts,
    chainId,
    methods: kind === "starknet" ? methods : MethodGroup.merge(methods, EthFilters.group),
    upstream,
    isChecked: integrity !== undefined,
    lies: integrity?.lies,
    anchor: integrity?.anchor,
    trust: integrity?.state,
    ...(kind === "starknet" ? {} : yield* proofs.feedsOf?.(name) ?? newsOf(upstream))
  }
  return network
})

/** Makes the subscriptions of a network, and the filters over them. */
const newsOf = Effect.fnUntraced(function* (upstream: Upstream) {
  const feeds = yield* EthFeeds.make(upstream)
  return { feeds, filters: yield* EthFilterCalls.make(feeds, upstream) }
})

/** Wraps the nodes of a network in its checks; undefined if the network has no checks. */
const integrityOf = Effect.fnUntraced(function* (
  settings: ServiceSettings.NetworkSettings,
  chainId: number | string,
  nodes: ReadonlyArray<Integrity.IntegrityNode>,
  ownForks: Hardforks.ChainForks | undefined,
  { cache, calls, logQueue, trustOf }: SharedProofs
) {
  const { integrity, logWork, name, rest, unprovable } = settings
  if (integrity === "off") return undefined
  const { id, isFinal, laterForks, state, trust } = yield* trustOf(settings, nodes)
  // embedded chains hash by Ethereum's rule
  const isElsewhere = settings.upstreams.every(({ url }) => url !== undefined)
  const engine = isElsewhere ? yield* HashRule.engineOf(nodes, BigInt(chainId), laterForks) : undefined
  if (engine !== undefined) {
    yield* Effect.annotateLogs(Effect.logWarning(`a network ${HashRule.warningOf(engine)}`), { network: name })
  }
  const forks = forksOf(settings, BigInt(chainId), ownForks)
  const FastRecovery = yield* Effect.promise(() => import("@plumbline/secp256k1/FastRecovery"))
  const { anchor, around, lies, members } = yield* Integrity.make(nodes, {
    network: name,
    mode: integrity,
    unprovable,
    rest,
    logWork,
    logTime: LOG_SHARE * Math.min(settings.timeout, settings.tryTimeout),
    chainId: BigInt(chainId),
    engine,
    forks: laterForks,
    trust,
    recovery: yield* FastRecovery.make,
    calls:
      integrity === "prove" ? yield* calls?.threads.engine(forks, settings.tryTimeout) ?? Effect.undefined : undefined,
    callQueue: calls?.queue,
    logQueue
  })
  const kept = yield* cache
  const ground = { id: `${chainId} ${id}`, callRules: forks && idOf(forks, ProgramVersion.read()), isFinal }
  return {
    members,
    anchor,
    state,
    lies,
    around: (pool: Upstream) => (kept === undefined ? around(pool) : kept.around(around(pool), ground))
  }
})

/** The share of the time for one node in which the logs of a range must be proven. After the whole, the pool blames it. */
const LOG_SHARE = 0.8

/** Returns the rules of a network's calls: the operator's, else those of a known chain or of the embedded node. */
export const forksOf = (
  { hardforks }: Pick<ServiceSettings.NetworkSettings, "hardforks">,
  chainId: bigint,
  own: Hardforks.ChainForks | undefined
): Hardforks.ChainForks | undefined =>
  hardforks === undefined
    ? (own ?? Hardforks.of(chainId) ?? OpStackChains.evmForks(chainId))
    : {
        chainId,
        forks: hardforks.map(({ blobUpdateFraction, block, hardfork, time }) => ({
          hardfork,
          block: block === undefined ? undefined : BigInt(block),
          time: time === undefined ? undefined : BigInt(time),
          blobUpdateFraction: blobUpdateFraction === undefined ? undefined : BigInt(blobUpdateFraction)
        }))
      }

/**
 * Returns an id of the rules of calls. Calls by other rules, with another amount of gas, or by the machine of another
 * version, may have other results: a mistake of the machine must not outlive its repair in a store of answers.
 */
export const idOf = ({ forks }: Hardforks.ChainForks, version: string): string => {
  const rules = forks.map(({ blobUpdateFraction = "", block = "", hardfork, time = "" }) =>
    [hardfork, block, time, blobUpdateFraction].join(" ")
  )
  return createHash("sha256")
    .update([version, CallBounds.defaults.gas, ...rules].join("\n"))
    .digest("hex")
    .slice(0, 16)
}

const nodeOf = Effect.fnUntraced(function* (
  upstream: ServiceSettings.UpstreamSettings,
  kind: ServiceSettings.NetworkSettings["kind"],
  embedded: EmbeddedNodes
) {
  const node =
    upstream.embedded === undefined
      ? { upstream: yield* upstreamOf(upstream, kind), chainId: undefined, methods: undefined }
      : yield* embedded.get(upstream.embedded)
  // each node gets this wrapper separately, because each node has its own version
  return kind === "starknet" ? { ...node, upstream: PendingUpstream.make(node.upstream) } : node
})

export const upstreamOf = (
  { batch, headers, timeout, url }: ServiceSettings.UpstreamSettings,
  kind: ServiceSettings.NetworkSettings["kind"]
) =>
  isSocket(url!)
    ? WebSocketUpstream.make({ url: url!, headers, timeout })
    : HttpUpstream.make({ url: url!, headers, timeout, batch: batch && { ...batch, methods: usualMethods(kind) } })
