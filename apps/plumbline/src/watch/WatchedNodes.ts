/** The nodes of a watch, each behind a client that proves. If one lies or fails, the next one is asked. */
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import type { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import * as ProvenNodes from "@plumbline/eth-methods/verified/ProvenNodes"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as Batching from "@plumbline/jsonrpc-core/middleware/Batching"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as UrlSecrets from "@plumbline/redaction/UrlSecrets"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

import * as ChainNode from "../node/ChainNode.ts"
import * as ChainGate from "./chainGate.ts"
import type * as Outage from "./Outage.ts"
import type { WatchFlags } from "./WatchFlags.ts"

/** A node by its name, which holds no key, and the transport to it. */
interface WatchedEndpoint {
  readonly name: string
  readonly transport: Layer.Layer<Transport.Transport>
}

/** Returns the flags of a command with one node: the first one of `--url`. */
export const ofFirst = ({ url, ...flags }: WatchFlags) => ({ ...flags, url: Arr.head(url) })

/**
 * Returns the nodes that the flags name, or the service that runs here. One of several is not asked again after a failure,
 * unless `--retries` says so, because the next one answers sooner.
 */
export const endpoints = Effect.fnUntraced(function* (flags: WatchFlags) {
  const [first, ...others] = flags.url
  const retries = others.length === 0 ? flags.retries : Option.orElseSome(flags.retries, () => "0")
  const endpointOf = (url: Option.Option<Redacted.Redacted>) =>
    Effect.map(ChainNode.lasting({ ...flags, url, retries }), (transport): WatchedEndpoint => ({
      name: Option.match(url, {
        onNone: () => "the service",
        onSome: (given) => UrlSecrets.shownOrigin(Redacted.value(given))
      }),
      transport: Transport.through(transport, Batching.make())
    }))
  const endpoint = yield* endpointOf(Option.fromUndefinedOr(first))
  return Arr.prepend(yield* Effect.forEach(others, (url) => endpointOf(Option.some(url))), endpoint)
})

/**
 * Opens the nodes. Each has a trust of its own, because the trust may ask the node; their light client is the same. The
 * outage tells the lies and the failures of several nodes.
 */
export const open = Effect.fnUntraced(function* <E, R>(
  endpoints: Arr.NonEmptyReadonlyArray<WatchedEndpoint>,
  trust: Layer.Layer<TrustedBlock, E, R>,
  {
    outage,
    ...options
  }: { readonly chainId: bigint; readonly forks: LaterForks.LaterForks | undefined; readonly outage: Outage.Outage }
) {
  const clients = yield* Effect.forEach(
    endpoints,
    Effect.fnUntraced(function* ({ name, transport }) {
      const node = yield* Layer.build(Transport.through(transport, ChainGate.make(options.chainId)))
      // a node of several may not be asked for long, so its mistake would be found when it is needed
      if (endpoints.length > 1) yield* Effect.forkScoped(checked(name, outage).pipe(Effect.provideContext(node)))
      const client = VerdictEthClient.layer(options).pipe(
        Layer.provide(Layer.fresh(trust)),
        Layer.provide(Layer.succeedContext(node))
      )
      return { name, eth: Context.get(yield* Layer.build(client), VerdictEthClient.VerdictEthClient) }
    })
  )
  return ProvenNodes.make(clients, {
    onLie: outage.nodeLied,
    onFailure: outage.nodeFailed,
    onAnswer: outage.nodeAnswered
  })
})

/** Asks the node for its chain, and tells a failure. A node that does not tell its chain may answer all else. */
const checked = (name: string, outage: Outage.Outage) =>
  Effect.flatMap(EthClient.make, ({ chainId }) =>
    Effect.catch(chainId, (error) =>
      error.reason._tag === "RemoteError" && error.reason.kind !== "unauthorized"
        ? Effect.void
        : outage.nodeFailed(name, error)
    )
  )
