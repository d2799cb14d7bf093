/** Compiles Solidity with the solc of npm. Outputs are kept in `node_modules/.cache`, because solc takes seconds to start. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"

import type { Abi, Hex } from "viem"

/** A compiled contract. */
export interface CompiledContract {
  readonly abi: Abi
  readonly creationCode: Hex
  readonly runtimeCode: Hex
}

const require = createRequire(import.meta.url)
const CACHE = path.join(import.meta.dirname, "../node_modules/.cache/solc")

/** Compiles for the newest hardfork. Code has no hash of its source, so a comment in the source does not change it. */
const DEFAULTS = {
  evmVersion: "osaka",
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: "none", appendCBOR: false }
}

/**
 * Compiles a file, and returns its contracts by their names. `settings` are those of solc that differ from `DEFAULTS`.
 * Throws the errors that solc reports.
 */
export const contractsIn = (file: string, settings: object = {}): Readonly<Record<string, CompiledContract>> => {
  const source = path.basename(file)
  const { contracts } = compile({
    language: "Solidity",
    sources: { [source]: { content: readFileSync(file, "utf8") } },
    settings: {
      ...DEFAULTS,
      ...settings,
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } }
    }
  })
  return Object.fromEntries(
    Object.entries<any>(contracts[source]).map(([name, { abi, evm }]) => [
      name,
      { abi, creationCode: `0x${evm.bytecode.object}`, runtimeCode: `0x${evm.deployedBytecode.object}` }
    ])
  )
}

/** Returns the output for an input of solc. Throws the errors that solc reports. */
export const compile = (input: object): any => {
  const text = JSON.stringify(input)
  const { version } = require("solc/package.json")
  return outputIn(kept(version, text) ?? keep(version, text, require("solc").compile(text)))
}

/** Reads the text of an output. Throws the errors in it. */
export const outputIn = (text: string): any => {
  const output = JSON.parse(text)
  const errors = (output.errors ?? []).filter((error: any) => error.severity === "error")
  if (errors.length > 0) throw new Error(errors.map((error: any) => error.formattedMessage).join("\n"))
  return output
}

/** Returns the text that was kept for a version of the compiler and an input; undefined if there is none. */
export const kept = (version: string, input: string): string | undefined => {
  const file = fileOf(version, input)
  return existsSync(file) ? readFileSync(file, "utf8") : undefined
}

/** Keeps a text, and returns it. Several processes may write the file at once, so it is written whole or not at all. */
export const keep = (version: string, input: string, text: string): string => {
  mkdirSync(CACHE, { recursive: true })
  const file = fileOf(version, input)
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, text)
  renameSync(temporary, file)
  return text
}

/** The name depends on version and input, so a change of either never finds an old file. */
const fileOf = (version: string, input: string): string =>
  path.join(CACHE, `${createHash("sha256").update(`${version}\n${input}`).digest("hex")}.json`)
