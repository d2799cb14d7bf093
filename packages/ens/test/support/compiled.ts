/** Compiles `contracts/Names.sol` with the solc of npm. The output is cached in `node_modules/.cache`. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"

import type { Abi, Hex } from "viem"

export interface Artifact {
  readonly abi: Abi
  readonly code: Hex
}

const SOURCE = "Names.sol"
const CACHE = path.join(import.meta.dirname, "../../node_modules/.cache/solc")
const require = createRequire(import.meta.url)

/** Returns the contracts by their names. Throws the errors that solc reports. */
export const compile = (): Readonly<Record<string, Artifact>> => {
  const content = readFileSync(path.join(import.meta.dirname, "../contracts", SOURCE), "utf8")
  const { contracts, errors = [] } = JSON.parse(
    cached(
      JSON.stringify({
        language: "Solidity",
        sources: { [SOURCE]: { content } },
        settings: {
          evmVersion: "prague",
          optimizer: { enabled: true, runs: 1 },
          outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } }
        }
      })
    )
  )
  const failed = errors.filter(({ severity }: { readonly severity: string }) => severity === "error")
  if (failed.length > 0) throw new Error(failed.map((error: any) => error.formattedMessage).join("\n"))
  return Object.fromEntries(
    Object.entries<any>(contracts[SOURCE]).map(([name, { abi, evm }]) => [
      name,
      { abi, code: `0x${evm.bytecode.object}` }
    ])
  )
}

/** Returns the output for an input. The file's name depends on compiler and input, so a change never finds an old file. */
const cached = (input: string): string => {
  const { version } = require("solc/package.json")
  const file = path.join(CACHE, `${createHash("sha256").update(`${version}\n${input}`).digest("hex")}.json`)
  if (existsSync(file)) return readFileSync(file, "utf8")
  const output: string = require("solc").compile(input)
  mkdirSync(CACHE, { recursive: true })
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, output)
  renameSync(temporary, file)
  return output
}
