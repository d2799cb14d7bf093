/** A beacon chain for the history chain, a node of each chain, and lying beacon nodes, for the tests of one file. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { afterAll, beforeAll } from "@effect/vitest"
import { Network } from "@plumbline/beacon-light-client"
import { BeaconChain, History } from "@plumbline/devnet"
import { Effect, Exit, Layer, Schema, Scope } from "effect"

import * as LyingNode from "./LyingNode.ts"
import * as Servers from "./Servers.ts"

/** The chains and their nodes. */
export interface Beacon {
  readonly chain: BeaconChain.BeaconChain["Service"]
  readonly checkpoint: string
  /** The URL of the honest beacon node. */
  readonly url: string
  /** The URL of the node of the execution chain. */
  readonly nodeUrl: string
  /** The file of the network, and a folder for everything else. */
  readonly networkFile: string
  readonly folder: string
}

/** Returns a function that gives the chains once the tests run. */
export const beacon = (): (() => Beacon) => {
  const scope = Scope.makeUnsafe()
  const servers: Array<AsyncDisposable> = []
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-beacon-"))
  let found: Beacon | undefined
  beforeAll(async () => {
    const history = await Effect.runPromise(History.make)
    const transport = await Effect.runPromise(Scope.provide(Layer.build(History.layerTransport()), scope))
    const made = Effect.provideContext(BeaconChain.make({ name: "test" }), transport)
    const chain = await Effect.runPromise(Scope.provide(made, scope))
    const api = await Servers.serve(chain.handle)
    const node = await Servers.serve(async (request, response) => {
      response.end(await Effect.runPromise(history.handle(await LyingNode.textOf(request))))
    })
    servers.push(api, node)
    const networkFile = path.join(folder, "network.json")
    writeFileSync(networkFile, JSON.stringify(Schema.encodeSync(Network.Network)(chain.network)))
    const checkpoint = await Effect.runPromise(chain.checkpoint)
    found = { chain, checkpoint, url: api.url, nodeUrl: node.url, networkFile, folder }
  })
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    for (const server of servers) await server[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })
  return () => {
    if (found === undefined) throw new Error("the beacon chain did not start")
    return found
  }
}

/** Starts a beacon node that changes the data of each answer whose path contains `part`. */
export const liar = (
  { chain }: Beacon,
  part: string,
  change: (data: any) => void
): Promise<{ readonly url: string } & AsyncDisposable> =>
  Servers.serve((request, response) => {
    const { url = "" } = request
    const target = url.slice(url.indexOf("/eth/v1/"))
    const { body, headers, status } = chain.answer({ target, accept: "application/json" })
    response.writeHead(status, headers)
    if (status !== 200 || !target.includes(part)) return void response.end(body)
    const said = JSON.parse(new TextDecoder().decode(body))
    for (const { data } of Array.isArray(said) ? said : [said]) change(data)
    response.end(JSON.stringify(said))
  })

/** Starts a beacon node whose answers are of a fork with this name, except for bootstraps. */
export const renamed = ({ chain }: Beacon, version: string): Promise<{ readonly url: string } & AsyncDisposable> =>
  Servers.serve((request, response) => {
    const { url = "" } = request
    const { body, headers, status } = chain.answer({ target: url, accept: "application/json" })
    response.writeHead(status, headers)
    if (status !== 200 || !/update/u.test(url)) return void response.end(body)
    const said = JSON.parse(new TextDecoder().decode(body))
    for (const one of Array.isArray(said) ? said : [said]) one.version = version
    response.end(JSON.stringify(said))
  })
