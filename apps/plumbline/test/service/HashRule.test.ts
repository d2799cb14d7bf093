/** The start finds out if a network's blocks hash by Ethereum's rule. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { UpstreamError } from "@plumbline/gateway"
import { Effect } from "effect"

import * as HashRule from "../../src/service/HashRule.ts"
import * as Children from "../support/Children.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"

const ZEROS = `0x${"00".repeat(32)}`
const NO_ITEMS = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

/** The first block of mainnet, as execution-apis has it. */
const genesis = {
  number: "0x0",
  hash: "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3",
  parentHash: ZEROS,
  nonce: "0x0000000000000042",
  mixHash: ZEROS,
  sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  logsBloom: `0x${"00".repeat(256)}`,
  transactionsRoot: NO_ITEMS,
  stateRoot: "0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544",
  receiptsRoot: NO_ITEMS,
  miner: `0x${"00".repeat(20)}`,
  difficulty: "0x400000000",
  extraData: "0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa",
  gasLimit: "0x1388",
  gasUsed: "0x0",
  timestamp: "0x0",
  uncles: [],
  transactions: []
}
const qbft = {
  ...genesis,
  mixHash: "0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365",
  extraData: `0x${"00".repeat(97)}`
}
const tendermint = { ...genesis, extraData: "0x" }
const hollow = { ...genesis, transactions: [ZEROS] }

const down = new UpstreamError.UpstreamError({ reason: { _tag: "BadAnswer", problem: "not JSON-RPC" } })
const encoder = new TextEncoder()

const engineOf = (chainId: bigint, ...blocks: ReadonlyArray<object | null | undefined>) => {
  let asked = 0
  const nodes = blocks.map((block, at) => ({
    name: `node ${at}`,
    upstream: {
      call: () => {
        asked++
        return block === undefined ? Effect.fail(down) : Effect.succeed(encoder.encode(JSON.stringify(block)))
      }
    }
  }))
  return Effect.map(HashRule.engineOf(nodes, chainId), (engine) => ({ engine, asked }))
}

describe("the hash rule of a network", () => {
  it.effect("is Ethereum's if one node has a block that shows it, or if no node answers", () =>
    Effect.gen(function* () {
      for (const blocks of [[genesis], [qbft, genesis], [hollow], [undefined], [null, undefined], []]) {
        assert.strictEqual((yield* engineOf(1337n, ...blocks)).engine, undefined)
      }
    })
  )

  it.effect("is another's if no node has such a block, and its engine is named if its form is known", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* engineOf(1337n, qbft, undefined)).engine, "IBFT or QBFT")
      assert.strictEqual((yield* engineOf(1337n, tendermint, qbft)).engine, "IBFT or QBFT")
      assert.strictEqual((yield* engineOf(1337n, tendermint, null)).engine, "not known here")
    })
  )

  it.effect("is not asked for on a chain of Ethereum", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* engineOf(1n, qbft), { engine: undefined, asked: 0 })
    })
  )

  it("is a warning of `config check --online`, for networks with integrity", async ({ onTestFinished }) => {
    const server = createServer(async (request, response) => {
      const { id } = JSON.parse(await new Response(request as never).text())
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: qbft }))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const folder = await mkdtemp(join(tmpdir(), "plumbline-hash-rule-"))
    onTestFinished(() => rm(folder, { recursive: true }))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const warnings = async (chainId: number, ...flags: ReadonlyArray<string>) => {
      const file = join(folder, `${chainId}.json`)
      const network = { chainId, integrity: "check", upstreams: [{ name: "own", url }] }
      await writeFile(file, JSON.stringify({ networks: { private: network } }))
      return (await RunCli.json(["config", "check", file, ...flags])).answer.warnings
    }
    assert.deepStrictEqual(await warnings(1337), [])
    assert.deepStrictEqual(await warnings(1, "--online"), [])
    assert.deepStrictEqual(await warnings(1337, "--online"), [
      { path: "networks.private", problem: HashRule.warningOf("IBFT or QBFT") }
    ])
  })

  it("names each node that is silent or of another chain, also those of trust and of `beacon`", async () => {
    await using folder = await Children.folder()
    await using node = await Servers.serve((_, response) =>
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x5" }))
    )
    const key = "0123456789abcdef0123456789abcdef"
    const dead = `${await Servers.nobody()}/v3/${key}`
    const hash = `0x${"12".repeat(32)}`
    const l1 = { url: dead, checkpoint: hash, beacon: [dead] }
    const file = join(folder.path, "plumbline.json")
    const settings = {
      networks: {
        main: { chainId: 1, upstreams: [{ url: dead }, { url: node.url }] },
        base: { chainId: 8453, integrity: "prove", upstreams: [{ url: dead }], trust: { rollup: "base", l1 } }
      },
      beacon: { mainnet: { nodes: [dead], checkpoint: hash } }
    }
    await writeFile(file, JSON.stringify(settings))
    const { answer } = await RunCli.json(["config", "check", file, "--online"])
    assert.notInclude(JSON.stringify(answer), key)
    const found = new Map<string, string>(answer.warnings.map(({ path, problem }: any) => [path, problem]))
    assert.match(found.get("networks.main.upstreams[0]")!, /^does not answer: .*ECONNREFUSED.*Check its URL/u)
    assert.strictEqual(found.get("networks.main.upstreams[1]"), "is a node of chain 5, and the network is chain 1")
    const others = [
      "networks.base.upstreams[0]",
      "networks.base.trust.l1.url",
      "networks.base.trust.l1.beacon[0]",
      "beacon.mainnet.nodes[0]"
    ]
    for (const path of others) assert.match(found.get(path) ?? path, /^does not answer: /u)
    const offline = await RunCli.json(["config", "check", file])
    assert.notInclude(JSON.stringify(offline.answer), "does not answer")
  })
})
