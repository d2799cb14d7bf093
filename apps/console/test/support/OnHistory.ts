/** The clients of the console over the embedded history chain, in this process. */
import * as History from "@plumbline/devnet/history/History"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import { NetworkClients } from "../../src/chain/NetworkClients.ts"
import * as NetworkRules from "../../src/chain/NetworkRules.ts"

/** The history chain as a service announces it. The rules of its last blocks are Osaka's. */
export const network = {
  name: "history",
  chainId: HistoryChain.chainId,
  open: true,
  forks: [{ hardfork: "osaka", block: HistoryChain.forks.at(-1)!.block }],
  beacon: null,
  lie: null,
  liars: [],
  anchor: null
} as const

/** Provides the clients. Each answer of the node passes through `change`, so that a test can lie. */
export const layer = (
  trust: Layer.Layer<TrustedBlock.TrustedBlock>,
  change: (answer: string) => string = (answer) => answer
): Layer.Layer<NetworkClients | Transport> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const history = yield* Effect.orDie(History.make)
      const fetch: typeof globalThis.fetch = async (_, init) => {
        const answer = await Effect.runPromise(history.handle(init?.body as string))
        return new Response(change(new TextDecoder().decode(answer)), {
          headers: { "content-type": "application/json" }
        })
      }
      const transport = HttpTransport.layer({ url: "http://history.invalid", fetch })
      const eth = yield* Effect.provide(EthClient.make, transport)
      const trusted = yield* TrustedBlock.TrustedBlock
      return Context.make(Transport, yield* Effect.provide(Transport, transport)).pipe(
        Context.add(NetworkClients, {
          network,
          eth,
          trust: trusted,
          verdicts: Effect.succeed(VerdictEthClient.make(eth, trusted, { calls: NetworkRules.engineOf(network) }))
        })
      )
    })
  ).pipe(Layer.provide(trust), Layer.orDie)
