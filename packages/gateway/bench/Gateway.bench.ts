/**
 * Measures the cost of the service beside bare Node: requests over 32 kept connections, with client and server in this
 * process. So compare two rows with each other, and do not quote a single row.
 */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

import { Gateway, HttpUpstream, type Network } from "@plumbline/gateway"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Pool } from "undici"
import { test } from "vitest"

import * as State from "../test/support/accounts.ts"
import { ADDRESS, methods } from "../test/support/methods.ts"
import * as Load from "./load.ts"

const KEY = "00112233445566778899aabbccddeeff"
const CONNECTIONS = 32
const REQUESTS = 320
const VALUE = `"0x${"00".repeat(31)}2a"`
const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "eth_getStorageAt",
  params: [ADDRESS, "0x00", "latest"]
})
const request = Load.post(`/v3/${KEY}`, body)

test("a call that the service answers from memory", async ({ bench }) => {
  const bare = await listen((text, answer) => {
    const { id } = JSON.parse(text) as { readonly id: number }
    answer(Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${VALUE}}`))
  })
  const result = new TextEncoder().encode(VALUE)
  const gateway = await start({ call: () => Effect.succeed(result) })
  const [left, right] = await Promise.all([
    Load.connect(bare.port, request, CONNECTIONS),
    Load.connect(gateway.port, request, CONNECTIONS)
  ])
  await bench.compare(
    bench("node:http, JSON.parse and an answer", () => left.run(REQUESTS)),
    bench("the gateway: key, envelope, parameters, answer", () => right.run(REQUESTS)),
    { time: 2000 }
  )
  left.close()
  right.close()
  bare.close()
  await gateway.close()
})

test("a call that a node answers", async ({ bench }) => {
  const node = await listen((text, answer) => {
    const { id } = JSON.parse(text) as { readonly id: number }
    answer(Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${VALUE}}`))
  })
  const pool = new Pool(`http://127.0.0.1:${node.port}`, { connections: 64 })
  const proxy = await listen((text, answer) => {
    void pool
      .request({ path: "/", method: "POST", headers: { "content-type": "application/json" }, body: text })
      .then((response) => response.body.arrayBuffer())
      .then((bytes) => answer(Buffer.from(bytes)))
  })
  const scope = await Effect.runPromise(Scope.make())
  const upstream = await Effect.runPromise(
    HttpUpstream.make({ url: `http://127.0.0.1:${node.port}` }).pipe(Scope.provide(scope))
  )
  const gateway = await start(upstream)
  const [left, right] = await Promise.all([
    Load.connect(proxy.port, request, CONNECTIONS),
    Load.connect(gateway.port, request, CONNECTIONS)
  ])
  await bench.compare(
    bench("node:http and undici's request, nothing checked", () => left.run(REQUESTS)),
    bench("the gateway over HttpUpstream", () => right.run(REQUESTS)),
    { time: 2000 }
  )
  left.close()
  right.close()
  await gateway.close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  proxy.close()
  node.close()
  await pool.destroy()
})

const listen = async (
  handle: (text: string, answer: (bytes: Buffer) => void) => void
): Promise<{ readonly port: number; readonly close: () => void }> => {
  const server: Server = createServer((incoming, response) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () =>
      handle(Buffer.concat(chunks).toString("utf8"), (bytes) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length })
        response.end(bytes)
      })
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

const start = async (upstream: Network.Network["upstream"]) => {
  const network = { name: "live", hosts: ["live.localhost"], chainId: 1, methods, upstream }
  const scope = await Effect.runPromise(Scope.make())
  const context = await Effect.runPromise(
    Layer.buildWithScope(
      Gateway.layer({ networks: [network] }).pipe(
        Layer.provide(State.layer([{ id: "p", key: KEY, secret: "secret" }]))
      ),
      scope
    )
  )
  return {
    port: Context.get(context, Gateway.Gateway).port,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
