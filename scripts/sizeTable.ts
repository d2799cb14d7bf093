/** Writes `lab/reports/sizes.md`: the size of each package, and of other libraries that do the same. */
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import * as BundleSize from "./bundleSize.ts"
import { clientPackages, packages, root } from "./workspace.ts"

/** One library that is measured for a task. */
interface Entry {
  readonly name: string
  readonly clause: string
  readonly entry: string
  /** A folder whose dependencies contain the entry. */
  readonly dir: string
}

interface Job {
  readonly title: string
  readonly entries: ReadonlyArray<Entry>
}

const bench = "lab/bench"

const ours = (clause: string, entry: string): Entry => {
  const [, folder] = entry.split("/")
  return { name: `**${entry}**`, clause, entry, dir: `packages/${folder}` }
}

const JOBS: ReadonlyArray<Job> = [
  {
    title: "Read Ethereum over HTTP",
    entries: [
      ours("{ EthClient, layerUrl }", "@plumbline/eth-methods/client/EthClient"),
      { name: "viem: `createPublicClient`, `http`", clause: "{ createPublicClient, http }", entry: "viem", dir: bench },
      { name: "ethers: `JsonRpcProvider`", clause: "{ JsonRpcProvider }", entry: "ethers", dir: bench }
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
      { name: "kubo-rpc-client: `create`", clause: "{ create }", entry: "kubo-rpc-client", dir: bench }
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
        clause: "{ keccak_256 }",
        entry: "@noble/hashes/sha3.js",
        dir: "packages/codec"
      },
      { name: "js-sha3: `keccak_256`", clause: "{ keccak_256 }", entry: "js-sha3", dir: "packages/codec" }
    ]
  }
]

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1)

/**
 * Returns the two cells of an entry: its size without Effect and with it. They are equal for a library that does not
 * use Effect.
 */
const cells = async (clause: string, entry: string, dir: string): Promise<string> => {
  const folder = path.join(root, dir)
  const without = await BundleSize.bundle(clause, entry, folder)
  const whole = await BundleSize.bundle(clause, entry, folder, [])
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
    for (const { clause, dir, entry, name } of entries) lines.push(`| ${name} | ${await cells(clause, entry, dir)} |`)
  }
  lines.push(
    "",
    "## Every package",
    "",
    "The whole package, all of its exports. `size.json` has the size of each public module."
  )
  lines.push("", "| package | without effect | with effect |", "| --- | ---: | ---: |")
  for (const { dir, name } of packages()) {
    if (clientPackages.has(name)) lines.push(`| ${name} | ${await cells("*", name, path.relative(root, dir))} |`)
  }
  writeFileSync(path.join(root, "lab/reports/sizes.md"), `${lines.join("\n")}\n`)
}
