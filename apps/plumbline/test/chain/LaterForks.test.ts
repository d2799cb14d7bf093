/**
 * Blocks of an invented fork, through command, proxy and service. The node shows the head of the history chain with two
 * more header fields, and viem's RLP makes its hash.
 */
import { writeFile } from "node:fs/promises"
import * as path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"

import * as Children from "../support/Children.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import * as InventedFork from "../support/InventedFork.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Upped from "../support/Upped.ts"

const history = HistoryNode.lyingNode()

/** Returns the URL of a node that shows the invented head, and a folder with the file of the fork. */
const made = async () => {
  const block = await InventedFork.block(history())
  const folder = await Children.folder()
  const file = path.join(folder.path, "forks.json")
  await writeFile(file, InventedFork.file)
  const url = history().telling(
    {
      method: "eth_getBlockByHash",
      change: (result, _, [hash, full]) => (hash === block.hash ? InventedFork.shown(block, full) : result)
    },
    {
      method: "eth_getBlockByNumber",
      change: (result, _, [, full]) => (result?.number === block.number ? InventedFork.shown(block, full) : result)
    }
  )
  return { block, file, folder, url }
}

describe("a fork that only a file names", () => {
  it("is claimed by the command without the file, and VERIFIED with it", async () => {
    const { block, file, folder, url } = await made()
    await using _ = folder
    const without = await RunCli.json(["block", block.hash, "--full", "--url", url])
    assert.strictEqual(without.answer.verdict, "CLAIMED")
    assert.include(JSON.stringify(without.answer), "inventedCount, inventedRoot")
    const { answer, exitCode } = await RunCli.json(["block", block.hash, "--full", "--url", url, "--forks", file])
    assert.deepStrictEqual([answer.verdict, exitCode], ["VERIFIED", 0])
    assert.deepInclude(answer.value, InventedFork.invented)
    assert.deepInclude(answer.value.transactions[0], InventedFork.own)
    assert.notInclude(JSON.stringify(answer.claimed), "transactions")
    const changed = { ...block, transactions: [{ ...block.transactions[0], notes: ["0x01", "0x"] }] }
    const other = history().telling({ method: "eth_getBlockByHash", change: () => changed })
    const caught = await RunCli.json(["block", block.hash, "--full", "--url", other, "--forks", file])
    assert.deepStrictEqual([caught.answer.verdict, caught.exitCode], ["REFUTED", 2])
    const lying = { ...block, inventedCount: "0x1" }
    const lie = history().telling({ method: "eth_getBlockByHash", change: () => lying })
    const refuted = await RunCli.json(["block", block.hash, "--full", "--url", lie, "--forks", file])
    assert.deepStrictEqual([refuted.answer.verdict, refuted.exitCode], ["REFUTED", 2])
  })

  it("is refused by name if the file is no JSON, describes no forks, or is not there", async () => {
    const { block, file, folder, url } = await made()
    await using _ = folder
    const run = () => RunCli.run(["block", block.hash, "--url", url, "--forks", file])
    for (const [text, problem] of [
      ["{", "it is not JSON"],
      ["{}", "it describes no forks"]
    ] as const) {
      await writeFile(file, text)
      const { exitCode, stderr } = await run()
      assert.notStrictEqual(exitCode, 0)
      assert.include(stderr, problem)
    }
    const missing = await RunCli.run(["block", block.hash, "--url", url, "--forks", path.join(folder.path, "none")])
    assert.include(missing.stderr, "it is not there")
  })

  it("is proven by the proxy with the file, and refused without it", async () => {
    const { block, file, folder, url } = await made()
    await using _ = folder
    for (const [args, verdict] of [
      [["--forks", file], "VERIFIED"],
      [[], "CLAIMED"]
    ] as const) {
      const child = Children.start(["proxy", "--json", "--port", "0", "--url", url, "--trust", block.hash, ...args])
      const proxy = JSON.parse(await child.firstLine)
      const response = await fetch(proxy.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: [block.number, true] })
      })
      const { result } = await response.json()
      if (verdict === "VERIFIED") assert.deepInclude(result, InventedFork.invented)
      else assert.isUndefined(result)
      assert.strictEqual(response.headers.get("plumbline-verdict"), verdict)
      child.process.kill("SIGTERM")
      await child.ended
    }
  })

  it("is proven by the service with the file, and refused without it", async () => {
    const { block, folder, url } = await made()
    await using _ = folder
    for (const setting of [{ laterForks: "forks.json" }, {}]) {
      const config = path.join(folder.path, "config.json")
      const network = {
        chainId: HistoryChain.chainId,
        upstreams: [{ url }],
        integrity: "prove",
        trust: { block: block.hash },
        ...setting
      }
      await writeFile(config, JSON.stringify({ networks: { invented: network } }))
      const service = await Upped.start(path.join(folder.path, `data-${"laterForks" in setting}`), ["--config", config])
      const { body } = await service.call("eth_getBlockByNumber", [block.number, true])
      if ("laterForks" in setting) assert.deepInclude(body.result, InventedFork.invented)
      else assert.isDefined(body.error)
      await service.stop()
    }
  })
})
