/**
 * The interface of a node for the gateway: one function.
 *
 * These are upstreams too: a pool with failover, a cache, and a replacement for dropped methods. Each is built from
 * other upstreams.
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type { RemoteKind } from "@plumbline/jsonrpc-core/error/RemoteKind"
import type { Anchor, WeakAnchor } from "@plumbline/verdict/Anchor"
import type { Claim } from "@plumbline/verdict/Claim"
import type { Evidence } from "@plumbline/verdict/Evidence"
import type * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"

import type { UpstreamError } from "./UpstreamError.ts"

export { UpstreamError } from "./UpstreamError.ts"

/**
 * The JSON text of a result in UTF-8, as the node wrote it. The verdict is a field of the array, which a pool passes on
 * unchanged.
 */
export type UpstreamAnswer = Uint8Array & { readonly verdict?: AnswerVerdict | undefined }

/**
 * The verdict on an answer, if its network checks answers; see `Integrity`.
 */
export interface AnswerVerdict {
  readonly word: "VERIFIED" | "CLAIMED"
  /** The parts of the answer that are only claimed. */
  readonly claimed: ReadonlyArray<Claim>
  /**
   * The anchor that proves the answer, or the block of nodes from which a CLAIMED answer follows; undefined if there is
   * neither.
   */
  readonly anchor: Anchor | WeakAnchor | undefined
  /** The anchor as one line, as the header `Plumbline-Anchor` carries it. */
  readonly anchorText: string | undefined
  readonly proven: ReadonlyArray<Evidence>
  /** True if the answer is `null`. */
  readonly isNull: boolean
  /** The name of the node that answered. */
  readonly by: string
}

/**
 * A node.
 *
 * `method` and `params` are already checked. The answer is the JSON text of the result in UTF-8, as the node wrote it.
 * If the node refuses the call, the effect fails with the node's error object. Interrupting the effect gives up the
 * call.
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
  readonly call: UpstreamCall
  /** Subscribes to events of the node. Absent if the node cannot push. */
  readonly subscribe?: Subscribe | undefined
  /**
   * Returns the state of each node behind this upstream, with its name. Absent if there is a single node, which has no
   * name.
   */
  readonly health?: (() => ReadonlyArray<UpstreamHealth>) | undefined
  /**
   * Returns true if the network's trust stands behind an answer of `call`. Absent if answers are not proven. See
   * `Integrity`.
   */
  readonly isVouched?: ((answer: UpstreamAnswer) => boolean) | undefined
}

/**
 * Makes a call to a node.
 */
export interface UpstreamCall {
  (method: string, params: ReadonlyArray<unknown>): Effect.Effect<UpstreamAnswer, ErrorObject | UpstreamError>
  /**
   * Makes the call, and fails with `TimedOut` after the given number of milliseconds. Present if the node has a timer
   * for each call anyway: a time limit around an Effect costs two fibers and a timer. It belongs to this function, so
   * an upstream with another `call` does not keep it.
   */
  readonly within?:
    | ((method: string, params: ReadonlyArray<unknown>, millis: number) => ReturnType<UpstreamCall>)
    | undefined
  /**
   * Makes the call as `within` does, but without an Effect, which costs a fiber for each call. Present if no part of the
   * usual call needs an Effect. It belongs to this function, so an upstream with another `call` does not keep it.
   *
   * It calls `done` once, perhaps before it returns, but not after the call was aborted. The outcome is an exit, or an
   * effect that still has to run, such as the call to another node. If the result is undefined, nothing was sent, and
   * `done` is never called: then use the Effect.
   */
  readonly plain?:
    | ((
        method: string,
        params: ReadonlyArray<unknown>,
        millis: number,
        done: (outcome: ReturnType<UpstreamCall>) => void
      ) => PlainCall | undefined)
    | undefined
}

/** A call under way that has no fiber. */
export interface PlainCall {
  /** Gives up the call, as the interruption of its effect does. */
  readonly abort: () => void
}

/**
 * Subscribes with `eth_subscribe` and these parameters, until the scope closes.
 *
 * Each pushed value is the JSON text of a notification's `result`, in UTF-8. The queue fails when the connection ends,
 * or when the queue overflows because its reader is too slow. To continue, the reader must subscribe again; it may have
 * missed events.
 */
export type Subscribe = (
  params: ReadonlyArray<unknown>
) => Effect.Effect<Queue.Dequeue<Uint8Array, UpstreamError>, ErrorObject | UpstreamError, Scope.Scope>

/**
 * The state of a node.
 *
 * - `untried`: before its first call.
 * - `up`: its last call was answered.
 * - `down`: it does not answer, and calls go to other nodes.
 * - `lies`: a check refuted an answer, and the node is not yet trusted again. First it is set aside for a time, with
 *   `nextAttemptAt` as its end; the only node of a network is not set aside, because each answer is checked. After
 *   that time, the node is trusted again once, for each check that refuted an answer, an answer to such a method passes
 *   its checks, or after ten minutes without a lie. Only a node whose answers are checked has this state. One that lied and then stops answering is `down`.
 * - `wrong`: it belongs to another chain. The gateway asks it only for its chain id.
 */
export type UpstreamState = "untried" | "up" | "down" | "lies" | "wrong"

/**
 * The state of one of several nodes. It holds no URL and no text of the node: the operator chose the name. Durations
 * are milliseconds, and moments are milliseconds since the epoch. Counts start at 0 when the pool is made.
 *
 * All fields except the name, the state and `behind` are absent until they are known.
 */
export interface UpstreamHealth {
  readonly name: string
  /** See `UpstreamState`. */
  readonly state: UpstreamState
  /** The reason for the states `lies` and `wrong`, such as the check that refuted an answer. */
  readonly problem?: string | undefined
  /** The number of blocks that the node is behind the served tip; undefined if heights are not checked. */
  readonly behind: number | undefined
  /** The node's latest block, and the moment `seenAt` at which it was read. `time` is the timestamp of the block. */
  readonly head?:
    | {
        readonly number: number
        readonly hash?: string | undefined
        readonly time?: number | undefined
        readonly seenAt: number
      }
    | undefined
  /** Milliseconds from the latest block's timestamp to the moment at which the block was read. */
  readonly lagMillis?: number | undefined
  /** The moving average of the response time, in milliseconds. */
  readonly responseMillis?: number | undefined
  /** The last error about the node itself. It is kept after the node has recovered. */
  readonly lastError?: NodeError | undefined
  /** The moment at which a node that gets no calls for now is asked again. */
  readonly nextAttemptAt?: number | undefined
  /** True if the node gets no calls until `nextAttemptAt` because it lied. */
  readonly isAside?: boolean | undefined
  /** The time at which the node became trusted again, if it lied before. */
  readonly trustedSince?: number | undefined
  /** Calls sent to the node, probes included. */
  readonly calls?: number | undefined
  /** The number of calls without an answer, in total and by reason. */
  readonly faults?: number | undefined
  readonly faultsBy?: Readonly<Record<string, number>> | undefined
  /** The number of error objects with which the node said that it cannot answer now, such as a limit or an overload. */
  readonly refusals?: number | undefined
  /** The number of calls sent to this node because another node was slow to answer. */
  readonly hedges?: number | undefined
  /** The number of answers that differed from those of other nodes that got the same call. */
  readonly disagreements?: number | undefined
  /** Calls left of the node's budget for today (UTC). */
  readonly leftToday?: number | undefined
  /** Methods for which the node recently answered that it does not have them. */
  readonly lacks?: ReadonlyArray<string> | undefined
  /** The node's checked answers by verdict, if the network checks answers; see `Integrity`. */
  readonly verdicts?: UpstreamVerdicts | undefined
  /** The node's refuted answers, if there are any and the network checks answers; see `Integrity`. */
  readonly lies?: UpstreamLies | undefined
}

/** The number of answers of a node by their verdict. Refuted answers are lies, and in neither of them. */
export interface UpstreamVerdicts {
  readonly verified: number
  readonly claimed: number
}

/**
 * The refuted answers of a node, to callers and to the gateway's own questions. `check` names the check that refuted the last of these answers, at the time `at` (ISO
 * 8601).
 */
export interface UpstreamLies {
  readonly count: number
  /** The number of these answers that an operator ordered; absent if there are none. */
  readonly ordered?: number | undefined
  /** The number of refuted answers that no operator ordered, by check. */
  readonly checks: Readonly<Record<string, number>>
  readonly last: { readonly method: string; readonly check: string; readonly at: string }
}

/** An order to a node to lie for a time, which an operator gave to see that the lies are refused. */
export interface LieDrill {
  /** The name of the operator who gave the order. */
  readonly by: string
  /** The beginning of the ordered time, in milliseconds since the epoch. */
  readonly at: number
  /** Its end. */
  readonly until: number
}

/** The block of a refuted answer, as the answer names it. */
export interface LiedBlock {
  readonly number: number
  readonly hash?: string | undefined
}

/** The number of lies of one node about one method that one check found. Lies of a drill are counted separately. */
export interface LieCount {
  readonly node: string
  readonly method: string
  readonly check: string
  readonly count: number
  /** The time of the first of these lies, in milliseconds since the epoch. */
  readonly firstAt: number
  /** The time of the last of these lies, in milliseconds since the epoch. */
  readonly lastAt: number
  /** The value that the check required of the last of these lies: printable text of bounded length. */
  readonly expected?: string | undefined
  /** The value in the last of these lies: printable text of bounded length. */
  readonly got?: string | undefined
  /** The parameters of the last of these calls, as JSON: printable text of bounded length. */
  readonly params?: string | undefined
  /** The block of the last of these answers, if it names one. */
  readonly block?: LiedBlock | undefined
  /** The order by which the node told these lies; undefined for lies that no operator ordered. */
  readonly drill?: LieDrill | undefined
  /** True while the node has the state `lies` in the process that counted. */
  readonly isLying: boolean
  /** The time until which the node gets no calls, because another node can be asked. */
  readonly asideUntil?: number | undefined
  /** The time at which the node became trusted again. */
  readonly trustedSince?: number | undefined
}

/**
 * The last error about a node, without the node's text. `since` is the time of the first error in an unbroken series of
 * this kind, `at` the time of the last.
 */
export interface NodeError {
  /** The tag of a fault, or the kind of the node's error object. */
  readonly kind: UpstreamError["reason"]["_tag"] | RemoteKind
  readonly since: number
  readonly at: number
}
