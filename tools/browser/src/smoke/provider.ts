/** A door before a node that lies about its chain. Runs in the browser's realm, and from the packed packages in a rehearsal. */
import { TrustedBlock } from "@plumbline/eth-methods"
import { Transport } from "@plumbline/jsonrpc-core"
import { Eip1193Provider, ProvingNode, Refusal } from "@plumbline/provider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import { expectSame } from "./expect.ts"

export const run = async (): Promise<string> => {
  const node = Layer.succeed(Transport.Transport, {
    call: ({ method }) => Effect.succeed(method === "eth_chainId" ? "0x2" : "0x7"),
    callAll: () => Effect.succeed([])
  })
  const provider = Eip1193Provider.fromLayer(
    ProvingNode.layer({ chainId: 1n }).pipe(Layer.provide([node, TrustedBlock.layerNone]))
  )
  const codeOf = (method: string) =>
    provider.request({ method, params: [] }).then(
      () => 0,
      (error: { readonly code: number }) => error.code
    )
  expectSame("advice", await provider.request({ method: "eth_gasPrice" }), "0x7")
  expectSame("another chain", await codeOf("eth_chainId"), Refusal.REFUTED)
  expectSame("a method without a proof", await codeOf("debug_traceTransaction"), Refusal.UNPROVEN)
  expectSame("a method with a key", await codeOf("eth_sendTransaction"), Refusal.UNSUPPORTED)
  await provider.close()
  return "advice passed, another chain refused, and what nothing proves"
}
