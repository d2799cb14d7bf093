/** Calls to a node of a pool: sending, the time limit, and the errors that count as faults of the node. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import * as Effect from "effect/Effect"

import { UpstreamError } from "../UpstreamError.ts"
import { limited, type PoolMember } from "./poolMember.ts"

/** The failure of a call: an error object of the node, or a fault. */
export type NodeFailure = ErrorObject | UpstreamError

export type NodeEffect<A, R = never> = Effect.Effect<A, NodeFailure, R>

/** Asks a node. `left` is the time limit in milliseconds. */
export type AskNode<A, R = never> = (member: PoolMember, left: number) => NodeEffect<A, R>

/** Sends a call to a node. Every call from a pool to a node uses this function or `counted`. */
export const callOf = (
  member: PoolMember,
  method: string,
  params: ReadonlyArray<unknown>,
  left: number
): NodeEffect<Uint8Array> => {
  const { budget, upstream } = member
  const { within } = upstream.call
  const asked = within === undefined ? bounded(upstream.call(method, params), left) : within(method, params, left)
  if (budget === undefined) {
    member.calls++
    return asked
  }
  return counted(member, asked)
}

/** Sends a request to a node if the node's budget allows it. */
export const counted = <A, R>(member: PoolMember, asked: NodeEffect<A, R>): NodeEffect<A, R> =>
  Effect.clockWith((clock) => {
    const now = Monotonic.millis(clock)
    if (member.budget?.take(now) === false) return Effect.fail(limited(member.budget.wait(now)))
    member.calls++
    return asked
  })

export const bounded = <A, E, R>(
  asked: Effect.Effect<A, E, R>,
  millis: number
): Effect.Effect<A, E | UpstreamError, R> =>
  Effect.timeoutOrElse(asked, {
    duration: millis,
    orElse: () => Effect.fail(new UpstreamError({ reason: { _tag: "TimedOut", after: Math.round(millis) } }))
  })

/**
 * True if another node may answer instead. False for an answer that is too large, because another node would send the
 * same answer.
 */
export const isFaultOfNode = (error: NodeFailure): error is UpstreamError =>
  error instanceof UpstreamError && error.reason._tag !== "TooLarge"

export const isLate = (error: NodeFailure): boolean =>
  error instanceof UpstreamError && error.reason._tag === "TimedOut"
