/** `plumbline call` on anvil. The oracle is anvil's own answer, through viem. */
import { writeFile } from "node:fs/promises"

import { describe, expect, it } from "@effect/vitest"
import { PreparedState } from "@plumbline/devnet"
import * as viem from "viem"

import * as Children from "../support/Children.ts"
import * as Devnet from "../support/Devnet.ts"
import type { Lie } from "../support/LyingNode.ts"
import * as RunCli from "../support/RunCli.ts"

const anvil = Devnet.lyingNode()
const { proxy, token } = PreparedState.contracts
const holder = PreparedState.accounts[0]!.address
const trusted = ["--trust", PreparedState.head.hash]
const rules = ["--chain-id", String(PreparedState.chainId), "--hardfork", "osaka"]
const balanceOf = ["call", token.address, "balanceOf(address)(uint256)", holder]

const ask = (args: ReadonlyArray<string>, ...lies: ReadonlyArray<Lie>) =>
  RunCli.json([...args, "--url", anvil().telling(...lies)])
const abi = viem.parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function transfer(address, uint256) returns (bool)"
])
const truth = () => viem.createPublicClient({ transport: viem.http(anvil().url) })
const balance = () => truth().readContract({ address: token.address, abi, functionName: "balanceOf", args: [holder] })

describe("plumbline call", () => {
  it("proves what a function returns under a trusted block, whatever the node answers to eth_call", async () => {
    const lie: Lie = { method: "eth_call", change: () => viem.toHex(7n, { size: 32 }) }
    const { answer, exitCode } = await ask([...balanceOf, ...trusted, ...rules], lie)
    const expected = await balance()
    expect([exitCode, answer.verdict, answer.claimed]).toEqual([0, "VERIFIED", []])
    expect(answer.anchor).toEqual({ kind: "block", hash: PreparedState.head.hash })
    expect(answer.block.hash).toBe(PreparedState.head.hash)
    const { decoded, gasUsed, result, ...failures } = answer.value
    expect([decoded, BigInt(result)]).toEqual([[String(expected)], expected])
    expect(failures).toEqual({ reverted: null, halted: null })
    // the gas of a transaction with this call, by anvil's own trace
    const trace = await anvil().ask("debug_traceCall", [
      { to: token.address, data: viem.encodeFunctionData({ abi, functionName: "balanceOf", args: [holder] }) },
      viem.toHex(PreparedState.head.number),
      {}
    ])
    expect(Number(gasUsed)).toBe(trace.gas)
  })

  it("takes the data as bytes, and then decodes nothing", async () => {
    const data = viem.encodeFunctionData({ abi, functionName: "balanceOf", args: [holder] })
    const { answer } = await ask(["call", token.address, data, ...trusted, ...rules])
    expect([answer.verdict, answer.value.decoded]).toEqual(["VERIFIED", null])
    expect(BigInt(answer.value.result)).toBe(await balance())
  })

  it("is only claimed without a trusted block", async () => {
    const { answer, exitCode } = await ask([...balanceOf, ...rules])
    expect([exitCode, answer.verdict, answer.anchor]).toEqual([0, "CLAIMED", null])
    expect(answer.value.decoded).toEqual([String(await balance())])
  })

  it("proves a revert too, with its bytes", async () => {
    const args = ["transfer(address,uint256)(bool)", holder, "5", "--from", proxy.address]
    const { answer, exitCode } = await ask(["call", token.address, ...args, ...trusted, ...rules])
    expect([exitCode, answer.verdict]).toEqual([0, "VERIFIED"])
    const { decoded, result, reverted } = answer.value
    expect([result, decoded]).toEqual([null, null])
    const types = viem.parseAbi(["error InsufficientBalance(address, uint256, uint256)"])
    const error = viem.decodeErrorResult({ abi: types, data: reverted.data })
    expect(error.args).toEqual([viem.getAddress(proxy.address), 0n, 5n])
    const lowGas = await ask([...balanceOf, "--gas", "23000", ...trusted, ...rules])
    expect(lowGas.answer.value).toMatchObject({ result: null, reverted: null, halted: "out of gas" })
  })

  it("is refuted if a state that it was given fails its proof", async () => {
    const slot: Lie = {
      method: "eth_getProof",
      change: (proof) => ({ ...proof, storageProof: proof.storageProof.map((one: any) => ({ ...one, value: "0x7" })) })
    }
    const code: Lie = { method: "eth_getCode", change: () => "0x60075f5260205ff3" }
    for (const lie of [slot, code]) {
      const { answer, exitCode } = await ask([...balanceOf, ...trusted, ...rules], lie)
      expect([exitCode, answer.verdict, answer.value]).toEqual([2, "REFUTED", null])
    }
  })

  it("asks for the chain and for its rules, where only the node could tell them", async () => {
    const chain = ["--chain-id", String(PreparedState.chainId)]
    for (const [args, problem] of [
      [[], "name it with --chain-id"],
      [chain, "name them with --hardfork"],
      [["--hardfork", "osaka"], "--hardfork needs --chain-id"],
      [[...chain, "--hardfork", "next"], "--hardfork must be one of"],
      [[...rules, "--from", "0x1"], "--from must be"],
      [[...rules, "--value", "1 ether"], "--value must be"]
    ] as const) {
      const { answer, exitCode } = await ask([...balanceOf, ...trusted, ...args])
      expect([exitCode, answer.error.tag]).toEqual([1, "UsageError"])
      expect(answer.error.problem).toContain(problem)
    }
  })

  it("asks the service only for calls of its own chain", async () => {
    await using folder = await Children.folder()
    const record = {
      version: 1,
      url: "http://127.0.0.1:1",
      wsUrl: null,
      pid: process.pid,
      apiKey: "key",
      apiKeySecret: "secret",
      networks: [{ name: "live", host: "live.localhost", chainId: PreparedState.chainId }]
    }
    await writeFile(`${folder.path}/service.json`, JSON.stringify(record))
    const other = [...balanceOf, ...trusted, "--chain-id", "5", "--hardfork", "osaka", "--data", folder.path]
    const { answer, exitCode } = await RunCli.json(other)
    expect([exitCode, answer.error.tag]).toEqual([1, "UsageError"])
    expect(answer.error.message).toBe(`--chain-id is 5, but the service's network is of chain ${PreparedState.chainId}`)
  })

  it("shows the values and the verdict in a terminal", async () => {
    const { stdout } = await RunCli.run([...balanceOf, ...trusted, ...rules, "--url", anvil().url])
    expect(stdout).toContain(`Call of ${token.address}`)
    expect(stdout.replaceAll(",", "")).toMatch(new RegExp(`\\[0\\] +${await balance()}`, "u"))
    expect(stdout).toMatch(/^VERIFIED /mu)
  })

  it("says in a terminal why it decodes nothing", async () => {
    const shown = async (address: string, signature: string) => {
      const { stdout } = await RunCli.run(["call", address, signature, ...trusted, ...rules, "--url", anvil().url])
      return stdout
    }
    expect(await shown(holder, "totalSupply()(uint256)")).toContain("an account without code")
    expect(await shown(token.address, "totalSupply()(string)")).toContain("not values of the types")
    expect(await shown(token.address, "totalSupply()")).not.toContain("decoded")
  })

  it("names the function whose arguments are wrong", async () => {
    const of = async (...args: ReadonlyArray<string>) =>
      (await ask(["call", token.address, "balanceOf(address)(uint256)", ...args, ...trusted, ...rules])).answer.error
        .problem
    expect(await of()).toBe("balanceOf(address) takes 1 argument, and 0 are given")
    expect(await of("0x1")).toContain("argument 1 of balanceOf(address) must be address")
  })
})
