/**
 * Makes `src/chain/registryData.ts` from files of the public registry of OP-stack chains.
 *
 * node packages/op-stack/scripts/make-registry.ts <folder>
 *
 * The folder has `chains.json` (the chains' TOML files of `superchain/configs` as JSON, by `<L1>/<name>`),
 * `base.json` (the chains of Base, by chain id) and `contract-versions.json` (the releases of
 * `validation/standard/standard-versions-<L1>.toml`), and `SOURCES.json` or `MANIFEST.json`: a list with `file`, `repo`,
 * `commit` and `licence`.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import * as process from "node:process"

interface RegistryChain {
  readonly name: string
  readonly chainId?: number
  readonly hardforks: Readonly<Record<string, number | boolean>>
  readonly addresses: Readonly<Record<string, string>>
}

type Release = Readonly<Record<string, { readonly version?: string; readonly implementation_address?: string }>>

interface Source {
  readonly file: string
  readonly repo: string
  readonly commit: string
  readonly licence: string
}

/** The chain ids of the parent chains that the registry names. */
const L1_IDS: Readonly<Record<string, number>> = { mainnet: 1, sepolia: 11_155_111 }

/** The parent chains of the chains that left the registry. */
const L1_OF_BASE: Readonly<Record<string, number>> = { "8453": 1, "84532": 11_155_111 }

/** The forks that the table keeps: those that change blocks, receipts or the EVM. */
const FORKS = ["canyon", "ecotone", "fjord", "granite", "holocene", "isthmus", "jovian", "karst"] as const

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error("usage: node packages/op-stack/scripts/make-registry.ts <folder>")

const read = (file: string): unknown => JSON.parse(fs.readFileSync(path.join(folder, file), "utf8"))

const manifest = ["SOURCES.json", "../MANIFEST.json"].find((file) => fs.existsSync(path.join(folder, file)))
if (manifest === undefined) throw new Error(`${folder} has no SOURCES.json: say where the files come from`)
const sources = (read(manifest) as ReadonlyArray<Source>).filter(({ file }) =>
  ["chains.json", "base.json", "contract-versions.json"].includes(path.basename(file))
)

const chainText = (id: number, l1: number, { addresses, hardforks, name }: RegistryChain): string => {
  const times = FORKS.flatMap((fork) => {
    const time = hardforks[`${fork}_time`]
    return typeof time === "number" ? [`${fork}: ${time}n`] : []
  })
  const systemConfig = addresses["SystemConfigProxy"]?.toLowerCase()
  if (systemConfig === undefined) throw new Error(`${name} has no SystemConfigProxy`)
  return `  {
    chainId: ${id}n,
    name: ${JSON.stringify(name)},
    l1ChainId: ${l1}n,
    systemConfig: "${systemConfig}",
    forks: { ${times.join(", ")} }
  }`
}

const chains = [
  ...Object.entries(read("chains.json") as Record<string, RegistryChain>).map(([key, chain]) => {
    const l1 = L1_IDS[key.split("/")[0]!]
    if (l1 === undefined || chain.chainId === undefined) throw new Error(`unknown parent chain or id of ${key}`)
    return [chain.chainId, chainText(chain.chainId, l1, chain)] as const
  }),
  ...Object.entries(read("base.json") as Record<string, RegistryChain>).flatMap(([id, chain]) => {
    const l1 = L1_OF_BASE[id]
    return l1 === undefined ? [] : [[Number(id), chainText(Number(id), l1, chain)] as const]
  })
].sort(([a], [b]) => a - b)

const versions = read("contract-versions.json") as Record<string, Record<string, Release>>

/** Returns the versions of a contract's implementations on all parent chains, by address. */
const implementations = (contract: string): string => {
  const found = new Map<string, string>()
  for (const releases of Object.values(versions)) {
    for (const release of Object.values(releases)) {
      const { implementation_address: address, version } = release[contract] ?? {}
      if (address === undefined || version === undefined) continue
      const key = address.toLowerCase()
      const other = found.get(key)
      if (other !== undefined && other !== version) throw new Error(`${contract} ${key}: ${other} and ${version}`)
      found.set(key, version)
    }
  }
  const lines = [...found].sort(([, a], [, b]) => a.localeCompare(b, "en", { numeric: true }))
  return lines.map(([address, version]) => `    "${address}": "${version}"`).join(",\n")
}

const text = `/**
 * The chains and the contract releases of the public registry.
 *
 * Made by \`scripts/make-registry.ts\`: do not edit. Sources:
${sources.map(({ commit, file, licence, repo }) => ` * - ${path.basename(file)}: github.com/${repo}, commit ${commit}, license ${licence}`).join("\n")}
 */
import type { OpStackChain } from "./OpStackChain.ts"

/** The chains, by ascending id. */
export const chains: ReadonlyArray<OpStackChain> = [
${chains.map(([, chain]) => chain).join(",\n")}
]

/** The versions of the contracts' implementations, by address in lower case. */
export const implementations: {
  readonly optimismPortal: Readonly<Record<string, string>>
  readonly anchorStateRegistry: Readonly<Record<string, string>>
} = {
  optimismPortal: {
${implementations("optimism_portal")}
  },
  anchorStateRegistry: {
${implementations("anchor_state_registry")}
  }
}
`

fs.writeFileSync(path.join(import.meta.dirname, "../src/chain/registryData.ts"), text)
