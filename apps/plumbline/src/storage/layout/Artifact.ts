/**
 * Reads artifacts and separate layout files. An artifact is a file that Foundry, Hardhat or Truffle writes for one
 * contract.
 */
import * as Layout from "@plumbline/storage-layout/layout/Layout"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"

import * as BuildInfo from "./BuildInfo.ts"
import * as Hints from "./Hints.ts"
import * as Json from "./Json.ts"
import * as Metadata from "./Metadata.ts"
import * as Names from "./Names.ts"
import * as Output from "./Output.ts"
import * as Trees from "./Trees.ts"

/**
 * Returns the layout in the JSON of a file, or in the build info or sources that belong to the file. `path` is the name
 * that the user gave.
 */
export const layout = Effect.fnUntraced(function* (path: string, file: string, json: Json.Json, wanted: Names.Wanted) {
  const { structs } = wanted
  const { storageLayout } = json
  const name = nameOf(json)
  if (Json.isRecord(storageLayout) && Array.isArray(storageLayout["storage"])) {
    const ast = yield* treesOf(file, json, name)
    return yield* Effect.fromResult(
      ofWanted(
        path,
        Output.told(path, Layout.fromSolc(storageLayout, { ast, contract: name, structs })),
        wanted.contract
      )
    )
  }
  if (Array.isArray(json["storage"])) {
    return yield* Effect.fromResult(
      ofWanted(path, Output.told(path, Layout.fromSolc(json, { structs })), wanted.contract)
    )
  }
  if (looksLikeVyper(json)) return yield* Effect.fromResult(Output.told(path, Layout.fromVyper(json)))
  if (!looksLikeArtifact(json)) return yield* Json.notALayout(path, WANTED)
  const named = { contract: wanted.contract ?? name, structs }
  const compiled = yield* runOf(file, json, name)
  if (compiled !== undefined) return yield* Output.layout(path, compiled, named)
  const source = yield* Metadata.ofTruffle(path, file, json)
  if (source !== undefined) return yield* Output.layout(path, source, named)
  return yield* Json.notALayout(path, `${name ?? "the artifact"} has no storageLayout: ${Hints.ASK}`)
})

const WANTED =
  "this is not a layout: give output of solc or Vyper, a storageLayout, an artifact or build info of Foundry or Hardhat, a folder of them, or metadata with its sources"

const ofWanted = <E>(
  path: string,
  layout: Result.Result<Layout.Layout, E>,
  wanted: string | undefined
): Result.Result<Layout.Layout, E | ReturnType<typeof Json.noContract>> =>
  Result.flatMap(layout, (layout) =>
    wanted === undefined || (layout.contract !== undefined && Names.isCalled(wanted, layout.contract))
      ? Result.succeed(layout)
      : Result.fail(Json.noContract(path, `it is the layout of ${layout.contract ?? "a contract without a name"}`))
  )

/**
 * Returns the contract's full name, `src/Vault.sol:Vault`: from Foundry's metadata in an artifact, from the names that
 * Hardhat and Truffle write, or from an answer of Sourcify's API.
 */
export const nameOf = (artifact: Json.Json): string | undefined => {
  const { ast, compilation, contractName, inputSourceName, metadata, sourceName } = artifact
  const source = Json.text(inputSourceName) ?? Json.text(sourceName) ?? Json.text(Json.record(ast)["absolutePath"])
  if (typeof contractName === "string" && source !== undefined) return `${source}:${contractName}`
  const [target] = Object.entries(Json.record(Json.record(Json.record(metadata)["settings"])["compilationTarget"]))
  if (target !== undefined) return `${target[0]}:${String(target[1])}`
  return Json.text(Json.record(compilation)["fullyQualifiedName"])
}

const looksLikeArtifact = (json: Json.Json): boolean =>
  Array.isArray(json["abi"]) || "bytecode" in json || typeof json["contractName"] === "string"

const looksLikeVyper = (json: Json.Json): boolean =>
  "storage_layout" in json ||
  "transient_storage_layout" in json ||
  Json.records(json).some(([, value]) => typeof value["type"] === "string" && "slot" in value)

/**
 * Returns the syntax trees of the artifact's own build: the artifact's tree and the trees of its imports, or the trees
 * in its build info.
 */
const treesOf = Effect.fnUntraced(function* (file: string, json: Json.Json, name: string | undefined) {
  if (Json.isRecord(json["ast"])) return yield* Trees.of(file, json["ast"])
  const compiled = yield* runOf(file, json, name)
  const found = Output.contractsOf(compiled?.output ?? {}).find((contract) => contract.name === name)
  // if the layout is from another run, the ids of the trees do not match it
  const isSame = JSON.stringify(found?.contract["storageLayout"]) === JSON.stringify(json["storageLayout"])
  return compiled !== undefined && isSame ? Output.treesOf(compiled.output) : []
})

/**
 * Returns the compiler run that made an artifact, if the artifact's build info exists and has more than the names of
 * sources.
 */
const runOf = Effect.fnUntraced(function* (file: string, json: Json.Json, name: string | undefined) {
  const path = yield* Path.Path
  // Hardhat 2 writes the path of the build info into `<name>.dbg.json`
  const debug = yield* Json.readIfThere(file.replace(/\.json$/u, ".dbg.json"))
  const folder = yield* BuildInfo.folderOf(file)
  const id = Json.text(json["buildInfoId"])
  const place =
    typeof debug?.["buildInfo"] === "string"
      ? path.resolve(path.dirname(file), debug["buildInfo"])
      : folder !== undefined && id !== undefined && path.basename(id) === id
        ? path.join(folder, `${id}.json`)
        : undefined
  const named = place === undefined ? undefined : yield* Json.readIfThere(place)
  if (place !== undefined && named !== undefined) return yield* BuildInfo.of(place, named)
  return folder === undefined || name === undefined
    ? undefined
    : yield* BuildInfo.withContract(folder, (contract) => contract.name === name)
})
