/** Where things are in this repository. */
import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"

export const root = path.resolve(import.meta.dirname, "..")

/** A package that is published. */
export interface Package {
  readonly name: string
  /** Absolute. */
  readonly dir: string
  /** The modules one may import, without `index`: `Hex` for `@plumbline/codec/Hex`. */
  readonly modules: ReadonlyArray<string>
}

/** The packages that run in every JavaScript runtime, browsers included. The others need Node. */
export const clientPackages: ReadonlySet<string> = new Set([
  "@plumbline/codec",
  "@plumbline/verdict",
  "@plumbline/merkle-trie",
  "@plumbline/redaction",
  "@plumbline/jsonrpc-core",
  "@plumbline/eth-methods",
  "@plumbline/second-chain-methods",
  "@plumbline/storage-layout",
  "@plumbline/ipfs-client",
  "@plumbline/proof-bundle"
])

/** The published packages, by name. */
export const packages = (): ReadonlyArray<Package> =>
  globSync("packages/*/package.json", { cwd: root })
    .sort()
    .map((file) => {
      const dir = path.join(root, path.dirname(file))
      const manifest: { readonly name: string } = JSON.parse(readFileSync(path.join(root, file), "utf8"))
      const modules = globSync("src/*.ts", { cwd: dir }).map((module) => path.basename(module, ".ts"))
      return { name: manifest.name, dir, modules: modules.filter((module) => module !== "index").sort() }
    })
