/**
 * Checks that the gateway asks the history chain's node for each proven answer only once, even if two processes share
 * a database.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { SqlAnswerStore, Sqlite } from "@plumbline/gateway"
import type { Transport } from "@plumbline/jsonrpc-core"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { assert, describe, it } from "vitest"

import { ethers } from "../../src/clients/ethers.ts"
import * as Facts from "../../src/clients/facts.ts"
import { type Outcome, outcomes } from "../../src/clients/library.ts"
import { viem } from "../../src/clients/viem.ts"
import * as ProvingGateway from "../../src/integrity/provingGateway.ts"

const truth: Transport.Middleware = (node) => node

const { today } = ProvingGateway

const { head, trust, transactions, who } = Facts.history
const at = `0x${head.toString(16)}`

const post = async (url: string, body: unknown) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  return { verdict: response.headers.get("plumbline-verdict"), body: await response.text() }
}

const call = (method: string, params: ReadonlyArray<unknown>, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params
})

/** Reads whose answers never change. */
const lasting: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>]> = [
  ["eth_getBlockByHash", [trust, true]],
  ["eth_getBlockByHash", [trust, false]],
  ["eth_getBlockByNumber", [at, false]],
  ["eth_getBlockReceipts", [at]],
  ["eth_getBlockTransactionCountByNumber", [at]],
  ["eth_getTransactionByHash", [transactions[0]]],
  ["eth_getTransactionReceipt", [transactions[0]]],
  ["eth_getLogs", [{ fromBlock: "0x1", toBlock: at }]],
  ["eth_getBalance", [who, at]],
  ["eth_getBalance", [who, { blockHash: trust }]],
  ["eth_getCode", [Facts.history.token, at]],
  ["eth_getStorageAt", [Facts.history.counter, "0x0", at]],
  ["eth_getProof", [who, ["0x0"], at]]
]

/** Reads whose answers may change later. */
const moving: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>]> = [
  ["eth_getBlockByNumber", ["latest", false]],
  ["eth_getBalance", [who, { blockHash: trust, requireCanonical: true }]],
  ["eth_getTransactionByHash", [`0x${"42".repeat(32)}`]],
  ["eth_gasPrice", []]
]

describe("a proven answer that cannot change", () => {
  for (const [method, params] of lasting) {
    it(`is asked for once, and only the id differs: ${method} ${JSON.stringify(params).slice(0, 60)}`, async () => {
      await using plain = await ProvingGateway.open([today], { mode: "off" })
      await using gateway = await ProvingGateway.open([today], { cache: {} })
      const first = await post(gateway.url, call(method, params))
      assert.strictEqual(first.verdict, "VERIFIED")
      const asked = gateway.asked()
      const second = await post(gateway.url, call(method, params, "other"))
      assert.strictEqual(gateway.asked(), asked)
      assert.strictEqual(second.verdict, "VERIFIED")
      assert.strictEqual(second.body, first.body.replace('"id":1', '"id":"other"'))
      // the node itself is the oracle
      assert.deepEqual(
        JSON.parse(second.body).result,
        JSON.parse((await post(plain.url, call(method, params))).body).result
      )
    })
  }

  it("none with a field that is only claimed is kept: the total difficulty of an old node", async () => {
    await using gateway = await ProvingGateway.open([truth], { cache: {} })
    await post(gateway.url, call("eth_getBlockByHash", [trust, true]))
    const asked = gateway.asked()
    await post(gateway.url, call("eth_getBlockByHash", [trust, true]))
    assert.isAbove(gateway.asked(), asked)
  })

  for (const [method, params] of moving) {
    it(`no other one is kept: ${method} ${JSON.stringify(params).slice(0, 60)}`, async () => {
      await using gateway = await ProvingGateway.open([truth], { cache: {}, unprovable: "mark" })
      await post(gateway.url, call(method, params))
      const asked = gateway.asked()
      await post(gateway.url, call(method, params))
      assert.isAbove(gateway.asked(), asked)
    })
  }
})

describe("two processes on one database", () => {
  it("share answers, believe no row that was changed, and the second asks no node for what the first proved", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-answers-"))
    const sqlite = Sqlite.layer({ file: path.join(folder, "answers.sqlite") })
    const store = Effect.gen(function* () {
      const context = yield* Layer.build(sqlite)
      return yield* Effect.provideContext(SqlAnswerStore.make({ secret: Redacted.make("5e".repeat(32)) }), context)
    })
    const asks = lasting.map(([method, params], id) => call(method, params, id))
    const first = await (async () => {
      await using gateway = await ProvingGateway.open([today], { store })
      return await post(gateway.url, asks)
    })()
    {
      await using second = await ProvingGateway.open([today], { store })
      const before = second.asked()
      assert.strictEqual((await post(second.url, asks)).body, first.body)
      assert.strictEqual(second.asked(), before)
      assert.deepInclude(second.cache!.stats(), { stored: lasting.length, corrupt: 0 })
    }
    const forge = Effect.gen(function* () {
      const sql = Context.get(yield* Layer.build(sqlite), SqlClient.SqlClient)
      yield* sql`UPDATE verified_answers SET answer = ${new TextEncoder().encode('"0x0"')}`
    })
    await Effect.runPromise(Effect.scoped(forge))
    await using third = await ProvingGateway.open([today], { store })
    assert.strictEqual((await post(third.url, asks)).body, first.body)
    assert.deepInclude(third.cache!.stats(), { stored: 0, corrupt: lasting.length })
    await rm(folder, { recursive: true, force: true })
  })
})

for (const { make, name } of [viem, ethers]) {
  describe(`${name}, unchanged, before a gateway that proves and keeps`, () => {
    const isValue = (outcome: Outcome): boolean => "value" in outcome && outcome.value !== "null"
    for (const _tag of ["Http", "WebSocket"] as const) {
      it(`reads over ${_tag} what it reads without proofs, cold and warm`, async () => {
        await using plain = await ProvingGateway.open([truth], { mode: "off" })
        await using gateway = await ProvingGateway.open([truth], { cache: {} })
        const wayOf = ({ url, wsUrl }: ProvingGateway.ProvingGateway) => ({ _tag, url: _tag === "Http" ? url : wsUrl })
        const before = make(wayOf(plain), Facts.history)
        const behind = make(wayOf(gateway), Facts.history)
        const expected = await outcomes({ ...before.facts, ...before.kinds })
        assert.isTrue([...expected.values()].every(isValue), "there is an answer to each read")
        for (const _ of ["cold", "warm"]) {
          const read = await outcomes({ ...behind.facts, ...behind.kinds })
          for (const [what, outcome] of expected) assert.deepEqual(read.get(what), outcome, what)
        }
        assert.isAbove(gateway.cache!.stats().hits, 0)
        await Promise.all([before.close(), behind.close()])
      })
    }
  })
}
