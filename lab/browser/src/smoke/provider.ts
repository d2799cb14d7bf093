/**
 * Puts a proving node in front of a node that has one true block and lies about its chain. Runs in the browser's realm,
 * and from the packed packages in a rehearsal.
 */
import { TrustedBlock } from "@plumbline/eth-methods"
import { Transport } from "@plumbline/jsonrpc-core"
import { Eip1193Provider, ProvingNode, ProviderRefusal } from "@plumbline/provider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import { genesis } from "./eth-methods.ts"
import { expectSame } from "./expect.ts"

export const run = async (): Promise<string> => {
  const answers: Record<string, unknown> = { eth_chainId: "0x2", eth_gasPrice: "0x7", eth_getBlockByHash: genesis }
  const call: Transport.Transport["Service"]["call"] = ({ method }) => Effect.succeed(answers[method])
  const node = Layer.succeed(Transport.Transport, { call, callAll: Transport.oneByOne(call) })
  const provider = Eip1193Provider.fromLayer(
    ProvingNode.layer({ chainId: 1n }).pipe(Layer.provide([node, TrustedBlock.layerNone()]))
  )
  const codeOf = (method: string) =>
    provider.request({ method, params: [] }).then(
      () => 0,
      (error: { readonly code: number }) => error.code
    )
  const verdicts: Array<string> = []
  provider.on("verdict", ({ status }) => verdicts.push(status))
  const block = await provider.request({ method: "eth_getBlockByHash", params: [genesis.hash, false] })
  expectSame("a block", block.stateRoot, genesis.stateRoot)
  expectSame("its verdict", verdicts.join(), "VERIFIED")
  answers["eth_getBlockByHash"] = { ...genesis, timestamp: "0x1" }
  const lie = await provider
    .request({ method: "eth_getBlockByHash", params: [genesis.hash, false] })
    .catch((error: unknown) => error)
  expectSame("a lie about the block", lie.code, ProviderRefusal.REFUTED)
  expectSame("advice", await provider.request({ method: "eth_gasPrice" }), "0x7")
  expectSame("another chain", await codeOf("eth_chainId"), ProviderRefusal.REFUTED)
  expectSame("a method without a proof", await codeOf("debug_traceTransaction"), ProviderRefusal.UNPROVEN)
  expectSame("a method with a key", await codeOf("eth_sendTransaction"), ProviderRefusal.UNSUPPORTED)
  await provider.close()
  return "a block verified, a lie about it refused, advice passed, another chain refused, and what nothing proves"
}
