/** `plumbline tamper` in front of the history chain's node: its catalogue, its lies on a port, and its report. */
import { assert, describe, it } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"
import { freePort } from "@plumbline/gateway/support/ports"
import { createPublicClient, http } from "viem"

import * as Children from "../support/Children.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import * as RunCli from "../support/RunCli.ts"

const history = HistoryNode.lyingNode()
const head = BigInt(HistoryChain.head.number)
const who = HistoryChain.accounts[0]!.address

interface Liar extends AsyncDisposable {
  readonly url: string
  readonly child: Children.Running
}

const open = async (args: ReadonlyArray<string>): Promise<Liar> => {
  const child = Children.start(["tamper", "--json", "--url", history().url, ...args])
  const { url } = JSON.parse(await child.firstLine)
  return {
    url,
    child,
    [Symbol.asyncDispose]: async () => {
      child.process.kill("SIGTERM")
      await child.ended
    }
  }
}

const balanceAt = (url: string): Promise<bigint> =>
  createPublicClient({ transport: http(url, { retryCount: 0, timeout: 5000 }) }).getBalance({
    address: who,
    blockNumber: head
  })

const JSON_TYPE = { "content-type": "application/json" }

/** A shell command that trusts its node: it asks for an account's balance, and prints the answer. */
const trusting = `${process.execPath} -e 'fetch(process.env.ETH_RPC_URL, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBalance", params: ["${who}", "latest"] }) }).then((r) => r.json()).then((a) => { if (a.id !== 1) process.exit(1); console.log(a.result) }, () => process.exit(1))'`

describe("the catalogue", () => {
  it("is listed for people and for programs", async () => {
    const { answer, exitCode } = await RunCli.json(["tamper", "--list"])
    assert.strictEqual(exitCode, 0)
    assert.isAbove(answer.length, 40)
    assert.deepInclude(answer, {
      name: "receipt-status",
      methods: ["eth_getTransactionReceipt", "eth_getBlockReceipts"],
      about: "what succeeded has failed, and the other way round, in every receipt",
      expected: "REFUTED"
    })
    const { stdout } = await RunCli.run(["tamper", "--list"])
    assert.lengthOf(stdout.match(/^ {2}[a-z]/gmu)!, answer.length)
    assert.include(stdout, "\neth_getTransactionReceipt, eth_getBlockReceipts: ")
    assert.match(stdout, new RegExp(`\n${answer.length} lies\n$`, "u"))
  })

  it("lists the lies by omission apart from the others", async () => {
    const { answer } = await RunCli.json(["tamper", "--list", "--omissions"])
    assert.deepInclude(answer, {
      name: "receipt-contract-address-absent",
      methods: ["eth_getTransactionReceipt", "eth_getBlockReceipts"],
      about: "contractAddress is absent in every receipt",
      expected: "WHOLE"
    })
    assert.isUndefined(answer.find(({ name }: { readonly name: string }) => name === "balance"))
  })
})

describe("a liar on a port", () => {
  it("is closed to web pages, and to requests that a page can send without asking", async () => {
    await using liar = await open(["--lie", "balance", "--allow-origin", "http://localhost:5173"])
    const status = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] })
      const answer = await fetch(liar.url, { method: "POST", headers, body })
      await answer.arrayBuffer()
      return [answer.status, answer.headers.get("access-control-allow-origin")]
    }
    assert.deepEqual(await status(JSON_TYPE), [200, null])
    assert.deepEqual(await status({ ...JSON_TYPE, origin: "http://evil.example" }), [403, null])
    assert.deepEqual(await status({ ...JSON_TYPE, origin: "http://localhost:5173" }), [200, "http://localhost:5173"])
    assert.deepEqual(await status({ "content-type": "text/plain" }), [415, null])
    assert.deepEqual(await status({}), [415, null])
    const wrong = await RunCli.run(["tamper", "--url", history().url, "--allow-origin", "http://localhost:5173/app"])
    assert.include(wrong.stderr, "without a path")
  })

  it("tells one lie, in every answer that it fits, and says so in a header", async () => {
    await using liar = await open(["--lie", "balance"])
    assert.strictEqual(await balanceAt(liar.url), 0xffffffffffffffffffn)
    const client = createPublicClient({ transport: http(liar.url) })
    const truth = createPublicClient({ transport: http(history().url) })
    assert.deepEqual(await client.getBlock({ blockNumber: head }), await truth.getBlock({ blockNumber: head }))
    const body = JSON.stringify(
      [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "eth_getBalance", params: [who, "latest"] }))
    )
    const response = await fetch(liar.url, { method: "POST", headers: JSON_TYPE, body })
    assert.strictEqual(response.headers.get("plumbline-tamper"), "balance")
    assert.deepEqual(
      await response.json(),
      [1, 2].map((id) => ({ jsonrpc: "2.0", id, result: "0xffffffffffffffffff" }))
    )
  })

  for (const fault of ["cut", "wrong-id", "html"]) {
    it(`gives no right answer with the fault ${fault}`, async () => {
      await using liar = await open(["--lie", fault])
      const outcome = await balanceAt(liar.url).then(String, () => "no answer")
      assert.include(fault === "wrong-id" ? [outcome] : ["no answer"], outcome)
      const response = await fetch(liar.url, {
        method: "POST",
        headers: JSON_TYPE,
        body: JSON.stringify({ jsonrpc: "2.0", id: 5, method: "eth_chainId", params: [] })
      })
      const id = await response.json().then(
        (answer: any) => answer.id,
        () => "no JSON"
      )
      assert.strictEqual(id, fault === "wrong-id" ? "not 5" : "no JSON")
    })
  }

  it("prints each lie that it told, with the place that it changed", async () => {
    const port = await freePort()
    const child = Children.start(["tamper", "--url", history().url, "--lie", "balance", "--port", `${port}`])
    assert.include(await child.firstLine, "This endpoint lies: balance.")
    await balanceAt(`http://127.0.0.1:${port}`)
    await child.said("balance: eth_getBalance: ")
    child.process.kill("SIGTERM")
    const { stderr } = await child.ended
    assert.match(stderr, /-> "0xffffffffffffffffff"/u)
  })
})

describe("--check", () => {
  it("finds out which lies a program believes, and ends with their number", async () => {
    const { answer, exitCode } = await RunCli.json([
      "tamper",
      "--url",
      history().url,
      "--check",
      trusting,
      "--lie",
      "balance"
    ])
    assert.strictEqual(exitCode, 1)
    assert.deepEqual(answer, [{ lie: "balance", expected: "REFUTED", fate: "believed", told: 1 }])
  })

  it("tells a program that notices from one that is never asked", async () => {
    const check = async (lie: string) =>
      (await RunCli.json(["tamper", "--url", history().url, "--check", trusting, "--lie", lie])).answer[0]
    assert.deepInclude(await check("tx-value"), { fate: "not asked", told: 0 })
    assert.deepInclude(await check("wrong-id"), { fate: "refused", told: 1 })
    assert.deepInclude(await check("html"), { fate: "refused", told: 1 })
  })

  it("refuses a program that fails without a lie", async () => {
    const { exitCode, stderr } = await RunCli.run(["tamper", "--url", history().url, "--check", "exit 3"])
    assert.strictEqual(exitCode, 1)
    assert.include(stderr, "with the truth the program ends with 3")
  })

  it("ends a program that hangs", async () => {
    const hangs = `if [ -e {url} ]; then :; fi; [ "$(curl -s -H 'content-type: application/json' -d '{"id":1,"method":"eth_getBalance","params":["${who}","latest"]}' {url} | grep -c fffffff)" = 0 ] || sleep 100`
    const { answer } = await RunCli.json([
      "tamper",
      "--url",
      history().url,
      "--check",
      hangs,
      "--lie",
      "balance",
      "--limit",
      "1"
    ])
    assert.deepInclude(answer[0], { fate: "hung" })
  })
})

describe("flags", () => {
  it("that mean nothing are refused", async () => {
    for (const flags of [
      ["--lie", "truth"],
      ["--rate", "2"],
      ["--port", "-1"],
      ["--limit", "0"]
    ]) {
      const { exitCode, stderr } = await RunCli.run(["tamper", "--url", history().url, ...flags])
      assert.strictEqual(exitCode, 1)
      assert.include(stderr, flags[0]!)
    }
  })
})
