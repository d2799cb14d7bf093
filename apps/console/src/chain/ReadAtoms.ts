/** Makes atoms of reads. An atom is keyed by what it reads, so a screen reads once, and again when the key changes. */
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"

import * as ChainError from "./ChainError.ts"
import type * as ConsoleNetworks from "./ConsoleNetworks.ts"
import * as NetworkClients from "./NetworkClients.ts"
import * as PageSession from "./PageSession.ts"
import * as ReadTransport from "./ReadTransport.ts"

/** The errors of building the clients of a network. */
export type ClientsUnready =
  | ChainError.NeedsKeyError
  | ChainError.NoNetworkError
  | ChainError.NoLightClientError
  | ConsoleNetworks.NoServiceError

/** The runtime of a network's clients with a choice of trust. The id is the network's name, a space, and the trust. */
const runtimes = Atom.family((id: string) => {
  const [name = "", trust = ""] = id.split(" ")
  return Atom.runtime((get) =>
    Layer.unwrap(
      Effect.gen(function* () {
        const { networks, secondChains } = yield* get.result(PageSession.start)
        const network = networks.find((one) => one.name === name)
        if (network === undefined) return yield* ChainError.noNetwork(name, "blocks", networks, secondChains)
        const choice = NetworkClients.choiceOf(trust === "" ? undefined : trust)
        return NetworkClients.layer(network, wayOf(get, network), choice, get(PageSession.service))
      })
    )
  )
})

/** Returns the way in which the page reads a network. */
const wayOf = (get: Atom.AtomContext, network: { readonly open: boolean }): ReadTransport.ReadTransport | undefined =>
  ReadTransport.choose(
    ReadTransport.readTransports(network, { session: get(ReadTransport.session), key: get(PageSession.key) }),
    get(ReadTransport.preferred)
  )

/** The network to read, and the anchor. */
export interface ReadTarget {
  readonly network: string
  readonly trust?: string | undefined
}

/**
 * Makes an atom of a read over the clients of a network. If the read is a function, it gets a context to wait for other
 * atoms.
 */
export const read = <A, E>(
  { network, trust }: ReadTarget,
  effect:
    | Effect.Effect<A, E, NetworkClients.NetworkClients | Transport>
    | ((get: Atom.AtomContext) => Effect.Effect<A, E, NetworkClients.NetworkClients | Transport>)
): Atom.Atom<AsyncResult.AsyncResult<A, E | ClientsUnready>> =>
  runtimes(`${network} ${trust ?? ""}`).atom(typeof effect === "function" ? effect : () => effect)

/** The runtime of the calls to a network, whether it speaks the methods of Ethereum or of Starknet. */
const wires = Atom.family((name: string) =>
  Atom.runtime((get) =>
    Layer.unwrap(
      Effect.gen(function* () {
        const { networks, secondChains } = yield* get.result(PageSession.start)
        const network = [...networks, ...secondChains].find((one) => one.name === name)
        if (network === undefined) return yield* ChainError.noNetwork(name, "calls", networks, secondChains)
        return NetworkClients.wire(name, wayOf(get, network), get(PageSession.service))
      })
    )
  )
)

/** Makes an atom of a read over the calls to a network. The network may speak the methods of Starknet. */
export const ask = <A, E>(
  network: string,
  effect: Effect.Effect<A, E, Transport>
): Atom.Atom<AsyncResult.AsyncResult<A, E | ClientsUnready>> => wires(network).atom(effect)
