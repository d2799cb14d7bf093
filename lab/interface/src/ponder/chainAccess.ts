/** The ways from an indexer to the chain: the node itself, `plumbline proxy`, and a gateway that proves. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { Anvil, PreparedState } from "@plumbline/devnet"
import { Effect, Exit, Scope } from "effect"

import * as Chain from "../chaos/liveChain.ts"
import * as Node from "../chaos/moodyNode.ts"
import * as Service from "../chaos/operatedService.ts"
import { type Listening, listen } from "../clients/listeningCommand.ts"
import { deploy, type Exchange } from "../dapp/tokenExchange.ts"
import * as Faults from "./indexerFaults.ts"

/** `node` is the node itself. The ways that are bounded prove only a part of the ranges that an indexer asks for. */
export type WayName = "node" | "proxy" | "gateway" | "bounded proxy" | "bounded gateway"

/** The bound on the work of one range, for the ways that are bounded. */
const BOUND = 20

/** A way to the chain. `await using` ends what it started. */
export interface Way extends AsyncDisposable {
  readonly url: string
  /** The number of answers of the node that had its fault. */
  readonly told: () => number
}

/** The chain with an exchange, behind a service with a light client's beacon node. */
export interface ServedChain extends AsyncDisposable {
  readonly node: string
  readonly exchange: Exchange
  /** Opens a way to a node of a kind. */
  readonly open: (way: WayName, kind: Faults.NodeKind) => Promise<Way>
}

/** Starts the chain, and deploys the exchange. */
export const serve = async (): Promise<ServedChain> => {
  const folder = await mkdtemp(path.join(tmpdir(), "plumbline-indexers-"))
  await using started = new AsyncDisposableStack()
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const service = started.use(await listen(["up", "--data", path.join(folder, "service")])) as Announced
  const node = `${service.url}/live/v3/${service.apiKey}`
  const exchange = await deploy(node)
  const all = started.move()
  let count = 0
  const open = async (way: WayName, kind: Faults.NodeKind): Promise<Way> => {
    const scope = Scope.makeUnsafe()
    const { through, told } = Faults.faultOf(kind)
    const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
    try {
      const { url } = await Effect.runPromise(Scope.provide(Node.start(through(Chain.transport(node))), scope))
      const front = await fronts[way](url, service, path.join(folder, String(count++)), scope)
      return { url: front, told, [Symbol.asyncDispose]: close }
    } catch (error) {
      await close()
      throw error
    }
  }
  return { node, exchange, open, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

type Announced = Listening & Readonly<Record<"apiKey" | "beaconNetwork" | "beaconUrl" | "checkpoint", string>>

type Front = (url: string, service: Announced, folder: string, scope: Scope.Scope) => Promise<string>

const fronts: Readonly<Record<WayName, Front>> = {
  node: async (url) => url,
  proxy: (...at) => proxy([], ...at),
  "bounded proxy": (...at) => proxy(["--log-work", String(BOUND)], ...at),
  gateway: (...at) => gateway({}, ...at),
  "bounded gateway": (...at) => gateway({ logWork: BOUND }, ...at)
}

/** Starts `plumbline proxy`, which trusts the checkpoint that the chain's service announced. */
const proxy = async (flags: ReadonlyArray<string>, ...[url, announced, folder, scope]: Parameters<Front>) => {
  const { beaconNetwork, beaconUrl, checkpoint } = announced
  const trust = ["--checkpoint", checkpoint, "--beacon", beaconUrl, "--beacon-network", beaconNetwork]
  const rules = ["--chain-id", String(PreparedState.chainId), "--hardfork", Anvil.defaults.hardfork]
  const started = await listen(["proxy", "--url", url, "--data", folder, ...trust, ...rules, ...flags])
  const stop = Effect.promise(() => started[Symbol.asyncDispose]())
  await Effect.runPromise(Scope.addFinalizer(scope, stop))
  return started.url
}

/** Starts a service whose network proves the answers of the node. */
const gateway = async (settings: object, ...[url, announced, folder, scope]: Parameters<Front>) => {
  const { beaconNetwork: network, beaconUrl, checkpoint } = announced
  const main = {
    chainId: PreparedState.chainId,
    upstreams: [{ url, name: "node" }],
    integrity: "prove",
    trust: { checkpoint, beacon: [beaconUrl], network },
    hardforks: [{ hardfork: Anvil.defaults.hardfork, time: 0 }],
    ...settings
  }
  const starting = Service.start(folder, { networks: { main } })
  const service = await Effect.runPromise(Scope.provide(starting, scope))
  const { key } = await service.project("indexer")
  return `http://127.0.0.1:${service.port}/main/v3/${key}`
}
