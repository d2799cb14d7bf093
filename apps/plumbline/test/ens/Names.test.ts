/**
 * ENS names on the command line: contracts on anvil, content on the embedded IPFS node.
 *
 * The tests of `@plumbline/ens` read contracts of the published form. Here each contract stands for the Universal
 * Resolver of one chain: it gives one answer to every call. viem makes the answers, and reads the same contracts.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import * as path from "node:path"

import { beforeAll, describe, expect, it } from "@effect/vitest"
import { PreparedState } from "@plumbline/devnet"
import * as Polling from "@plumbline/seeded/Polling"
import { EnsPlugin, JsonRpcProvider, Network } from "ethers"
import * as viem from "viem"

import * as Children from "../support/Children.ts"
import * as Devnet from "../support/Devnet.ts"
import * as Ipfs from "../support/Ipfs.ts"
import * as LyingIpfs from "../support/LyingIpfs.ts"
import type { Lie } from "../support/LyingNode.ts"
import * as Places from "../support/Places.ts"
import * as RunCli from "../support/RunCli.ts"

const anvil = Devnet.lyingNode()
const service = Ipfs.service()
const rules = ["--chain-id", String(PreparedState.chainId), "--hardfork", "osaka"]
const { token } = PreparedState.contracts
const RESOLVER = "0x00000000000000000000000000000000000a11ce"
const README = "read me\n"

/** The contracts, by what they answer. */
let entries: Readonly<Record<string, viem.Hex>> = {}
/** The newest block, in which all of them are. */
let head: viem.Hex
/** The CID of a directory with `docs/readme.md`, in version 1. */
let root: string

const errors = viem.parseAbi([
  "error ResolverNotFound(bytes)",
  "error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData)"
])

const answered = (record: viem.Hex): viem.Hex =>
  viem.encodeAbiParameters([{ type: "bytes" }, { type: "address" }], [record, RESOLVER])

const bytes = (value: viem.Hex): viem.Hex => viem.encodeAbiParameters([{ type: "bytes" }], [value])

/** Returns the code that ends every call with these bytes, by RETURN (f3) or REVERT (fd). */
const ending = (data: viem.Hex, opcode: "f3" | "fd"): viem.Hex => {
  const size = viem.toHex(viem.size(data), { size: 2 }).slice(2)
  return `0x61${size}600c5f3961${size}5f${opcode}${data.slice(2)}`
}

const deploy = async (code: viem.Hex): Promise<viem.Hex> => {
  const size = viem.toHex(viem.size(code), { size: 2 }).slice(2)
  const hash = await anvil().ask("eth_sendTransaction", [
    { from: PreparedState.accounts[0]!.address, data: `0x61${size}600c5f3961${size}5ff3${code.slice(2)}` }
  ])
  const receipt = await Polling.until(() => anvil().ask("eth_getTransactionReceipt", [hash]))
  return receipt.contractAddress
}

beforeAll(async () => {
  await using folder = await Children.folder()
  await mkdir(`${folder.path}/site/docs`, { recursive: true })
  await writeFile(`${folder.path}/site/docs/readme.md`, README)
  const added = await RunCli.json([
    "ipfs",
    "add",
    "--cid-version",
    "1",
    `${folder.path}/site`,
    "--data",
    service().folder
  ])
  root = added.answer.anchor.hash
  const cid = viem.toHex(base32(root.slice(1)))
  const codes = {
    token: ending(answered(viem.pad(token.address)), "f3"),
    site: ending(answered(bytes(`0xe301${cid.slice(2)}`)), "f3"),
    ipns: ending(answered(bytes(`0xe5010170000b${viem.stringToHex("example.org").slice(2)}`)), "f3"),
    swarm: ending(answered(bytes("0xe40101fa011b20")), "f3"),
    unset: ending(answered(bytes("0x")), "f3"),
    absent: ending(viem.encodeErrorResult({ abi: errors, errorName: "ResolverNotFound", args: ["0x00"] }), "fd"),
    offchain: ending(
      viem.encodeErrorResult({
        abi: errors,
        errorName: "OffchainLookup",
        args: [RESOLVER, ["https://gateway.example/key/{data}"], "0x", "0x00000000", "0x"]
      }),
      "fd"
    )
  }
  const deployed: Record<string, viem.Hex> = {}
  for (const [name, code] of Object.entries(codes)) deployed[name] = await deploy(code)
  // the resolver answers addr(bytes32) only, and zero to anything else
  deployed["resolver"] = await deploy(`0x5f3560e01c633b3b57de1473${token.address.slice(2)}025f5260205ff3`)
  deployed["registry"] = await deploy(ending(viem.pad(deployed["resolver"]), "f3"))
  entries = deployed
  head = (await viem.createPublicClient({ transport: viem.http(anvil().url) }).getBlock()).hash
})

/** Decodes the digits of base32. */
const base32 = (text: string): Uint8Array => {
  let bits = 0
  let value = 0
  const out: Array<number> = []
  for (const letter of text) {
    value = ((value << 5) | "abcdefghijklmnopqrstuvwxyz234567".indexOf(letter)) & 0xfff
    bits += 5
    if (bits >= 8) out.push((value >> (bits -= 8)) & 0xff)
  }
  return Uint8Array.from(out)
}

const trusted = () => ["--trust", head]
const ens = (entry: string) => ["--ens", entries[entry]!, ...rules]

/** Runs a command about an account. */
const ask = (args: ReadonlyArray<string>, entry: string, ...lies: ReadonlyArray<Lie>) =>
  RunCli.json([...args, ...ens(entry), "--url", anvil().telling(...lies)])

/** Returns the flags of a command about content. */
const content = (entry: string, ...lies: ReadonlyArray<Lie>) => [
  ...ens(entry),
  "--chain-url",
  anvil().telling(...lies),
  "--data",
  service().folder
]

describe("a name that a program reads through the proxy", () => {
  const open = async () => {
    const lie: Lie = { method: "eth_call", change: () => answered(viem.pad(RESOLVER)) }
    const where = ["--port", "0", "--url", anvil().telling(lie), ...trusted(), ...rules]
    const child = Children.start(["proxy", "--json", ...where])
    const { url } = JSON.parse(await child.firstLine)
    const close = async () => {
      child.process.kill("SIGTERM")
      await child.ended
    }
    return { url, [Symbol.asyncDispose]: close }
  }

  it("is proven for viem's getEnsAddress, whatever the node answers to eth_call", async () => {
    await using proxy = await open()
    const { url } = proxy
    const client = viem.createPublicClient({ transport: viem.http(url, { retryCount: 0 }) })
    const at = { blockNumber: await client.getBlock({ blockHash: head }).then(({ number }) => number) }
    const read = (entry: string, name: string) =>
      client.getEnsAddress({ name, universalResolverAddress: entries[entry]!, ...at })
    expect(await read("token", "token.eth")).toBe(viem.getAddress(token.address))
    expect(await read("absent", "nobody.eth")).toBeNull()
  })

  it("is proven for ethers' resolveName", async () => {
    await using proxy = await open()
    const network = new Network("live", PreparedState.chainId)
    network.attachPlugin(new EnsPlugin(entries["registry"], PreparedState.chainId))
    const provider = new JsonRpcProvider(proxy.url, network, { staticNetwork: true })
    expect(await provider.resolveName("token.eth")).toBe(viem.getAddress(token.address))
    provider.destroy()
  })
})

describe("the ENS name of an account", () => {
  it("stands for its address, and the answer is proven with the name", async () => {
    const { answer, exitCode } = await ask(["proof", "Token.eth", "0", ...trusted()], "token")
    const plain = await RunCli.json(["proof", token.address, "0", ...trusted(), "--url", anvil().url])
    expect([exitCode, answer.verdict, answer.claimed]).toEqual([0, "VERIFIED", []])
    expect(answer.value).toEqual(plain.answer.value)
    expect(answer.anchor).toEqual({ kind: "block", hash: head })
    expect(answer.proven).toContain(`addr of token.eth is ${token.address}, by the resolver ${RESOLVER}`)
    const client = viem.createPublicClient({ transport: viem.http(anvil().url) })
    const universalResolverAddress = entries["token"]!
    expect(await client.getEnsAddress({ name: "token.eth", universalResolverAddress })).toBe(
      viem.getAddress(token.address)
    )
  })

  it("is taken by read-slot, call and read too", async () => {
    for (const args of [
      ["read-slot", "token.eth", "0"],
      ["call", "token.eth", "totalSupply()(uint256)"]
    ]) {
      const named = await ask([...args, ...trusted()], "token")
      const [command, , ...rest] = args
      const plain = await RunCli.json([command!, token.address, ...rest, ...trusted(), ...rules, "--url", anvil().url])
      expect([named.exitCode, named.answer.verdict]).toEqual([0, "VERIFIED"])
      expect(named.answer.value).toEqual(plain.answer.value)
    }
    const layout = ["--layout", path.join(Places.DEVNET, "state/layouts/Token.json")]
    const named = await ask(["read", "token.eth", "totalSupply", ...layout, ...trusted()], "token")
    expect([named.exitCode, named.answer.verdict]).toEqual([0, "VERIFIED"])
    expect(Object.keys(named.answer.value)).toEqual(["totalSupply"])
  })

  it("is CLAIMED without a trusted block", async () => {
    const { answer, exitCode } = await ask(["proof", "token.eth"], "token")
    expect([exitCode, answer.verdict, answer.value.address]).toEqual([0, "CLAIMED", token.address])
  })

  it("is refuted if the node lies about the contract that reads names", async () => {
    const other: Lie = {
      method: "eth_getCode",
      change: (code) => code.replace(token.address.slice(2), RESOLVER.slice(2))
    }
    const { answer, exitCode } = await ask(["proof", "token.eth", ...trusted()], "token", other)
    expect([exitCode, answer.verdict, answer.refuted.check]).toEqual([2, "REFUTED", "code hash"])
  })

  it("without an address, or that is no name, is an error of its own", async () => {
    for (const [entry, tag, message] of [
      ["absent", "NoRecordError", "VERIFIED: addr of nobody.eth is none, because no resolver answers for it"],
      ["offchain", "EnsError", "at gateway.example. Allow CCIP-Read"]
    ] as const) {
      const { answer, exitCode } = await ask(["proof", "nobody.eth", ...trusted()], entry)
      expect([exitCode, answer.error.tag]).toEqual([1, tag])
      expect(answer.error.message).toContain(message)
      expect(JSON.stringify(answer)).not.toContain("/key")
    }
    // the sender is another contract, so no gateway is asked
    const sender = await ask(["proof", "nobody.eth", "--ccip", ...trusted()], "offchain")
    expect([sender.exitCode, sender.answer.error.tag]).toEqual([1, "EnsError"])
    expect(sender.answer.error.message).toContain("the sender is another contract")
    // before a node is asked
    const wrong = await RunCli.json(["proof", "a b.eth"])
    expect([wrong.exitCode, wrong.answer.error.tag]).toEqual([1, "EnsNameError"])
  })

  it("has flags that are refused with an address, and not ignored", async () => {
    const proof = ["proof", token.address, ...trusted(), "--url", anvil().url]
    for (const [flags, message] of [
      [["--ccip"], "--ccip is for ENS names"],
      [["--ens", RESOLVER], "--ens is for ENS names"],
      [["--chain-id", "main"], "--chain-id must be a number"],
      [["--hardfork", "osaka"], "--hardfork needs --chain-id"]
    ] as const) {
      const { answer, exitCode } = await RunCli.json([...proof, ...flags])
      expect([exitCode, answer.error.tag], message).toEqual([1, "UsageError"])
      expect(answer.error.message).toContain(message)
    }
    const { answer, exitCode } = await RunCli.json([...proof, ...rules])
    expect([exitCode, answer.verdict]).toEqual([0, "VERIFIED"])
  })

  it("needs a chain that is known, or the contract's address", async () => {
    const url = ["--url", anvil().url]
    const unknown = await RunCli.json(["proof", "token.eth", ...trusted(), ...rules, ...url])
    expect(unknown.answer.error.message).toContain("ENS is not known on chain 31337: name its contract with --ens")
    const unnamed = await RunCli.json(["proof", "token.eth", ...trusted(), ...url])
    expect(unnamed.answer.error.message).toContain("--chain-id")
    const nothing = await RunCli.json(["proof", "token.eth", ...trusted(), ...rules, ...url, "--ens", RESOLVER])
    expect(nothing.answer.error.message).toContain("there is no Universal Resolver")
  })
})

describe("the ENS name of content", () => {
  it("leads to its bytes, with a verdict on each hop", async () => {
    const { answer, exitCode } = await RunCli.json([
      "ipfs",
      "cat",
      "ens://Site.eth/docs/readme.md",
      ...trusted(),
      ...content("site")
    ])
    expect([exitCode, answer.verdict, answer.claimed]).toEqual([0, "VERIFIED", []])
    expect(Buffer.from(answer.value.base64, "base64").toString()).toBe(README)
    const anchor = { kind: "block", hash: head }
    expect(answer.anchor).toEqual(anchor)
    expect(answer.hops).toEqual([
      { verdict: "VERIFIED", from: "ens://site.eth", to: `ipfs://${root}`, anchor },
      { verdict: "VERIFIED", from: `/ipfs/${root}/docs/readme.md`, anchor: { kind: "cid", hash: root } }
    ])
    const shown = await RunCli.run(["ipfs", "cat", "ens://site.eth/docs/readme.md", ...trusted(), ...content("site")])
    expect([shown.exitCode, shown.stdout]).toEqual([0, README])
    expect(shown.stderr).toContain(`VERIFIED  ens://site.eth is ipfs://${root}`)
  })

  it("is listed, and written to files", async () => {
    const { answer } = await RunCli.json(["ipfs", "ls", "ens://site.eth/docs/", ...trusted(), ...content("site")])
    expect([answer.verdict, answer.value.map(({ Name }: any) => Name)]).toEqual(["VERIFIED", ["readme.md"]])
    await using folder = await Children.folder()
    const got = await RunCli.json([
      "ipfs",
      "get",
      "ens://site.eth",
      "-o",
      folder.path,
      ...trusted(),
      ...content("site")
    ])
    expect([got.exitCode, got.answer.verdict]).toEqual([0, "VERIFIED"])
    expect(await readFile(`${folder.path}/site.eth/docs/readme.md`, "utf8")).toBe(README)
  })

  it("is as weak as its weakest hop", async () => {
    const { answer, exitCode } = await RunCli.json(["ipfs", "cat", "ens://site.eth/docs/readme.md", ...content("site")])
    expect([exitCode, answer.verdict, answer.anchor]).toEqual([0, "CLAIMED", null])
    expect(answer.hops.map(({ verdict }: any) => verdict)).toEqual(["CLAIMED", "VERIFIED"])
    expect(answer.claimed).not.toEqual([])
  })

  it("is refuted if either node lies", async () => {
    const { stdout } = await RunCli.run(["ipfs", "cat", "--json", `${root}/docs/readme.md`, "--data", service().folder])
    expect(JSON.parse(stdout).verdict).toBe("VERIFIED")
    const code: Lie = { method: "eth_getCode", change: (code) => `${code}00` }
    const chain = await RunCli.json([
      "ipfs",
      "cat",
      "ens://site.eth/docs/readme.md",
      ...trusted(),
      ...content("site", code)
    ])
    expect([chain.exitCode, chain.answer.verdict, chain.answer.refuted.check]).toEqual([2, "REFUTED", "code hash"])
    expect(chain.answer.anchor).toEqual({ kind: "block", hash: head })
    const said = await RunCli.run([
      "ipfs",
      "cat",
      "ens://site.eth/docs/readme.md",
      ...trusted(),
      ...content("site", code)
    ])
    expect([said.exitCode, said.stdout]).toEqual([2, ""])
    expect(said.stderr.replaceAll(/\s+/gu, " ")).toContain("REFUTED the chain node's answer is not true")
    const { key, secret, url } = service()
    await using liar = await LyingIpfs.telling(url, {
      command: "block/get",
      change: () => Buffer.from("other bytes")
    })
    const node = ["--url", liar.url, "--api-key", key, "--api-key-secret", secret]
    const ipfs = await RunCli.json([
      "ipfs",
      "cat",
      "ens://site.eth/docs/readme.md",
      ...trusted(),
      ...ens("site"),
      "--chain-url",
      anvil().url,
      ...node
    ])
    expect([ipfs.exitCode, ipfs.answer.verdict, ipfs.answer.refuted.check]).toEqual([2, "REFUTED", "block hash"])
  })

  it("that is not in IPFS is an error of its own", async () => {
    for (const [entry, tag] of [
      ["unset", "NoRecordError"],
      ["absent", "NoRecordError"],
      ["ipns", "UnprovenError"],
      ["swarm", "OtherNetworkError"]
    ] as const) {
      const { answer, exitCode } = await RunCli.json(["ipfs", "cat", "ens://x.eth", ...trusted(), ...content(entry)])
      expect([exitCode, answer.error.tag], entry).toEqual([1, tag])
    }
  })

  it("has flags that are refused with a CID, and not ignored", async () => {
    for (const [command, flags] of [
      ["cat", trusted()],
      ["ls", ["--ccip"]],
      ["get", ["--chain-url", anvil().url]],
      ["cat", ["--chain-id", "1"]],
      ["cat", ["--beacon", "http://127.0.0.1:1"]],
      ["cat", ["--max-head-age", "5m"]]
    ] as const) {
      const { answer, exitCode } = await RunCli.json(["ipfs", command, root, ...flags, "--data", service().folder])
      expect([exitCode, answer.error.tag], flags[0]).toEqual([1, "UsageError"])
      expect(answer.error.message).toContain(`${flags[0]} is for the content of an ENS name`)
    }
  })

  it("needs a node of the chain, which --chain-url names", async () => {
    await using folder = await Children.folder()
    const node = ["--url", service().url, "--data", folder.path]
    const none = await RunCli.json(["ipfs", "cat", "ens://site.eth", ...node, ...ens("site")])
    expect([none.exitCode, none.answer.error.tag]).toEqual([1, "NoServiceError"])
    expect(none.answer.error.message).toContain("or pass --chain-url.")
    const wrong = await RunCli.json([
      "ipfs",
      "cat",
      "ens://site.eth",
      ...node,
      ...ens("site"),
      "--chain-url",
      "ftp://x"
    ])
    expect(wrong.answer.error.message).toBe("--chain-url must be an http:// or https:// URL")
  })

  it("is refused before the chain is asked if the path is wrong", async () => {
    for (const typed of ["ens://site.eth/../x", "ens://site.eth/a%2Fb", "ens://"]) {
      const { answer, exitCode } = await RunCli.json(["ipfs", "ls", typed, ...content("site")])
      expect([exitCode, answer.error.tag], typed).toEqual([1, typed === "ens://" ? "EnsNameError" : "UsageError"])
    }
  })
})
