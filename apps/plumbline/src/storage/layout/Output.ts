/** Reads whole outputs of compilers, in all their forms. */
import * as Layout from "@plumbline/storage-layout/layout/Layout"
import type { LayoutError } from "@plumbline/storage-layout/layout/LayoutError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as Hints from "./Hints.ts"
import * as Json from "./Json.ts"
import type { LayoutFileError } from "./LayoutFileError.ts"
import * as Names from "./Names.ts"
import * as Solidity from "./Solidity.ts"

/** A run of a compiler: its output, and, if known, its input and version. */
export interface Compiled {
  /** The file that the output was read from, or the name that the user gave. */
  readonly file: string
  readonly output: Json.Json
  readonly input?: Json.Json | undefined
  readonly version?: string | undefined
}

/** A contract of an output. */
export interface Contract extends Names.Named {
  readonly source: string
  readonly contract: Json.Json
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
export const standard = (json: Json.Json): Json.Json | undefined => {
  const contracts = Json.records(json["contracts"])
  if (contracts.length > 0 && contracts.every(([name, contract]) => isCombined(name, contract))) {
    return fromCombined(contracts, json)
  }
  if (Json.isRecord(json["contracts"])) return json
  const vyper = Json.records(json).filter(([, contract]) => Json.isRecord(contract["layout"]))
  if (typeof json["version"] !== "string" || vyper.length === 0) return undefined
  const nameOf = (source: string) => source.replace(/^.*\//u, "").replace(/\.vyi?$/u, "")
  return { contracts: Object.fromEntries(vyper.map(([source, contract]) => [source, { [nameOf(source)]: contract }])) }
}

const isCombined = (name: string, contract: Json.Json): boolean =>
  name.includes(":") && Object.values(contract).every((member) => !Json.isRecord(member) || "storage" in member)

const fromCombined = (contracts: ReadonlyArray<readonly [string, Json.Json]>, json: Json.Json): Json.Json => {
  const found: Record<string, Record<string, Json.Json>> = {}
  for (const [name, contract] of contracts) {
    const [source, own] = [name.slice(0, name.lastIndexOf(":")), Names.ownOf(name)]
    const written = contract["storage-layout"]
    // versions before 0.8 write the layout as text
    const storageLayout =
      typeof written === "string" ? Result.getOrUndefined(Result.try(() => JSON.parse(written))) : written
    found[source] = { ...found[source], [own]: storageLayout === undefined ? {} : { storageLayout } }
  }
  const sources = Json.records(json["sources"]).map(([source, { AST, ast = AST }]) => [source, { ast }])
  return { contracts: found, sources: Object.fromEntries(sources) }
}

/** The contracts of an output. */
export const contractsOf = (output: Json.Json): ReadonlyArray<Contract> =>
  Json.records(output["contracts"]).flatMap(([source, contracts]) =>
    Json.records(contracts).map(([name, contract]) => ({ name: `${source}:${name}`, source, contract }))
  )

/** The syntax trees of an output. */
export const treesOf = (output: Json.Json): ReadonlyArray<unknown> =>
  Json.records(output["sources"]).flatMap(([, { ast }]) => (ast === undefined ? [] : [ast]))

/**
 * Returns the contracts that can be deployed, or, if there are several, those with variables. Interfaces are recognized
 * only if there is a syntax tree.
 */
export const usualOf = (output: Json.Json, only?: string): ReadonlyArray<Contract> => {
  const deployable = contractsOf(output).filter(
    ({ name, source }) => (only === undefined || source === only) && isDeployable(output, source, name)
  )
  const withVariables = deployable.filter(
    ({ contract: { layout, storageLayout } }) => Json.isRecord(layout) || hasVariables(storageLayout)
  )
  return deployable.length > 1 && withVariables.length > 0 ? withVariables : deployable
}

/** True if a layout from solc has a variable. */
export const hasVariables = (storageLayout: unknown): boolean => {
  const { storage } = Json.record(storageLayout)
  return Array.isArray(storage) && storage.length > 0
}

const isDeployable = (output: Json.Json, source: string, name: string): boolean => {
  const ast = Json.record(Json.record(Json.record(output["sources"])[source])["ast"])
  const nodes: ReadonlyArray<unknown> = Array.isArray(ast["nodes"]) ? ast["nodes"] : []
  const definition = nodes.find(
    (node): node is Json.Json =>
      Json.isRecord(node) && node["nodeType"] === "ContractDefinition" && `${source}:${String(node["name"])}` === name
  )
  return definition === undefined || (definition["contractKind"] === "contract" && definition["abstract"] !== true)
}

/**
 * Returns the layout of a contract in an output. If the compiler was not asked for layouts and its input is known, the
 * sources are compiled again. `only` limits the choice to one source.
 */
export const layout = Effect.fnUntraced(function* (
  path: string,
  compiled: Compiled,
  { contract, structs }: Names.Wanted,
  only?: string
) {
  const whole = yield* withLayouts(path, compiled)
  const all = contractsOf(whole)
  const found = yield* Effect.fromResult(
    Names.choose({ path, all, usual: usualOf(whole, only), wanted: contract, source: only })
  )
  return yield* Effect.fromResult(layoutOf(path, whole, found, structs))
})

/** Returns the output with layouts, after another run of the compiler if necessary. */
export const withLayouts = Effect.fnUntraced(function* (path: string, { input, output, version }: Compiled) {
  const contracts = contractsOf(output)
  const has = contracts.some(
    ({ contract }) => Json.isRecord(contract["storageLayout"]) || Json.isRecord(contract["layout"])
  )
  if (has || (contracts.length === 0 && input === undefined)) return output
  const sources = Json.record(input?.["sources"])
  const isWhole = Json.records(sources).some(([, { content }]) => typeof content === "string")
  if (!isWhole || input?.["language"] === "Vyper") {
    return yield* Json.notALayout(path, `${lacking(contracts, version)}: ${Hints.ASK}`)
  }
  const settings = Json.record(input?.["settings"])
  return yield* Solidity.compileSources(path, { sources, remappings: settings["remappings"], version })
})

const lacking = (contracts: ReadonlyArray<Contract>, version: string | undefined): string => {
  if (version !== undefined && Hints.isTooOld(version)) {
    return `the output of solc ${Hints.shortOf(version)} has no storageLayout, which 0.5.13 was the first to write`
  }
  return `the compiler's output has no storageLayout of ${contracts[0]?.name ?? "any contract"}`
}

/** Returns the layout of one contract of an output. */
export const layoutOf = (
  path: string,
  output: Json.Json,
  { contract, name }: Contract,
  structs: Names.Wanted["structs"]
): Result.Result<Layout.Layout, LayoutFileError> => {
  const { abi, layout } = contract
  const vyper = Json.isRecord(layout)
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
  Result.mapError(layout, ({ detail }) => Json.notALayout(path, detail))
