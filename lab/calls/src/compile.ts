/** Compiles Solidity with the solc of npm. The output is cached in `node_modules/.cache`. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"

import type { Abi, Hex } from "viem"

/** A compiled contract. */
export interface Artifact {
  readonly abi: Abi
  readonly creationCode: Hex
  readonly runtimeCode: Hex
}

const require = createRequire(import.meta.url)
const CACHE = path.join(import.meta.dirname, "../node_modules/.cache/solc")

/** Compiles a file, and returns its contracts by their names. */
export const compile = (file: string): Readonly<Record<string, Artifact>> => {
  const content = readFileSync(file, "utf8")
  const source = path.basename(file)
  const input = JSON.stringify({
    language: "Solidity",
    sources: { [source]: { content } },
    settings: {
      evmVersion: "osaka",
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: "none", appendCBOR: false },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } }
    }
  })
  const { contracts, errors = [] } = JSON.parse(cached(input))
  const failed = errors.filter(({ severity }: { severity: string }) => severity === "error")
  if (failed.length > 0) throw new Error(failed.map((error: any) => error.formattedMessage).join("\n"))
  return Object.fromEntries(
    Object.entries<any>(contracts[source]).map(([name, { abi, evm }]) => [
      name,
      { abi, creationCode: `0x${evm.bytecode.object}`, runtimeCode: `0x${evm.deployedBytecode.object}` }
    ])
  )
}

/** Compiles, unless an earlier run has: solc takes seconds to start. Several processes may write the file at once. */
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
