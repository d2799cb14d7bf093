/** The service's IPFS routes in front of a node of the test, until the scope closes. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { NodeHttpClient } from "@effect/platform-node"
import { EthMethods } from "@plumbline/eth-methods"
import { Gateway } from "@plumbline/gateway"
import { type IpfsOptions, IpfsProduct } from "@plumbline/gateway-ipfs"
import { IpfsClient, IpfsKubo, type IpfsNode } from "@plumbline/ipfs-client"
import { Context, Effect, Layer, type Redacted, type Scope } from "effect"

import * as State from "./State.ts"

/** A folder that is removed when the scope closes. */
export const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "plumbline-test-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

/** The URL of the routes, and the key that may use them. */
export interface Served {
  readonly url: string
  readonly apiKey: Redacted.Redacted
  readonly apiKeySecret: Redacted.Redacted
}

/** Serves a node to one project. */
export const serve = (node: IpfsOptions.IpfsOptions["node"]) =>
  Effect.gen(function* () {
    const network = {
      name: "live",
      hosts: ["live.localhost"],
      chainId: 1,
      methods: EthMethods.group,
      upstream: { call: () => Effect.succeed(new TextEncoder().encode("null")) }
    }
    const gateway = Gateway.layer({ networks: [network], ipfs: IpfsProduct.make({ node }) }).pipe(
      Layer.provideMerge(State.memory)
    )
    const context = yield* Layer.build(gateway)
    const { url } = Context.get(context, Gateway.Gateway)
    const { apiKey, apiKeySecret } = yield* Effect.provideContext(State.project({ card: true }), context)
    const served: Served = { url, apiKey, apiKeySecret }
    return served
  })

/** Reads a node with `IpfsKubo` through the service's routes. */
export const kubo = (
  behind: IpfsNode.IpfsNodeCommands,
  headers: Readonly<Record<string, string>> = { te: "trailers" }
) =>
  Effect.gen(function* () {
    const { apiKey, apiKeySecret, url } = yield* serve(() => behind)
    const http = yield* Layer.build(NodeHttpClient.layerUndici)
    const options = { url, apiKey, apiKeySecret, headers, retries: 0 }
    return IpfsKubo.make(yield* Effect.provideContext(IpfsClient.make(options), http))
  })
