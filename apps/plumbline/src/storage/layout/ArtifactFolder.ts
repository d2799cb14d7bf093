/**
 * Folders of artifacts and build info: `out` of Foundry, `artifacts` or `artifacts/build-info` of Hardhat,
 * `build/contracts` of Truffle, the folder of a project that has one of them, and the folder of a contract at Sourcify.
 */
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

import * as Artifact from "./Artifact.ts"
import * as BuildInfo from "./BuildInfo.ts"
import * as CompilerOutput from "./CompilerOutput.ts"
import * as ContractNames from "./ContractNames.ts"
import * as JsonFiles from "./JsonFiles.ts"
import type { LayoutFileError } from "./LayoutFileError.ts"
import * as Metadata from "./Metadata.ts"

type LayoutRead = Effect.Effect<Layout, LayoutFileError, FileSystem.FileSystem | Path.Path>

interface Candidate extends ContractNames.NamedContract {
  /** True if the contract has variables, or if that is unknown. */
  readonly hasVariables: boolean
  readonly layout: LayoutRead
}

/** Finds the layout of a contract in a folder. `path` is the name that the user gave. */
export const layout = Effect.fnUntraced(function* (path: string, asked: ContractNames.WantedContract) {
  const { contract: wanted, structs } = asked
  const paths = yield* Path.Path
  const folder = yield* builtIn(path)
  const metadata = yield* JsonFiles.readIfThere(paths.join(folder, "metadata.json"))
  if (metadata !== undefined && Metadata.isMetadata(metadata)) {
    return yield* ofMetadata(path, paths.join(folder, "metadata.json"), metadata, asked)
  }
  const { artifacts, infos } = yield* filesIn(path, folder)
  const named = artifacts.filter((artifact) => wanted === undefined || mayBe(wanted, artifact))
  const isMany = wanted === undefined && named.length > MAX_READ
  const all: Array<Candidate> = []
  for (const artifact of isMany ? [] : named) all.push(...(yield* candidateOf(path, artifact, structs)))
  // an artifact without a layout may have build info beside it, and a folder may contain only build info
  for (const file of all.some(({ hasVariables }) => hasVariables) ? [] : infos) {
    const known = new Set(all.map(({ name }) => name))
    all.push(...(yield* candidatesOf(path, file, asked)).filter(({ name }) => !known.has(name)))
  }
  const names = artifacts.map(({ name }) => ({ name, hasVariables: true, layout: undefined }))
  const deployed = all.filter(({ hasVariables }) => hasVariables)
  const own = deployed.filter(({ name }) => !FOREIGN.test(name))
  const withVariables = own.length > 0 ? own : deployed
  const usual = isMany ? names : withVariables.length > 0 ? withVariables : all
  const found = all.some(({ name }) => wanted === undefined || ContractNames.isCalled(wanted, name))
  const chosen = yield* Effect.fromResult(
    ContractNames.choose<ContractNames.NamedContract & { readonly layout: LayoutRead | undefined }>({
      path,
      all: found && !isMany ? all : [...names, ...all],
      usual,
      wanted
    })
  )
  return yield* chosen.layout ?? JsonFiles.noContract(path, `nothing in it is a layout of ${chosen.name}`)
})

/** Returns the layout from metadata and its sources. */
export const ofMetadata = Effect.fnUntraced(function* (
  path: string,
  file: string,
  metadata: JsonFiles.Json,
  { contract, structs }: ContractNames.WantedContract
) {
  const compiled = yield* Metadata.compile(path, file, metadata)
  return yield* CompilerOutput.layout(path, compiled, { contract: contract ?? Metadata.targetOf(metadata), structs })
})

/** The output folders of tools, each with the file that marks a project of the tool. */
const PROJECTS: ReadonlyArray<readonly [file: RegExp, built: string]> = [
  [/^foundry\.toml$/u, "out"],
  [/^hardhat\.config\.[cm]?[jt]s$/u, "artifacts"],
  [/^truffle-config\.js$/u, "build/contracts"]
]

/** Returns the folder itself, or, for a project's folder, the folder of its build output. */
const builtIn = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* Effect.mapError(fs.readDirectory(folder), () =>
    JsonFiles.unreadable(folder, "it cannot be read")
  )
  for (const [file, built] of PROJECTS) {
    const place = path.join(folder, built)
    const isThere =
      names.some((name) => file.test(name)) && (yield* Effect.orElseSucceed(fs.exists(place), () => false))
    if (isThere) return place
  }
  return folder
})

/** The file of an artifact, and the contract's name as the file's path shows it: `Vault.sol:Vault`. */
interface File extends ContractNames.NamedContract {
  readonly file: string
}

/** Tests, scripts and dependencies. They are skipped if the user names no contract. */
const FOREIGN = /\.[ts]\.sol:|^(?:lib|node_modules|npm)\/|\/node_modules\//u

/**
 * Maximum number of artifacts that are read if no contract is named. If there are more, the error asks for a contract's
 * name.
 */
const MAX_READ = 512

const MAX_FILES = 50_000

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "cache", ".git"])

const filesIn = Effect.fnUntraced(function* (path: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const artifacts: Array<File> = []
  const infos: Array<string> = []
  const rest = [folder]
  let count = 0
  for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
    if (paths.basename(at) === "build-info") {
      infos.push(...(yield* BuildInfo.filesIn(at)))
      continue
    }
    const names = yield* Effect.orElseSucceed(fs.readDirectory(at), () => [])
    for (const name of names) {
      const file = paths.join(at, name)
      const info = yield* Effect.orElseSucceed(fs.stat(file), () => undefined)
      if (++count > MAX_FILES)
        return yield* JsonFiles.unreadable(path, `it has more than ${MAX_FILES} files: give a folder in it`)
      if (info?.type === "Directory" && !SKIPPED.has(name)) rest.push(file)
      if (info?.type !== "File" || !name.endsWith(".json") || name.endsWith(".dbg.json")) continue
      // Foundry adds the compiler's version to the file's name if several versions compiled a source
      const own = name.slice(0, -".json".length).replace(/\.\d+\.\d+\.\d+$/u, "")
      const source = paths.basename(at)
      artifacts.push({ file, name: /\.(?:sol|vy)$/u.test(source) ? `${source}:${own}` : own })
    }
  }
  return { artifacts: artifacts.sort((a, b) => (a.file < b.file ? -1 : 1)), infos }
})

/** True if the file at this path can be the artifact of the wanted contract. */
const mayBe = (wanted: string, { name }: File): boolean => {
  const [source, own] = [wanted.slice(0, Math.max(0, wanted.lastIndexOf(":"))), ContractNames.ownOf(wanted)]
  if (ContractNames.ownOf(name) !== own) return false
  return source === "" || !name.includes(":") || name.startsWith(`${source.slice(source.lastIndexOf("/") + 1)}:`)
}

/** Returns the contracts that a file describes: one for an artifact, and none for a file of another kind. */
const candidateOf = Effect.fnUntraced(function* (
  path: string,
  { file, name }: File,
  structs: ContractNames.WantedContract["structs"]
) {
  const json = yield* JsonFiles.readIfThere(file)
  if (json === undefined) return []
  const { abi, contractName, storageLayout } = json
  const isArtifact = Array.isArray(abi) || typeof contractName === "string" || JsonFiles.isRecord(storageLayout)
  const output = CompilerOutput.standard(json)
  if (!isArtifact) return output === undefined ? [] : candidatesOfRun(path, { file, output }, structs)
  // a contract that cannot be deployed has no storage of its own; an artifact without code may come from a tool that
  // was not asked for code
  const { bytecode } = json
  const code = JsonFiles.text(JsonFiles.record(bytecode)["object"]) ?? JsonFiles.text(bytecode)
  const hasVariables =
    code !== "0x" && (!JsonFiles.isRecord(storageLayout) || CompilerOutput.hasVariables(storageLayout))
  const candidate: Candidate = {
    name: Artifact.nameOf(json) ?? name,
    hasVariables,
    layout: Effect.suspend(() => Artifact.layout(path, file, json, { contract: undefined, structs }))
  }
  return [candidate]
})

/** Returns the contracts in build info that the user can choose from. */
const candidatesOf = Effect.fnUntraced(function* (
  path: string,
  file: string,
  { contract, structs }: ContractNames.WantedContract
) {
  const json = yield* JsonFiles.readIfThere(file)
  const compiled = json === undefined ? undefined : yield* BuildInfo.of(file, json)
  if (compiled === undefined) return []
  const contracts = CompilerOutput.contractsOf(compiled.output)
  const isNamed = contract === undefined || contracts.some(({ name }) => ContractNames.isCalled(contract, name))
  return isNamed
    ? candidatesOfRun(path, { ...compiled, output: yield* CompilerOutput.withLayouts(path, compiled) }, structs)
    : []
})

const candidatesOfRun = (
  path: string,
  compiled: CompilerOutput.CompilerRun,
  structs: ContractNames.WantedContract["structs"]
): ReadonlyArray<Candidate> => {
  const usual = new Set(CompilerOutput.usualOf(compiled.output).map(({ name }) => name))
  return CompilerOutput.contractsOf(compiled.output).map((contract) => ({
    name: contract.name,
    hasVariables: usual.has(contract.name),
    layout: Effect.suspend(() => Effect.fromResult(CompilerOutput.layoutOf(path, compiled.output, contract, structs)))
  }))
}
