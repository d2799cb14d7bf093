/**
 * Makes files in the forms of Foundry, Hardhat, Truffle and Sourcify from solc's own output.
 *
 * Sources of the shapes: foundry-compilers, `artifact_output/configurable.rs` and `buildinfo.rs`; hardhat.org,
 * "Compilation artifacts formats", of versions 2 and 3; docs.sourcify.dev, "File Repositories"; Truffle's "Contract
 * Schema".
 */
import { execFileSync } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import * as path from "node:path"

import * as Solidity from "@plumbline/seeded/Solidity"

import * as Children from "./Children.ts"
import * as RunCli from "./RunCli.ts"

const packages = createRequire(path.join(import.meta.dirname, "../../../../packages/storage-layout/package.json"))

/** The compilers of the workspace. */
export type Compiler = "solc" | "solc-0.5.13" | "solc-0.6.12" | "solc-0.8.20"

const asked = ["abi", "evm.bytecode.object", "metadata", "storageLayout"]

/** Source texts by name. */
export type Sources = Readonly<Record<string, string>>

/**
 * A run of a compiler, in a separate process, because old compilers install handlers for every error of their process.
 */
export interface Run {
  readonly input: any
  readonly output: any
  readonly version: string
}

export const compile = (sources: Sources, compiler: Compiler = "solc"): Run => {
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }])),
    settings: { optimizer: { enabled: true, runs: 200 }, outputSelection: { "*": { "*": asked, "": ["ast"] } } }
  }
  const program = `const s = require(process.argv[1]); process.stdout.write(JSON.stringify({ output: JSON.parse(s.compile(require("fs").readFileSync(0, "utf8"))), version: s.version() }))`
  const text = JSON.stringify(input)
  // the version is kept with the output, so the file is another than that of the output alone
  const key = `${packages(`${compiler}/package.json`).version} with its version`
  const run = () =>
    execFileSync(process.execPath, ["-e", program, packages.resolve(compiler)], { input: text, maxBuffer: 2 ** 28 })
  const { output, version } = JSON.parse(Solidity.kept(key, text) ?? Solidity.keep(key, text, run().toString()))
  const errors = (output.errors ?? []).filter((error: any) => error.severity === "error")
  if (errors.length > 0) throw new Error(errors.map((error: any) => error.formattedMessage).join("\n"))
  return { input, output, version: version.replace(/\.Emscripten.*$/u, "") }
}

/** Files by their names. Text is written unchanged, and any other value as JSON. */
export type Files = Readonly<Record<string, unknown>>

const base = (source: string): string => path.posix.basename(source)

const each = <A>({ output }: Run, make: (source: string, name: string, contract: any) => ReadonlyArray<[string, A]>) =>
  Object.fromEntries(
    Object.entries<any>(output.contracts).flatMap(([source, contracts]) =>
      Object.entries<any>(contracts).flatMap(([name, contract]) => make(source, name, contract))
    )
  )

/** `forge build` with some of `--extra-output storageLayout`, `--ast` and `--build-info`. */
export const forge = (
  run: Run,
  flags: { layout?: boolean; ast?: boolean; info?: boolean; versioned?: boolean } = {}
): Files => {
  const { input, output, version } = run
  const [short] = version.split("+")
  const ids = Object.fromEntries(Object.entries<any>(output.sources).map(([source, { id }]) => [id, source]))
  const astOf = (source: string) => (flags.ast === true ? { ast: output.sources[source].ast } : {})
  const artifacts = each(run, (source, name, { abi, evm, metadata, storageLayout }) => [
    [
      `out/${base(source)}/${name}${flags.versioned === true ? `.${short}` : ""}.json`,
      {
        abi,
        bytecode: { object: `0x${evm.bytecode.object}`, sourceMap: "", linkReferences: {} },
        methodIdentifiers: {},
        rawMetadata: metadata,
        metadata: JSON.parse(metadata || "{}"),
        ...(flags.layout === true ? { storageLayout } : {}),
        ...astOf(source),
        id: output.sources[source].id
      }
    ]
  ])
  const alone = Object.keys(output.sources).filter((source) => output.contracts[source] === undefined)
  const standalone = alone.map((source) => [
    `out/${base(source)}/${base(source).replace(/\.sol$/u, "")}.json`,
    { abi: [], bytecode: { object: "0x" }, ...astOf(source), id: output.sources[source].id }
  ])
  const context = { id: "0a1b", source_id_to_path: ids, language: "Solidity" }
  const whole = {
    ...context,
    _format: "ethers-rs-sol-build-info-1",
    solcVersion: short,
    solcLongVersion: version,
    input,
    output: without(output, flags.layout !== true)
  }
  return {
    ...artifacts,
    ...(flags.ast === true ? Object.fromEntries(standalone) : {}),
    "out/build-info/0a1b.json": flags.info === true ? whole : context
  }
}

/** Returns the output of a compiler that was not asked for layouts. */
const without = (output: any, isWithout: boolean) =>
  isWithout
    ? {
        ...output,
        contracts: Object.fromEntries(
          Object.entries<any>(output.contracts).map(([source, contracts]) => [
            source,
            Object.fromEntries(
              Object.entries<any>(contracts).map(([name, contract]) => [
                name,
                { ...contract, storageLayout: undefined }
              ])
            )
          ])
        )
      }
    : output

const hardhatArtifact = (source: string, name: string, { abi, evm }: any) => ({
  contractName: name,
  sourceName: source,
  abi,
  bytecode: `0x${evm.bytecode.object}`,
  deployedBytecode: "0x",
  linkReferences: {},
  deployedLinkReferences: {}
})

/** `npx hardhat compile` of version 2, with or without storageLayout in outputSelection. */
export const hardhat2 = (run: Run, layout: boolean): Files => {
  const { input, output, version } = run
  const artifacts = each<unknown>(run, (source, name, contract) => {
    const folder = `artifacts/${source}`
    const up = "../".repeat(source.split("/").length)
    return [
      [`${folder}/${name}.json`, { _format: "hh-sol-artifact-1", ...hardhatArtifact(source, name, contract) }],
      [`${folder}/${name}.dbg.json`, { _format: "hh-sol-dbg-1", buildInfo: `${up}build-info/f00d.json` }]
    ]
  })
  const info = {
    id: "f00d",
    _format: "hh-sol-build-info-1",
    solcVersion: version.split("+")[0],
    solcLongVersion: version,
    input,
    output: without(output, !layout)
  }
  return { ...artifacts, "artifacts/build-info/f00d.json": info, "cache/solidity-files-cache.json": { files: {} } }
}

/** `npx hardhat build` of version 3: sources have other names within the compiler, and build info comes in two files. */
export const hardhat3 = (sources: Sources, layout: boolean): Files => {
  const inside = (source: string) => `project/${source}`
  const run = compile(Object.fromEntries(Object.entries(sources).map(([name, text]) => [inside(name), text])))
  const { input, output, version } = run
  const id = `solc-${version.split("+")[0]!.replaceAll(".", "_")}-beef`
  const artifacts = each(run, (source, name, contract) => {
    const own = source.slice("project/".length)
    const names = { buildInfoId: id, inputSourceName: source }
    return [
      [
        `artifacts/${own}/${name}.json`,
        { _format: "hh3-artifact-1", ...hardhatArtifact(own, name, contract), immutableReferences: {}, ...names }
      ]
    ]
  })
  const names = Object.fromEntries(Object.keys(sources).map((name) => [name, inside(name)]))
  const [solcVersion] = version.split("+")
  return {
    ...artifacts,
    [`artifacts/build-info/${id}.json`]: {
      _format: "hh3-sol-build-info-1",
      id,
      solcVersion,
      solcLongVersion: version,
      userSourceNameMap: names,
      input
    },
    [`artifacts/build-info/${id}.output.json`]: {
      _format: "hh3-sol-build-info-output-1",
      id,
      output: without(output, !layout)
    }
  }
}

/**
 * Returns the folder of a contract at Sourcify. Version 1 keeps the names of source files; version 2 names source files
 * by their hashes.
 */
export const sourcify = ({ input, output }: Run, source: string, name: string, version: 1 | 2): Files => {
  const { metadata } = output.contracts[source][name]
  const parsed = JSON.parse(metadata)
  return {
    "metadata.json": metadata,
    "creator-tx-hash.txt": "0x00",
    ...Object.fromEntries(
      Object.entries<any>(parsed.sources).map(([name, { keccak256 }]) => [
        `sources/${version === 1 ? name.replaceAll("@", "_") : keccak256}`,
        input.sources[name].content
      ])
    )
  }
}

/** `truffle compile`. */
export const truffle = (run: Run): Files =>
  each(run, (source, name, { abi, metadata }) => [
    [
      `build/contracts/${name}.json`,
      {
        contractName: name,
        abi,
        metadata,
        source: run.input.sources[source].content,
        sourcePath: `/home/${source}`,
        ast: run.output.sources[source].ast,
        compiler: { name: "solc", version: run.version },
        schemaVersion: "3.4.16"
      }
    ]
  ])

/** Returns the answer of `plumbline slots` for files in a new folder. */
export const slots = async (files: Files, args: ReadonlyArray<string>): Promise<RunCli.JsonOutcome> => {
  await using folder = await Children.folder()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder.path, name)), { recursive: true })
    await writeFile(path.join(folder.path, name), typeof content === "string" ? content : JSON.stringify(content))
  }
  const [file = "", ...rest] = args
  return await RunCli.json(["slots", "--layout", path.join(folder.path, file), ...rest])
}
