/**
 * A `Transport` whose answers are proven, for any JSON-RPC client.
 *
 * In new programs prefer `ProvenEthClient`, because its types describe each answer. This transport is for code that
 * takes a `Transport` and cannot be changed. Refusals arrive as `RemoteError` with the codes of `ProviderRefusal`. With several
 * nodes, each behind its own `ProvingNode`, `Fallback` and `Stack` ask the next node after a lie.
 */
import { JsonRpcError, RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { oneByOne, Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import { ProvingNode } from "../node/ProvingNode.ts"

/**
 * Provides the transport over a `ProvingNode`.
 *
 * ```ts import.meta.vitest
 * import { EthClient, TrustedBlock } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { ProvingNode, ProvingTransport } from "@plumbline/provider"
 * import { Effect, Layer } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.succeed("0x1"),
 *   callAll: () => Effect.succeed([])
 * })
 * const proving = ProvingNode.layer({ chainId: 5n }).pipe(Layer.provide([node, TrustedBlock.layerNone()]))
 * const eth = EthClient.layer().pipe(Layer.provide(ProvingTransport.layer()), Layer.provide(proving))
 * const error = await Effect.runPromise(Effect.provide(Effect.flip(EthClient.EthClient.use((eth) => eth.chainId)), eth))
 * error.message // => "eth_chainId: refuted: chain id (code -32099)"
 * ```
 */
export const layer = (): Layer.Layer<Transport, never, ProvingNode> =>
  Layer.effect(
    Transport,
    Effect.map(ProvingNode, ({ answer }) => {
      const call: Transport["Service"]["call"] = ({ method, params }) =>
        Effect.mapBoth(answer({ method, params }), {
          onFailure: ({ code, data, message }) =>
            new JsonRpcError({
              method,
              reason: new RemoteError({ code, message, ...(data === undefined ? {} : { data }) })
            }),
          onSuccess: ({ result }) => result
        })
      return { call, callAll: oneByOne(call) }
    })
  )
