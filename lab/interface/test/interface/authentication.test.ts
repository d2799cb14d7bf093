import { assert } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"

import * as Ask from "../../src/ask.ts"
import { authorization, baseUrl, rpcUrl } from "../../src/target.ts"
import * as Ethereum from "../support/ethereum.ts"
import { section } from "../support/section.ts"

const body = Ask.call("eth_chainId")
const chainId = Ethereum.quantity(HistoryChain.chainId)
const NOBODY = "f".repeat(32)

section("Authentication", {
  "JSON-RPC: the API key, issued from the provider dashboard, is part of the request path (/v3/<API_KEY> over HTTPS, /ws/v3/<API_KEY> over WebSocket).":
    async (target) => {
      assert.strictEqual(await Ask.result(target, "history", "eth_chainId"), chainId)
      assert.include((await Ask.overSocket(target, "history", body))[0], chainId)
      const stranger = await Ask.http(rpcUrl(target, "history", NOBODY), { headers: Ask.JSON_TYPE, body })
      assert.deepStrictEqual([stranger.status, stranger.text], [401, "invalid project id\n"])
      const nobody = await Ask.http(`${baseUrl(target)}/v3/`, { headers: Ask.JSON_TYPE, body })
      assert.deepStrictEqual([nobody.status, nobody.text], [401, "project id required in the url\n"])
    },
  "No other credential is shown for JSON-RPC.": async (target) => {
    const headers = { ...Ask.JSON_TYPE }
    const answer = await Ask.http(rpcUrl(target, "history"), { headers, body })
    assert.strictEqual(answer.status, 200)
  },
  "IPFS: every command requires the API key and the API key secret, sent as HTTP Basic authentication: header Authorization with the value Basic followed by the Base64 encoding of <API_KEY>:<API_KEY_SECRET>.":
    async (target) => {
      const { key, secret } = target.projects.open
      const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`
      const ask = (command: string, headers: Readonly<Record<string, string>>) =>
        Ask.http(`${baseUrl(target)}/api/v0/${command}`, { headers })
      for (const command of ["version", "id", "add", "cat", "object/get", "pin/add", "pin/rm", "pin/ls"]) {
        assert.strictEqual((await ask(command, {})).status, 401, command)
        assert.strictEqual((await ask(command, { authorization: basic(`${key}:${NOBODY}`) })).status, 401, command)
        assert.strictEqual((await ask(command, { authorization: basic(`:${secret}`) })).status, 401, command)
      }
      assert.strictEqual((await ask("version", { authorization: basic(`${key}:${secret}`) })).status, 200)
    },
  "IPFS access requires a billing card on the account, including on a free account.": async (target) => {
    const url = `${baseUrl(target)}/api/v0/version`
    const free = await Ask.http(url, { headers: { authorization: authorization(target.projects.cardless) } })
    assert.deepStrictEqual([free.status, free.text], [403, "a billing card is required: add one to your account\n"])
    const paying = await Ask.http(url, { headers: { authorization: authorization(target.projects.open) } })
    assert.strictEqual(paying.status, 200)
    // The rule is only for IPFS. Calls to a chain need no card.
    const call = await Ask.http(rpcUrl(target, "history", target.projects.cardless.key), {
      headers: Ask.JSON_TYPE,
      body
    })
    assert.strictEqual(call.status, 200)
  }
})
