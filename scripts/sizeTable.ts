/** Writes `lab/reports/sizes.md`: the size of each package, and of other libraries that do the same. */
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import * as BundleSize from "./bundleSize.ts"
import { clientPackages, packages, root } from "./workspace.ts"

/** One library that is measured for a task. */
interface Entry {
  readonly name: string
  /** The text of the module that is bundled. */
  readonly text: string
  /** A folder whose dependencies contain the imports of the module. */
  readonly dir: string
}

interface Job {
  readonly title: string
  readonly entries: ReadonlyArray<Entry>
}

const bench = "lab/bench"

const { exporting } = BundleSize

const ours = (clause: string, entry: string): Entry => {
  const [, folder] = entry.split("/")
  return { name: `**${entry}**`, text: exporting(clause, entry), dir: `packages/${folder}` }
}

const ethMethods = "packages/eth-methods"

/** A client of one method, without the models of the others. */
const ONE_METHOD = `
import * as JsonRpcClient from "@plumbline/jsonrpc-core/client/JsonRpcClient"
import * as UrlTransport from "@plumbline/jsonrpc-core/client/UrlTransport"
import * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import { eth_chainId } from "@plumbline/eth-methods/methods/EthMethods"
export const client = JsonRpcClient.make(MethodGroup.make(eth_chainId))
export const layer = UrlTransport.layer("https://node.example")
`

/** The client by the root of its package. */
const BY_ROOT = `
import { EthClient } from "@plumbline/eth-methods"
export const { EthClient: service, layerUrl } = EthClient
`

const JOBS: ReadonlyArray<Job> = [
  {
    title: "Read Ethereum over HTTP",
    entries: [
      ours("{ EthClient, layerUrl }", "@plumbline/eth-methods/client/EthClient"),
      { name: "the same, imported from **@plumbline/eth-methods**", text: BY_ROOT, dir: ethMethods },
      { name: "**@plumbline/jsonrpc-core**: a client of `eth_chainId` alone", text: ONE_METHOD, dir: ethMethods },
      {
        name: "viem: `createPublicClient`, `http`",
        text: exporting("{ createPublicClient, http }", "viem"),
        dir: bench
      },
      { name: "ethers: `JsonRpcProvider`", text: exporting("{ JsonRpcProvider }", "ethers"), dir: bench }
    ]
  },
  {
    title: "Read Ethereum over HTTP, and prove the answers",
    entries: [ours("{ VerdictEthClient, layerUrl }", "@plumbline/eth-methods/verified/VerdictEthClient")]
  },
  {
    title: "Speak to an IPFS node",
    entries: [
      ours("{ make }", "@plumbline/ipfs-client/client/IpfsClient"),
      { name: "kubo-rpc-client: `create`", text: exporting("{ create }", "kubo-rpc-client"), dir: bench }
    ]
  },
  {
    title: "Speak to an IPFS node, and check every byte",
    entries: [ours("*", "@plumbline/ipfs-client/proven/ProvenIpfsClient")]
  },
  {
    title: "Hash with Keccak-256",
    entries: [
      ours("{ hash }", "@plumbline/codec/hash/PlainKeccak"),
      ours("{ hash }", "@plumbline/codec/hash/Keccak256"),
      {
        name: "@noble/hashes: `keccak_256`",
        text: exporting("{ keccak_256 }", "@noble/hashes/sha3.js"),
        dir: "packages/codec"
      },
      { name: "js-sha3: `keccak_256`", text: exporting("{ keccak_256 }", "js-sha3"), dir: "packages/codec" }
    ]
  }
]

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1)

/**
 * Returns the two cells of an entry: its size without Effect and with it. They are equal for a library that does not
 * use Effect.
 */
const cells = async (text: string, dir: string): Promise<string> => {
  const folder = path.join(root, dir)
  const without = await BundleSize.bundle(text, folder)
  const whole = await BundleSize.bundle(text, folder, [])
  return `${kilobytes(without.gzip)} | ${kilobytes(whole.gzip)}`
}

const versionOf = (name: string): string => {
  const file = path.join(root, bench, "node_modules", name, "package.json")
  return `${name} ${JSON.parse(readFileSync(file, "utf8")).version}`
}

/** Measures everything and writes the table. */
export const write = async (): Promise<void> => {
  const lines: Array<string> = [
    "# Sizes",
    "",
    "Sizes in thousands of bytes, in a bundle for browsers by esbuild, minified, after gzip. The first column is the size that a program adds if it uses Effect anyway, the second if it does not. `pnpm size --write` writes this page.",
    "",
    "## Beside other libraries",
    "",
    `Measured with ${["viem", "ethers", "kubo-rpc-client"].map(versionOf).join(", ")}. These have no part of Effect, so both columns are the same.`
  ]
  for (const { entries, title } of JOBS) {
    lines.push("", `### ${title}`, "", "| library | without effect | with effect |", "| --- | ---: | ---: |")
    for (const { dir, name, text } of entries) lines.push(`| ${name} | ${await cells(text, dir)} |`)
  }
  lines.push(
    "",
    "## Every package",
    "",
    "The whole package, all of its exports. `size.json` has the size of each public module."
  )
  lines.push("", "| package | without effect | with effect |", "| --- | ---: | ---: |")
  for (const { dir, name } of packages()) {
    if (clientPackages.has(name))
      lines.push(`| ${name} | ${await cells(exporting("*", name), path.relative(root, dir))} |`)
  }
  writeFileSync(path.join(root, "lab/reports/sizes.md"), `${lines.join("\n")}\n`)
}
