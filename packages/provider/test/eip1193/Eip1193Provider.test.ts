import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { TrustedBlock } from "@plumbline/eth-methods"
import { JsonRpcError } from "@plumbline/jsonrpc-core"
import { Layer, Redacted } from "effect"
import { assert, describe, it } from "vitest"

import { Eip1193Provider, ProviderRpcError, ProvingNode } from "../../src/index.ts"
import { TestChain } from "../support/chain.ts"
import { proxy } from "../support/provingNode.ts"

const down = new JsonRpcError.TransportError({ detail: "connection failed (ECONNREFUSED)", retryable: true })

describe("request", () => {
  it("rejects with the error of EIP-1193", async () => {
    const provider = Eip1193Provider.fromLayer(proxy({}).layer)
    const error = await provider.request({ method: "eth_sign", params: [] }).catch((error: unknown) => error)
    assert.instanceOf(error, ProviderRpcError.ProviderRpcError)
    assert.deepInclude(error, { name: "ProviderRpcError", code: 4200 })
  })

  it("takes parameters as JSON has them: members of undefined are not there", async () => {
    const provider = Eip1193Provider.fromLayer(proxy({ eth_getLogs: [] }, { unprovable: "mark" }).layer)
    const filter = { address: undefined, topics: undefined, fromBlock: "0x1", toBlock: "0x0", blockHash: undefined }
    const error = await provider.request({ method: "eth_getLogs", params: [filter] }).catch((error: unknown) => error)
    assert.notDeepInclude(error, { code: -32602 })
  })

  it("rejects parameters that are not JSON", async () => {
    const provider = Eip1193Provider.fromLayer(proxy({}).layer)
    const error = await provider.request({ method: "eth_getBalance", params: [1n] }).catch((error: unknown) => error)
    assert.deepInclude(error, { code: -32602, message: "the parameters are not JSON" })
  })
})

describe("a redacted URL", () => {
  it("is asked over HTTP or a WebSocket by its scheme, and is not in the error", async ({ onTestFinished }) => {
    const seen: Array<unknown> = []
    const server = createServer(({ method, url }, response) => {
      seen.push([method, url])
      response.writeHead(503).end()
    })
    server.on("upgrade", ({ url }, socket) => {
      seen.push(["upgrade", url])
      socket.end("HTTP/1.1 503 Service Unavailable\r\n\r\n")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => server.close().closeAllConnections())
    for (const [scheme, method] of [
      ["http", "POST"],
      ["ws", "upgrade"]
    ]) {
      const url = Redacted.make(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/s3cret`)
      const provider = Eip1193Provider.make({ url })
      const asked = provider.request({ method: "eth_gasPrice", params: [] })
      const error = await asked.catch((error: unknown) => error)
      assert.instanceOf(error, ProviderRpcError.ProviderRpcError)
      assert.notInclude(error.message, "s3cret")
      assert.deepInclude(seen, [method, "/s3cret"])
      await provider.close()
    }
  })
})

describe("events", () => {
  it("tell when the node answered first, when it was lost, and when it is back", async () => {
    const answers: Record<string, unknown> = { eth_chainId: "0x1" }
    const provider = Eip1193Provider.fromLayer(proxy(answers).layer)
    const told: Array<unknown> = []
    provider.on("connect", (payload) => told.push(payload))
    provider.on("disconnect", ({ code }) => told.push(code))
    const ask = () => provider.request({ method: "eth_chainId" }).catch(() => "no answer")
    assert.deepEqual([await ask(), await ask()], ["0x1", "0x1"])
    answers["eth_chainId"] = down
    assert.deepEqual([await ask(), await ask()], ["no answer", "no answer"])
    answers["eth_chainId"] = "0x1"
    await ask()
    assert.deepEqual(told, [{ chainId: "0x1" }, 4900, { chainId: "0x1" }])
  })

  it("tell the verdict of each answer that passed", async () => {
    const provider = Eip1193Provider.fromLayer(proxy({ eth_gasPrice: "0x7" }).layer)
    const told: Array<Eip1193Provider.VerdictEvent> = []
    const listener = (event: Eip1193Provider.VerdictEvent) => told.push(event)
    provider.on("verdict", listener)
    await provider.request({ method: "eth_gasPrice" })
    provider.removeListener("verdict", listener)
    await provider.request({ method: "eth_gasPrice" })
    assert.lengthOf(told, 1)
    assert.deepInclude(told[0], { method: "eth_gasPrice", status: "CLAIMED", anchor: null })
  })
})

describe("subscriptions", () => {
  const heads = (chain: TestChain) =>
    Eip1193Provider.fromLayer(
      ProvingNode.layer().pipe(
        Layer.provide([
          Layer.merge(chain.transport, chain.subscriptions),
          TrustedBlock.layerPinned(chain.canonical[0]!.hash)
        ])
      )
    )
  const next = (provider: Eip1193Provider.Eip1193Provider, event: string) =>
    new Promise<any>((resolve) => {
      const listener = (payload: unknown) => {
        provider.removeListener(event, listener)
        resolve(payload)
      }
      provider.on(event, listener)
    })

  it("tell messages, each after its verdict, until they are ended", async () => {
    const chain = new TestChain()
    const provider = heads(chain)
    const told: Array<unknown> = []
    provider.on("verdict", (verdict) => told.push(verdict))
    provider.on("message", (message) => told.push(message))
    const subscription = await provider.request({ method: "eth_subscribe", params: ["newHeads"] })
    const message = next(provider, "message")
    const { hash, wire } = chain.mine()
    chain.push("newHeads", wire)
    await message
    assert.deepInclude(told[0], { method: "eth_subscription", subscription, status: "CLAIMED", anchor: null })
    const { data, type } = told[1] as Eip1193Provider.MessageEvent
    assert.deepEqual([type, data.subscription, (data.result as any).hash], ["eth_subscription", subscription, hash])
    assert.isTrue(await provider.request({ method: "eth_unsubscribe", params: [subscription] }))
    assert.strictEqual(chain.listeners, 0)
    await provider.close()
  })

  it("tell what they hold back", async () => {
    const chain = new TestChain()
    const provider = heads(chain)
    const subscription = await provider.request({ method: "eth_subscribe", params: ["newHeads"] })
    const refusal = next(provider, "refusal")
    chain.lie = (_, __, block) => ({ ...block, gasUsed: "0x1" })
    chain.push("newHeads", chain.mine().wire)
    const { error, subscription: of } = await refusal
    assert.deepEqual([of, error.code, error.message], [subscription, -32099, "refuted: header hash"])
    await provider.close()
  })

  it("are bounded in number, and end once", async () => {
    const chain = new TestChain()
    const provider = heads(chain)
    const begin = () => provider.request({ method: "eth_subscribe", params: ["newHeads"] })
    const end = (...params: ReadonlyArray<unknown>) =>
      provider.request({ method: "eth_unsubscribe", params }).catch((error: { readonly code: number }) => error.code)
    const first = await begin()
    for (let count = 1; count < 100; count++) await begin()
    assert.strictEqual(await begin().catch(({ code }) => code), -32005)
    assert.deepEqual(
      [await end(first), await end(first), await end("0x1"), await end()],
      [true, -32000, -32000, -32602]
    )
    await begin()
    await provider.close()
    assert.strictEqual(chain.listeners, 0)
  })

  it("that cannot begin are refused, and count for nothing", async () => {
    const chain = new TestChain()
    const provider = heads(chain)
    const codes: Array<number> = []
    for (let count = 0; count < 101; count++) {
      const request = provider.request({ method: "eth_subscribe", params: ["newPendingTransactions"] })
      codes.push(await request.catch(({ code }) => code))
    }
    assert.deepEqual(new Set(codes), new Set([-32098]))
    await provider.request({ method: "eth_subscribe", params: ["newHeads"] })
    await provider.close()
  })
})

describe("close", () => {
  it("makes later requests reject", async () => {
    const provider = Eip1193Provider.fromLayer(proxy({ eth_gasPrice: "0x7" }).layer)
    await provider.request({ method: "eth_gasPrice" })
    await provider.close()
    const outcome = await provider.request({ method: "eth_gasPrice" }).then(
      () => "resolved",
      () => "rejected"
    )
    assert.strictEqual(outcome, "rejected")
  })
})
