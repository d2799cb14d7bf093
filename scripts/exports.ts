/**
 * Writes the `exports` of every published package from its tree: `.`, `./package.json`, and one entry for each public
 * module. No entry is a pattern, because `*` matches slashes too and opens every file below it.
 *
 * `--write` writes the manifests. Without it the script fails if a manifest differs from what it would write.
 *
 * Some entries of the workspace's manifest lead into neither `src` nor `dist`: test helpers that the tests of another
 * package import. They are written by hand. The script keeps such an entry, which must name one file that exists.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { isSameJson, modulesOf, packages, root } from "./workspace.ts"

/** The entries of a manifest: what a program may import, and the file behind it. */
export type Exports = Readonly<Record<string, string | null>>

interface Manifest {
  readonly exports: Exports
  readonly publishConfig: { readonly exports: Exports }
}

/** Returns the entries for the sources or for the build output. */
const entries = (modules: ReadonlyArray<string>, folder: "src" | "dist", extension: "ts" | "js"): Exports => ({
  "./package.json": "./package.json",
  ".": `./${folder}/index.${extension}`,
  ...Object.fromEntries(modules.map((module) => [`./${module}`, `./${folder}/${module}.${extension}`]))
})

/** Returns the entries that were written by hand: those that lead to files outside `src` and `dist`. */
export const doorsByHand = (exports: Exports): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {}
  for (const [entry, file] of Object.entries(exports)) {
    if (file !== null && file !== "./package.json" && !/^\.\/(?:src|dist)\//u.test(file)) found[entry] = file
  }
  return found
}

/**
 * Returns the manifest with the entries that the file tree requires, and the faults of the entries that were written by
 * hand.
 */
export const rewrite = (
  dir: string
): { readonly before: string; readonly after: string; readonly faults: Array<string> } => {
  const before = readFileSync(path.join(dir, "package.json"), "utf8")
  const manifest: Manifest = JSON.parse(before)
  const modules = modulesOf(dir)
  const byHand = doorsByHand(manifest.exports)
  const faults = Object.entries(byHand).flatMap(([entry, file]) => {
    if (entry.includes("*") || file.includes("*")) return [`${entry} is a pattern. Name each file.`]
    return existsSync(path.join(dir, file)) ? [] : [`${entry} names ${file}, which does not exist.`]
  })
  const after = {
    ...manifest,
    exports: { ...entries(modules, "src", "ts"), ...byHand },
    publishConfig: { ...manifest.publishConfig, exports: entries(modules, "dist", "js") }
  }
  return { before, after: `${JSON.stringify(after, null, 2)}\n`, faults }
}

if (import.meta.main) {
  const faults: Array<string> = []
  const write = process.argv.includes("--write")
  for (const { dir, name } of packages()) {
    const { after, before, faults: found } = rewrite(dir)
    faults.push(...found.map((fault) => `${name}: ${fault}`))
    if (isSameJson(after, before)) continue
    const file = path.join(dir, "package.json")
    if (write) writeFileSync(file, after)
    else faults.push(`${path.relative(root, file)} differs from the tree. Run "pnpm exports --write".`)
  }
  if (faults.length > 0) {
    console.error(faults.join("\n"))
    process.exitCode = 1
  }
}
