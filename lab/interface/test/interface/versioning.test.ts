import { assert } from "@effect/vitest"

import * as Ask from "../../src/ask.ts"
import { baseUrl, rpcUrl } from "../../src/target.ts"
import { section } from "../support/section.ts"

section("Versioning", {
  "The JSON-RPC path carries the version segment v3; the JSON-RPC protocol version string is 2.0.": async (target) => {
    const ask = (url: string, body = Ask.call("eth_chainId")) => Ask.http(url, { headers: Ask.JSON_TYPE, body })
    const answer = await ask(rpcUrl(target))
    assert.strictEqual(JSON.parse(answer.text).jsonrpc, "2.0")
    for (const version of ["v2", "v4", "V3"]) {
      assert.strictEqual((await ask(rpcUrl(target).replace("/v3/", `/${version}/`))).status, 404, version)
    }
    for (const jsonrpc of ["1.0", "2", 2]) {
      const body = JSON.stringify({ jsonrpc, id: 1, method: "eth_chainId", params: [] })
      assert.strictEqual(JSON.parse((await ask(rpcUrl(target), body)).text).error.code, -32_600)
    }
  },
  "The IPFS path carries the version segment v0.": async (target) => {
    assert.strictEqual((await Ask.ipfs(target, "version")).status, 200)
    for (const version of ["v1", "V0"]) {
      assert.strictEqual((await Ask.http(`${baseUrl(target)}/api/${version}/version`)).status, 404, version)
    }
  }
})
