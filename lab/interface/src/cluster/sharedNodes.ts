/** The nodes that all processes share, each at a URL. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"

import { Gateway, ServiceState } from "@plumbline/gateway"
import { AdminServer, AdminToken } from "@plumbline/gateway-admin"
import { IpfsProduct } from "@plumbline/gateway-ipfs"
import type { IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"
import { Context, Effect, Layer, Redacted, Result } from "effect"

import * as Nodes from "../nodes.ts"
import * as Operator from "../operator.ts"

/**
 * The URLs of the nodes. `counted` returns the number of calls to the history chain whose URL has the path `/<name>`, of
 * one method or of all.
 */
export interface SharedNodes {
  readonly live: string
  readonly history: string
  readonly pool: string
  readonly unsealed: string
  /** The URL of the IPFS node, with its key and secret. */
  readonly ipfs: string
  /** The folder in which the IPFS node keeps its blocks. */
  readonly blocks: string
  readonly counted: (name: string, method?: string) => number
}

/** Starts the nodes. They end with the scope. */
export const start = Effect.fnUntraced(function* (folder: string) {
  const nodes = yield* Nodes.start(folder)
  const asked: Array<{ readonly name: string; readonly method: string }> = []
  const history = yield* overHttp((body, name) => {
    asked.push({ name, method: JSON.parse(body.toString()).method })
    return Effect.runPromise(nodes.history.handle(body))
  })
  const shared: SharedNodes = {
    live: nodes.anvil.url,
    history,
    pool: yield* overHttp((body) => Effect.runPromise(nodes.pool.handle(body))),
    unsealed: yield* overHttp(async (body) => {
      const { id, method } = JSON.parse(body.toString())
      return Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result: Nodes.unsealedAnswer(method) }))
    }),
    ipfs: yield* ipfsOverHttp(nodes.ipfs),
    blocks: path.join(folder, "blocks"),
    counted: (name, method) =>
      asked.filter((call) => call.name === name && (method === undefined || call.method === method)).length
  }
  return shared
})

const overHttp = (handle: (body: Buffer, name: string) => Promise<Uint8Array | undefined>) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer((request, response) => {
        const pieces: Array<Buffer> = []
        request.on("data", (piece: Buffer) => pieces.push(piece))
        request.on("end", () => {
          void handle(Buffer.concat(pieces), request.url!.slice(1)).then((answer) =>
            response.setHeader("content-type", "application/json").end(answer)
          )
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))

/** Runs the embedded IPFS node as a separate service in place of Kubo, with one project for all processes. */
const ipfsOverHttp = Effect.fnUntraced(function* (node: IpfsNodeCommands) {
  const token = AdminToken.generate()
  const tokens = [Result.getOrThrow(AdminToken.make("cluster", token))]
  const context = yield* Layer.build(
    AdminServer.layer({ tokens }).pipe(Layer.provideMerge(ServiceState.layerSqlite({ file: ":memory:" })))
  )
  const { mount } = Context.get(context, AdminServer.AdminServer)
  const [first] = Nodes.networks({ live: unasked, history: unasked, pool: unasked })
  const gateway = yield* Layer.build(
    Gateway.layer({ networks: [first!], ipfs: IpfsProduct.make({ node: () => node }), mounts: [mount] })
  ).pipe(Effect.provideContext(context))
  const { port } = Context.get(gateway, Gateway.Gateway)
  const { key, secret } = yield* Effect.promise(() =>
    Operator.makeProject({ port, adminToken: Redacted.value(token) }, "cluster")
  )
  return `http://${key}:${secret}@127.0.0.1:${port}`
})

const unasked = { call: () => Effect.never }
