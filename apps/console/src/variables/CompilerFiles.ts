/** Reads layouts from the files that compilers and their tools write. */
import * as Layout from "@plumbline/storage-layout/layout/Layout"
import * as Result from "effect/Result"

/** A contract of a file, with its layout. */
export interface FoundLayout {
  /** The contract's name in the file, such as `src/Vault.sol:Vault`, or else the name of the file. */
  readonly contract: string
  readonly layout: Layout.Layout
}

/** Maximum size of a file, in bytes. Build info of large projects has tens of megabytes. */
export const MAX_FILE: number = 64 * 1024 * 1024

type Json = Readonly<Record<string, unknown>>

/**
 * Returns the contracts of a file that have variables, or a sentence that says why there are none.
 *
 * | file | source |
 * | --- | --- |
 * | `storageLayout` itself | solc |
 * | an artifact with a `storageLayout` | Foundry, Hardhat |
 * | output of the standard JSON interface, and build info that holds it | solc, Foundry, Hardhat |
 * | `solc --combined-json storage-layout,ast` | solc |
 * | `vyper -f layout` | Vyper |
 *
 * Source code cannot be read, because a page has no compiler.
 */
export const read = (name: string, text: string): Result.Result<ReadonlyArray<FoundLayout>, string> => {
  if (/\.(?:sol|vy)$/iu.test(name)) return Result.fail(sourceOf(name))
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return Result.fail(`${name} is not JSON. ${WANTED}`)
  }
  if (!isRecord(json)) return Result.fail(`${name} is not a layout. ${WANTED}`)
  const output = outputOf(json)
  return output === undefined ? one(name, json) : many(name, output)
}

const WANTED = "Choose what the compiler wrote: a storageLayout, an artifact that has one, or solc's JSON output."

const sourceOf = (name: string): string => {
  const compile = /\.vy$/iu.test(name) ? `vyper -f layout ${name}` : `solc --combined-json storage-layout,ast ${name}`
  return `${name} is source code, and a browser has no compiler. Run "${compile} > layout.json", and choose layout.json. The command compiles by itself: plumbline read <address> --layout ${name}`
}

/** Reads the layout of one contract. */
const one = (name: string, json: Json): Result.Result<ReadonlyArray<FoundLayout>, string> => {
  const { storageLayout } = json
  const contract = nameOf(json)
  const isArtifact = isRecord(storageLayout)
  const trees = isRecord(json["ast"]) ? [json["ast"]] : []
  // a syntax tree from another run of the compiler is refused; the layout is useful without a tree
  const tried: ReadonlyArray<() => Result.Result<Layout.Layout, { readonly message: string }>> = isArtifact
    ? [() => Layout.fromSolc(storageLayout, { ast: trees, contract }), () => Layout.fromSolc(storageLayout)]
    : "storage" in json
      ? [() => Layout.fromSolc(json)]
      : [() => Layout.fromVyper(json)]
  let problem = ""
  for (const make of tried) {
    const layout = make()
    if (Result.isSuccess(layout)) return Result.succeed([{ contract: contract ?? name, layout: layout.success }])
    problem = layout.failure.message
  }
  if ("abi" in json || "bytecode" in json) {
    return Result.fail(
      `${name} is an artifact without a storageLayout. Build again with "forge build --force --extra-output storageLayout --ast", or in Hardhat with "storageLayout" in outputSelection.`
    )
  }
  return Result.fail(`${name} is not a layout: ${problem.slice(0, 160)}. ${WANTED}`)
}

/** Reads all contracts of an output that have variables. */
const many = (name: string, output: Json): Result.Result<ReadonlyArray<FoundLayout>, string> => {
  const opened = Layout.openSolcOutput(output)
  if (Result.isFailure(opened)) {
    return Result.fail(`${name} is not the output of a compiler: ${opened.failure.message.slice(0, 160)}. ${WANTED}`)
  }
  const { contracts, layoutOf } = opened.success
  if (contracts.length === 0) {
    return Result.fail(`No contract of ${name} has a storageLayout. Ask solc for storageLayout in outputSelection.`)
  }
  const found = contracts.slice(0, MAX_CONTRACTS).flatMap((contract): ReadonlyArray<FoundLayout> => {
    const layout = layoutOf(contract)
    return Result.isSuccess(layout) && layout.success.variables.length + layout.success.namespaces.length > 0
      ? [{ contract, layout: layout.success }]
      : []
  })
  return found.length === 0 ? Result.fail(`No contract of ${name} has variables.`) : Result.succeed(found)
}

/** Maximum number of contracts of one file that are read. */
const MAX_CONTRACTS = 500

/**
 * Returns the output of the standard JSON interface. The file is that output, contains it, or has it in another form.
 */
const outputOf = (json: Json): Json | undefined => {
  const { contracts, output, sources } = json
  if (isRecord(output) && isRecord(output["contracts"])) return output
  if (!isRecord(contracts)) return undefined
  const isCombined = Object.entries(contracts).some(
    ([name, contract]) => name.includes(":") && isRecord(contract) && "storage-layout" in contract
  )
  if (!isCombined) return json
  const bySource: Record<string, Record<string, unknown>> = {}
  for (const [name, contract] of Object.entries(contracts)) {
    const at = name.lastIndexOf(":")
    const written = isRecord(contract) ? contract["storage-layout"] : undefined
    const storageLayout = typeof written === "string" ? parsed(written) : written
    const source = name.slice(0, at)
    bySource[source] = { ...bySource[source], [name.slice(at + 1)]: { storageLayout } }
  }
  const trees = Object.entries(isRecord(sources) ? sources : {}).map(([source, tree]) => [
    source,
    { ast: isRecord(tree) ? tree["AST"] : undefined }
  ])
  return { contracts: bySource, sources: Object.fromEntries(trees) }
}

/** Solc before 0.8 writes the layout as text. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the contract's name in an artifact of Hardhat or Foundry. */
const nameOf = ({ ast, contractName, sourceName }: Json): string | undefined => {
  const source = typeof sourceName === "string" ? sourceName : isRecord(ast) ? ast["absolutePath"] : undefined
  if (typeof contractName !== "string") return undefined
  return typeof source === "string" ? `${source}:${contractName}` : contractName
}

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
