/**
 * Syntax trees of artifacts that were built together: one tree has the declarations of one source, and a variable can
 * have a type that another source declares.
 *
 * Foundry writes the tree of a source into the artifacts of its contracts (`forge build --ast`). For a source without
 * contracts, it writes an artifact with the source's name. Source: foundry-compilers,
 * `standalone_source_file_to_artifact`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

import * as JsonFiles from "./JsonFiles.ts"

/** Maximum number of sources that one source imports, directly or through others. No real project has as many. */
const MAX_SOURCES = 4096

/**
 * Returns the tree of an artifact, and the trees of all sources that it imports, as far as artifacts of the same build
 * have them.
 *
 * An import names the id of a tree. A tree with another id comes from another compiler run, in which ids refer to other
 * sources, so that tree is left out.
 */
export const of = Effect.fnUntraced(function* (artifact: string, ast: JsonFiles.Json) {
  const trees: Array<JsonFiles.Json> = []
  const seen = new Set<unknown>([ast["id"]])
  const rest: Array<JsonFiles.Json> = [ast]
  for (let tree = rest.pop(); tree !== undefined && seen.size < MAX_SOURCES; tree = rest.pop()) {
    trees.push(tree)
    for (const node of nodesOf(tree)) {
      const { absolutePath, nodeType, sourceUnit } = node
      if (nodeType !== "ImportDirective" || typeof absolutePath !== "string" || seen.has(sourceUnit)) continue
      seen.add(sourceUnit)
      const found = yield* treeOf(artifact, absolutePath, sourceUnit)
      if (found !== undefined) rest.push(found)
    }
  }
  return trees
})

const nodesOf = (tree: JsonFiles.Json): ReadonlyArray<JsonFiles.Json> =>
  Array.isArray(tree["nodes"]) ? tree["nodes"].filter(JsonFiles.isRecord) : []

/** Returns the tree of a source, from an artifact in a folder `<source>.sol/` beside the first artifact's folder. */
const treeOf = Effect.fnUntraced(function* (artifact: string, source: string, id: unknown) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const parts = source.split("/")
  // for several sources with the same name, Foundry adds enough folders to distinguish them
  for (const root of rootsOf(path, artifact)) {
    for (let at = parts.length - 1; at >= 0; at--) {
      const folder = path.join(root, ...parts.slice(at).filter((part) => part !== ".."))
      const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
      for (const name of names.filter((name) => name.endsWith(".json"))) {
        const json = yield* JsonFiles.readIfThere(path.join(folder, name))
        const ast = JsonFiles.record(json?.["ast"])
        if (ast["id"] === id && ast["absolutePath"] === source) return ast
      }
    }
  }
  return undefined
})

/**
 * Returns the folder above the artifact's own folder, such as `out` for `out/Vault.sol/Vault.json`, and the next two
 * folders above it, for artifacts such as `out/vaults/Vault.sol/Vault.json`.
 */
const rootsOf = (path: Path.Path, artifact: string): ReadonlyArray<string> => {
  const first = path.dirname(path.dirname(path.resolve(artifact)))
  const second = path.dirname(first)
  return [first, second, path.dirname(second)]
}
