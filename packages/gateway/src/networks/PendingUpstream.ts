/**
 * Adds `pendingTransactions` to a node of the second chain, whatever its version. The specification dropped the method
 * with version 0.5, and no current node has it.
 *
 * `PendingTransactions` of `@plumbline/second-chain-methods` documents the calls that replace the method, and the
 * meaning and limits of the list. The client uses the same middleware, so both return the same list.
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import { JsonRpcError, RemoteError, TransportError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as PendingTransactions from "@plumbline/second-chain-methods/client/PendingTransactions"
import * as Starknet from "@plumbline/second-chain-methods/methods/Starknet"
import * as Effect from "effect/Effect"

import * as PendingAnswer from "./pendingAnswer.ts"
import type { Upstream } from "./Upstream.ts"
import { UpstreamError } from "./UpstreamError.ts"

/**
 * Returns the node with `pendingTransactions` added. Every other call and its answer pass through unchanged.
 *
 * **Details**
 *
 * The transactions are passed on byte for byte: only the names of a block's members are read. If the node refuses the
 * call, the caller gets the node's error. If the node gives no answer, or an answer that is not a block, that is a
 * fault and never an empty list.
 *
 * The middleware remembers the version of one node. If several nodes are behind one failover, wrap each of the nodes,
 * not the failover.
 *
 * ```ts import.meta.vitest
 * import { PendingUpstream } from "@plumbline/gateway"
 * import * as Effect from "effect/Effect"
 *
 * const block = '{"block_number":7,"transactions":[{"transaction_hash":"0x01"}]}'
 * const node = PendingUpstream.make({
 *   call: (method) => Effect.succeed(new TextEncoder().encode(method === "starknet_specVersion" ? '"0.9.0"' : block))
 * })
 * const pending = await Effect.runPromise(node.call("starknet_pendingTransactions", []))
 * new TextDecoder().decode(pending) // => '[{"transaction_hash":"0x01"}]'
 * ```
 */
export const make = (upstream: Upstream, options: PendingTransactions.PendingTransactionsOptions = {}): Upstream => {
  const { namespace = Starknet.NAMESPACE } = options
  const method = `${namespace}_pendingTransactions`
  const transport = PendingTransactions.make({ namespace })(transportOf(upstream, namespace))

  const pending: ReturnType<Upstream["call"]> = Effect.matchEffect(transport.call({ method, params: [] }), {
    onSuccess: (list) => Effect.succeed(PendingAnswer.bytesOf(list)),
    onFailure: (error) => {
      const origin = origins.get(error)
      return origin === undefined
        ? Effect.andThen(Effect.logWarning("a node's answer is not the method's", error.message), wrongResult)
        : Effect.fail(origin)
    }
  })

  return {
    ...upstream,
    call: (called, params) => (called === method && params.length === 0 ? pending : upstream.call(called, params))
  }
}

/**
 * The node as a transport for the middleware. The middleware asks only for the block, the version and the method
 * itself.
 */
const transportOf = (upstream: Upstream, namespace: string): Transport.Transport["Service"] => {
  const ask = (call: Transport.WireCall): Effect.Effect<Uint8Array, JsonRpcError> =>
    Effect.mapError(upstream.call(call.method, call.params), (origin) => carry(origin, call.method))

  const call = (call: Transport.WireCall): Effect.Effect<unknown, JsonRpcError> => {
    switch (call.method) {
      case `${namespace}_specVersion`:
        return Effect.map(ask(call), PendingAnswer.version)
      case `${namespace}_getBlockWithTxs`:
        return Effect.map(ask(call), PendingAnswer.block)
      default:
        return Effect.map(ask(call), PendingAnswer.list)
    }
  }
  return { call, callAll: Transport.oneByOne(call) }
}

// Private: carrying an upstream's error through a transport.

type Origin = ErrorObject | UpstreamError

/** The upstream's error, keyed by the error that carries it. */
const origins = new WeakMap<JsonRpcError, Origin>()

const carry = (origin: Origin, method: string): JsonRpcError => {
  const reason =
    origin instanceof UpstreamError
      ? new TransportError({ detail: origin.message, retryable: true })
      : new RemoteError(origin)
  const error = new JsonRpcError({ method, reason })
  origins.set(error, origin)
  return error
}

/**
 * The fault of a wrong result: it is not a version or a block, or the block has no transactions.
 */
const wrongResult = Effect.fail(new UpstreamError({ reason: { _tag: "BadAnswer", problem: "wrong result" } }))
