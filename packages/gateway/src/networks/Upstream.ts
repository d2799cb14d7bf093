/**
 * The interface of a node for the gateway: one function.
 *
 * A pool with failover, a cache, a replacement for methods that nodes dropped: each is an `Upstream` made of others.
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type { RemoteKind } from "@plumbline/jsonrpc-core/error/RemoteKind"
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
 * The state of one node of several. It holds no URL and no text of the node's: the name is the operator's. Times are
 * milliseconds, moments are milliseconds of Unix time, and counts begin with the pool.
 *
 * Everything but the name, the state and `behind` is absent until it is known.
 */
export interface Health {
  readonly name: string
  /** `down` while calls go to others, `wrong` while it is of another chain; see `UpstreamPool`. */
  readonly state: UpstreamState
  /** The reason why the node gets no calls, such as the id of its wrong chain. */
  readonly problem?: string | undefined
  /** Blocks behind the highest of the other nodes, if heights are checked. */
  readonly behind: number | undefined
  /** The latest block when it was last read, at the moment `seenAt`. `time` is the block's own. */
  readonly head?:
    | {
        readonly number: number
        readonly hash?: string | undefined
        readonly time?: number | undefined
        readonly seenAt: number
      }
    | undefined
  /** Milliseconds from the time of the latest block to the moment at which it was read. */
  readonly lagMillis?: number | undefined
  /** Moving average of the response time. */
  readonly responseMillis?: number | undefined
  /** The last error about the node itself. It stays after the node has recovered. */
  readonly lastError?: NodeError | undefined
  /** The moment from which the node is asked again as before, while it rests. */
  readonly nextAttemptAt?: number | undefined
  /** Calls sent to the node, probes included. */
  readonly calls?: number | undefined
  /** Calls without an answer, and their number for each reason. */
  readonly faults?: number | undefined
  readonly faultsBy?: Readonly<Record<string, number>> | undefined
  /** Error objects that say that the node cannot answer now, such as a limit or an overload. */
  readonly refusals?: number | undefined
  /** Calls sent to the node because another was slow to answer. */
  readonly hedges?: number | undefined
  /** Answers in which the node differed from the others, of calls that several nodes were asked. */
  readonly disagreements?: number | undefined
  /** Calls that are left of the node's budget for today (UTC). */
  readonly leftToday?: number | undefined
  /** Methods that the node lately said it lacks. */
  readonly lacks?: ReadonlyArray<string> | undefined
  /** Its refuted answers, if there are any and the network checks answers; see `Integrity`. */
  readonly lies?: Lies | undefined
}

/**
 * The refuted answers of a node. `check` is the check that refuted the last one, at the time `at` (ISO 8601).
 */
export interface Lies {
  readonly count: number
  /** The number for each check. */
  readonly checks: Readonly<Record<string, number>>
  readonly last: { readonly method: string; readonly check: string; readonly at: string }
}

/** Lies of one node about one method, found by one check. */
export interface LieCount {
  readonly node: string
  readonly method: string
  readonly check: string
  readonly count: number
}

/**
 * An error about a node, without its text. `since` is the first of an unbroken series of this kind, `at` the last.
 */
export interface NodeError {
  /** The reason of a fault, or the kind of the node's error object. */
  readonly kind: UpstreamFault["reason"]["_tag"] | RemoteKind
  readonly since: number
  readonly at: number
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
