/** Reads whole outputs of compilers, in all their forms. */
import * as Layout from "@plumbline/storage-layout/layout/Layout"
import type { LayoutError } from "@plumbline/storage-layout/layout/LayoutError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as ContractNames from "./ContractNames.ts"
import * as Hints from "./Hints.ts"
import * as JsonFiles from "./JsonFiles.ts"
import type { LayoutFileError } from "./LayoutFileError.ts"
import * as Solidity from "./Solidity.ts"

/** A run of a compiler: its output, and, if known, its input and version. */
export interface CompilerRun {
  /** The file that the output was read from, or the name that the user gave. */
  readonly file: string
  readonly output: JsonFiles.Json
  readonly input?: JsonFiles.Json | undefined
  readonly version?: string | undefined
}

export interface CompiledContract extends ContractNames.NamedContract {
  readonly source: string
  readonly contract: JsonFiles.Json
}

/**
 * Returns the output in the form of the standard JSON interface; undefined if the JSON is not a compiler's output.
 *
 * | form | source |
 * | --- | --- |
 * | `contracts` by source and name | solc's and Vyper's standard JSON interface |
 * | `contracts` by `source:name`, with `storage-layout` | `solc --combined-json storage-layout,ast` |
 * | contracts by source, beside `version` | `vyper -f combined_json` |
 */
export const standard = (json: JsonFiles.Json): JsonFiles.Json | undefined => {
  const contracts = JsonFiles.records(json["contracts"])
  if (contracts.length > 0 && contracts.every(([name, contract]) => isCombined(name, contract))) {
    return fromCombined(contracts, json)
  }
  if (JsonFiles.isRecord(json["contracts"])) return json
  const vyper = JsonFiles.records(json).filter(([, contract]) => JsonFiles.isRecord(contract["layout"]))
  if (typeof json["version"] !== "string" || vyper.length === 0) return undefined
  const nameOf = (source: string) => source.replace(/^.*\//u, "").replace(/\.vyi?$/u, "")
  return { contracts: Object.fromEntries(vyper.map(([source, contract]) => [source, { [nameOf(source)]: contract }])) }
}

const isCombined = (name: string, contract: JsonFiles.Json): boolean =>
  name.includes(":") && Object.values(contract).every((member) => !JsonFiles.isRecord(member) || "storage" in member)

const fromCombined = (
  contracts: ReadonlyArray<readonly [string, JsonFiles.Json]>,
  json: JsonFiles.Json
): JsonFiles.Json => {
  const found: Record<string, Record<string, JsonFiles.Json>> = {}
  for (const [name, contract] of contracts) {
    const [source, own] = [name.slice(0, name.lastIndexOf(":")), ContractNames.ownOf(name)]
    const written = contract["storage-layout"]
    // versions before 0.8 write the layout as text
    const storageLayout =
      typeof written === "string" ? Result.getOrUndefined(Result.try(() => JSON.parse(written))) : written
    found[source] = { ...found[source], [own]: storageLayout === undefined ? {} : { storageLayout } }
  }
  const sources = JsonFiles.records(json["sources"]).map(([source, { AST, ast = AST }]) => [source, { ast }])
  return { contracts: found, sources: Object.fromEntries(sources) }
}

export const contractsOf = (output: JsonFiles.Json): ReadonlyArray<CompiledContract> =>
  JsonFiles.records(output["contracts"]).flatMap(([source, contracts]) =>
    JsonFiles.records(contracts).map(([name, contract]) => ({ name: `${source}:${name}`, source, contract }))
  )

export const treesOf = (output: JsonFiles.Json): ReadonlyArray<unknown> =>
  JsonFiles.records(output["sources"]).flatMap(([, { ast }]) => (ast === undefined ? [] : [ast]))

/**
 * Returns the contracts that can be deployed, or, if there are several, those with variables. Interfaces are recognized
 * only if there is a syntax tree.
 */
export const usualOf = (output: JsonFiles.Json, only?: string): ReadonlyArray<CompiledContract> => {
  const deployable = contractsOf(output).filter(
    ({ name, source }) => (only === undefined || source === only) && isDeployable(output, source, name)
  )
  const withVariables = deployable.filter(
    ({ contract: { layout, storageLayout } }) => JsonFiles.isRecord(layout) || hasVariables(storageLayout)
  )
  return deployable.length > 1 && withVariables.length > 0 ? withVariables : deployable
}

/** True if a layout from solc has a variable. */
export const hasVariables = (storageLayout: unknown): boolean => {
  const { storage } = JsonFiles.record(storageLayout)
  return Array.isArray(storage) && storage.length > 0
}

const isDeployable = (output: JsonFiles.Json, source: string, name: string): boolean => {
  const ast = JsonFiles.record(JsonFiles.record(JsonFiles.record(output["sources"])[source])["ast"])
  const nodes: ReadonlyArray<unknown> = Array.isArray(ast["nodes"]) ? ast["nodes"] : []
  const definition = nodes.find(
    (node): node is JsonFiles.Json =>
      JsonFiles.isRecord(node) &&
      node["nodeType"] === "ContractDefinition" &&
      `${source}:${String(node["name"])}` === name
  )
  return definition === undefined || (definition["contractKind"] === "contract" && definition["abstract"] !== true)
}

/**
 * Returns the layout of a contract in an output. If the compiler was not asked for layouts and its input is known, the
 * sources are compiled again. `only` limits the choice to one source.
 */
export const layout = Effect.fnUntraced(function* (
  path: string,
  compiled: CompilerRun,
  { contract, structs }: ContractNames.WantedContract,
  only?: string
) {
  const whole = yield* withLayouts(path, compiled)
  const all = contractsOf(whole)
  const found = yield* Effect.fromResult(
    ContractNames.choose({ path, all, usual: usualOf(whole, only), wanted: contract, source: only })
  )
  return yield* Effect.fromResult(layoutOf(path, whole, found, structs))
})

/** Returns the output with layouts, after another run of the compiler if necessary. */
export const withLayouts = Effect.fnUntraced(function* (path: string, { input, output, version }: CompilerRun) {
  const contracts = contractsOf(output)
  const has = contracts.some(
    ({ contract }) => JsonFiles.isRecord(contract["storageLayout"]) || JsonFiles.isRecord(contract["layout"])
  )
  if (has || (contracts.length === 0 && input === undefined)) return output
  const sources = JsonFiles.record(input?.["sources"])
  const isWhole = JsonFiles.records(sources).some(([, { content }]) => typeof content === "string")
  if (!isWhole || input?.["language"] === "Vyper") {
    return yield* JsonFiles.notALayout(path, `${lacking(contracts, version)}: ${Hints.ASK}`)
  }
  const settings = JsonFiles.record(input?.["settings"])
  return yield* Solidity.compileSources(path, { sources, remappings: settings["remappings"], version })
})

const lacking = (contracts: ReadonlyArray<CompiledContract>, version: string | undefined): string => {
  if (version !== undefined && Hints.isTooOld(version)) {
    return `the output of solc ${Hints.shortOf(version)} has no storageLayout, which 0.5.13 was the first to write`
  }
  return `the compiler's output has no storageLayout of ${contracts[0]?.name ?? "any contract"}`
}

/** Returns the layout of one contract of an output. */
export const layoutOf = (
  path: string,
  output: JsonFiles.Json,
  { contract, name }: CompiledContract,
  structs: ContractNames.WantedContract["structs"]
): Result.Result<Layout.Layout, LayoutFileError> => {
  const { abi, layout } = contract
  const vyper = JsonFiles.isRecord(layout)
  return told(
    path,
    vyper ? Layout.fromVyper(layout, { abi, ast: treesOf(output) }) : Layout.fromSolcOutput(output, name, { structs })
  )
}

/** Turns errors of a layout into errors of its file. */
export const told = (
  path: string,
  layout: Result.Result<Layout.Layout, LayoutError>
): Result.Result<Layout.Layout, LayoutFileError> =>
  Result.mapError(layout, ({ detail }) => JsonFiles.notALayout(path, detail))
