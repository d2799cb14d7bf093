/**
 * Lets calls through to a node once it has named the chain of the watch. Its word proves nothing, and every answer is
 * proven anyway: but a node of another chain could only ever be waited for.
 */
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import { JsonRpcError, ProtocolError, type Reason } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/**
 * Makes the middleware. Until the node has answered it asks for the chain id before each call. A node that refuses to
 * tell is let through, and one of another chain gets no further call.
 */
export const make =
  (chainId: bigint): Transport.Middleware =>
  (transport) => {
    let known: Result.Result<void, Reason> | undefined
    const eth = Effect.runSync(Effect.provideService(EthClient.make, Transport.Transport, transport))
    const asked: Effect.Effect<void, Reason> = Effect.matchEffect(eth.chainId, {
      onSuccess: (found) => {
        known = found === chainId ? Result.void : Result.fail(new ProtocolError({ detail: otherChain(found, chainId) }))
        return Effect.fromResult(known)
      },
      onFailure: ({ reason, retryable }) => {
        if (reason._tag !== "RemoteError") return Effect.fail(reason)
        if (!retryable) known = Result.void
        return Effect.void
      }
    })
    const passed = Effect.suspend(() => (known === undefined ? asked : Effect.fromResult(known)))
    return {
      call: (call) =>
        Effect.andThen(
          Effect.mapError(passed, (reason) => new JsonRpcError({ method: call.method, reason })),
          transport.call(call)
        ),
      callAll: (calls) =>
        Effect.matchEffect(passed, {
          onSuccess: () => transport.callAll(calls),
          onFailure: (reason) =>
            Effect.succeed(calls.map(({ method }) => Result.fail(new JsonRpcError({ method, reason }))))
        })
    }
  }

const otherChain = (found: bigint, wanted: bigint): string =>
  `the node is of chain ${found}, and the trust of the watch is of chain ${wanted}. Name a node of chain ${wanted} with --url, or a trust in chain ${found}`
