/**
 * The nodes of this process. Each starts when a network first asks for it, and stays until the service ends: a chain that
 * people use does not go because a network was renamed.
 */
import * as Anvil from "@plumbline/devnet/Anvil"
import type { AnvilError } from "@plumbline/devnet/AnvilError"
import * as History from "@plumbline/devnet/History"
import type { HistoryError } from "@plumbline/devnet/HistoryError"
import * as StarknetPool from "@plumbline/devnet/StarknetPool"
import * as EthMethods from "@plumbline/eth-methods/EthMethods"
import type { GatewayError } from "@plumbline/gateway/GatewayError"
import * as HttpUpstream from "@plumbline/gateway/HttpUpstream"
import type { Upstream } from "@plumbline/gateway/Upstream"
import * as WebSocketUpstream from "@plumbline/gateway/WebSocketUpstream"
import type * as MethodGroup from "@plumbline/jsonrpc-core/MethodGroup"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

import { ChainEnded } from "../CommandError.ts"
import type { Embedded } from "../config/Settings.ts"

/** A node, the chain that it has, and what may be called on it. */
export interface Node {
  readonly upstream: Upstream
  readonly chainId: number
  readonly methods: MethodGroup.Any
}

/** The nodes. */
export interface EmbeddedNodes {
  readonly get: (name: Embedded) => Effect.Effect<Node, AnvilError | GatewayError | HistoryError>
  /** The end of one that ended by itself. */
  readonly ended: Effect.Effect<never, ChainEnded>
}

/** They end with the scope. */
export const make: Effect.Effect<EmbeddedNodes, never, Scope.Scope> = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const ended = yield* Deferred.make<never, ChainEnded>()

  const live = Effect.gen(function* () {
    const anvil = yield* Anvil.make()
    yield* Effect.forkScoped(
      Effect.flatMap(anvil.exited, (exit) =>
        Deferred.fail(ended, new ChainEnded({ network: "live", detail: exit.message }))
      )
    )
    const { call } = yield* HttpUpstream.make({ url: anvil.url })
    const { subscribe } = yield* WebSocketUpstream.make({ url: anvil.wsUrl })
    return { upstream: { call, subscribe }, chainId: anvil.chainId, methods: EthMethods.group }
  })
  const history = Effect.map(History.make, (node) => ({
    upstream: node,
    chainId: node.chainId,
    methods: EthMethods.group
  }))
  const pool = Effect.map(StarknetPool.make(), (node) => ({
    upstream: node,
    chainId: Number(node.chainId),
    methods: StarknetPool.group
  }))

  // one that could not be started is tried again when it is asked for again
  const once = <E>(start: Effect.Effect<Node, E, Scope.Scope>) =>
    Effect.cachedWithTTL(Scope.provide(start, scope), (exit) =>
      Exit.isSuccess(exit) ? Duration.infinity : Duration.zero
    )
  const nodes = { live: yield* once(live), history: yield* once(history), "starknet-pool": yield* once(pool) }
  return { get: (name) => nodes[name], ended: Deferred.await(ended) }
})
