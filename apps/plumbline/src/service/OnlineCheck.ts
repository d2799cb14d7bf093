/** `config check --online`: asks the nodes that a configuration names, and warns of what only they can show. */
import * as BeaconNodes from "@plumbline/beacon-light-client/api/BeaconNodes"
import * as HttpUpstream from "@plumbline/gateway/networks/HttpUpstream"
import type * as Upstream from "@plumbline/gateway/networks/Upstream"
import { UpstreamError } from "@plumbline/gateway/networks/UpstreamError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

import * as BeaconNetwork from "../beacon/BeaconNetwork.ts"
import type { ServiceSettings } from "../config/ServiceSettings.ts"
import * as LaterForksFile from "../rules/LaterForksFile.ts"
import * as HashRule from "./HashRule.ts"
import * as ServiceNetworks from "./ServiceNetworks.ts"

/** A setting that is allowed, but whose node does not serve it. */
export interface OnlineWarning {
  readonly path: string
  readonly problem: string
}

type Network = ServiceSettings["networks"][number]

/** Time that each node has for its answer. */
const PATIENCE = "3 seconds"

/** Asks all nodes, and returns a warning for each that does not answer, is of another chain, or proves nothing. */
export const warnings = ({ beacon = {}, networks }: ServiceSettings) =>
  Effect.map(
    Effect.scoped(
      Effect.all(
        [
          ...networks.map(ofNetwork),
          ...Object.entries(beacon).map(([name, { network, nodes }]) =>
            ofBeacons(`beacon.${name}.nodes`, network, nodes)
          )
        ],
        { concurrency: "unbounded" }
      )
    ),
    (found) => found.flat()
  )

const ofNetwork = Effect.fnUntraced(function* (network: Network) {
  const { kind, name, trust, upstreams } = network
  const own = upstreams.flatMap((node, index) => (node.url === undefined ? [] : [{ node, index }]))
  const nodes = yield* Effect.forEach(own, ({ index, node }) =>
    Effect.map(ServiceNetworks.upstreamOf(node, kind), (upstream) => ({ name: node.name, index, upstream }))
  )
  const chainId = kind === "eth" && network.chainId !== undefined ? BigInt(network.chainId) : undefined
  const asked = yield* Effect.forEach(
    nodes,
    ({ index, upstream }) => ofNode(`networks.${name}.upstreams[${index}]`, upstream, kind, chainId),
    { concurrency: "unbounded" }
  )
  const at = `networks.${name}.trust`
  const { beacon = [], l1, operator } = trust ?? {}
  const trusted = yield* Effect.all(
    [
      ...[[`${at}.operator`, operator] as const, [`${at}.l1.url`, l1?.url] as const].flatMap(([path, url]) =>
        url === undefined
          ? []
          : [Effect.flatMap(HttpUpstream.make({ url }), (upstream) => ofNode(path, upstream, "eth", undefined))]
      ),
      ofBeacons(`${at}.beacon`, trust?.network, beacon),
      ofBeacons(`${at}.l1.beacon`, l1?.network, l1?.beacon ?? [])
    ],
    { concurrency: "unbounded" }
  )
  const silent = [...asked, ...trusted].flat()
  if (network.integrity === "off" || chainId === undefined || nodes.length < upstreams.length) return silent
  const { laterForks } = network
  const forks = laterForks === undefined ? undefined : yield* LaterForksFile.read(laterForks)
  const engine = yield* HashRule.engineOf(nodes, chainId, forks)
  return engine === undefined ? silent : [...silent, { path: `networks.${name}`, problem: HashRule.warningOf(engine) }]
})

/** Asks a node for its chain. An error object is an answer: the node may not have the method. */
const ofNode = (
  path: string,
  upstream: Upstream.Upstream,
  kind: Network["kind"],
  expected: bigint | undefined
): Effect.Effect<ReadonlyArray<OnlineWarning>> =>
  upstream.call(kind === "eth" ? "eth_chainId" : "starknet_chainId", []).pipe(
    Effect.map((answer) => {
      const found = expected === undefined ? undefined : chainIn(answer)
      return found === undefined || found === expected
        ? []
        : [{ path, problem: `is a node of chain ${found}, and the network is chain ${expected}` }]
    }),
    Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.succeed([silence(path, "no answer in time")]) }),
    Effect.catch((error) => Effect.succeed(error instanceof UpstreamError ? [silence(path, error.message)] : []))
  )

const chainIn = (answer: Uint8Array): bigint | undefined => {
  const hex = /^"(0x[0-9a-f]{1,16})"$/iu.exec(new TextDecoder().decode(answer))?.[1]
  return hex === undefined ? undefined : BigInt(hex)
}

/** Asks each beacon node if it answers at all. */
const ofBeacons = Effect.fnUntraced(function* (
  path: string,
  name: string | undefined,
  urls: ReadonlyArray<Redacted.Redacted>
) {
  const [first, ...others] = urls
  if (first === undefined || name === undefined) return []
  const network = yield* BeaconNetwork.named(name)
  const layer = BeaconNodes.layerFetch({ network, nodes: [{ url: first }, ...others.map((url) => ({ url }))] })
  const { pulses } = Context.get(yield* Layer.build(layer), BeaconNodes.BeaconNodes)
  const alive = yield* Effect.forEach(
    pulses,
    ({ answers }) => Effect.timeoutOrElse(answers, { duration: PATIENCE, orElse: () => Effect.succeed(false) }),
    { concurrency: "unbounded" }
  )
  return alive.flatMap((isAlive, index) => (isAlive ? [] : [silence(`${path}[${index}]`, "no answer")]))
})

const silence = (path: string, why: string): OnlineWarning => ({
  path,
  problem: `does not answer: ${why}. Check its URL and key, and that a node runs there`
})
