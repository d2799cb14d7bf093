/**
 * Handles answers that belong to different chains because the node's head moved between two calls of one read.
 *
 * Most calls name a block by its hash, and two answers about one hash that differ are a lie. A few can only name a
 * number: a range of logs, and the state and uncles at nodes that take no hash. Between that call and the one that
 * found the block, a node may have reorganised. From outside, that looks like a block that does not fit. So nothing is
 * refuted there: the read begins again, once, and then fails.
 */
import { JsonRpcError, MovedError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Refuted } from "@plumbline/verdict/Refuted"
import * as Effect from "effect/Effect"

/** Two answers of one read that do not belong together, although each may be true of a chain. */
export interface Moved {
  readonly _tag: "Moved"
  readonly detail: string
}

/** The failures inside of a read. */
export type Failure = JsonRpcError | Refuted | Moved

/** A read in which answers may turn out not to belong together. */
export type Reading<A> = Effect.Effect<A, Failure>

export const moved = (detail: string): Moved => ({ _tag: "Moved", detail })

/** Reads again, once, where the answers do not belong together; then fails with the reason `MovedError`. */
export const steady = <A>(method: string, read: Effect.Effect<A, Failure>): Effect.Effect<A, JsonRpcError | Refuted> =>
  Effect.catch(read, (first) =>
    first._tag === "Moved"
      ? Effect.catch(read, (second) => Effect.fail(second._tag === "Moved" ? chainMoved(method, second) : second))
      : Effect.fail(first)
  )

const chainMoved = (method: string, { detail }: Moved): JsonRpcError =>
  new JsonRpcError({ method, reason: new MovedError({ detail: `the chain moved while it was read: ${detail}` }) })
