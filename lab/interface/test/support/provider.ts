/**
 * Two ways to the node of the history chain, both as EIP-1193 providers: directly, and through the proving provider.
 * The node may lie.
 */
import { Hash32 } from "@plumbline/codec"
import { HistoryChain } from "@plumbline/devnet"
import { TrustedBlock } from "@plumbline/eth-methods"
import { Transport } from "@plumbline/jsonrpc-core"
import { Eip1193Provider, ProvingNode } from "@plumbline/provider"
import { Effect, Layer } from "effect"

import { node } from "../../src/clients/historyNode.ts"
import type { Provider } from "../../src/clients/library.ts"

export interface Ways {
  readonly plain: Provider
  readonly proving: Eip1193Provider.Eip1193Provider
}

/** The hash of the last block, which the proving provider trusts. */
const trusted: Hash32.Hash32 = Hash32.fromHexUnsafe(HistoryChain.head.hash)

/** Returns both ways to the node. The middleware can make the node lie. */
export const ways = (liar: Transport.Middleware = (truth) => truth, options?: ProvingNode.ProvingNodeOptions): Ways => {
  const transport = liar(node)
  const plain: Provider = {
    request: async ({ method, params = [] }) => {
      const outcome = await Effect.runPromise(Effect.result(transport.call({ method, params })))
      if (outcome._tag === "Success") return outcome.success
      const { reason } = outcome.failure
      throw Object.assign(new Error(reason.message), reason._tag === "RemoteError" ? { code: reason.code } : {})
    },
    on: () => undefined,
    removeListener: () => undefined
  }
  const layer = ProvingNode.layer(options).pipe(
    Layer.provide([Layer.succeed(Transport.Transport, transport), TrustedBlock.layerPinned(trusted)])
  )
  return { plain, proving: Eip1193Provider.fromLayer(layer) }
}
