/**
 * Measures the cost of a typed accessor for tsc: the additional type instantiations of a program if it contains every
 * path of a contract. Fails above the limit.
 *
 *     node packages/storage-layout/scripts/instantiations.ts [<file.sol> <contract>]
 *
 * Without a file, the script uses the test contract that has a variable of every kind.
 */
import { readFileSync } from "node:fs"
import * as path from "node:path"

import { Generate, Layout } from "@plumbline/storage-layout"
import * as Result from "effect/Result"
import solc from "solc"

import * as Kinds from "../test/support/kinds.ts"
import * as Typed from "../test/support/typed.ts"
import * as Tsc from "./tsc.ts"

/** Maximum number of type instantiations for each variable of the contract. */
export const LIMIT_PER_VARIABLE = 125

/** The result of a count. */
export interface Count {
  readonly variables: number
  readonly paths: number
  readonly instantiations: number
  readonly limit: number
}

/** Counts the instantiations for a contract of a Solidity source. Default of `paths`: all variables of the contract. */
export const count = async (source: string, contract: string, paths?: ReadonlyArray<string>): Promise<Count> => {
  const input = {
    language: "Solidity",
    sources: { "Measured.sol": { content: source } },
    settings: { outputSelection: { "*": { "*": ["storageLayout"], "": ["ast"] } } }
  }
  const layout = Result.getOrThrow(Layout.fromSolcOutput(JSON.parse(solc.compile(JSON.stringify(input))), contract))
  const all =
    paths?.flatMap((text) => Typed.expression(layout, "vault", text) ?? []) ?? Typed.everything(layout, "vault")
  const imports = `
    import * as Accessor from "@plumbline/storage-layout/typed/Accessor"
    import { layout } from "./Layout.ts"`
  const bare = `${imports}\nexport const used = [layout, Accessor.make]`
  const uses = all.map((code, i) => `export const path${i} = Accessor.path(${code})`).join("\n")
  const whole = `${bare}\nconst vault = Accessor.make(layout)\n${uses}`
  const [less, more] = await Promise.all(
    [bare, whole].map((text) => instantiations({ "Layout.ts": Generate.typescript(layout), "program.ts": text }))
  )
  const variables = layout.variables.length
  return { variables, paths: all.length, instantiations: more! - less!, limit: LIMIT_PER_VARIABLE * variables }
}

const instantiations = async (files: Readonly<Record<string, string>>): Promise<number> => {
  const { ok, text } = await Tsc.run(files, ["--extendedDiagnostics"])
  const [, found] = /^Instantiations:\s+([\d,]+)/m.exec(text) ?? []
  if (!ok || found === undefined) throw new Error(text)
  return Number(found.replaceAll(",", ""))
}

if (import.meta.main) {
  const [file, contract] = process.argv.slice(2)
  const counted =
    file === undefined || contract === undefined
      ? await count(`pragma solidity ^0.8.29;${Kinds.source("0x1000")}`, "Kinds", Kinds.paths)
      : await count(readFileSync(path.resolve(file), "utf8"), contract)
  const { instantiations, limit, paths, variables } = counted
  console.log(`${instantiations} instantiations for ${paths} paths of ${variables} variables; the limit is ${limit}`)
  if (instantiations > limit) process.exitCode = 1
}
