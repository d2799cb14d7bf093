/**
 * The networks of a configuration. After a change, a network whose settings stay keeps its nodes: their connections,
 * and the knowledge of their health.
 */
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import * as EthFeeds from "@plumbline/gateway/networks/eth/EthFeeds"
import * as HttpUpstream from "@plumbline/gateway/networks/HttpUpstream"
import type { Network } from "@plumbline/gateway/networks/Network"
import * as PendingUpstream from "@plumbline/gateway/networks/PendingUpstream"
import * as UpstreamPool from "@plumbline/gateway/networks/pool/UpstreamPool"
import * as WebSocketUpstream from "@plumbline/gateway/networks/WebSocketUpstream"
import * as Starknet from "@plumbline/second-chain-methods/methods/Starknet"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"

import type * as Settings from "../config/Settings.ts"
import type { EmbeddedNodes } from "./EmbeddedNodes.ts"
import * as Fingerprint from "./Fingerprint.ts"

/** Networks that are made, but not yet in use. */
export interface Prepared {
  readonly networks: ReadonlyArray<Network>
  /**
   * Puts the networks in use. Returns the effect that closes the old nodes that are not among the new ones, to be run
   * when no call uses them.
   */
  readonly commit: Effect.Effect<Effect.Effect<void>>
  /** Closes networks that will not be used. */
  readonly discard: Effect.Effect<void>
}

/** Makes networks; their nodes close with the scope. */
export const make = Effect.fnUntraced(function* (embedded: EmbeddedNodes) {
  const scope = yield* Effect.scope
  let used: ReadonlyMap<string, Entry> = new Map()

  return {
    prepare: Effect.fnUntraced(function* (wanted: ReadonlyArray<Settings.Network>) {
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
          const network = yield* Scope.provide(networkOf(settings, embedded), own)
          next.set(key, { network, scope: own })
          return network
        }),
        // in parallel, because the first start of an embedded node takes long
        { concurrency: "unbounded" }
      )
      const networks = yield* Effect.onError(build, () => discard)
      const prepared: Prepared = {
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

/** The maker of networks. */
export type Networks = Effect.Success<ReturnType<typeof make>>

const closeAll = (scopes: ReadonlyArray<Scope.Closeable>): Effect.Effect<void> =>
  Effect.forEach(scopes, (scope) => Scope.close(scope, Exit.void), { discard: true })

interface Entry {
  readonly network: Network
  readonly scope: Scope.Closeable
}

const networkOf = Effect.fnUntraced(function* (settings: Settings.Network, embedded: EmbeddedNodes) {
  const { balance, hosts, kind, maxLag, name, timeout, tryTimeout, upstreams } = settings
  const nodes = yield* Effect.forEach(upstreams, (upstream) => nodeOf(upstream, kind, embedded), {
    concurrency: "unbounded"
  })
  // a network with an embedded node has that node's methods, because a pool has some of its own
  const own = nodes.find((node) => node.chainId !== undefined)
  const methods = own?.methods ?? (kind === "starknet" ? Starknet.group : EthMethods.group)
  const chainId = settings.chainId ?? own!.chainId
  // an embedded node that is alone needs no check; any other node is asked for its chain, and watched
  const only = nodes.length === 1 && own !== undefined ? own.upstream : undefined
  const upstream =
    only ??
    (yield* UpstreamPool.make(
      nodes.map(({ upstream }, index) => ({
        name: upstreams[index]!.name,
        upstream,
        weight: upstreams[index]!.weight
      })),
      {
        methods,
        by: balance,
        timeout,
        tryTimeout,
        chain: { method: `${kind}_chainId`, id: chainId },
        lag: maxLag === undefined ? undefined : { blocks: maxLag }
      }
    ))
  const network: Network = {
    name,
    hosts,
    chainId,
    methods,
    upstream,
    ...(kind === "starknet" ? {} : { feeds: yield* EthFeeds.make(upstream) })
  }
  return network
})

const nodeOf = Effect.fnUntraced(function* (
  upstream: Settings.Upstream,
  kind: Settings.Network["kind"],
  embedded: EmbeddedNodes
) {
  const node =
    upstream._tag === "Embedded"
      ? yield* embedded.get(upstream.node)
      : { upstream: yield* upstreamOf(upstream), chainId: undefined, methods: undefined }
  // each node by itself, because the version of one says nothing about another
  return kind === "starknet" ? { ...node, upstream: PendingUpstream.make(node.upstream) } : node
})

const upstreamOf = ({ headers, timeout, url }: Extract<Settings.Upstream, { readonly _tag: "Url" }>) =>
  /^wss?:/iu.test(Redacted.value(url))
    ? WebSocketUpstream.make({ url, headers, timeout })
    : HttpUpstream.make({ url, headers, timeout })
