import { assert } from "@effect/vitest"
import { HistoryChain, PreparedState } from "@plumbline/devnet"
import { WebSocketProvider } from "ethers"
import { createPublicClient, webSocket } from "viem"

import * as Ask from "../../src/ask.ts"
import { baseUrl, rpcUrl, socketUrl } from "../../src/target.ts"
import * as Ethereum from "../support/ethereum.ts"
import { section } from "../support/section.ts"

const body = Ask.call("eth_chainId")
const chainId = Ethereum.quantity(HistoryChain.chainId)

section("JSON-RPC transport", {
  "HTTPS: POST {base_url}/v3/<API_KEY>.": async (target) => {
    const url = `${baseUrl(target, "history")}/v3/${target.projects.open.key}`
    const answer = await Ask.http(url, { headers: Ask.JSON_TYPE, body })
    assert.deepStrictEqual([answer.status, JSON.parse(answer.text).result], [200, chainId])
    for (const method of ["GET", "PUT", "DELETE"]) {
      const { headers, status } = await Ask.http(url, { method })
      assert.deepStrictEqual([status, headers.allow], [405, "POST"])
    }
  },
  "Header Content-Type: application/json.": async (target) => {
    const ask = (type: string) => Ask.http(rpcUrl(target, "history"), { headers: { "content-type": type }, body })
    const answer = await ask("application/json")
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.headers["content-type"], "application/json")
    assert.strictEqual((await ask("text/plain")).status, 415)
  },
  "Body: JSON object.": async (target) => {
    const ask = async (body: string) =>
      JSON.parse((await Ask.http(rpcUrl(target, "history"), { headers: Ask.JSON_TYPE, body })).text)
    assert.strictEqual((await ask(body)).result, chainId)
    assert.strictEqual((await ask("{")).error.code, -32_700)
    assert.strictEqual((await ask('"eth_chainId"')).error.code, -32_600)
  },
  "WebSocket: connect to {ws_url}/ws/v3/<API_KEY> and send the same JSON object as a text message.": async (target) => {
    const overHttp = await Ask.http(rpcUrl(target, "history"), { headers: Ask.JSON_TYPE, body })
    assert.deepStrictEqual(await Ask.overSocket(target, "history", body), [overHttp.text])
  },
  "WebSocket usage is shown for the block, uncle-by-number, transaction-by-block-hash-and-index and proof methods.":
    async (target) => {
      const { hash } = HistoryChain.head
      const [including] = HistoryChain.withUncles
      const calls: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>]> = [
        ["eth_getBlockByHash", [hash, true]],
        ["eth_getUncleByBlockNumberAndIndex", [Ethereum.quantity(including!.number), "0x0"]],
        ["eth_getTransactionByBlockHashAndIndex", [hash, "0x0"]],
        ["eth_getProof", [HistoryChain.contracts.elder.address, [`0x${"00".repeat(32)}`], "latest"]]
      ]
      const heard = await Ask.overSocket(
        target,
        "history",
        ...calls.map(([method, params], id) => Ask.call(method, params, id))
      )
      const answers = heard.map((text) => JSON.parse(text)).sort((a, b) => a.id - b.id)
      for (const [id, [method, params]] of calls.entries()) {
        assert.deepStrictEqual(answers[id].result, await Ask.result(target, "history", method, params))
        assert.isNotNull(answers[id].result)
      }
      const viem = createPublicClient({ transport: webSocket(socketUrl(target, "history")) })
      assert.strictEqual((await viem.getBlock({ blockHash: hash })).hash, hash)
      ;(await (viem.transport as any).getRpcClient()).close()
      const ethers = new WebSocketProvider(socketUrl(target, "history"), HistoryChain.chainId)
      assert.strictEqual((await ethers.getBlock(hash))?.hash, hash)
      await ethers.destroy()
    },
  "Request body: jsonrpc (string, value 2.0), method (string), params (array), id (number, echoed in the reply).":
    async (target) => {
      const codeOf = async (changes: object) => {
        const body = JSON.stringify({ jsonrpc: "2.0", method: "eth_chainId", params: [], id: 7, ...changes })
        const answer = await Ask.http(rpcUrl(target, "history"), { headers: Ask.JSON_TYPE, body })
        const { error, id } = JSON.parse(answer.text)
        return [error?.code, id]
      }
      assert.deepStrictEqual(await codeOf({}), [undefined, 7])
      assert.deepStrictEqual(await codeOf({ id: 0 }), [undefined, 0])
      assert.strictEqual((await codeOf({ jsonrpc: "1.0" }))[0], -32_600)
      assert.strictEqual((await codeOf({ method: 1 }))[0], -32_600)
      assert.strictEqual((await codeOf({ params: "none" }))[0], -32_600)
      assert.strictEqual((await codeOf({ params: [1] }))[0], -32_602)
    },
  "Success response body: jsonrpc (string), id (echo of request id), result (value typed per method).": async (
    target
  ) => {
    const answer = await Ask.http(rpcUrl(target, "history"), {
      headers: Ask.JSON_TYPE,
      body: Ask.call("eth_chainId", [], 12_345)
    })
    assert.deepStrictEqual(JSON.parse(answer.text), { jsonrpc: "2.0", id: 12_345, result: chainId })
  },
  "Each network has its own host; {base_url} stands for the host of the chosen network.": async (target) => {
    const at = async (network: "live" | "history") =>
      JSON.parse((await Ask.http(rpcUrl(target, network), { headers: Ask.JSON_TYPE, body })).text).result
    assert.deepStrictEqual([await at("live"), await at("history")], [Ethereum.quantity(PreparedState.chainId), chainId])
  },
  "The meaning of the default block parameter, to which block parameter arguments refer: not shown.": async (
    target
  ) => {
    // As EIP-1474 specifies, latest is the head, and earliest is the genesis.
    const at = (block: string) => Ask.result(target, "history", "eth_getBlockByNumber", [block, false])
    assert.strictEqual((await at("latest")).hash, HistoryChain.head.hash)
    assert.strictEqual((await at("earliest")).hash, HistoryChain.blocks[0]!.hash)
  },
  "Block parameter (used below): a hex block number, or one of the strings latest, earliest, pending, safe, finalized.":
    async (target) => {
      const at = (network: "live" | "history", block: string) =>
        Ask.answer(target, network, "eth_getBlockByNumber", [block, false])
      for (const tag of ["latest", "safe", "finalized"]) {
        assert.strictEqual((await at("history", tag)).result.hash, HistoryChain.head.hash, tag)
      }
      assert.strictEqual((await at("history", "earliest")).result.number, "0x0")
      assert.strictEqual((await at("history", "0x10")).result.hash, HistoryChain.blocks[16]!.hash)
      // The pending block is after the current head.
      assert.isAbove(Number((await at("live", "pending")).result.number), PreparedState.head.number)
      for (const wrong of ["newest", "16", "0x010", ""]) {
        assert.strictEqual((await at("history", wrong)).error.code, -32_602, wrong)
      }
    }
})
