/** Our service, as `plumbline up` runs it: the gateway over the embedded node, with pins that belong to projects. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { IpfsEmbedded } from "@plumbline/devnet"
import { Accounts, Gateway, type Network, ServiceState } from "@plumbline/gateway"
import { IpfsProduct, IpfsProjects } from "@plumbline/gateway-ipfs"
import { MethodGroup } from "@plumbline/jsonrpc-core"
import { Context, Effect, Layer, Redacted } from "effect"

import type { Target } from "./suite/check.ts"

/** A network that answers nothing, because a gateway must have at least one network. */
const network: Network.Network = {
  name: "none",
  hosts: ["none.localhost"],
  chainId: 1,
  methods: MethodGroup.make(),
  upstream: { call: () => Effect.never }
}

/** Starts the service with one project. It ends with the scope. */
export const start = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "ipfs-suite-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
  const node = yield* IpfsEmbedded.make({ folder })
  const state = yield* Layer.build(ServiceState.layerSqlite({ file: ":memory:" }))
  const projects = yield* Effect.provideContext(IpfsProjects.make(node, { name: "embedded" }), state)
  const gateway = Gateway.layer({
    networks: [network],
    ipfs: IpfsProduct.make({ node: ({ project }) => projects.node(project) })
  })
  const context = yield* Layer.build(Layer.provideMerge(gateway, Layer.succeedContext(state)))
  const accounts = Context.get(context, Accounts.Accounts)
  const { id: account } = yield* accounts.createAccount({ name: "suite", card: true })
  const { issued } = yield* accounts.createProject({ account, name: "suite", limits: {} })
  const credentials = `${Redacted.value(issued.apiKey)}:${Redacted.value(issued.apiKeySecret)}`
  const target: Target = {
    kind: "plumbline",
    url: Context.get(context, Gateway.Gateway).url,
    headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }
  }
  return target
})
