import { assert } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"

import * as Ask from "../../src/ask.ts"
import { authorization, baseUrl } from "../../src/target.ts"
import { section } from "../support/section.ts"

/** The CID of content that was never added. */
const UNKNOWN = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"

section("Errors", {
  "200: request processed or being processed (streaming)": async (target) => {
    const answer = await Ask.ipfs(target, "add", Ask.multipart("processed"))
    assert.strictEqual(answer.status, 200)
  },
  "400: malformed RPC, argument type error and similar": async (target) => {
    for (const command of ["cat", `cat?arg=${UNKNOWN}&offset=x`, "add"]) {
      const answer = await Ask.ipfs(target, command)
      assert.strictEqual(answer.status, 400, command)
      assert.notStrictEqual(answer.text, "")
    }
  },
  "403: RPC call forbidden": async (target) => {
    const headers = { authorization: authorization(target.projects.cardless) }
    assert.strictEqual((await Ask.http(`${baseUrl(target)}/api/v0/id`, { headers })).status, 403)
    const foreign = await Ask.ipfs(target, "id", { headers: { origin: "https://elsewhere.example" } })
    assert.deepStrictEqual([foreign.status, foreign.text], [403, "403 - Forbidden\n"])
  },
  "404: RPC endpoint does not exist": async (target) => {
    const answer = await Ask.ipfs(target, "no/such/command")
    assert.deepStrictEqual([answer.status, answer.text], [404, "404 page not found\n"])
  },
  "405: HTTP method not allowed; may mean the wrong method (for example GET instead of POST) or a disallowed method such as under browser cross-origin restrictions":
    async (target) => {
      for (const method of ["GET", "PUT", "DELETE", "HEAD"]) {
        const answer = await Ask.ipfs(target, "id", { method })
        assert.deepStrictEqual([answer.status, answer.headers.allow], [405, "OPTIONS, POST"], method)
      }
    },
  "500: the RPC function exists but the request could not be fulfilled; the reason is usually in the response body":
    async (target) => {
      const answer = await Ask.ipfs(target, `pin/rm?arg=${UNKNOWN}`)
      assert.strictEqual(answer.status, 500)
      assert.deepStrictEqual(JSON.parse(answer.text), {
        Message: "not pinned or pinned indirectly",
        Code: 0,
        Type: "error"
      })
    },
  "When a block or transaction is not found, the methods return result null instead of an error.": async (target) => {
    const nothing = `0x${"5a".repeat(32)}`
    const calls: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>]> = [
      ["eth_getBlockByHash", [nothing, false]],
      ["eth_getBlockByNumber", ["0xffffff", false]],
      ["eth_getUncleByBlockNumberAndIndex", ["latest", "0x0"]],
      ["eth_getTransactionByHash", [nothing]],
      ["eth_getTransactionByBlockHashAndIndex", [nothing, "0x0"]],
      ["eth_getTransactionByBlockHashAndIndex", [HistoryChain.head.hash, "0xfff"]]
    ]
    for (const network of ["history", "live"] as const) {
      for (const [method, params] of calls) {
        const answer = await Ask.answer(target, network, method, params)
        assert.deepStrictEqual(answer, { jsonrpc: "2.0", id: 1, result: null }, `${network} ${method}`)
      }
    }
  },
  "The JSON-RPC error object and its codes: not shown.": async (target) => {
    const { error } = await Ask.answer(target, "history", "eth_noSuchMethod")
    assert.deepStrictEqual(error, {
      code: -32_601,
      message: "the method eth_noSuchMethod does not exist/is not available"
    })
  }
})
