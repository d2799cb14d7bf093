/**
 * Writes out the exported names of CommonJS packages that a chunk loads later, by `import("@redis/client")` or through
 * a module of the form `export * from "undici"`.
 *
 * Node finds such names when it loads the package. esbuild does not list them, so the chunk would export only
 * `default`. This plugin lists the names that the package has while the bundle is made.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"

import type { OutputFile, Plugin } from "esbuild"

/** The packages that are loaded by `import()`. `unnamed` finds packages that are missing here. */
const LOADED_LATER = /^@redis\/client$/

/** Lists the exported names of each module that needs such a list. */
export const plugin: Plugin = {
  name: "reexports",
  setup: (build) => {
    build.onLoad({ filter: /[\\/]@effect[\\/]platform-node[\\/]dist[\\/]Undici\.js$/ }, ({ path: file }) => ({
      contents: named(readFileSync(file, "utf8"), (name) => createRequire(file)(name) as object),
      loader: "js"
    }))
    build.onResolve({ filter: LOADED_LATER }, ({ importer, kind, path: name }) =>
      kind === "dynamic-import" ? { path: name, namespace: "later", pluginData: importer } : undefined
    )
    build.onLoad({ filter: /./, namespace: "later" }, ({ path: name, pluginData: importer }) => ({
      contents: named(`export * from ${JSON.stringify(name)};`, (from) => createRequire(importer)(from) as object),
      loader: "js",
      resolveDir: path.dirname(importer)
    }))
  }
}

/** Returns a source in which each `export * from` of a package lists the package's names. */
export const named = (source: string, load: (name: string) => object): string =>
  source.replaceAll(/^export \* from ("[^".]+");$/gmu, (_, from: string) => {
    const names = Object.keys(load(JSON.parse(from) as string)).filter((name) => /^[A-Za-z_$][\w$]*$/u.test(name))
    return `export { ${names.filter((name) => name !== "default").join(", ")} } from ${from};`
  })

/** Returns the files that export a package's names without listing them, so that only Node would find the names. */
export const unnamed = (files: ReadonlyArray<OutputFile>): ReadonlyArray<string> =>
  files
    .filter(({ text }) => /(?<![\w$])__reExport\(|^export default require_\w+\(\);$/mu.test(text))
    .map(({ path: file }) => file)
