/**
 * Reads artifacts and separate layout files. An artifact is a file that Foundry, Hardhat or Truffle writes for one
 * contract.
 */
import * as Layout from "@plumbline/storage-layout/layout/Layout"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"

import * as BuildInfo from "./BuildInfo.ts"
import * as CompilerOutput from "./CompilerOutput.ts"
import * as ContractNames from "./ContractNames.ts"
import * as Hints from "./Hints.ts"
import * as JsonFiles from "./JsonFiles.ts"
import * as Metadata from "./Metadata.ts"
import * as Trees from "./Trees.ts"

/**
 * Returns the layout in the JSON of a file, or in the build info or sources that belong to the file. `path` is the name
 * that the user gave.
 */
export const layout = Effect.fnUntraced(function* (
  path: string,
  file: string,
  json: JsonFiles.Json,
  wanted: ContractNames.WantedContract
) {
  const { structs } = wanted
  const { storageLayout } = json
  const name = nameOf(json)
  if (JsonFiles.isRecord(storageLayout) && Array.isArray(storageLayout["storage"])) {
    const ast = yield* treesOf(file, json, name)
    return yield* Effect.fromResult(
      ofWanted(
        path,
        CompilerOutput.told(path, Layout.fromSolc(storageLayout, { ast, contract: name, structs })),
        wanted.contract
      )
    )
  }
  if (Array.isArray(json["storage"])) {
    return yield* Effect.fromResult(
      ofWanted(path, CompilerOutput.told(path, Layout.fromSolc(json, { structs })), wanted.contract)
    )
  }
  if (looksLikeVyper(json)) return yield* Effect.fromResult(CompilerOutput.told(path, Layout.fromVyper(json)))
  if (!looksLikeArtifact(json)) return yield* JsonFiles.notALayout(path, WANTED)
  const named = { contract: wanted.contract ?? name, structs }
  const compiled = yield* runOf(file, json, name)
  if (compiled !== undefined) return yield* CompilerOutput.layout(path, compiled, named)
  const source = yield* Metadata.ofTruffle(path, file, json)
  if (source !== undefined) return yield* CompilerOutput.layout(path, source, named)
  return yield* JsonFiles.notALayout(path, `${name ?? "the artifact"} has no storageLayout: ${Hints.ASK}`)
})

const WANTED =
  "this is not a layout: give output of solc or Vyper, a storageLayout, an artifact or build info of Foundry or Hardhat, a folder of them, or metadata with its sources"

const ofWanted = <E>(
  path: string,
  layout: Result.Result<Layout.Layout, E>,
  wanted: string | undefined
): Result.Result<Layout.Layout, E | ReturnType<typeof JsonFiles.noContract>> =>
  Result.flatMap(layout, (layout) =>
    wanted === undefined || (layout.contract !== undefined && ContractNames.isCalled(wanted, layout.contract))
      ? Result.succeed(layout)
      : Result.fail(JsonFiles.noContract(path, `it is the layout of ${layout.contract ?? "a contract without a name"}`))
  )

/**
 * Returns the contract's full name, `src/Vault.sol:Vault`: from Foundry's metadata in an artifact, from the names that
 * Hardhat and Truffle write, or from an answer of Sourcify's API.
 */
export const nameOf = (artifact: JsonFiles.Json): string | undefined => {
  const { ast, compilation, contractName, inputSourceName, metadata, sourceName } = artifact
  const source =
    JsonFiles.text(inputSourceName) ??
    JsonFiles.text(sourceName) ??
    JsonFiles.text(JsonFiles.record(ast)["absolutePath"])
  if (typeof contractName === "string" && source !== undefined) return `${source}:${contractName}`
  const [target] = Object.entries(
    JsonFiles.record(JsonFiles.record(JsonFiles.record(metadata)["settings"])["compilationTarget"])
  )
  if (target !== undefined) return `${target[0]}:${String(target[1])}`
  return JsonFiles.text(JsonFiles.record(compilation)["fullyQualifiedName"])
}

const looksLikeArtifact = (json: JsonFiles.Json): boolean =>
  Array.isArray(json["abi"]) || "bytecode" in json || typeof json["contractName"] === "string"

const looksLikeVyper = (json: JsonFiles.Json): boolean =>
  "storage_layout" in json ||
  "transient_storage_layout" in json ||
  JsonFiles.records(json).some(([, value]) => typeof value["type"] === "string" && "slot" in value)

/**
 * Returns the syntax trees of the artifact's own build: the artifact's tree and the trees of its imports, or the trees
 * in its build info.
 */
const treesOf = Effect.fnUntraced(function* (file: string, json: JsonFiles.Json, name: string | undefined) {
  if (JsonFiles.isRecord(json["ast"])) return yield* Trees.of(file, json["ast"])
  const compiled = yield* runOf(file, json, name)
  const found = CompilerOutput.contractsOf(compiled?.output ?? {}).find((contract) => contract.name === name)
  // if the layout is from another run, the ids of the trees do not match it
  const isSame = JSON.stringify(found?.contract["storageLayout"]) === JSON.stringify(json["storageLayout"])
  return compiled !== undefined && isSame ? CompilerOutput.treesOf(compiled.output) : []
})

/**
 * Returns the compiler run that made an artifact, if the artifact's build info exists and has more than the names of
 * sources.
 */
const runOf = Effect.fnUntraced(function* (file: string, json: JsonFiles.Json, name: string | undefined) {
  const path = yield* Path.Path
  // Hardhat 2 writes the path of the build info into `<name>.dbg.json`
  const debug = yield* JsonFiles.readIfThere(file.replace(/\.json$/u, ".dbg.json"))
  const folder = yield* BuildInfo.folderOf(file)
  const id = JsonFiles.text(json["buildInfoId"])
  const place =
    typeof debug?.["buildInfo"] === "string"
      ? path.resolve(path.dirname(file), debug["buildInfo"])
      : folder !== undefined && id !== undefined && path.basename(id) === id
        ? path.join(folder, `${id}.json`)
        : undefined
  const named = place === undefined ? undefined : yield* JsonFiles.readIfThere(place)
  if (place !== undefined && named !== undefined) return yield* BuildInfo.of(place, named)
  return folder === undefined || name === undefined
    ? undefined
    : yield* BuildInfo.withContract(folder, (contract) => contract.name === name)
})
