/**
 * What the gateway needs from a node: one function.
 *
 * A pool with failover, a cache, a synthesis of methods that nodes dropped: each is an `Upstream` made of others.
 *
 * @since 0.1.0
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"

import type { UpstreamFault } from "./UpstreamFault.ts"

/**
 * A node.
 *
 * `method` and `params` were checked: the gateway sends nothing else. The answer is the JSON text of the result in
 * UTF-8, as the node wrote it. A refusal of the node is an error object; interruption gives the call up.
 *
 * ```ts import.meta.vitest
 * import type { Upstream } from "@plumbline/gateway"
 * import * as Effect from "effect/Effect"
 *
 * const upstream: Upstream.Upstream = {
 *   call: (method) =>
 *     method === "eth_chainId"
 *       ? Effect.succeed(new TextEncoder().encode('"0x1"'))
 *       : Effect.fail({ code: -32601, message: "not here" })
 * }
 * await Effect.runPromise(upstream.call("eth_chainId", [])) // => new TextEncoder().encode('"0x1"')
 * ```
 *
 * @since 0.1.0
 */
export interface Upstream {
  readonly call: (
    method: string,
    params: ReadonlyArray<unknown>
  ) => Effect.Effect<Uint8Array, ErrorObject | UpstreamFault>
  /** Absent where the node cannot push. */
  readonly subscribe?: Subscribe | undefined
  /** How the nodes behind it are, each by its name. Absent where there is one node, which has none. */
  readonly health?: (() => ReadonlyArray<Health>) | undefined
}

/**
 * Subscribes with `eth_subscribe` and these parameters, until the scope closes.
 *
 * What is pushed is the JSON text of each notification's `result`, in UTF-8. The queue fails with the connection, or when
 * nobody took what was in it: whoever needs more subscribes anew, and knows that something may be missing.
 *
 * @since 0.1.0
 */
export type Subscribe = (
  params: ReadonlyArray<unknown>
) => Effect.Effect<Queue.Dequeue<Uint8Array, UpstreamFault>, ErrorObject | UpstreamFault, Scope.Scope>

/**
 * What the last call that went to the node of a network says about it: `untried` before there was one, `wrong` if the node
 * is of another chain. A wrong node is asked nothing but its chain id.
 *
 * @since 0.1.0
 */
export type UpstreamState = "untried" | "up" | "down" | "wrong"

/**
 * How one node of several is. It holds no URL: the name is what an operator called it.
 *
 * @since 0.1.0
 */
export interface Health {
  readonly name: string
  /** `down` while calls go to others, `wrong` while it is of another chain; see `UpstreamPool`. */
  readonly state: UpstreamState
  /** Says which chain a wrong node is of. */
  readonly problem?: string | undefined
  /** Blocks behind the first of the others, if somebody looks. */
  readonly behind: number | undefined
}
