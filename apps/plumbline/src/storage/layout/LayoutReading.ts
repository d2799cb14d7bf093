/** Reads layouts from files and folders: the output of compilers and build tools, or sources, which are compiled. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

import * as Artifact from "./Artifact.ts"
import * as ArtifactFolder from "./ArtifactFolder.ts"
import * as BuildInfo from "./BuildInfo.ts"
import * as CompilerOutput from "./CompilerOutput.ts"
import type * as ContractNames from "./ContractNames.ts"
import * as JsonFiles from "./JsonFiles.ts"
import * as Metadata from "./Metadata.ts"
import * as Solidity from "./Solidity.ts"

/**
 * The layout of a contract.
 *
 * | file or folder | what the command reads |
 * | --- | --- |
 * | `.sol` | the source, compiled with solc; its imports are resolved beside it |
 * | output of solc or Vyper, standard or combined JSON | the contract's layout, and what the syntax tree adds |
 * | build info of Hardhat or Foundry | the same; without a layout, its input is compiled again |
 * | an artifact of Foundry | its `storageLayout`, and what the trees of all its imports add; or its build info |
 * | an artifact of Hardhat | its `storageLayout`, or its build info |
 * | an artifact of Truffle | its source, compiled |
 * | `metadata.json`, with the sources beside it | the sources, compiled, if they have the hashes in the metadata |
 * | `storageLayout` itself; what `vyper -f layout` prints | all of it |
 * | a folder | the contract that `wanted` names, or the only contract with variables |
 */
export const read = Effect.fnUntraced(function* (file: string, wanted: ContractNames.WantedContract) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.orElseSucceed(fs.stat(file), () => undefined)
  if (info?.type === "Directory") return yield* ArtifactFolder.layout(file, wanted)
  if (file.endsWith(".sol")) {
    const source = path.resolve(file)
    const output = yield* Solidity.compile(file, source)
    return yield* CompilerOutput.layout(file, { file, output }, wanted, source)
  }
  const json = yield* JsonFiles.read(file)
  if (Metadata.isMetadata(json)) return yield* ArtifactFolder.ofMetadata(file, file, json, wanted)
  const output = CompilerOutput.standard(json)
  if (output !== undefined) return yield* CompilerOutput.layout(file, { file, output }, wanted)
  const compiled = yield* BuildInfo.of(file, json)
  return compiled === undefined
    ? yield* Artifact.layout(file, file, json, wanted)
    : yield* CompilerOutput.layout(file, compiled, wanted)
})
