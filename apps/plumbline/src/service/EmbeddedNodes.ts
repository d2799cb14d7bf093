/**
 * The embedded nodes. Each starts when a network first asks for it, and stops when the last network that uses it is
 * closed. A new configuration is prepared before the old one is closed, so that a chain keeps running when its network
 * is renamed.
 */
import * as Anvil from "@plumbline/devnet/anvil/Anvil"
import type { AnvilError } from "@plumbline/devnet/anvil/AnvilError"
import * as BeaconChain from "@plumbline/devnet/beacon/BeaconChain"
import * as History from "@plumbline/devnet/history/History"
import type { HistoryError } from "@plumbline/devnet/history/HistoryError"
import * as StarknetPool from "@plumbline/devnet/pool/StarknetPool"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import type { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import type { Upstream } from "@plumbline/gateway/networks/Upstream"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"

import * as HistoryRules from "../call/HistoryRules.ts"
import type { EmbeddedNetwork } from "../config/ServiceSettings.ts"
import * as LiveChain from "./LiveChain.ts"

/** A node, its chain, and its methods. */
export interface EmbeddedNode {
  readonly upstream: Upstream
  readonly chainId: number
  readonly methods: MethodGroup.Any
  /** The rules of its calls. The second chain has none. */
  readonly hardforks?: Hardforks.ChainForks | undefined
}

type NodeError = AnvilError | GatewayError | HistoryError | JsonRpcError

export interface EmbeddedNodes {
  /** Returns a node, which runs until the scope closes. If a node did not start, the next call tries again. */
  readonly get: (name: EmbeddedNetwork) => Effect.Effect<EmbeddedNode, NodeError, Scope.Scope>
  /** Returns the beacon chain of the live chain; undefined while the live chain does not run. */
  readonly beacon: () => BeaconChain.BeaconChain["Service"] | undefined
}

/** Makes the nodes, which stop when the scope closes. */
export const make: Effect.Effect<EmbeddedNodes, never, Scope.Scope> = Effect.gen(function* () {
  let beacon: BeaconChain.BeaconChain["Service"] | undefined

  const live = Effect.gen(function* () {
    const { chainId, transport, upstream } = yield* LiveChain.make
    const chain = yield* Effect.provideService(BeaconChain.make({ name: "live" }), Transport, transport)
    yield* Effect.acquireRelease(
      Effect.sync(() => (beacon = chain)),
      () => Effect.sync(() => (beacon = undefined))
    )
    const hardforks = Hardforks.always(BigInt(chainId), Anvil.defaults.hardfork)
    return { upstream, chainId, methods: EthMethods.group, hardforks }
  })
  const history = Effect.map(History.make, (node) => ({
    upstream: node,
    chainId: node.chainId,
    methods: EthMethods.group,
    hardforks: HistoryRules.forks()
  }))
  const pool = Effect.map(StarknetPool.make(), (node) => ({
    upstream: node,
    chainId: Number(node.chainId),
    methods: StarknetPool.group
  }))

  const starts: { readonly [Name in EmbeddedNetwork]: Effect.Effect<EmbeddedNode, NodeError, Scope.Scope> } = {
    live,
    history,
    "starknet-pool": pool
  }
  const nodes = yield* RcMap.make({ lookup: (name: EmbeddedNetwork) => starts[name] })
  return { get: (name) => RcMap.get(nodes, name), beacon: () => beacon }
})
