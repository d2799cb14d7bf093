/** Compiles Solidity with several versions of the solc of npm. */
import { execFile } from "node:child_process"
import { createRequire } from "node:module"

import * as Solidity from "@plumbline/seeded/Solidity"
import type { Abi, Hex } from "viem"

export interface Contract {
  readonly abi: Abi
  readonly creationCode: Hex
  /** The layout in the form that solc prints. */
  readonly storageLayout: any
  readonly transientStorageLayout: any
}

export interface Compiled {
  /** The whole output. */
  readonly output: any
  readonly contract: (name: string) => Contract
}

/** Compiles one source, `Test.sol`. Throws the errors that solc reports. */
export const compile = (source: string, settings: object = {}): Compiled =>
  read(Solidity.compile(inputOf(`pragma solidity ^0.8.29;\n${source}`, settings)))

/** Compiles several sources by their paths. Returns the whole output, and throws the errors that solc reports. */
export const compileAll = (sources: Readonly<Record<string, string>>): unknown =>
  Solidity.compile({
    language: "Solidity",
    sources: Object.fromEntries(
      Object.entries(sources).map(([path, content]) => [
        path,
        { content: `// SPDX-License-Identifier: MIT\n${content}` }
      ])
    ),
    settings: { outputSelection: { "*": { "*": CONTENTS, "": ["ast"] } } }
  })

const require = createRequire(import.meta.url)

/** The compilers, by the names of their packages. */
const compilers = {
  solc: require.resolve("solc"),
  "solc-0.5.13": require.resolve("solc-0.5.13"),
  "solc-0.6.12": require.resolve("solc-0.6.12"),
  "solc-0.8.20": require.resolve("solc-0.8.20")
}

export type Compiler = keyof typeof compilers

const versionOf = (name: Compiler): string => require(`${name}/package.json`).version

/** The last compilation. A compiler takes hundreds of megabytes, so compilers run one at a time. */
let last: Promise<unknown> = Promise.resolve()

/** Compiles like `compile`, with another version. */
export const compileWith = (name: Compiler, source: string, settings: object = {}): Promise<Compiled> => {
  const input = JSON.stringify(inputOf(source, settings))
  const version = versionOf(name)
  const output = Solidity.kept(version, input)
  if (output !== undefined) return Promise.resolve(read(Solidity.outputIn(output)))
  const compiled = last.then(() => run(name, input)).then((made) => Solidity.keep(version, input, made))
  last = compiled.catch(() => {})
  return compiled.then((made) => read(Solidity.outputIn(made)))
}

/** Runs a compiler in a separate process, because old compilers react to every uncaught error of their process. */
const run = (name: Compiler, input: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const program = `process.stdout.write(require(process.argv[1]).compile(require("fs").readFileSync(0, "utf8")))`
    const args = ["-e", program, compilers[name]]
    const child = execFile(process.execPath, args, { maxBuffer: 2 ** 28, timeout: 300_000 }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error)
    )
    child.stdin!.end(input)
  })

const CONTENTS = ["abi", "evm.bytecode.object", "storageLayout", "transientStorageLayout"]

const inputOf = (source: string, settings: object): object => ({
  language: "Solidity",
  sources: { "Test.sol": { content: `// SPDX-License-Identifier: MIT\n${source}` } },
  settings: { ...settings, outputSelection: { "*": { "*": CONTENTS, "": ["ast"] } } }
})

const read = (output: any): Compiled => ({
  output,
  contract: (name) => {
    const { abi, evm, storageLayout, transientStorageLayout } = output.contracts["Test.sol"][name]
    return { abi, creationCode: `0x${evm.bytecode.object}`, storageLayout, transientStorageLayout }
  }
})
