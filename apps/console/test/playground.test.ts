/**
 * Tests the playground without a browser: forms from schemas, requests from forms, and programs that run when they are
 * pasted.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import * as ExampleSubjects from "../src/chain/ExampleSubjects.ts"
import * as FormRequest from "../src/playground/FormRequest.ts"
import * as MethodForms from "../src/playground/MethodForms.ts"
import * as MethodPrograms from "../src/playground/MethodPrograms.ts"
import * as ParameterExamples from "../src/playground/ParameterExamples.ts"
import * as SchemaForms from "../src/playground/SchemaForms.ts"
import * as ProgramParts from "../src/programs/ProgramParts.ts"
import * as OnHistory from "./support/OnHistory.ts"
import * as Service from "./support/Service.ts"

const eth = MethodForms.of("eth")
const starknet = MethodForms.of("starknet")
const method = (name: string): MethodForms.DescribedMethod => [...eth, ...starknet].find((one) => one.name === name)!

const ADDRESS = HistoryChain.contracts.cabinet.address
const HASH = HistoryChain.head.hash

describe("a form", () => {
  test.for([...eth, ...starknet].map(({ name }) => name))("is made for every parameter of %s", (name) => {
    for (const { form, required } of method(name).params) {
      expect(["Text", "Flag", "Lines", "Members", "Json"]).toContain(form._tag)
      // only an object with arbitrary names, or an object inside an object, is written as JSON
      expect(
        form._tag === "Json" && required && !/slots|transaction|request/u.test(JSON.stringify(method(name).params))
      ).toBe(false)
    }
  })

  test.for([
    ["eth_getBalance", { address: ADDRESS, block: "5" }, [ADDRESS, "0x5"]],
    ["eth_getBalance", { address: ADDRESS, block: "latest" }, [ADDRESS, "latest"]],
    ["eth_getBalance", { address: ADDRESS, block: `{"blockHash":"${HASH}"}` }, [ADDRESS, { blockHash: HASH }]],
    ["eth_getBalance", { address: ADDRESS }, [ADDRESS]],
    ["eth_getBlockByHash", { blockHash: HASH, transactionDetails: "false" }, [HASH, false]],
    ["eth_getProof", { address: ADDRESS, storageKeys: `0x1\n${HASH}`, block: "" }, [ADDRESS, ["0x1", HASH]]],
    ["eth_getProof", { address: ADDRESS, storageKeys: "" }, [ADDRESS, []]],
    ["eth_getLogs", { "filter.fromBlock": "3", "filter.toBlock": "latest" }, [{ fromBlock: "0x3", toBlock: "latest" }]],
    ["eth_getLogs", { "filter.topics": `${HASH}\nnull\n["${HASH}"]` }, [{ topics: [HASH, null, [HASH]] }]],
    ["eth_call", { "transaction.to": ADDRESS, block: "latest" }, [{ to: ADDRESS }, "latest"]],
    [
      "eth_feeHistory",
      { blockCount: "4", newestBlock: "latest", rewardPercentiles: "25, 75" },
      ["4", "latest", [25, 75]]
    ],
    ["eth_chainId", {}, []],
    ["starknet_getNonce", { block_id: "latest", contract_address: "0x5" }, ["latest", "0x5"]]
  ] as const)("%s with %j asks with %j, and is filled again from that", ([name, texts, params]) => {
    const read = FormRequest.read(method(name), texts)
    expect(read.mistakes).toEqual({})
    expect(read.params).toEqual(params)
    const again = FormRequest.write(method(name), JSON.stringify(params))
    expect(FormRequest.read(method(name), again)).toEqual(read)
  })

  test.for([
    ["eth_getBalance", {}, "address"],
    ["eth_getBalance", { address: "0x12" }, "address"],
    ["eth_getBalance", { address: ADDRESS, block: "newest" }, "block"],
    ["eth_getBlockByHash", { blockHash: HASH.slice(0, -1), transactionDetails: "true" }, "blockHash"],
    ["eth_getProof", { address: ADDRESS, storageKeys: "[" }, "storageKeys"],
    ["eth_call", { transaction: "", "transaction.to": "nobody" }, "transaction"],
    ["starknet_getNonce", { block_id: "latest", contract_address: "z" }, "contract_address"]
  ] as const)("%s with %j names the parameter that is wrong: %s", ([name, texts, wrong]) => {
    expect(Object.keys(FormRequest.read(method(name), texts).mistakes)).toEqual([wrong])
  })

  test("survives any text, also one from a link", () => {
    for (const one of eth) {
      for (const text of ["{}", "[", "[null,{},[[]],1e9]", '["\\u0000",{"a":1},true,[1]]', "[[],[],[],[]]"]) {
        expect(Array.isArray(FormRequest.read(one, FormRequest.write(one, text)).params)).toBe(true)
      }
    }
  })

  test("of an object has a field for each member, and refuses what is not JSON in the others", () => {
    const { form } = method("eth_getLogs").params[0]!
    expect(form._tag === "Members" && form.members.map(({ name }) => name)).toContain("fromBlock")
    expect(SchemaForms.read({ _tag: "Json" }, { a: "{" }, "a")).toEqual({ _tag: "Mistake", says: "Expected JSON" })
  })
})

test("a search finds methods by name, by topic and by what they read", () => {
  const names = (text: string) => MethodForms.search(eth, text).map(({ name }) => name)
  expect(names("")).toEqual(eth.map(({ name }) => name))
  expect(names("BALANCE")).toEqual(["eth_getBalance"])
  expect(names("merkle proof")).toEqual(["eth_getProof"])
  expect(names("nothing like it")).toEqual([])
})

test("an example fits the form of every method that reads, with things that the chain has", async () => {
  const stage = await Effect.runPromise(Effect.provide(ExampleSubjects.find, OnHistory.layer(TrustedBlock.layerNone())))
  for (const one of eth.filter(({ reads }) => reads)) {
    const texts = FormRequest.write(one, JSON.stringify(ParameterExamples.of(one, stage)))
    expect(FormRequest.read(one, texts).mistakes, one.name).toEqual({})
  }
})

describe("a program", () => {
  let service: Service.Service
  // the folder is inside this package, so that the program finds its imports
  const folder = mkdtempSync(path.join(import.meta.dirname, ".programs-"))

  beforeAll(async () => {
    service = await Service.start()
  })
  afterAll(async () => {
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = ({ name, text }: ProgramParts.Program): string => {
    const pasted = text.replaceAll(ProgramParts.YOUR_KEY, service.apiKey)
    const file = path.join(folder, `${name}-${Math.abs(hashOf(pasted))}.mjs`)
    writeFileSync(file, pasted)
    const { status, stderr, stdout } =
      name === "curl"
        ? spawnSync("sh", ["-c", pasted], { encoding: "utf8" })
        : spawnSync(process.execPath, [file], { encoding: "utf8" })
    expect(status, stderr).toBe(0)
    return stdout.trim()
  }

  const hashOf = (text: string): number => Array.from(text).reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) | 0, 7)

  const HEAD = `0x${HistoryChain.head.number.toString(16)}`

  test.for([
    ["eth_blockNumber", [], undefined, HEAD],
    ["eth_getBlockTransactionCountByHash", [HASH], undefined, "0x1"],
    ["eth_getTransactionCount", [ADDRESS, HEAD], HASH, "0x1"]
  ] as const)("of %s runs as it is pasted, in each form", ([name, params, trust, expected]) => {
    const at = { origin: service.url, network: "history", trust }
    const snippets = MethodPrograms.of("eth", { method: name, params }, at)
    expect(snippets.map(({ name }) => name)).toEqual(["curl", "Effect", "viem"])
    const [curl, effect, viem] = snippets
    expect(JSON.parse(run(curl!))).toEqual({ jsonrpc: "2.0", id: 1, result: expected })
    expect(run(effect!)).toBe(
      `${trust === undefined && name === "eth_blockNumber" ? "CLAIMED" : "VERIFIED"} "${expected}"`
    )
    expect(run(viem!)).toBe(`"${expected}"`)
  })

  test("of the second chain runs as it is pasted", () => {
    const [curl, effect] = MethodPrograms.of(
      "starknet",
      { method: "starknet_chainId", params: [] },
      { origin: service.url, network: "starknet-pool" }
    )
    const { result } = JSON.parse(run(curl!)) as { readonly result: string }
    expect(result).toMatch(/^0x[0-9a-f]+$/u)
    expect(run(effect!)).toBe(`"${result}"`)
  })

  test("survives quotes in its parameters, and never holds a key", () => {
    const question = { method: "web3_clientVersion", params: ["it's", '"', "`$(date)`", "\\"] }
    for (const { text } of MethodPrograms.of("eth", question, { origin: service.url, network: "history" })) {
      expect(text).toContain(ProgramParts.YOUR_KEY)
      expect(text).not.toContain(service.apiKey)
    }
    const [curl] = MethodPrograms.of("eth", question, { origin: service.url, network: "history" })
    expect(JSON.parse(run(curl!))).toMatchObject({ error: { code: -32_602 } })
  })
})
