/**
 * Build info of Hardhat and Foundry: the input and the output of one run of the compiler.
 *
 * | tool | files |
 * | --- | --- |
 * | Hardhat 2, `forge build --build-info` | one with `solcVersion`, `input` and `output` |
 * | Hardhat 3 | `<id>.json` with `input`, and `<id>.output.json` with `output` |
 * | `forge build` | one with neither `input` nor `output`; it only names sources, so it contains no layout |
 *
 * Sources: hardhat.org, "Compilation artifacts formats" (of both versions); foundry-compilers, `buildinfo.rs`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"

import * as CompilerOutput from "./CompilerOutput.ts"
import * as JsonFiles from "./JsonFiles.ts"

/**
 * Returns the compiler run that a file holds. If the input and the output are in two neighbouring files, both are read.
 * Undefined if the file is not build info.
 */
export const of = Effect.fnUntraced(function* (file: string, json: JsonFiles.Json) {
  const isOutput = file.endsWith(OUTPUT)
  const isSplit = JsonFiles.text(json["_format"])?.startsWith("hh3-sol-build-info") === true
  if (!JsonFiles.isRecord(json["output"]) && !JsonFiles.isRecord(json["input"])) return undefined
  const other = isSplit
    ? yield* JsonFiles.readIfThere(isOutput ? inputOf(file) : file.replace(/\.json$/u, OUTPUT))
    : undefined
  const { input, output, solcLongVersion, solcVersion } = { ...other, ...json }
  const version = JsonFiles.text(solcVersion) ?? JsonFiles.text(solcLongVersion)
  const whole = JsonFiles.isRecord(output) ? (CompilerOutput.standard(output) ?? output) : {}
  const compiled: CompilerOutput.CompilerRun = {
    file,
    output: whole,
    input: JsonFiles.isRecord(input) ? input : undefined,
    version
  }
  return compiled
})

/** Returns the folder `build-info` of an artifact: in the artifact's folder, or in a folder above. */
export const folderOf = Effect.fnUntraced(function* (artifact: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  let folder = path.dirname(path.resolve(artifact))
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const found = path.join(folder, "build-info")
    if (yield* Effect.orElseSucceed(fs.exists(found), () => false)) return found
    folder = path.dirname(folder)
  }
  return undefined
})

/**
 * Streams the runs in a folder of build info, the newest first. A run is read only when the stream's consumer asks for
 * it.
 */
export const filesIn = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
  const files = yield* Effect.forEach(
    names.filter((name) => name.endsWith(".json") && !name.endsWith(OUTPUT)).sort(),
    (name) => {
      const file = path.join(folder, name)
      return Effect.map(Effect.option(fs.stat(file)), (info) => ({
        file,
        at: Option.getOrUndefined(Option.flatMap(info, ({ mtime }) => mtime))?.getTime() ?? 0
      }))
    }
  )
  return files.sort((a, b) => b.at - a.at).map(({ file }) => file)
})

/** Returns the newest run in a folder whose output has the requested contract; undefined if none has it. */
export const withContract = Effect.fnUntraced(function* (
  folder: string,
  isIt: (contract: CompilerOutput.CompiledContract) => boolean
) {
  for (const file of yield* filesIn(folder)) {
    const json = yield* JsonFiles.readIfThere(file)
    const compiled = json === undefined ? undefined : yield* of(file, json)
    if (compiled !== undefined && CompilerOutput.contractsOf(compiled.output).some(isIt)) return compiled
  }
  return undefined
})

const OUTPUT = ".output.json"

const inputOf = (file: string): string => `${file.slice(0, -OUTPUT.length)}.json`

/** Maximum number of folders above an artifact that are searched; no real project has as many. */
const MAX_DEPTH = 16
