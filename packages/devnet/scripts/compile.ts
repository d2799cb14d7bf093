/** Compiles contracts/*.sol with the solc of npm: no network, no native compiler. */
import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"

import solc from "solc"
import type { Abi, Hex } from "viem"

/** What the other scripts need of one contract. */
export interface Artifact {
  readonly name: string
  /** Relative to the package. */
  readonly source: string
  readonly abi: Abi
  readonly creationCode: Hex
  /** As solc gives it. */
  readonly storageLayout: unknown
}

const folder = path.resolve(import.meta.dirname, "../contracts")

// The metadata hash is left out: it would make the code, and so each state root, depend on comments.
const settings = {
  evmVersion: "prague",
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: "none", appendCBOR: false },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "storageLayout"] } }
}

interface Output {
  readonly errors?: ReadonlyArray<{ readonly formattedMessage: string }>
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly abi: Abi
            readonly evm: { readonly bytecode: { readonly object: string } }
            readonly storageLayout: unknown
          }
        >
      >
    >
  >
}

/** Every contract, by its name. A warning is an error. */
export const compile = (): ReadonlyMap<string, Artifact> => {
  const files = globSync("*.sol", { cwd: folder }).sort()
  const sources = Object.fromEntries(
    files.map((file) => [`contracts/${file}`, { content: readFileSync(path.join(folder, file), "utf8") }])
  )
  const output: Output = JSON.parse(solc.compile(JSON.stringify({ language: "Solidity", sources, settings })))
  if (output.errors !== undefined) throw new Error(output.errors.map((error) => error.formattedMessage).join("\n"))
  return new Map(
    Object.entries(output.contracts).flatMap(([source, contracts]) =>
      Object.entries(contracts).map(([name, { abi, evm, storageLayout }]) => [
        name,
        { name, source, abi, creationCode: `0x${evm.bytecode.object}`, storageLayout }
      ])
    )
  )
}
