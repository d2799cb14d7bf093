/** `plumbline prove call` on anvil, and `plumbline verify` of its file without any network. The oracle is anvil. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { HistoryChain, PreparedState } from "@plumbline/devnet"
import { Block } from "@plumbline/ipfs-client"
import { ProofBundle } from "@plumbline/proof-bundle"
import { Result } from "effect"
import * as viem from "viem"

import * as Devnet from "../support/Devnet.ts"
import type { Lie } from "../support/LyingNode.ts"
import * as RunCli from "../support/RunCli.ts"

const anvil = Devnet.lyingNode()
const { proxy, token } = PreparedState.contracts
const holder = PreparedState.accounts[0]!.address
/** Has a balance too, which the bundle does not prove. */
const second = PreparedState.accounts[1]!.address
const { hash } = PreparedState.head
const trust = ["--trust", hash]
const rules = ["--chain-id", String(PreparedState.chainId), "--hardfork", "osaka"]
const signature = "balanceOf(address)(uint256)"

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "plumbline-test-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
let files = 0
const fresh = () => path.join(folder, `${files++}.car`)

const prove = (file: string, args: ReadonlyArray<string>, ...lies: ReadonlyArray<Lie>) =>
  RunCli.json(["prove", "call", ...args, "-o", file, "--url", anvil().telling(...lies)])
/** Verifies without a node: the flags name none, and no service runs from this folder. */
const verify = (file: string, ...args: ReadonlyArray<string>) =>
  RunCli.json(["verify", file, ...trust, "--data", folder, ...args])

const balance = () =>
  viem.createPublicClient({ transport: viem.http(anvil().url) }).readContract({
    address: token.address,
    abi: viem.parseAbi(["function balanceOf(address) view returns (uint256)"]),
    functionName: "balanceOf",
    args: [holder]
  })

/** Writes the bundle with another text in the block of its call. */
const rewrite = async (file: string, from: string, to: string) => {
  const trusted = Hash32.fromHexUnsafe(hash)
  const { blocks } = Result.getOrThrow(ProofBundle.open(await readFile(file), trusted))
  const text = new TextDecoder().decode(blocks.at(-1)!.bytes)
  expect(text).toContain(from)
  const bytes = new TextEncoder().encode(text.replace(from, () => to))
  const block = { cid: Result.getOrThrow(Block.cidOf(Block.RAW, bytes, 0x1b)), bytes }
  const changed = fresh()
  const bundle = Result.getOrThrow(ProofBundle.fromBlocks(trusted, blocks.with(blocks.length - 1, block)))
  await writeFile(changed, ProofBundle.encode(bundle))
  return changed
}

describe("prove call", () => {
  it("writes what `verify` runs again without any network, with the value that the node knows", async () => {
    const file = fresh()
    const lie: Lie = { method: "eth_call", change: () => viem.toHex(7n, { size: 32 }) }
    const made = await prove(file, [token.address, signature, holder, ...trust, ...rules], lie)
    const expected = String(await balance())
    expect(made.answer).toMatchObject({
      verdict: "VERIFIED",
      value: { decoded: [expected], reverted: null },
      anchor: { kind: "block", hash },
      claimed: []
    })
    expect(made.answer.bundle).toMatchObject({ file, bytes: (await readFile(file)).length, accounts: [token.address] })

    const { answer, exitCode } = await verify(file, ...rules)
    expect([exitCode, answer.verdict]).toEqual([0, "VERIFIED"])
    expect(answer.value).toEqual(made.answer.value)
    expect(answer.anchor).toEqual({ kind: "block", hash })
    expect(answer.call).toMatchObject({
      signature,
      arguments: [holder],
      chainId: viem.toHex(PreparedState.chainId),
      hardfork: "osaka",
      request: { to: token.address, gas: viem.toHex(50_000_000) }
    })
    // the bytes are proven, and the bundle's name of the function and its types are not
    expect(answer.claimed.map(({ field }: { field: string }) => field)).toEqual(["signature", "decoded"])
    const shown = await RunCli.run(["verify", file, ...trust, ...rules, "--data", folder])
    expect(shown.stdout).toContain(`Call of ${token.address}`)
    expect(shown.stdout).toMatch(/^VERIFIED /mu)
  })

  it("keeps a revert, and a call whose data is given as bytes", async () => {
    const reverting = fresh()
    const args = ["transfer(address,uint256)(bool)", holder, "5", "--from", proxy.address]
    await prove(reverting, [token.address, ...args, ...trust, ...rules])
    const { answer } = await verify(reverting, ...rules)
    const types = viem.parseAbi(["error InsufficientBalance(address, uint256, uint256)"])
    expect([answer.verdict, answer.value.result]).toEqual(["VERIFIED", null])
    expect(viem.decodeErrorResult({ abi: types, data: answer.value.reverted.data }).args[2]).toBe(5n)
    expect(answer.claimed.map(({ field }: { field: string }) => field)).toEqual(["signature"])

    const bytes = fresh()
    await prove(bytes, [token.address, "0x18160ddd", ...trust, ...rules])
    const plain = await verify(bytes, ...rules)
    expect([plain.answer.value.decoded, plain.answer.call.signature, plain.answer.claimed]).toEqual([null, null, []])
  })

  it("is only claimed where the reader does not know the rules, or knows others", async () => {
    const file = fresh()
    await prove(file, [token.address, signature, holder, ...trust, ...rules])
    for (const [args, reason] of [
      [[], "only the bundle says that the block is of chain 31337 under osaka"],
      [["--chain-id", "1"], "by your rules it is of chain 1 under"],
      [["--chain-id", "31337", "--hardfork", "prague"], "by your rules it is of chain 31337 under prague"]
    ] as const) {
      const { answer, exitCode } = await verify(file, ...args)
      expect([exitCode, answer.verdict, answer.value.decoded]).toEqual([0, "CLAIMED", [String(await balance())]])
      expect(answer.claimed[0].reason).toContain(reason)
    }
    const { answer } = await verify(file, "--chain-id", "424242")
    expect(answer.error).toMatchObject({ tag: "UsageError" })
  })

  it("decodes by a signature only if the data of the call fits it", async () => {
    const file = fresh()
    await prove(file, [token.address, signature, holder, ...trust, ...rules])
    const other = await rewrite(file, signature, "allowance(address)(uint256)")
    const { answer } = await verify(other, ...rules)
    expect([answer.verdict, answer.value.decoded, answer.call.arguments]).toEqual(["VERIFIED", null, null])
    expect(answer.claimed).toHaveLength(1)
    expect(answer.claimed[0].reason).toContain("a signature that does not fit the data")
    const wrongTypes = await rewrite(file, signature, "balanceOf(address)(bool)")
    expect((await verify(wrongTypes, ...rules)).answer.value.decoded).toBe(null)
    // a contract can read the bytes behind the arguments, so they are not left out
    const forwarded = fresh()
    const data = viem.concat([viem.encodeFunctionData({ abi: viem.erc20Abi, functionName: "totalSupply" }), second])
    await prove(forwarded, [token.address, data, ...trust, ...rules])
    const signed = await rewrite(forwarded, "}}", '},"signature":"totalSupply()(uint256)"}')
    const longer = await verify(signed, ...rules)
    expect([longer.answer.verdict, longer.answer.call.arguments]).toEqual(["VERIFIED", null])
    expect(longer.answer.claimed[0].reason).toContain("a signature that does not fit the data")
  })

  it("says what is missing for another question, and refutes another block and changed bytes", async () => {
    const file = fresh()
    await prove(file, [token.address, signature, holder, ...trust, ...rules])
    const other = await rewrite(file, holder.slice(2), second.slice(2))
    const missing = await verify(other, ...rules)
    expect([missing.exitCode, missing.answer.error.tag]).toEqual([1, "NotInBundleError"])
    expect(missing.answer.error.wanted).toContain(`of account ${token.address}`)
    const anotherBlock = await RunCli.json(["verify", file, "--trust", viem.zeroHash, "--data", folder])
    expect([anotherBlock.exitCode, anotherBlock.answer.refuted.check]).toEqual([2, "root CID"])
    const changed = await readFile(file)
    changed[changed.length - 20]! ^= 1
    await writeFile(other, changed)
    expect(await verify(other, ...rules)).toMatchObject({ exitCode: 2, answer: { verdict: "REFUTED" } })
  })

  it("is not run by the rules of a service whose chain has the same id: the trusted block can be of another chain", async () => {
    const file = fresh()
    await prove(file, [token.address, signature, holder, ...trust, ...rules])
    const record = {
      version: 1,
      url: "http://127.0.0.1:1",
      wsUrl: null,
      pid: process.pid,
      apiKey: "key",
      apiKeySecret: "secret",
      networks: [{ name: "live", host: "live.localhost", chainId: PreparedState.chainId }],
      beacon: { url: "http://127.0.0.1:1", checkpoint: hash, networkFile: "none", networks: ["live"], isDefault: true }
    }
    const data = await mkdtemp(path.join(folder, "service-"))
    await writeFile(path.join(data, "service.json"), JSON.stringify(record))
    for (const chainId of [PreparedState.chainId, HistoryChain.chainId]) {
      const ran = await RunCli.json(["verify", file, ...trust, "--chain-id", String(chainId), "--data", data])
      expect(ran.exitCode).toBe(1)
      expect(ran.answer.error.message).toContain("name them with --hardfork")
    }
  })

  it("writes no file if a state that the node gives fails its proof, and asks for the rules", async () => {
    const file = fresh()
    const code: Lie = { method: "eth_getCode", change: () => "0x60075f5260205ff3" }
    const lied = await prove(file, [token.address, signature, holder, ...trust, ...rules], code)
    expect([lied.exitCode, lied.answer.refuted.check]).toEqual([2, "code hash"])
    const unnamed = await prove(file, [token.address, signature, holder, ...trust])
    expect([unnamed.exitCode, unnamed.answer.error.tag]).toEqual([1, "UsageError"])
    await expect(readFile(file)).rejects.toThrow("ENOENT")
  })
})
