/** Compiles Solidity with the solc of npm. */
import solc from "solc"
import type { Abi, Hex } from "viem"

export interface Contract {
  readonly abi: Abi
  readonly creationCode: Hex
  /** As solc gives them. */
  readonly storageLayout: any
  readonly transientStorageLayout: any
}

export interface Compiled {
  /** The whole output. */
  readonly output: any
  readonly contract: (name: string) => Contract
}

/** Compiles one source, `Test.sol`. Throws what solc calls an error. */
export const compile = (source: string, settings: object = {}): Compiled => {
  const content = `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.29;\n${source}`
  const contents = ["abi", "evm.bytecode.object", "storageLayout", "transientStorageLayout"]
  const input = {
    language: "Solidity",
    sources: { "Test.sol": { content } },
    settings: { ...settings, outputSelection: { "*": { "*": contents, "": ["ast"] } } }
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const errors = (output.errors ?? []).filter((error: any) => error.severity === "error")
  if (errors.length > 0) throw new Error(errors.map((error: any) => error.formattedMessage).join("\n"))
  return {
    output,
    contract: (name) => {
      const { abi, evm, storageLayout, transientStorageLayout } = output.contracts["Test.sol"][name]
      return { abi, creationCode: `0x${evm.bytecode.object}`, storageLayout, transientStorageLayout }
    }
  }
}
