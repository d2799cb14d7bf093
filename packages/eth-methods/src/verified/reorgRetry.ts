/**
 * Handles answers that belong to different chains because the node's head moved between two calls of one read.
 *
 * Most calls name a block by its hash, and two different answers about one hash are a lie. A few calls can only name a
 * number: a range of logs, and the state and uncles at nodes that accept no hash. Between that call and the call that
 * found the block, the node may have reorganised. For the client, that looks like a block that does not fit. So the
 * client refutes nothing there: it repeats the read once, and then fails.
 */
import { JsonRpcError, MovedError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"

/** A mismatch between two answers of one read, although each may be true on some branch of the chain. */
export interface ReorgMismatch {
  readonly _tag: "Moved"
  readonly detail: string
}

/** The failures inside a read. */
export type ReorgFailure = JsonRpcError | RefutedError | ReorgMismatch

/** A read whose answers may turn out to belong to different branches. */
export type ReorgRead<A> = Effect.Effect<A, ReorgFailure>

export const reorgMismatch = (detail: string): ReorgMismatch => ({ _tag: "Moved", detail })

/** Repeats a read once if its answers belong to different branches; then fails with the reason `MovedError`. */
export const retryOnReorg = <A>(
  method: string,
  read: Effect.Effect<A, ReorgFailure>
): Effect.Effect<A, JsonRpcError | RefutedError> =>
  Effect.catch(read, (first) =>
    first._tag === "Moved"
      ? Effect.catch(read, (second) => Effect.fail(second._tag === "Moved" ? chainMoved(method, second) : second))
      : Effect.fail(first)
  )

const chainMoved = (method: string, { detail }: ReorgMismatch): JsonRpcError =>
  new JsonRpcError({ method, reason: new MovedError({ detail: `the chain moved while it was read: ${detail}` }) })
