/** Subscriptions and filters of `plumbline proxy` as a process, in front of a chain that mines. */
import { assert, describe, it } from "@effect/vitest"
import { Anvil, PreparedState } from "@plumbline/devnet"
import { Effect, Exit, Scope } from "effect"
import { JsonRpcProvider, WebSocketProvider } from "ethers"
import { createPublicClient, http, type PublicClient, webSocket } from "viem"
import { WebSocket } from "ws"

import * as Children from "../support/Children.ts"
import * as SocketRelay from "../support/SocketRelay.ts"

/** Starts a separate chain for a test, which mines on request. */
const chain = async () => {
  const scope = Scope.makeUnsafe()
  const { url, wsUrl } = await Effect.runPromise(Scope.provide(Anvil.make(), scope))
  const ask = async (method: string, params: ReadonlyArray<unknown> = []): Promise<any> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
    return ((await response.json()) as { readonly result: unknown }).result
  }
  const mine = async (): Promise<any> => {
    await ask("evm_mine")
    return ask("eth_getBlockByNumber", ["latest", false])
  }
  const transfer = async (): Promise<any> => {
    const data = `0xa9059cbb${to!.slice(2).toLowerCase().padStart(64, "0")}${"1".padStart(64, "0")}`
    const hash = await ask("eth_sendTransaction", [{ from, to: address, data }])
    // anvil returns the hash before it has mined the block
    for (;;) {
      const receipt = await ask("eth_getTransactionReceipt", [hash])
      if (receipt !== null) return receipt
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  return { url, wsUrl, ask, mine, transfer, [Symbol.asyncDispose]: close }
}

const [from, to] = PreparedState.accounts.map(({ address }) => address)
const { address } = PreparedState.contracts.token

const open = async (...args: ReadonlyArray<string>) => {
  const child = Children.start(["proxy", "--json", "--port", "0", "--poll", "0.1", ...args])
  const { url, wsUrl } = JSON.parse(await child.firstLine) as { readonly url: string; readonly wsUrl: string }
  return {
    url,
    wsUrl,
    [Symbol.asyncDispose]: async () => {
      child.process.kill("SIGTERM")
      await child.ended
    }
  }
}

/** Waits until a list has `count` items. */
const until = async (list: ReadonlyArray<unknown>, count: number): Promise<void> => {
  while (list.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
}

const hangUp = async ({ transport }: PublicClient): Promise<void> => {
  if (transport.type === "webSocket") (await (transport as any).getRpcClient()).close()
}

/** Connects a client that records every message. */
const connect = async (url: string) => {
  const socket = new WebSocket(url)
  const heard: Array<any> = []
  const answers = new Map<number, (message: any) => void>()
  socket.on("message", (data: any) => {
    const message = JSON.parse(String(data))
    const answer = answers.get(message.id)
    if (answer === undefined) heard.push(message)
    else answer(message)
  })
  await new Promise((resolve) => socket.once("open", resolve))
  let asked = 0
  const request = (method: string, params: ReadonlyArray<unknown>): Promise<any> =>
    new Promise((resolve) => {
      answers.set(++asked, resolve)
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: asked, method, params }))
    })
  return { heard, request, [Symbol.asyncDispose]: async () => socket.terminate() }
}

const mark = ["--unprovable", "mark"]

describe("heads through the proxy", () => {
  it("reach viem and ethers, unchanged, over a node's HTTP and WebSocket", async () => {
    await using node = await chain()
    for (const upstream of [node.url, node.wsUrl]) {
      await using proxy = await open("--url", upstream, ...mark)
      const viem = createPublicClient({ transport: webSocket(proxy.wsUrl) })
      const ethers = new WebSocketProvider(proxy.wsUrl)
      const blocks: Array<any> = []
      const numbers: Array<number> = []
      const failed: Array<Error> = []
      const unwatch = viem.watchBlocks({
        onBlock: (block) => blocks.push(block),
        onError: (error) => failed.push(error),
        emitOnBegin: true
      })
      await ethers.on("block", (number: number) => numbers.push(number))
      await until(blocks, 1)
      await ethers.getNetwork()
      const first = await node.mine()
      await until(blocks, 2)
      const second = await node.mine()
      await until(blocks, 3)
      await until(numbers, 1)
      assert.deepEqual(failed, [])
      assert.deepEqual(
        blocks.slice(1).map(({ hash }) => hash),
        [first.hash, second.hash]
      )
      assert.strictEqual(numbers.at(-1), Number(second.number))
      unwatch()
      await ethers.destroy()
      await hangUp(viem)
    }
  })

  it("come after a lost connection to the node too, and an invented one does not", async () => {
    await using node = await chain()
    const relay = await SocketRelay.start(node.wsUrl)
    await using proxy = await open("--url", relay.url, ...mark)
    await using client = await connect(proxy.wsUrl)
    const { result: subscription } = await client.request("eth_subscribe", ["newHeads"])
    assert.match(subscription, /^0x[0-9a-f]+$/u)
    const hash = `0x${"ab".repeat(32)}`
    relay.change = (message) =>
      message.method === "eth_subscription"
        ? { ...message, params: { ...message.params, result: { ...message.params.result, hash } } }
        : message
    const made = [await node.mine()]
    relay.change = (message) => message
    relay.cut()
    for (let block = 0; block < 3; block++) made.push(await node.mine())
    await until(client.heard, 1)
    made.push(await node.mine())
    await until(client.heard, made.length)
    assert.deepEqual(
      client.heard.map(({ params }) => [params.subscription, params.result.hash, params.result.parentHash]),
      made.map((block) => [subscription, block.hash, block.parentHash])
    )
    await relay.close()
  })
})

describe("logs through the proxy", () => {
  it("reach viem's watchEvent over WebSocket, and over HTTP by filters", async () => {
    await using node = await chain()
    await using proxy = await open("--url", node.url, ...mark)
    for (const transport of [webSocket(proxy.wsUrl), http(proxy.url)]) {
      const viem = createPublicClient({ transport, pollingInterval: 50 })
      const logs: Array<any> = []
      const failed: Array<Error> = []
      const unwatch = viem.watchEvent({
        address,
        onLogs: (more) => logs.push(...more),
        onError: (error) => failed.push(error)
      })
      // viem does not say when its subscription or filter has begun
      while (logs.length === 0 && failed.length === 0) {
        await node.transfer()
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      const receipt = await node.transfer()
      while (!logs.some(({ transactionHash }) => transactionHash === receipt.transactionHash)) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      assert.deepEqual(failed, [])
      assert.deepEqual(logs.at(-1).topics, receipt.logs[0].topics)
      unwatch()
      await hangUp(viem)
    }
  })

  it("are taken back in a reorganisation", async () => {
    await using node = await chain()
    await using proxy = await open("--url", node.url, ...mark)
    await using client = await connect(proxy.wsUrl)
    const snapshot = await node.ask("evm_snapshot")
    await client.request("eth_subscribe", ["logs", { address }])
    const { blockHash } = await node.transfer()
    await until(client.heard, 1)
    await node.ask("evm_revert", [snapshot])
    await node.mine()
    const head = await node.mine()
    await until(client.heard, 2)
    assert.deepEqual(
      client.heard.map(({ params: { result } }) => [result.blockHash, result.removed]),
      [
        [blockHash, false],
        [blockHash, true]
      ]
    )
    assert.notStrictEqual(head.hash, blockHash)
  })

  it("reach ethers by its filters", async () => {
    await using node = await chain()
    await using proxy = await open("--url", node.url, ...mark)
    const ethers = new JsonRpcProvider(proxy.url, undefined, { polling: false })
    const logs: Array<any> = []
    await ethers.on({ address }, (log) => logs.push(log))
    while (logs.length === 0) {
      await node.transfer()
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    assert.strictEqual(logs[0].address.toLowerCase(), address.toLowerCase())
    ethers.destroy()
  })
})

describe("requests over the proxy's WebSocket", () => {
  it("that are wrong are refused", async () => {
    await using node = await chain()
    await using proxy = await open("--url", node.url)
    await using client = await connect(proxy.wsUrl)
    const codeOf = async (method: string, ...params: ReadonlyArray<unknown>) =>
      (await client.request(method, params)).error?.code
    assert.strictEqual(await codeOf("eth_subscribe", "syncing"), 4200)
    assert.strictEqual(await codeOf("eth_subscribe", "logs", { address: "0x1" }), -32602)
    assert.strictEqual(await codeOf("eth_subscribe", "newHeads"), -32098, "nothing is trusted")
    assert.strictEqual(await codeOf("eth_unsubscribe", "0x1"), -32000)
    assert.strictEqual(await codeOf("eth_unsubscribe"), -32602)
  })

  it("begin at most 100 subscriptions, and end each once", async () => {
    await using node = await chain()
    await using proxy = await open("--url", node.url, ...mark)
    await using client = await connect(proxy.wsUrl)
    const begin = () => client.request("eth_subscribe", ["newHeads"])
    const ids = await Promise.all(Array.from({ length: 100 }, begin))
    assert.strictEqual(new Set(ids.map(({ result }) => result)).size, 100)
    assert.strictEqual((await begin()).error.code, -32005)
    const end = () => client.request("eth_unsubscribe", [ids[0].result])
    assert.isTrue((await end()).result)
    assert.strictEqual((await end()).error.code, -32000)
    assert.match((await begin()).result, /^0x/u)
    const viem = createPublicClient({ transport: http(proxy.url, { retryCount: 0 }) })
    const error = await viem.request({ method: "eth_subscribe", params: ["newHeads"] } as any).catch((error) => error)
    assert.include(error.details, "use the WebSocket of this proxy")
  })
})
