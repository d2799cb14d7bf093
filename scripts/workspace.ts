/** The places and packages of this repository. */
import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"

export const root = path.resolve(import.meta.dirname, "..")

/** A package that is published. */
export interface Package {
  readonly name: string
  /** Absolute. */
  readonly dir: string
  /**
   * The public modules, by their paths below `src`: `Hex` for `@plumbline/codec/Hex`, or `transport/Retry` for a module
   * in a folder.
   */
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
  "@plumbline/proof-bundle",
  "@plumbline/provider",
  "@plumbline/tamper",
  "@plumbline/beacon-light-client",
  "@plumbline/verified-calls",
  "@plumbline/ens",
  "@plumbline/contracts",
  "@plumbline/op-stack"
])

/** True for a public module: a PascalCase file of TypeScript, in no folder named `internal`. The path is below `src`. */
export const isPublic = (file: string): boolean => {
  const folders = file.split("/")
  const name = folders.pop()!
  return /^[A-Z][A-Za-z0-9]*\.ts$/u.test(name) && !folders.includes("internal")
}

/** The public modules of the package in `dir`, sorted. */
export const modulesOf = (dir: string): ReadonlyArray<string> =>
  globSync("src/**/*.ts", { cwd: dir })
    .map((file) => file.slice("src/".length))
    .filter(isPublic)
    .map((file) => file.slice(0, -".ts".length))
    .sort()

/** Returns the published packages of the repository at `from` (default: this repository), sorted by folder. */
export const packages = (from: string = root): ReadonlyArray<Package> =>
  globSync("packages/*/package.json", { cwd: from })
    .sort()
    .map((file) => {
      const dir = path.join(from, path.dirname(file))
      const manifest: { readonly name: string } = JSON.parse(readFileSync(path.join(from, file), "utf8"))
      return { name: manifest.name, dir, modules: modulesOf(dir) }
    })

/** The `plumbline` command. Its package holds a program instead of modules. */
export const command: Package = { name: "@plumbline/cli", dir: path.join(root, "apps/plumbline"), modules: [] }

/** Returns everything that is published: the packages and the command. */
export const published = (): ReadonlyArray<Package> => [...packages(), command]

/** Returns the version of every published package of the repository at `from` (default: this repository). */
export const versionOf = (from: string = root): string =>
  JSON.parse(readFileSync(path.join(from, "packages/codec/package.json"), "utf8")).version

/** True if two texts are the same JSON with members in the same order, apart from formatting. */
export const isSameJson = (a: string, b: string): boolean =>
  JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b))
