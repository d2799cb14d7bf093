/**
 * The interface of a node for the gateway: one function.
 *
 * A pool with failover, a cache, a replacement for methods that nodes dropped: each is an `Upstream` made of others.
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"

import type { UpstreamFault } from "./UpstreamFault.ts"

export { UpstreamFault } from "./UpstreamFault.ts"

/**
 * A node.
 *
 * `method` and `params` are already checked. The answer is the JSON text of the result in UTF-8, as the node wrote it.
 * A refusal of the node is an error object; interruption gives the call up.
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
 */
export interface Upstream {
  readonly call: (
    method: string,
    params: ReadonlyArray<unknown>
  ) => Effect.Effect<Uint8Array, ErrorObject | UpstreamFault>
  /** Absent if the node cannot push. */
  readonly subscribe?: Subscribe | undefined
  /**
   * Returns the states of the nodes behind it, each by its name. Absent if there is a single node, which has no name.
   */
  readonly health?: (() => ReadonlyArray<Health>) | undefined
}

/**
 * Subscribes with `eth_subscribe` and these parameters, until the scope closes.
 *
 * Each pushed value is the JSON text of a notification's `result`, in UTF-8. The queue fails with the connection, or
 * when it overflows because its reader is too slow. A reader that needs more must subscribe again, and may have missed
 * events.
 */
export type Subscribe = (
  params: ReadonlyArray<unknown>
) => Effect.Effect<Queue.Dequeue<Uint8Array, UpstreamFault>, ErrorObject | UpstreamFault, Scope.Scope>

/**
 * The state of a network's node, by the last call to it: `untried` before the first, `wrong` if the node is of another
 * chain. A wrong node is asked only for its chain id.
 */
export type UpstreamState = "untried" | "up" | "down" | "wrong"

/**
 * The state of one node of several. It holds no URL: the name is the operator's.
 */
export interface Health {
  readonly name: string
  /** `down` while calls go to others, `wrong` while it is of another chain; see `UpstreamPool`. */
  readonly state: UpstreamState
  /** The chain of a wrong node. */
  readonly problem?: string | undefined
  /** Blocks behind the highest of the other nodes, if heights are checked. */
  readonly behind: number | undefined
}

/**
 * The bounds that upstreams over HTTP and over a WebSocket share: milliseconds and bytes.
 */
export interface Bounds {
  readonly timeout: number
  readonly connectTimeout: number
  readonly maxAnswerBytes: number
}

/**
 * The defaults of {@link Bounds}: 30 seconds, 5 seconds and 64 MiB.
 */
export const defaults: Bounds = { timeout: 30_000, connectTimeout: 5000, maxAnswerBytes: 64 * 1024 * 1024 }
