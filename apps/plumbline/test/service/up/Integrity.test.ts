/**
 * A service that proves its nodes' answers: with a lying node among its nodes, and with the light client of its own
 * live chain.
 */
import { writeFile } from "node:fs/promises"

import { describe, expect, it } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"

import * as Children from "../../support/Children.ts"
import * as HistoryNode from "../../support/HistoryNode.ts"
import * as Upped from "../../support/Upped.ts"

const TIMEOUT = 120_000

const history = HistoryNode.lyingNode()
const who = HistoryChain.accounts[0]!.address
const head = `0x${HistoryChain.head.number.toString(16)}`

const started = async (folder: string, networks: string) => {
  const file = `${folder}/plumbline.yaml`
  await writeFile(file, `networks:\n${networks}\nipfs: { node: none }\n`)
  const service = await Upped.start(folder, ["--config", file])
  const { apiKey, url } = service.announcement
  const ask = async (network: string, method: string, params: ReadonlyArray<unknown>) => {
    const response = await fetch(`${url}/${network}/v3/${apiKey}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
    return { verdict: response.headers.get("plumbline-verdict"), ...(await response.json()) }
  }
  const health = async (): Promise<any> => (await fetch(`${url}/health`)).json()
  return { ...service, ask, health }
}

describe("a service that proves", { timeout: TIMEOUT }, () => {
  it("tells the truth with a liar in front, and its operator of the lie", async () => {
    await using folder = await Children.folder()
    const liar = history().telling(
      { method: "eth_getBalance", change: () => "0xffff" },
      { method: "eth_getProof", change: (proof) => ({ ...proof, balance: "0xffff" }) }
    )
    const nodes = `[{ name: liar, url: "${liar}" }, { name: own, embedded: history }]`
    const service = await started(
      folder.path,
      `  plain: { chainId: ${HistoryChain.chainId}, upstreams: ${nodes} }
  proven: { chainId: ${HistoryChain.chainId}, upstreams: ${nodes}, integrity: prove, trust: { block: "${HistoryChain.head.hash}" } }
  checked: { chainId: ${HistoryChain.chainId}, upstreams: ${nodes}, integrity: check }
  agreed: { chainId: ${HistoryChain.chainId}, upstreams: ${nodes}, integrity: prove, trust: { quorum: 2 } }`
    )
    const balance = ["eth_getBalance", [who, head]] as const
    expect(await service.ask("plain", ...balance)).toMatchObject({ verdict: null, result: "0xffff" })
    expect(await service.ask("checked", ...balance)).toMatchObject({ verdict: "CLAIMED", result: "0xffff" })
    const truth = await history().ask("eth_getBalance", [who, head])
    for (const network of ["proven", "agreed"]) {
      expect(await service.ask(network, ...balance)).toMatchObject({ verdict: "VERIFIED", result: truth })
    }
    // a quorum proves the latest block, and a pinned hash only earlier blocks
    expect(await service.ask("agreed", "eth_getBlockByNumber", ["latest", true])).toMatchObject({ verdict: "VERIFIED" })
    const { networks } = await service.health()
    const [liarHealth, own] = networks.find(({ name }: any) => name === "proven").upstreams
    expect(liarHealth).toMatchObject({
      name: "liar",
      state: "down",
      problem: "its answer was refuted: account.balance",
      lies: { count: 1, last: { method: "eth_getBalance", check: "account.balance" } }
    })
    expect(own.lies).toBeUndefined()
    const { adminToken, url } = service.announcement
    const kept = await fetch(`${url}/admin/v1/lies`, { headers: { authorization: `Bearer ${adminToken}` } })
    const lie = { node: "liar", method: "eth_getBalance", check: "account.balance" }
    expect((await kept.json()).lies).toContainEqual(expect.objectContaining({ network: "proven", ...lie }))
    expect(networks.find(({ name }: any) => name === "plain").upstreams[0].lies).toBeUndefined()
    expect(await service.stop()).toMatchObject({ code: 0 })
  })

  it("follows the beacon chain of its own live chain, and proves its latest block", async () => {
    await using folder = await Children.folder()
    const service = await started(folder.path, "  live: { upstreams: [{ embedded: live }], integrity: prove }")
    const latest = await service.ask("live", "eth_getBlockByNumber", ["latest", true])
    expect(latest.verdict).toBe("VERIFIED")
    expect(await service.ask("live", "eth_getBalance", [who, "latest"])).toMatchObject({ verdict: "VERIFIED" })
    expect(await service.ask("live", "eth_call", [{ to: who }, "latest"])).toMatchObject({
      verdict: "CLAIMED",
      error: { code: -32098 }
    })
    expect(await service.stop()).toMatchObject({ code: 0 })
  })

  it("starts while no beacon node answers, and says that nothing is proven yet", async () => {
    await using folder = await Children.folder()
    const trust = `{ checkpoint: "0x${"ab".repeat(32)}", beacon: ["http://127.0.0.1:1"] }`
    const service = await started(
      folder.path,
      `  history: { upstreams: [{ embedded: history }], integrity: prove, trust: ${trust} }`
    )
    const answer = await service.ask("history", "eth_getBalance", [who, head])
    expect(answer).toMatchObject({ verdict: "CLAIMED", error: { code: -32098 } })
    expect(answer.error.message).toContain("the light client of the network history has not started yet")
    // a question that names a block by its hash needs no other trust
    expect(await service.ask("history", "eth_getBlockByHash", [HistoryChain.head.hash, true])).toMatchObject({
      verdict: "VERIFIED"
    })
    expect(await service.stop()).toMatchObject({ code: 0 })
  })
})
