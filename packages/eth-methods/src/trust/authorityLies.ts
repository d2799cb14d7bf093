/** The lies that sources of trust found. They are no lies of the node that a client reads. */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"

const found = /* @__PURE__ */ new WeakSet<RefutedError>()

/** Remembers that a lie with which this read ends was found by a source of trust. */
export const noting = <A>(
  read: Effect.Effect<A, JsonRpcError | RefutedError>
): Effect.Effect<A, JsonRpcError | RefutedError> =>
  Effect.tapError(read, (error) =>
    Effect.sync(() => {
      if (error._tag === "RefutedError") found.add(error)
    })
  )

/**
 * True if a source of trust found the lie while a client asked it for its block: a beacon node or the node of a parent
 * chain lied, or the light client knows of two signed chains. The node behind the client is then not to blame.
 */
export const isOfAuthority = (lie: RefutedError): boolean => found.has(lie)
