import { JsonRpcError, Stack, Transport } from "@plumbline/jsonrpc-core"
import { Context, Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"

import { ProvingTransport } from "../../src/index.ts"
import { proxy } from "../support/provingNode.ts"

const CHAIN = { chainId: 1n }
const liar = () => proxy({ eth_chainId: "0x2" }, CHAIN)
const dead = () =>
  proxy({ eth_chainId: new JsonRpcError.TransportError({ detail: "connection failed", retryable: true }) }, CHAIN)
const honest = () => proxy({ eth_chainId: "0x1" }, CHAIN)

/** Asks the proving nodes in order, as `Stack` does by default. */
const ask = (proxies: ReadonlyArray<ReturnType<typeof proxy>>) => {
  const nodes = proxies.map(({ layer }, index) => ({
    name: `node ${index}`,
    transport: Effect.map(Layer.build(Layer.provide(ProvingTransport.layer(), layer)), (context) =>
      Context.get(context, Transport.Transport)
    )
  }))
  const call = Transport.Transport.use((transport) => transport.call({ method: "eth_chainId", params: [] }))
  return Effect.provide(call, Stack.layer(nodes, { retry: false }))
}

describe("proxies of several nodes in a Stack", () => {
  it("go on after a node that lied, and after one that is gone", async () => {
    const proxies = [liar(), dead(), honest(), honest()]
    assert.strictEqual(await Effect.runPromise(ask(proxies)), "0x1")
    assert.deepEqual(
      proxies.map(({ asked }) => asked.length),
      [1, 1, 1, 0]
    )
  })

  it("tell the lie, and never its value, if all of them lie", async () => {
    const { reason } = await Effect.runPromise(Effect.flip(ask([liar(), liar()])))
    assert.deepInclude(reason, { _tag: "RemoteError", code: -32099, message: "refuted: chain id" })
  })

  it("let a call be tried again that failed for want of a connection, beside a liar too", async () => {
    const { reason, retryable } = await Effect.runPromise(Effect.flip(ask([liar(), dead()])))
    assert.deepInclude(reason, { _tag: "RemoteError", code: 4900 })
    assert.isTrue(retryable)
  })
})
