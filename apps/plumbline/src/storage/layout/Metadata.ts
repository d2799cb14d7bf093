/**
 * Compiles contracts from their metadata, which names the sources by their hashes, and from artifacts of Truffle.
 *
 * Sources: the Solidity documentation, "Contract Metadata"; docs.sourcify.dev, "File Repositories"; the schema of Truffle's
 * contract objects.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

import type * as CompilerOutput from "./CompilerOutput.ts"
import * as JsonFiles from "./JsonFiles.ts"
import * as Solidity from "./Solidity.ts"

/** True for metadata: JSON that names its contract, and the sources that the contract was compiled from. */
export const isMetadata = (json: JsonFiles.Json): boolean =>
  JsonFiles.isRecord(JsonFiles.record(json["settings"])["compilationTarget"]) && JsonFiles.isRecord(json["sources"])

/** Returns the name of the metadata's contract: `src/Vault.sol:Vault`. */
export const targetOf = (metadata: JsonFiles.Json): string | undefined => {
  const [target] = Object.entries(JsonFiles.record(JsonFiles.record(metadata["settings"])["compilationTarget"]))
  return target === undefined ? undefined : `${target[0]}:${String(target[1])}`
}

/**
 * Compiles the sources of metadata, which are in its folder or below, and returns the output. Each source must have the
 * hash that the metadata gives for it. The name of a file does not matter, because repositories rename files whose
 * names a file system does not allow.
 */
export const compile = Effect.fnUntraced(function* (path: string, file: string, metadata: JsonFiles.Json) {
  const folders = yield* Path.Path
  if (metadata["language"] !== "Solidity") {
    return yield* JsonFiles.notALayout(
      path,
      'it is not metadata of a Solidity contract: pass the output of "vyper -f layout"'
    )
  }
  const byHash = yield* textsIn(path, folders.dirname(file))
  const sources: Record<string, { readonly content: string }> = {}
  for (const [name, { content, keccak256 }] of JsonFiles.records(metadata["sources"])) {
    const text = JsonFiles.text(content) ?? byHash.get(String(keccak256).toLowerCase())
    if (text === undefined) {
      return yield* JsonFiles.notALayout(
        path,
        `no file here is the source ${name} that it was compiled from: the hash ${String(keccak256)} is that of none`
      )
    }
    sources[name] = { content: text }
  }
  const version = JsonFiles.text(JsonFiles.record(metadata["compiler"])["version"])
  const { remappings } = JsonFiles.record(metadata["settings"])
  const output = yield* Solidity.compileSources(path, { sources, remappings, version })
  const compiled: CompilerOutput.CompilerRun = { file, output, version }
  return compiled
})

/** Maximum number of files of a contract. No real contract has as many. */
const MAX_FILES = 4096
const MAX_BYTES = 16 * 2 ** 20

/** Reads the files in a folder and below, by their hashes. */
const textsIn = Effect.fnUntraced(function* (path: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const found = new Map<string, string>()
  const rest = [folder]
  let count = 0
  for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
    for (const name of yield* Effect.orElseSucceed(fs.readDirectory(at), () => [])) {
      const file = paths.join(at, name)
      const info = yield* Effect.orElseSucceed(fs.stat(file), () => undefined)
      if (info?.type === "Directory" && name !== "node_modules") rest.push(file)
      if (info?.type !== "File" || info.size > MAX_BYTES) continue
      if (++count > MAX_FILES) return yield* JsonFiles.unreadable(path, `its folder has more than ${MAX_FILES} files`)
      const bytes = yield* Effect.orElseSucceed(fs.readFile(file), () => new Uint8Array())
      found.set(Keccak256.hashHex(bytes), new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes))
    }
  }
  return found
})

/**
 * Compiles the source in an artifact of Truffle, with its imports from the artifacts beside it, and returns the output;
 * undefined for any other artifact.
 */
export const ofTruffle = Effect.fnUntraced(function* (path: string, file: string, artifact: JsonFiles.Json) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  if (typeof artifact["source"] !== "string" || typeof artifact["sourcePath"] !== "string") return undefined
  const folder = paths.dirname(file)
  const sources: Record<string, { readonly content: string }> = {}
  const add = (json: JsonFiles.Json): void => {
    const name = JsonFiles.text(JsonFiles.record(json["ast"])["absolutePath"]) ?? JsonFiles.text(json["sourcePath"])
    const content = JsonFiles.text(json["source"])
    if (name !== undefined && content !== undefined) sources[name] = { content }
  }
  for (const name of yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])) {
    if (name.endsWith(".json")) add((yield* JsonFiles.readIfThere(paths.join(folder, name))) ?? {})
  }
  add(artifact)
  const version = JsonFiles.text(JsonFiles.record(artifact["compiler"])["version"])
  const output = yield* Solidity.compileSources(path, { sources, remappings: undefined, version })
  const compiled: CompilerOutput.CompilerRun = { file, output, version }
  return compiled
})
