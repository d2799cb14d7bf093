/**
 * Layouts out of files: whatever compilers and their tools write, and sources, which are compiled.
 */
import * as Layout from "@plumbline/storage-layout/Layout"
import type { LayoutError } from "@plumbline/storage-layout/LayoutError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"

import { LayoutFileError } from "./LayoutFileError.ts"
import * as Solidity from "./Solidity.ts"

/**
 * The layout of a contract.
 *
 * | file | what is taken from it |
 * | --- | --- |
 * | `.sol` | compiled with solc, its imports resolved beside it |
 * | output of solc's or Vyper's standard JSON interface, build info of Hardhat or Foundry | the contract's layout, and what the syntax tree adds |
 * | an artifact of Foundry | its `storageLayout`, and what its syntax tree adds |
 * | an artifact of Hardhat | its `storageLayout`, or that in the build info that the file beside it names |
 * | `storageLayout` itself; what `vyper -f layout` prints | all of it |
 */
export const read = Effect.fnUntraced(function* (file: string, contract: string | undefined) {
  const path = yield* Path.Path
  if (file.endsWith(".sol")) {
    const output = yield* Solidity.compile(file, path.resolve(file))
    return yield* Effect.fromResult(fromOutput(file, output, contract, path.resolve(file)))
  }
  const json = yield* readJson(file, file)
  const { artifact, output } = yield* outputOf(file, json)
  return yield* Effect.fromResult(
    output === undefined ? fromPart(file, json, contract) : fromOutput(file, output, contract ?? artifact, undefined)
  )
})

type Json = { readonly [field: string]: unknown }

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Build info of large projects has some hundred megabytes. */
const MAX_BYTES = 512 * 2 ** 20

/** The JSON of a file; `named` is what the person called it, for errors. */
const readJson = Effect.fnUntraced(function* (file: string, named: string) {
  const fs = yield* FileSystem.FileSystem
  const unreadable = (detail: string) => new LayoutFileError({ path: named, problem: "Unreadable", detail })
  const refused = (error: { readonly reason: { readonly _tag: string } }) =>
    unreadable(error.reason._tag === "NotFound" ? "there is no such file" : "it cannot be read")
  const { size } = yield* Effect.mapError(fs.stat(file), refused)
  if (size > MAX_BYTES) return yield* unreadable(`a file of more than ${MAX_BYTES / 2 ** 20} MiB is not read`)
  const text = yield* Effect.mapError(fs.readFileString(file), refused)
  const json = Result.try((): unknown => JSON.parse(text))
  return Result.isSuccess(json) && isRecord(json.success)
    ? json.success
    : yield* notALayout(named, "it is no JSON object")
})

const notALayout = (path: string, detail: string): LayoutFileError =>
  new LayoutFileError({ path, problem: "NotALayout", detail })

/** The whole output of a compiler that a file holds or leads to, and the contract that an artifact is of. */
const outputOf = Effect.fnUntraced(function* (file: string, json: Json) {
  if (isRecord(json["contracts"])) return { output: json, artifact: undefined }
  if (isRecord(json["output"])) return { output: json["output"], artifact: undefined }
  const { contractName, sourceName } = json
  if (isRecord(json["storageLayout"]) || typeof contractName !== "string" || typeof sourceName !== "string") {
    return { output: undefined, artifact: undefined }
  }
  // Hardhat keeps the compiler's output elsewhere, and says where in `<name>.dbg.json`
  const path = yield* Path.Path
  const beside = file.replace(/\.json$/u, ".dbg.json")
  const hint = `${contractName} has no storageLayout here: add it to the compiler's outputSelection and compile again`
  const debug = yield* Effect.mapError(readJson(beside, file), () => notALayout(file, hint))
  if (typeof debug["buildInfo"] !== "string") return yield* notALayout(file, hint)
  const buildInfo = path.resolve(path.dirname(file), debug["buildInfo"])
  const { output } = yield* Effect.mapError(readJson(buildInfo, file), () => notALayout(file, hint))
  if (!isRecord(output)) return yield* notALayout(file, hint)
  return { output, artifact: `${sourceName}:${contractName}` }
})

/** A layout by itself, or an artifact that has one. */
const fromPart = (
  file: string,
  json: Json,
  contract: string | undefined
): Result.Result<Layout.Layout, LayoutFileError> => {
  const artifact = isRecord(json["storageLayout"])
  const solc = artifact ? json["storageLayout"] : json
  if (isRecord(solc) && Array.isArray(solc["storage"])) {
    const ast = isRecord(json["ast"]) ? [json["ast"]] : []
    const name = artifact ? targetOf(json) : undefined
    return Result.flatMap(told(file, Layout.fromSolc(solc, { ast, contract: name })), (layout) =>
      contract === undefined || layout.contract === undefined || isCalled(contract, layout.contract)
        ? Result.succeed(layout)
        : Result.fail(
            new LayoutFileError({ path: file, problem: "NoContract", detail: `it is the layout of ${layout.contract}` })
          )
    )
  }
  return looksLikeVyper(json)
    ? told(file, Layout.fromVyper(json))
    : Result.fail(
        notALayout(
          file,
          "want output of solc or Vyper, a storageLayout, or an artifact of Foundry or Hardhat that has one"
        )
      )
}

/** `src/Vault.sol:Vault`, from the metadata that Foundry puts in an artifact. */
const targetOf = (artifact: Json): string | undefined => {
  const { metadata } = artifact
  const settings = isRecord(metadata) ? metadata["settings"] : undefined
  const target = isRecord(settings) ? settings["compilationTarget"] : undefined
  const [first] = isRecord(target) ? Object.entries(target) : []
  return first === undefined ? undefined : `${first[0]}:${String(first[1])}`
}

const looksLikeVyper = (json: Json): boolean =>
  "storage_layout" in json ||
  "transient_storage_layout" in json ||
  Object.values(json).some((value) => isRecord(value) && typeof value["type"] === "string" && "slot" in value)

/** A contract in a compiler's output, in the source at `only` if that is given. */
const fromOutput = (
  file: string,
  output: Json,
  wanted: string | undefined,
  only: string | undefined
): Result.Result<Layout.Layout, LayoutFileError> => {
  const sources = Object.entries(isRecord(output["contracts"]) ? output["contracts"] : {})
  const all = sources.flatMap(([source, contracts]) =>
    Object.entries(isRecord(contracts) ? contracts : {}).flatMap(([name, contract]) =>
      isRecord(contract) ? [{ name: `${source}:${name}`, source, contract }] : []
    )
  )
  const refuse = (problem: "NoContract" | "AmbiguousContract", detail: string) =>
    Result.fail(new LayoutFileError({ path: file, problem, detail: detail.slice(0, MAX_DETAIL) }))
  const found = wanted === undefined ? choose(all, output, only) : all.filter(({ name }) => isCalled(wanted, name))
  const names = (of: ReadonlyArray<Named>) => {
    const known = of.slice(0, MAX_NAMES).map(({ name }) => shortOf(name, only))
    return of.length > MAX_NAMES ? `${known.join(", ")} and others` : known.join(", ")
  }
  const [first, second] = found
  if (first === undefined) {
    const has = all.length === 0 ? "no contract" : names(all)
    return refuse(
      "NoContract",
      wanted === undefined ? "it has no contract" : `it has no contract ${wanted}, but ${has}`
    )
  }
  if (second !== undefined) return refuse("AmbiguousContract", `choose one with --contract: ${names(found)}`)
  const vyper = first.contract["layout"]
  return told(file, isRecord(vyper) ? Layout.fromVyper(vyper) : Layout.fromSolcOutput(output, first.name))
}

const MAX_NAMES = 16

interface Named {
  readonly name: string
  readonly source: string
  readonly contract: Json
}

/** Contracts that can be deployed; of several, those with variables. Only a syntax tree tells what an interface is. */
const choose = (all: ReadonlyArray<Named>, output: Json, only: string | undefined): ReadonlyArray<Named> => {
  const deployable = all.filter(
    ({ name, source }) => (only === undefined || source === only) && isDeployable(output, source, name)
  )
  const withVariables = deployable.filter(({ contract }) => {
    const { layout, storageLayout } = contract
    return (
      isRecord(layout) ||
      (isRecord(storageLayout) && Array.isArray(storageLayout["storage"]) && storageLayout["storage"].length > 0)
    )
  })
  return deployable.length > 1 && withVariables.length > 0 ? withVariables : deployable
}

const isDeployable = (output: Json, source: string, name: string): boolean => {
  const sources = isRecord(output["sources"]) ? output["sources"] : {}
  const { [source]: parsed } = sources
  const ast = isRecord(parsed) ? parsed["ast"] : undefined
  const nodes: ReadonlyArray<unknown> = isRecord(ast) && Array.isArray(ast["nodes"]) ? ast["nodes"] : []
  const definition = nodes.find(
    (node): node is Json =>
      isRecord(node) && node["nodeType"] === "ContractDefinition" && `${source}:${String(node["name"])}` === name
  )
  return definition === undefined || (definition["contractKind"] === "contract" && definition["abstract"] !== true)
}

/** `Vault`, `Vault.sol:Vault` or any longer part of the path of `src/vaults/Vault.sol:Vault`. */
const isCalled = (wanted: string, name: string): boolean =>
  wanted === name || name.endsWith(`:${wanted}`) || (wanted.includes(":") && name.endsWith(`/${wanted}`))

/** Of the contracts of a source, their own names are enough. */
const shortOf = (name: string, source: string | undefined): string =>
  source !== undefined && name.startsWith(`${source}:`) ? name.slice(source.length + 1) : name

const told = (
  path: string,
  layout: Result.Result<Layout.Layout, LayoutError>
): Result.Result<Layout.Layout, LayoutFileError> =>
  Result.mapError(layout, ({ detail }) => notALayout(path, detail.slice(0, MAX_DETAIL)))

/** What is wrong names what is in the file, and that may be of any length. */
const MAX_DETAIL = 400
