/** Compiles contracts/*.sol with the solc of npm: no network, no native compiler. */
import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"

import solc from "solc"
import type { Abi, Hex } from "viem"

/** The parts of a compiled contract that other scripts need. */
export interface Artifact {
  readonly name: string
  /** The path of the source, relative to the package. */
  readonly source: string
  readonly abi: Abi
  readonly creationCode: Hex
  /** The code at the contract's address. In place of immutable variables, it has zeros. */
  readonly runtimeCode: Hex
  /**
   * The storage layout in the form that solc prints, with what only the syntax tree has: `enumMembers` of enums, and
   * the `underlying` types of user-defined value types.
   */
  readonly storageLayout: unknown
}

const folder = path.resolve(import.meta.dirname, "../contracts")

// The metadata hash is left out: the code, and each state root, would otherwise depend on comments.
const settings = {
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: "none", appendCBOR: false },
  outputSelection: {
    "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object", "storageLayout"], "": ["ast"] }
  }
}

/** Warning of solc for each EVM before London: support for it will end. */
const OLD_EVM = "Support for EVM versions older than london is deprecated"

interface Output {
  readonly errors?: ReadonlyArray<{ readonly message: string; readonly formattedMessage: string }>
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly abi: Abi
            readonly evm: {
              readonly bytecode: { readonly object: string }
              readonly deployedBytecode: { readonly object: string }
            }
            readonly storageLayout: StorageLayout
          }
        >
      >
    >
  >
}

interface StorageLayout {
  readonly storage: ReadonlyArray<unknown>
  readonly types: Readonly<Record<string, object>> | null
}

/** A node of the syntax tree that defines an enum or a user-defined value type. */
interface Definition {
  readonly id: number
  readonly nodeType: string
  readonly members?: ReadonlyArray<{ readonly name: string }>
  readonly underlyingType?: { readonly name: string }
}

/** The id of a type with a definition ends with the id of the definition's node. */
const DEFINED = /^t_(?:enum|userDefinedValueType)\(.*\)(\d+)$/u

const withNames = (layout: StorageLayout, nodes: ReadonlyMap<number, Definition>): StorageLayout => ({
  ...layout,
  types:
    layout.types &&
    Object.fromEntries(
      Object.entries(layout.types).map(([id, type]) => {
        const { members, nodeType, underlyingType } = nodes.get(Number(DEFINED.exec(id)?.[1])) ?? {}
        if (nodeType === "EnumDefinition") return [id, { ...type, enumMembers: members?.map(({ name }) => name) }]
        return [id, nodeType === undefined ? type : { ...type, underlying: underlyingType?.name }]
      })
    )
})

/** Compiles every contract in these files, keyed by name, for the EVM of a fork. A warning is an error. */
export const compile = (
  evmVersion = "prague",
  files: ReadonlyArray<string> = globSync("*.sol", { cwd: folder }).sort()
): ReadonlyMap<string, Artifact> => {
  const sources = Object.fromEntries(
    files.map((file) => [`contracts/${file}`, { content: readFileSync(path.join(folder, file), "utf8") }])
  )
  const input = { language: "Solidity", sources, settings: { ...settings, evmVersion } }
  const nodes = new Map<number, Definition>()
  const output: Output = JSON.parse(solc.compile(JSON.stringify(input)), (_, value) => {
    if (/^(?:Enum|UserDefinedValueType)Definition$/u.test(value?.nodeType)) nodes.set(value.id, value)
    return value
  })
  const errors = output.errors?.filter((error) => !error.message.startsWith(OLD_EVM)) ?? []
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"))
  return new Map(
    Object.entries(output.contracts).flatMap(([source, contracts]) =>
      Object.entries(contracts).map(([name, { abi, evm, storageLayout }]) => [
        name,
        {
          name,
          source,
          abi,
          creationCode: `0x${evm.bytecode.object}`,
          runtimeCode: `0x${evm.deployedBytecode.object}`,
          storageLayout: withNames(storageLayout, nodes)
        }
      ])
    )
  )
}
