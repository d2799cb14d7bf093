/** Compiles Solidity with the solc of npm. Outputs are cached in `node_modules/.cache`, keyed by their input. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"

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
  read(
    kept("solc", inputOf(`pragma solidity ^0.8.29;\n${source}`, settings), (input) => require("solc").compile(input))
  )

/** Compiles several sources by their paths. Returns the whole output, and throws the errors that solc reports. */
export const compileAll = (sources: Readonly<Record<string, string>>): unknown => {
  const input = JSON.stringify({
    language: "Solidity",
    sources: Object.fromEntries(
      Object.entries(sources).map(([path, content]) => [
        path,
        { content: `// SPDX-License-Identifier: MIT\n${content}` }
      ])
    ),
    settings: { outputSelection: { "*": { "*": CONTENTS, "": ["ast"] } } }
  })
  return read(kept("solc", input, (input) => require("solc").compile(input))).output
}

const require = createRequire(import.meta.url)

/** The compilers, by the names of their packages. */
const compilers = {
  solc: require.resolve("solc"),
  "solc-0.5.13": require.resolve("solc-0.5.13"),
  "solc-0.6.12": require.resolve("solc-0.6.12"),
  "solc-0.8.20": require.resolve("solc-0.8.20")
}

export type Compiler = keyof typeof compilers

const CACHE = path.join(import.meta.dirname, "../../node_modules/.cache/solc")

/**
 * Returns the file for a compiler's output. Its name depends on version and input, so a change never finds an old file.
 */
const fileOf = (name: Compiler, input: string): string => {
  const { version } = require(`${name}/package.json`)
  return path.join(CACHE, `${createHash("sha256").update(`${version}\n${input}`).digest("hex")}.json`)
}

const readKept = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined)

/** Writes a file atomically, because several processes may write it at the same time. */
const keep = (file: string, output: string): string => {
  mkdirSync(CACHE, { recursive: true })
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, output)
  renameSync(temporary, file)
  return output
}

const kept = (name: Compiler, input: string, compile: (input: string) => string): string => {
  const file = fileOf(name, input)
  return readKept(file) ?? keep(file, compile(input))
}

/** The last compilation. A compiler takes hundreds of megabytes, so compilers run one at a time. */
let last: Promise<unknown> = Promise.resolve()

/** Compiles like `compile`, with another version. */
export const compileWith = (name: Compiler, source: string, settings: object = {}): Promise<Compiled> => {
  const input = inputOf(source, settings)
  const file = fileOf(name, input)
  const output = readKept(file)
  if (output !== undefined) return Promise.resolve(read(output))
  const compiled = last.then(() => run(name, input)).then((made) => keep(file, made))
  last = compiled.catch(() => {})
  return compiled.then(read)
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

const inputOf = (source: string, settings: object): string =>
  JSON.stringify({
    language: "Solidity",
    sources: { "Test.sol": { content: `// SPDX-License-Identifier: MIT\n${source}` } },
    settings: { ...settings, outputSelection: { "*": { "*": CONTENTS, "": ["ast"] } } }
  })

const read = (text: string): Compiled => {
  const output = JSON.parse(text)
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
