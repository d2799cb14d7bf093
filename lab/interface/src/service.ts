/**
 * Starts the complete service in this process, over the embedded nodes, or uses the running service that the
 * environment names.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { Gateway, HttpUpstream, ServiceState } from "@plumbline/gateway"
import { AdminServer, AdminToken } from "@plumbline/gateway-admin"
import { IpfsProduct, IpfsProjects } from "@plumbline/gateway-ipfs"
import { Context, Effect, Layer, Logger, Redacted, Result } from "effect"

import * as Nodes from "./nodes.ts"
import * as Operator from "./operator.ts"
import type { Operated, Target } from "./target.ts"

/** A folder that is removed with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "plumbline-interface-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** Makes a folder inside a folder. */
export const within = (folder: string, name: string) =>
  Effect.promise(async () => {
    const inner = path.join(folder, name)
    await mkdir(inner)
    return inner
  })

/** Drops the logs of services, because they would hide the output of a test. */
export const quiet = Effect.provideService(Logger.CurrentLoggers, new Set())

/** Starts the service. It ends with the scope. */
const start = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const { anvil, history, ipfs, pool } = yield* Nodes.start(yield* within(folder, "ipfs"))
  const networks = Nodes.networks({ live: yield* HttpUpstream.make({ url: anvil.url }), history, pool })
  const adminToken = AdminToken.generate()
  const tokens = [Result.getOrThrow(AdminToken.make("tests", adminToken))]
  const state = ServiceState.layerSqlite({ file: path.join(folder, "state.sqlite") })
  const context = yield* Layer.build(AdminServer.layer({ tokens }).pipe(Layer.provideMerge(state)))
  const { mount } = Context.get(context, AdminServer.AdminServer)
  const gateway = yield* Effect.gen(function* () {
    const pins = yield* IpfsProjects.make(ipfs, { name: "embedded" })
    return yield* Layer.build(
      Gateway.layer({
        networks,
        ipfs: IpfsProduct.make({ node: ({ project }) => pins.node(project) }),
        mounts: [mount]
      })
    )
  }).pipe(Effect.provideContext(context))
  const { port } = Context.get(gateway, Gateway.Gateway)
  const operated: Operated = { port, adminToken: Redacted.value(adminToken) }
  const target: Target = { ...operated, projects: yield* Effect.promise(() => Operator.makeProjects(operated)) }
  return target
}).pipe(quiet)

/** The service that `PLUMBLINE_INTERFACE` describes as JSON, or a new one. */
export const reach = Effect.suspend(() => {
  const named = process.env["PLUMBLINE_INTERFACE"]
  return named === undefined ? start : Effect.succeed<Target>(JSON.parse(named))
})
