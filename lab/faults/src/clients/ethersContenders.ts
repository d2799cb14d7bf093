/** ethers with its default settings, except that the network is given, so that ethers need not ask for it. */
import { Effect } from "effect"
import { FetchRequest, type JsonRpcApiProvider, JsonRpcProvider, Network, WebSocketProvider } from "ethers"

import type { Contender } from "../contender.ts"
import { question } from "../liveAnswers.ts"
import { type Peer, toClient } from "./peer.ts"

const { account: address, number, slot } = question
const network = Network.from(question.chainId)

export const overHttp: Contender = {
  over: "Http",
  open: (server, options) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const request = new FetchRequest(server.httpUrl)
          if (options.patience !== undefined) request.timeout = options.patience
          return options.guard(() => new JsonRpcProvider(request, network, { staticNetwork: network }))
        }),
        (provider) => Effect.sync(() => options.guard(() => provider.destroy()))
      ),
      (provider) => toClient(reads(provider), options)
    )
}

export const overWebSocket: Contender = {
  over: "WebSocket",
  open: (server, options) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() =>
          options.guard(() => new WebSocketProvider(server.webSocketUrl, network, { staticNetwork: network }))
        ),
        (provider) => Effect.promise(() => options.guard(() => close(provider)))
      ),
      (provider) => {
        const follow: Peer["follow"] = (onHead) => provider.on("block", (number: number) => onHead({ number }))
        return toClient({ ...reads(provider), follow }, options)
      }
    )
}

/** A provider whose socket is not open cannot be closed. */
const close = async (provider: WebSocketProvider): Promise<void> => {
  try {
    await provider.destroy()
  } catch {
    // the server of this provider is about to end
  }
}

const reads = (provider: JsonRpcApiProvider): Peer => ({
  transaction: (hash) => provider.getTransaction(hash),
  block: async (hash) => {
    const block = await provider.getBlock(hash, true)
    if (block === null) return null
    const { number, prefetchedTransactions: transactions, stateRoot, timestamp } = block
    return { hash: block.hash, number, stateRoot, timestamp, transactions }
  },
  slot: () => provider.getStorage(address, slot, number),
  // ethers has no method for proofs
  account: () => provider.send("eth_getProof", [address, [slot], `0x${number.toString(16)}`]),
  kindOf: (error) => ("code" in error && typeof error.code === "string" ? error.code : error.name),
  absences: []
})
