/** A service whose network is a rollup, which contracts of its parent chain prove. */
import { writeFile } from "node:fs/promises"

import { expect, it } from "@effect/vitest"
import { Anvil } from "@plumbline/devnet"
import { Effect, Exit, Scope } from "effect"

import * as Children from "../../support/Children.ts"
import * as LyingNode from "../../support/LyingNode.ts"
import * as RecordedRollup from "../../support/RecordedRollup.ts"
import * as RollupContracts from "../../support/RollupContracts.ts"
import * as Upped from "../../support/Upped.ts"

it("proves a rollup's answers from its parent chain, and names the state in the anchor", async ({ onTestFinished }) => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const { url: l1 } = await Effect.runPromise(Scope.provide(Anvil.make(), scope))
  const { timestamp } = await RollupContracts.rpc(l1, "eth_getBlockByNumber", ["latest", false])
  const [older, newer] = RecordedRollup.blocksOf("jovian")
  const outputs = { settled: RecordedRollup.outputOf(older!), proposed: RecordedRollup.outputOf(newer!) }
  const { systemConfig } = await RollupContracts.deploy(l1, { digit: "a", ...outputs }, BigInt(timestamp))
  await RollupContracts.rpc(l1, "anvil_mine", ["0x1"])
  const top = await RollupContracts.rpc(l1, "eth_getBlockByNumber", ["latest", false])
  await using node = await RecordedRollup.serve([older!, newer!])
  await using folder = await Children.folder()
  const description = { chainId: 901, name: "ours", l1ChainId: 31_337, systemConfig }
  await writeFile(`${folder.path}/ours.json`, JSON.stringify(description))
  const rollup = (state: string) =>
    `{ chainId: 901, upstreams: [{ url: "${node.url}" }], integrity: prove, trust: { rollup: ./ours.json, l1: { url: "${l1}", block: "${top.hash}" }${state} } }`
  const file = `${folder.path}/plumbline.yaml`
  const lie = await LyingNode.start(node.url)
  onTestFinished(lie.close)
  const forged = lie.telling({
    method: "eth_getBlockByNumber",
    change: (block: any) => block && { ...block, timestamp: "0x1" }
  })
  const networks = `networks:
  settled: ${rollup("")}
  proposed: ${rollup(", state: proposed")}
  beside-a-liar: ${rollup("").replace("[", `[{ url: "${forged}" }, `)}
  wrong: ${rollup("").replace(l1, node.url)}
ipfs: { node: none }
`
  await writeFile(file, networks)
  const service = await Upped.start(folder.path, ["--config", file])
  const { apiKey, url } = service.announcement
  const ask = async (network: string, block: string) => {
    const response = await fetch(`${url}/${network}/v3/${apiKey}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: [block, false] })
    })
    const { error, result }: any = await response.json()
    const { headers } = response
    return [headers.get("plumbline-verdict"), headers.get("plumbline-anchor"), result?.hash ?? error.message]
  }
  const settled = ["VERIFIED", `rollup 901 settled l1 ${top.hash}`, older!.block["hash"]]
  expect(await ask("settled", "finalized")).toEqual(settled)
  expect(await ask("settled", "safe")).toEqual(settled)
  expect(await ask("settled", "0x1")).toEqual(settled)
  const [, , refused] = await ask("settled", "0x2")
  expect(refused).toContain("unproven")
  expect(await ask("proposed", "finalized")).toEqual(settled)
  for (const block of ["safe", "0x2"]) {
    const claimed = ["CLAIMED", `rollup 901 proposed l1 ${top.hash}`, newer!.block["hash"]]
    expect(await ask("proposed", block)).toEqual(claimed)
  }
  // a liar that is asked first denies neither the trust nor the answer
  expect(await ask("beside-a-liar", "finalized")).toEqual(settled)
  // a node of another chain in place of that of L1 is no lie, and both chain ids are named
  const [verdict, , why] = await ask("wrong", "finalized")
  expect(verdict).toBe("CLAIMED")
  expect(why).toContain(
    "the node of the parent chain says that its chain id is 901, but ours has a parent chain with the id 31337"
  )
  const health: any = await (await fetch(`${url}/health`)).json()
  const network = health.networks.find(({ name }: any) => name === "settled")
  expect(network.trust.nodes.map(({ name }: any) => name)).toEqual(["l1"])
  expect(JSON.stringify(network)).not.toContain(new URL(l1).port)
  expect(await service.stop()).toMatchObject({ code: 0 })
})
