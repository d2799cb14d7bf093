/**
 * A service that proves its nodes' answers: with a lying node among its nodes, and with the light client of its own
 * live chain.
 */
import { writeFile } from "node:fs/promises"

import { describe, expect, it } from "@effect/vitest"
import { History, HistoryChain } from "@plumbline/devnet"
import { Effect } from "effect"

import * as Children from "../../support/Children.ts"
import * as HistoryNode from "../../support/HistoryNode.ts"
import * as LyingNode from "../../support/LyingNode.ts"
import * as Servers from "../../support/Servers.ts"
import * as Upped from "../../support/Upped.ts"

const history = HistoryNode.lyingNode()
const who = HistoryChain.accounts[0]!.address
const head = `0x${HistoryChain.head.number.toString(16)}`

/** A node on the history chain that can be killed. */
const served = async () => {
  const node = await Effect.runPromise(History.make)
  return await Servers.serve(
    async (request, response) =>
      void response.end(await Effect.runPromise(node.handle(await LyingNode.textOf(request))))
  )
}

const started = async (folder: string, networks: string, more = "") => {
  const file = `${folder}/plumbline.yaml`
  await writeFile(file, `networks:\n${networks}\nipfs: { node: none }\n${more}`)
  const service = await Upped.start(folder, ["--config", file])
  const { apiKey, url } = service.announcement
  const ask = async (network: string, method: string, params: ReadonlyArray<unknown>) => {
    const response = await fetch(`${url}/${network}/v3/${apiKey}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
    const { headers } = response
    const verdict = headers.get("plumbline-verdict")
    return { verdict, anchor: headers.get("plumbline-anchor"), ...(await response.json()) }
  }
  const health = async (): Promise<any> => (await fetch(`${url}/health`)).json()
  return { ...service, ask, health }
}

describe("a service that proves", () => {
  it("tells the truth with a liar in front, and its operator of the lie", async () => {
    await using folder = await Children.folder()
    const liar = history().telling(
      { method: "eth_getBalance", change: () => "0xffff" },
      { method: "eth_getProof", change: (proof) => ({ ...proof, balance: "0xffff" }) }
    )
    // both nodes are on this machine, so only the file can say that two operators run them
    const nodes = `[{ name: liar, operator: them, url: "${liar}" }, { name: own, embedded: history }]`
    const service = await started(
      folder.path,
      `  plain: { chainId: ${HistoryChain.chainId}, upstreams: ${nodes} }
  proven: { chainId: ${HistoryChain.chainId}, upstreams: ${nodes}, integrity: prove, trust: { block: "${HistoryChain.head.hash}" } }
  checked: { chainId: ${HistoryChain.chainId}, upstreams: ${nodes}, integrity: check }
  agreed: { chainId: ${HistoryChain.chainId}, upstreams: ${nodes}, integrity: prove, trust: { quorum: 2, accept: true } }`
    )
    const balance = ["eth_getBalance", [who, head]] as const
    expect(await service.ask("plain", ...balance)).toMatchObject({ verdict: null, result: "0xffff" })
    expect(await service.ask("checked", ...balance)).toMatchObject({ verdict: "CLAIMED", result: "0xffff" })
    const truth = await history().ask("eth_getBalance", [who, head])
    const pinned = { verdict: "VERIFIED", anchor: `block ${HistoryChain.head.hash}` }
    expect(await service.ask("proven", ...balance)).toMatchObject({ ...pinned, result: truth })
    // everything but the block is proven; a quorum names the latest block, and a pinned hash only proves earlier blocks
    const agreed = { verdict: "CLAIMED", anchor: "quorum 2/2" }
    expect(await service.ask("agreed", ...balance)).toMatchObject({ ...agreed, result: truth })
    expect(await service.ask("agreed", "eth_getBlockByNumber", ["latest", true])).toMatchObject(agreed)
    const { networks } = await service.health()
    const [liarHealth, own] = networks.find(({ name }: any) => name === "proven").upstreams
    expect(liarHealth).toMatchObject({
      name: "liar",
      state: "lies",
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

  it("believes no liar that is reachable under two names, and refuses the word of nodes that nobody accepted", async () => {
    await using folder = await Children.folder()
    const forger = await served()
    await using _ = forger
    const two = [forger.url, forger.url.replace("127.0.0.1", "localhost")]
    const equals = two.map((url) => `{ url: "${url}" }`).join(", ")
    const named = two.map((url, at) => `{ url: "${url}", operator: o${at} }`).join(", ")
    const proving = (upstreams: string, trust: string) =>
      `{ chainId: ${HistoryChain.chainId}, upstreams: [${upstreams}], integrity: prove, trust: ${trust} }`
    const service = await started(
      folder.path,
      `  equals: ${proving(equals, "{ quorum: 2, accept: true }")}
  unaccepted: ${proving(named, "{ quorum: 2 }")}
  operator: ${proving(equals, `{ operator: "${forger.url}" }`)}
  accepted: ${proving(equals, `{ operator: "${forger.url}", accept: true }`)}`
    )
    const balance = ["eth_getBalance", [who, "latest"]] as const
    const why = async (network: string, anchor: string | null) => {
      const answer = await service.ask(network, ...balance)
      expect(answer).toMatchObject({ verdict: "CLAIMED", anchor, error: { code: -32098 } })
      return answer.error.message
    }
    expect(await why("equals", null)).toContain("the quorum needs 2 operators, and the nodes of the network have 1")
    expect(await why("unaccepted", "quorum 2/2")).toContain("2 of 2 operators (o0, o1)")
    expect(await why("operator", "operator")).toContain("the operator's node")
    expect(await service.ask("accepted", ...balance)).toMatchObject({ verdict: "CLAIMED", anchor: "operator" })
    expect(await service.stop()).toMatchObject({ code: 0 })
  })

  it("goes on when a node dies", async () => {
    await using folder = await Children.folder()
    const nodes = [await served(), await served(), await served()]
    const upstreams = nodes.map(({ url }, at) => `{ name: n${at}, operator: o${at}, url: "${url}" }`).join(", ")
    const service = await started(
      folder.path,
      `  main: { chainId: ${HistoryChain.chainId}, upstreams: [${upstreams}], integrity: prove, trust: { quorum: 2, accept: true } }`
    )
    const balance = ["eth_getBalance", [who, head]] as const
    const truth = await history().ask("eth_getBalance", [who, head])
    expect(await service.ask("main", ...balance)).toMatchObject({ anchor: "quorum 3/3", result: truth })
    await nodes[0]![Symbol.asyncDispose]()
    expect(await service.ask("main", ...balance)).toMatchObject({ anchor: "quorum 2/3", result: truth })
    for (const node of nodes.slice(1)) await node[Symbol.asyncDispose]()
    expect(await service.stop()).toMatchObject({ code: 0 })
  })

  it("follows the beacon chain of its own live chain, and proves its latest block", async () => {
    await using folder = await Children.folder()
    // a busy machine needs longer than the default time to load the thread of the first call
    const service = await started(
      folder.path,
      "  live: { upstreams: [{ embedded: live }], integrity: prove, timeout: 2m, tryTimeout: 1m }",
      "calls: { time: 20s }\n"
    )
    const latest = await service.ask("live", "eth_getBlockByNumber", ["latest", true])
    expect(latest.verdict).toBe("VERIFIED")
    expect(await service.ask("live", "eth_getBalance", [who, "latest"])).toMatchObject({ verdict: "VERIFIED" })
    // its rules are known without a setting; a call of an account without code returns nothing
    expect(await service.ask("live", "eth_call", [{ to: who }, "latest"])).toMatchObject({
      verdict: "VERIFIED",
      result: "0x"
    })
    // PUSH0 PUSH0 REVERT: a revert is proven too
    expect(await service.ask("live", "eth_call", [{ data: "0x5f5ffd" }, "latest"])).toMatchObject({
      verdict: "VERIFIED",
      error: { code: 3, message: "execution reverted" }
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
