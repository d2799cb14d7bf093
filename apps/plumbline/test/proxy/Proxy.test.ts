/** `plumbline proxy` as a process in front of the history chain's node, asked by viem and by hand. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"
import { createPublicClient, http, type PublicClient, webSocket } from "viem"

import * as Children from "../support/Children.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import * as LyingNode from "../support/LyingNode.ts"
import * as RunCli from "../support/RunCli.ts"

const history = HistoryNode.lyingNode()
const head = BigInt(HistoryChain.head.number)
const who = HistoryChain.accounts[0]!.address

interface TestProxy {
  readonly url: string
  readonly wsUrl: string
  readonly stop: () => Promise<Children.Ended>
}

const open = async (args: ReadonlyArray<string>): Promise<TestProxy & AsyncDisposable> => {
  const child = Children.start(["proxy", "--json", "--port", "0", ...args])
  const stop = () => {
    child.process.kill("SIGTERM")
    return child.ended
  }
  return { ...JSON.parse(await child.firstLine), stop, [Symbol.asyncDispose]: async () => void (await stop()) }
}

const trusting = ["--trust", HistoryChain.head.hash]

const post = async (url: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })
  const text = await response.text()
  const answer = response.headers.get("content-type") === "application/json" ? JSON.parse(text) : text
  return {
    status: response.status,
    verdict: response.headers.get("plumbline-verdict"),
    verdicts: response.headers.get("plumbline-verdicts"),
    anchor: response.headers.get("plumbline-anchor"),
    claimed: response.headers.get("plumbline-claimed"),
    answer
  }
}

const call = (method: string, params: ReadonlyArray<unknown>, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params
})

const moreWei: ReadonlyArray<LyingNode.Lie> = [
  { method: "eth_getBalance", change: () => "0xffffffff" },
  {
    method: "eth_getProof",
    // the proxy proves ancestor blocks with `eth_getProof` of another account, and those answers must stay true
    change: (proof, _, [address]) =>
      address.toLowerCase() === who.toLowerCase() ? { ...proof, balance: "0xffffffff" } : proof
  }
]

/** Closes a client's socket, if it has one, because viem would try to connect again after the proxy stops. */
const hangUp = async ({ transport }: PublicClient): Promise<void> => {
  if (transport.type === "webSocket") (await (transport as any).getRpcClient()).close()
}

describe("viem, unchanged", () => {
  it("reads over HTTP and WebSocket what the node says, if it is true", async () => {
    await using proxy = await open(["--url", history().url, ...trusting])
    const plain = createPublicClient({ transport: http(history().url, { retryCount: 0 }) })
    for (const transport of [http(`${proxy.url}/any/path`), webSocket(proxy.wsUrl)]) {
      const behind = createPublicClient({ transport })
      assert.deepEqual(await behind.getBlock({ blockNumber: head }), await plain.getBlock({ blockNumber: head }))
      assert.deepEqual(
        await behind.getBalance({ address: who, blockNumber: head }),
        await plain.getBalance({ address: who, blockNumber: head })
      )
      await hangUp(behind)
    }
  })

  it("is told of a lie once, by its name", async () => {
    await using proxy = await open(["--url", history().telling(...moreWei), ...trusting])
    for (const transport of [http(proxy.url), webSocket(proxy.wsUrl)]) {
      const behind = createPublicClient({ transport })
      const error = await behind.getBalance({ address: who, blockNumber: head }).catch((error: unknown) => error)
      assert.deepInclude(error, { details: "refuted: account.balance" })
      await hangUp(behind)
    }
  })
})

describe("a single call", () => {
  it("has its verdict in a header", async () => {
    await using proxy = await open(["--url", history().telling(...moreWei), ...trusting])
    const block = await post(proxy.url, call("eth_getBlockByNumber", ["0x10", false], "a"))
    assert.deepInclude(block, { status: 200, verdict: "VERIFIED", anchor: `block ${HistoryChain.head.hash}` })
    assert.strictEqual(block.answer.id, "a")
    assert.deepInclude(await post(proxy.url, call("eth_gasPrice", [])), { status: 200, verdict: "CLAIMED" })
    const lie = await post(proxy.url, call("eth_getBalance", [who, "0x10"]))
    const anchor = `block ${HistoryChain.head.hash}`
    assert.deepInclude(lie, { status: 200, verdict: "REFUTED", anchor })
    assert.deepInclude(lie.answer.error, { code: -32099, message: "refuted: account.balance" })
    assert.strictEqual(lie.answer.error.data.anchor, anchor)
    const annotated = await post(`${proxy.url}?annotate`, call("eth_getBalance", [who, "0x10"]))
    assert.deepInclude(annotated.answer.plumbline, { verdict: "REFUTED", anchor })
    const refused = await post(proxy.url, call("debug_traceTransaction", [HistoryChain.head.hash]))
    assert.deepInclude(refused, { status: 200, verdict: "CLAIMED", anchor: null })
    assert.strictEqual(refused.answer.error.code, -32098)
    assert.isNull((await post(proxy.url, call("eth_getBalance", ["0x1"]))).verdict)
  })

  it("has the fields that are only claimed in another, whatever the node calls them", async () => {
    const more = (block: any) => ({ ...block, totalDifficulty: "0x1", "a\r\nset-cookie: b": "0x2" })
    const few = { method: "eth_getBlockByNumber", change: more }
    const many = {
      method: "eth_getBlockByNumber",
      change: (block: any) => ({
        ...block,
        ...Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`f${at}`, 1]))
      })
    }
    const question = call("eth_getBlockByNumber", ["0x10", false])
    await using plain = await open(["--url", history().url, ...trusting])
    const balance = call("eth_getBalance", [who, "0x10"])
    assert.deepInclude(await post(plain.url, balance), { verdict: "VERIFIED", claimed: null })
    assert.deepInclude(await post(plain.url, question), { verdict: "VERIFIED", claimed: "totalDifficulty" })
    await using proxy = await open(["--url", history().telling(few), ...trusting])
    assert.deepInclude(await post(proxy.url, question), { verdict: "VERIFIED", claimed: "totalDifficulty, ?" })
    await using crowded = await open(["--url", history().telling(many), ...trusting])
    assert.match((await post(crowded.url, question)).claimed ?? "", /^totalDifficulty, f0, .*, f30, \.\.\.$/u)
  })

  it("passes without a proof where the operator says so", async () => {
    await using proxy = await open(["--url", history().url, "--unprovable", "mark"])
    const { answer, verdict } = await post(proxy.url, call("eth_getBalance", [who, "latest"]))
    assert.strictEqual(verdict, "CLAIMED")
    assert.match(answer.result, /^0x/u)
    // the hash proves the transaction, but not that the transaction is in a block
    const { hash } = HistoryChain.blocks[0x10]!.transactions[0]!
    const read = await post(proxy.url, call("eth_getTransactionByHash", [hash]))
    assert.strictEqual(read.answer.result.hash, hash)
    assert.strictEqual(read.verdict, "CLAIMED")
    assert.match(read.claimed ?? "", /blockHash/u)
  })

  it("is not a head that is older than the trusted block", async () => {
    const stale = {
      method: "eth_getBlockByNumber",
      change: (block, ask, [number, full]) =>
        number === "latest" ? ask("eth_getBlockByNumber", ["0x10", full]) : block
    } satisfies LyingNode.Lie
    await using proxy = await open(["--url", history().telling(stale), ...trusting])
    const { answer, verdict } = await post(proxy.url, call("eth_blockNumber", []))
    assert.strictEqual(verdict, "CLAIMED")
    assert.strictEqual(answer.error.code, -32098)
  })
})

describe("a batch", () => {
  it("keeps its order and its ids, and says of each call what it is", async () => {
    await using proxy = await open(["--url", history().telling(...moreWei), ...trusting])
    const ids = [7, "x", null, 7]
    const { answer, verdict, verdicts } = await post(proxy.url, [
      call("eth_getBalance", [who, "0x10"], ids[0]),
      call("eth_getBlockTransactionCountByNumber", ["0x10"], ids[1]),
      { jsonrpc: "2.0", method: "eth_gasPrice", params: [] },
      call("eth_sendTransaction", [{}], ids[2]),
      call("eth_chainId", [], ids[3])
    ])
    assert.strictEqual(verdict, "REFUTED")
    // a method that needs a key has no verdict; the node's chain id is only claimed
    assert.strictEqual(verdicts, "RV-C")
    assert.deepEqual(
      answer.map((one: any) => [one.id, one.error?.code ?? one.result]),
      [
        [7, -32099],
        ["x", `0x${HistoryChain.blocks[0x10]!.transactions.length.toString(16)}`],
        [null, 4200],
        [7, `0x${HistoryChain.chainId.toString(16)}`]
      ]
    )
  })

  it("is refused if it is empty or has more than a hundred calls", async () => {
    await using proxy = await open(["--url", history().url])
    assert.strictEqual((await post(proxy.url, [])).answer.error.code, -32600)
    const many = await post(
      proxy.url,
      Array.from({ length: 101 }, (_, id) => call("eth_chainId", [], id))
    )
    assert.strictEqual(many.answer[0]?.error?.code ?? many.answer.error?.code, -32600)
  })
})

describe("a request that is none", () => {
  it("is refused as JSON-RPC and HTTP have it", async () => {
    await using proxy = await open(["--url", history().url])
    assert.strictEqual((await post(proxy.url, "{")).answer.error.code, -32700)
    assert.deepInclude(await post(proxy.url, { jsonrpc: "2.0", method: "eth_chainId" }), { status: 204, answer: "" })
    assert.strictEqual((await post(proxy.url, "{}", { "content-type": "text/plain" })).status, 415)
    assert.strictEqual((await post(proxy.url, " ".repeat(2 * 1024 * 1024 + 1))).status, 413)
    assert.strictEqual((await fetch(proxy.url)).status, 405)
    const preflight = await fetch(proxy.url, { method: "OPTIONS" })
    assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-origin")], [204, null])
  })
})

describe("a node that is not there", () => {
  it("is an error that says so, and the proxy works again when the node is back", async () => {
    const server = createServer(async (request, response) => {
      const { id } = JSON.parse(await LyingNode.textOf(request))
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, result: "0x7" }))
    })
    const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
    await listen(0)
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    await using proxy = await open(["--url", `http://127.0.0.1:${port}`, "--retries", "0"])
    const { answer, status } = await post(proxy.url, call("eth_gasPrice", []))
    assert.deepEqual([status, answer.error.code], [200, 4900])
    await listen(port)
    assert.strictEqual((await post(proxy.url, call("eth_gasPrice", []))).answer.result, "0x7")
    server.closeAllConnections()
    server.close()
  })
})

describe("the command", () => {
  it("does not open the node's controls to pages", async () => {
    const url = history().url
    const both = await RunCli.run(["proxy", "--url", url, "--allow-admin", "--allow-origin", "*"])
    assert.include(both.stderr, "--allow-admin would let pages administer the node")
    await using proxy = await open(["--url", url, "--unprovable", "mark", "--allow-origin", "http://localhost:5173"])
    const page = { origin: "http://localhost:5173" }
    assert.strictEqual((await post(proxy.url, call("eth_chainId", []), page)).status, 200)
    assert.strictEqual((await post(proxy.url, call("anvil_reset", []), page)).answer.error.code, 4200)
    const asked: Array<string> = []
    const node = createServer(async (request, response) => {
      const { id, method } = JSON.parse(await LyingNode.textOf(request))
      asked.push(method)
      response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, result: true }))
    })
    await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve))
    const own = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
    await using admin = await open(["--url", own, "--unprovable", "mark", "--allow-admin"])
    assert.deepInclude(await post(admin.url, call("anvil_reset", [])), { status: 200, verdict: "CLAIMED" })
    assert.deepEqual(asked, ["anvil_reset"])
    node.closeAllConnections()
    node.close()
  })

  it("says what it trusts, and at its end what became of the answers", async () => {
    const child = Children.start(["proxy", "--port", "0", "--url", history().telling(...moreWei), ...trusting])
    await child.firstLine
    child.process.kill("SIGTERM")
    const { code, stderr, stdout: said } = await child.ended
    assert.strictEqual(code, 0)
    assert.include(said, `block ${HistoryChain.head.hash}, and those before it`)
    assert.include(stderr, "answers: 0 VERIFIED, 0 CLAIMED, 0 REFUTED, 0 REFUSED, 0 FAILED")
  })

  it("refuses flags that mean nothing, and a port that is taken", async () => {
    const url = ["--url", history().url]
    for (const flags of [
      ["--port", "70000"],
      ["--chain-id", "mainnet"],
      ["--unprovable", "hope"]
    ]) {
      const { exitCode, stderr } = await RunCli.run(["proxy", ...url, ...flags])
      assert.strictEqual(exitCode, 1)
      assert.include(stderr, flags[0]!)
    }
    const taken = new URL(history().url).port
    const { stderr } = await RunCli.run(["proxy", ...url, "--port", taken])
    assert.include(stderr, `--port: ${taken} is taken`)
  })
})
