/** The facts that the console shows: the networks, IPFS, and which of them need no key. */
import type { IncomingMessage } from "node:http"

import * as BeaconNetwork from "@plumbline/beacon-light-client/network/Network"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import type { Liar } from "@plumbline/gateway-admin/api/AdminServer"
import * as LieCounts from "@plumbline/gateway/networks/LieCounts"
import type { Network } from "@plumbline/gateway/networks/Network"
import type { LieCount } from "@plumbline/gateway/networks/Upstream"
import type { ChainForks } from "@plumbline/verified-calls/rules/Hardforks"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

import type { EmbeddedNetwork, ServiceSettings } from "../config/ServiceSettings.ts"
import type * as ConsoleMount from "../console/ConsoleMount.ts"
import * as Loopback from "../home/Loopback.ts"
import * as BeaconStandIn from "./BeaconStandIn.ts"
import * as EmbeddedForks from "./EmbeddedForks.ts"
import * as EmbeddedLies from "./EmbeddedLies.ts"
import type { EmbeddedNodes } from "./EmbeddedNodes.ts"
import * as ServiceNetworks from "./ServiceNetworks.ts"

/** The parts of the service that the console shows. They are read at each request, because a reload changes them. */
export interface ConsoleParts {
  readonly settings: () => ServiceSettings
  readonly networks: () => ReadonlyArray<Network>
  readonly embedded: EmbeddedNodes
  readonly lies: EmbeddedLies.EmbeddedLies
  /** Returns the lies of a network's nodes that all processes found. */
  readonly told: (network: string) => ReadonlyArray<LieCount>
  /** Sends a packet to a network, on behalf of no project. Returns undefined for an unknown network. */
  readonly read: ConsoleMount.ConsoleFacts["read"]
  readonly hasIpfs: boolean
  /** The service's address and the folder's key; undefined while the service starts, or if it has no folder. */
  readonly own: () => ConsoleMount.ConsoleOwn | undefined
  /** The address at which the service listens, if the console has another one; undefined while the service starts. */
  readonly service: () => string | undefined
}

export const make = ({
  embedded,
  hasIpfs,
  lies,
  networks,
  own,
  read,
  service,
  settings,
  told
}: ConsoleParts): ConsoleMount.ConsoleFacts => ({
  hasIpfs,
  hasSignOn: () => settings().admin.oidc !== undefined,
  isIpfsEmbedded: () => {
    const { ipfs, server } = settings()
    return own() !== undefined && isAlone(server) && ipfs.node._tag === "Embedded" && ipfs.fallbacks.length === 0
  },
  own,
  read,
  hasPublicName: () => {
    const { networks: configured, server } = settings()
    return server.trustedProxies.length > 0 || configured.some(({ hosts }) => !hosts.every(Loopback.isLoopback))
  },
  service: (request) => {
    const url = service()
    return url === undefined ? undefined : originFor(url, request)
  },
  networks: async () => {
    const { networks: configured, server } = settings()
    // without a folder the console has no key to read with
    const mayBeOpen = own() !== undefined && isAlone(server)
    const beacon = await beaconOf(embedded)
    return networks().flatMap(({ chainId, name }) => {
      const network = configured.find((one) => one.name === name)
      if (network === undefined) return []
      const { kind, upstreams } = network
      const nodes = upstreams.map(({ embedded }) => embedded)
      const liar = mayBeOpen ? liarOf(network) : undefined
      return [
        {
          name,
          chainId,
          kind,
          isEmbedded: mayBeOpen && nodes.every((node) => node !== undefined),
          lie: liar === undefined ? null : { leftMillis: lies.left(liar) },
          liars: liarsOf(told(name), Date.now()),
          forks: typeof chainId === "number" ? namedForks(network, nodes, chainId)?.forks : undefined,
          beacon: nodes.length === 1 && nodes[0] === "live" ? beacon : null,
          anchor: anchorOf(network, nodes)
        }
      ]
    })
  }
})

/** The time for which the console tells of a lie, in milliseconds. */
const TOLD = 3_600_000

/**
 * Returns the nodes that lied a short while ago, newest first: each once, and once for each drill. The page needs no
 * sign-in, so the name of the operator who ordered a drill is left out.
 */
export const liarsOf = (lies: ReadonlyArray<LieCount>, now: number): ConsoleMount.ConsoleNetwork["liars"] => {
  const recent = lies.filter(({ isLying, lastAt }) => isLying || now - lastAt <= TOLD)
  const byNode = Map.groupBy(recent, ({ drill, node }) => JSON.stringify([node, drill?.at]))
  return Array.from(byNode.values(), (counts) => {
    const latest = counts.reduce((a, b) => (a.lastAt < b.lastAt ? b : a))
    const { block = null, check, drill, lastAt, method, node } = latest
    const own = lies.filter((lie) => lie.node === node)
    const { asideUntil = null, isLying, trustedSince = null } = LieCounts.trustIn(own)
    return {
      node,
      isLying,
      asideUntil,
      trustedSince,
      firstAt: Math.min(...counts.map(({ firstAt }) => firstAt)),
      lastAt,
      count: counts.reduce((sum, { count }) => sum + count, 0),
      method,
      check,
      block: block === null ? null : { number: block.number, hash: block.hash ?? null },
      drill: drill === undefined ? null : { at: drill.at, until: drill.until }
    }
  }).toSorted((a, b) => b.lastAt - a.lastAt)
}

/** Returns the operations of the admin API that let the embedded node of a network lie. */
export const liar = ({ lies, own, settings }: Pick<ConsoleParts, "lies" | "own" | "settings">): Liar => {
  const nodeOf = (name: string): EmbeddedNetwork | undefined => {
    const { networks, server } = settings()
    return own() === undefined || !isAlone(server) ? undefined : liarOf(networks.find((one) => one.name === name))
  }
  return {
    left: (network) => {
      const node = nodeOf(network)
      return node && lies.left(node)
    },
    nodeOf: (network) => settings().networks.find(({ name }) => name === network)?.upstreams[0]?.name,
    begin: (network, by) => {
      const node = nodeOf(network)
      if (node !== undefined) lies.begin(node, by)
    },
    lastsMillis: EmbeddedLies.LASTS
  }
}

/** Returns the embedded node of a network that can be told to lie: it is alone, and its answers are checked. */
const liarOf = (network: ServiceSettings["networks"][number] | undefined): EmbeddedNetwork | undefined =>
  network === undefined || network.integrity === "off" || network.upstreams.length !== 1
    ? undefined
    : network.upstreams[0]!.embedded

/** Returns the block that the service's own proofs start from; null if it has none. */
const anchorOf = (
  { integrity, trust }: ServiceSettings["networks"][number],
  nodes: ReadonlyArray<EmbeddedNetwork | undefined>
): string | null =>
  integrity === "prove" && trust?.block !== undefined
    ? trust.block
    : nodes.length === 1 && nodes[0] === "history"
      ? HistoryChain.head.hash
      : null

/** Returns the rules that the operator names, or those of the embedded node; undefined if neither is known. */
const namedForks = (
  network: ServiceSettings["networks"][number],
  nodes: ReadonlyArray<EmbeddedNetwork | undefined>,
  chainId: number
): ChainForks | undefined => {
  const [node] = nodes
  const own = nodes.length === 1 && node !== undefined ? EmbeddedForks.of(node, chainId) : undefined
  return ServiceNetworks.forksOf(network, BigInt(chainId), own)
}

/** True if only this machine reaches the service. With a proxy it is false: any caller may be behind the proxy. */
export const isAlone = ({ host, trustedProxies }: ServiceSettings["server"]): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/iu.test(host) && trustedProxies.length === 0

/**
 * Returns the origin of a listener for the page of a request. A listener on every address is reached by the name that
 * the page itself was reached by.
 */
const originFor = (url: string, { headers }: IncomingMessage): string => {
  const [, scheme = "", host = "", port = ""] = /^(https?):\/\/(\[[^\]]*\]|[^:]*):(\d+)$/u.exec(url) ?? []
  if (host !== "0.0.0.0" && host !== "[::]") return url
  const [, name = "127.0.0.1"] = /^([\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/iu.exec(headers.host ?? "") ?? []
  return `${scheme}://${name}:${port}`
}

const beaconOf = async (embedded: EmbeddedNodes): Promise<ConsoleMount.ConsoleNetwork["beacon"]> => {
  const chain = embedded.beacon()
  if (chain === undefined) return null
  return {
    path: BeaconStandIn.PATH,
    checkpoint: await Effect.runPromise(chain.checkpoint),
    network: Schema.encodeSync(BeaconNetwork.Network)(chain.network)
  }
}
