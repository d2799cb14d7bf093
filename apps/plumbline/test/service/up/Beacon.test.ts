/** A service that keeps the light client data of a beacon chain, and serves it after the chain's node is gone. */
import { writeFile } from "node:fs/promises"

import { describe, expect, it } from "@effect/vitest"
import { BeaconNodes, LightClient, Network, TrustStore } from "@plumbline/beacon-light-client"
import { BeaconChain, History, HistoryChain } from "@plumbline/devnet"
import { Context, Effect, Exit, Layer, Schema, Scope } from "effect"

import * as Children from "../../support/Children.ts"
import * as Servers from "../../support/Servers.ts"
import * as Upped from "../../support/Upped.ts"

const LIGHT = "/eth/v1/beacon/light_client"

/** Waits until a URL answers with 200. */
const answered = async (url: string): Promise<void> => {
  while ((await fetch(url)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50))
}

describe("a service with a beacon chain", () => {
  it("starts a light client from its own URL after the node is gone and the service was started again", async () => {
    await using folder = await Children.folder()
    const scope = Scope.makeUnsafe()
    const chain = Context.get(
      await Effect.runPromise(
        Scope.provide(Layer.build(Layer.provide(BeaconChain.layer(), History.layerTransport())), scope)
      ),
      BeaconChain.BeaconChain
    )
    const checkpoint = await Effect.runPromise(chain.checkpoint)
    const network = chain.network
    await writeFile(`${folder.path}/network.json`, JSON.stringify(Schema.encodeSync(Network.Network)(network)))
    const file = `${folder.path}/plumbline.yaml`
    const node = await Servers.serve(chain.handle)
    await writeFile(
      file,
      `networks: { history: { upstreams: [{ embedded: history }] } }
beacon:
  history: { nodes: ["${node.url}"], checkpoint: "${checkpoint}", network: network.json }
  lonely: { nodes: ["${node.url}"], checkpoint: "${checkpoint}", network: network.json }
ipfs: { node: none }
`
    )
    const served = ({ announcement: { apiKey, url } }: Awaited<ReturnType<typeof Upped.start>>) =>
      `${url}/history/v3/${apiKey}`
    const first = await Upped.start(folder.path, ["--config", file])
    for (const path of [`${LIGHT}/bootstrap/${checkpoint}`, `${LIGHT}/finality_update`, `${LIGHT}/optimistic_update`]) {
      await answered(`${served(first)}${path}`)
    }
    expect((await fetch(`${first.announcement.url}/history/v3/wrong${LIGHT}/finality_update`)).status).toBe(401)
    // a chain without a network of its name has light client data, and no calls of JSON-RPC
    const lonely = `${first.announcement.url}/lonely/v3/${first.announcement.apiKey}`
    await answered(`${lonely}${LIGHT}/finality_update`)
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })
    const headers = { "content-type": "application/json" }
    expect((await fetch(lonely, { method: "POST", headers, body })).status).toBe(404)
    const health = await (await fetch(`${first.announcement.url}/health`)).json()
    expect(health.beacon.map(({ name }: { name: string }) => name)).toEqual(["history", "lonely"])
    await node[Symbol.asyncDispose]()
    await first.stop()

    const second = await Upped.start(folder.path, ["--config", file])
    const program = Effect.gen(function* () {
      const light = yield* LightClient.make({ checkpoint, maxCheckpointAge: "Infinity" })
      return yield* light.heads
    })
    const layer = Layer.mergeAll(
      BeaconNodes.layerFetch({ network, nodes: [{ url: served(second) }] }),
      TrustStore.layerMemory()
    )
    const heads = await Effect.runPromise(Effect.scoped(Effect.provide(program, layer)))
    expect(heads.finalized.support._tag).toBe("Finalized")
    // the block of the chain that the light client cannot know from the checkpoint
    expect(heads.optimistic.header).toMatchObject({ execution: { blockHash: HistoryChain.head.hash } })
    await second.stop()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
})
