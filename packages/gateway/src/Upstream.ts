/**
 * What the gateway needs from a node: one function.
 *
 * A pool with failover, a cache, a synthesis of methods that nodes dropped: each is an `Upstream` made of others.
 *
 * @since 0.1.0
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/ErrorObject"
import type * as Effect from "effect/Effect"

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
}
