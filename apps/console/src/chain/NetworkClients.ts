/** One network as the page reads it: over the service's JSON-RPC, with the trust that the reader chose. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import type * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import * as Batching from "@plumbline/jsonrpc-core/middleware/Batching"
import { through, Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"

import { NeedsKeyError, type NoLightClientError } from "./ChainError.ts"
import type { Network } from "./ConsoleNetworks.ts"
import * as ReadTransport from "./ReadTransport.ts"

/** The anchor that the reader chose, from a link's `trust`. */
export type AnchorChoice =
  | { readonly _tag: "None" }
  | { readonly _tag: "Pinned"; readonly hash: Hash32.Hash32 }
  | { readonly _tag: "Checkpoint"; readonly root: Hash32.Hash32 }

/** Reads the choice from the `trust` of a link. */
export const choiceOf = (trust: string | undefined): AnchorChoice => {
  if (trust === undefined) return { _tag: "None" }
  return trust.startsWith("checkpoint:")
    ? { _tag: "Checkpoint", root: Hash32.fromHexUnsafe(trust.slice("checkpoint:".length)) }
    : { _tag: "Pinned", hash: Hash32.fromHexUnsafe(trust) }
}

/** The clients of one network. */
export class NetworkClients extends Context.Service<
  NetworkClients,
  {
    readonly network: Network
    /** Reads without checking: for bytes that the page hashes itself. */
    readonly eth: EthClient.Client
    /** Reads with verdicts, and runs calls. Its code is loaded at its first use. */
    readonly verdicts: Effect.Effect<VerdictEthClient.Client>
    readonly trust: TrustedBlock.TrustedBlock["Service"]
  }
>()("@plumbline/console/Chain") {}

/** Provides the calls to a network of the service in one of the available ways; fails with `NeedsKeyError` if no way is available. */
export const wire = (
  network: string,
  way: ReadTransport.ReadTransport | undefined,
  service: string
): Layer.Layer<Transport, NeedsKeyError> =>
  way === undefined
    ? Layer.effect(Transport, Effect.fail(new NeedsKeyError({ network })))
    : through(
        HttpTransport.layer({
          ...ReadTransport.endpoint(way, network, { page: location.origin, service }),
          timeout: "20 seconds",
          // Only a session needs the cookie. Requests without credentials also keep the browser from opening its
          // password window for a refused key, which would hold the answer back.
          fetch: (url, init) => fetch(url, { ...init, credentials: way._tag === "Session" ? "same-origin" : "omit" })
        }),
        Batching.make()
      )

/**
 * Provides the clients, and the transport below them. Nothing is requested before the first read, except that a light
 * client starts at once.
 */
export const layer = (
  network: Network,
  way: ReadTransport.ReadTransport | undefined,
  choice: AnchorChoice,
  service: string
): Layer.Layer<NetworkClients | Transport, NeedsKeyError | NoLightClientError> => {
  const transport = wire(network.name, way, service)
  return Layer.effect(
    NetworkClients,
    Effect.gen(function* () {
      const eth = yield* EthClient.make
      const trust = yield* TrustedBlock.TrustedBlock
      // if the chunk cannot be loaded, the next read tries again
      const verdicts = yield* Effect.cachedWithTTL(
        Effect.map(
          Effect.promise(() =>
            Promise.all([import("@plumbline/eth-methods/verified/VerdictEthClient"), import("./NetworkRules.ts")])
          ),
          ([{ make }, { chainIdOf, engineOf }]) =>
            make(eth, trust, { calls: engineOf(network), chainId: chainIdOf(network) })
        ),
        (exit) => (Exit.isSuccess(exit) ? Infinity : 0)
      )
      return { network, eth, trust, verdicts }
    })
  ).pipe(Layer.provide(trustOf(network, choice)), Layer.provideMerge(transport))
}

const trustOf = (
  network: Network,
  choice: AnchorChoice
): Layer.Layer<TrustedBlock.TrustedBlock, NoLightClientError, Transport> => {
  switch (choice._tag) {
    case "None":
      return TrustedBlock.layerNone()
    case "Pinned":
      return TrustedBlock.layerPinned(choice.hash)
    case "Checkpoint":
      // the light client has megabytes of code for its curves, so it is loaded only for readers who choose it
      return Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./LightTrust.ts")),
          (light) => light.layer(network, choice.root)
        )
      )
  }
}
