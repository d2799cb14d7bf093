/**
 * Copies the fields that identify the project from the root's manifest into every published one: `repository`,
 * `homepage`, `bugs`, `author`, `license` and `keywords`. A maintainer fills them once, in the root.
 *
 * `--write` writes the manifests. Without `--write`, the script fails if a manifest differs. `--release` also fails
 * while a field is missing or holds a reserved domain (`.invalid`, RFC 2606): a registry refuses a release whose
 * `repository` is not the repository that built it.
 */
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { isSameJson, published, root } from "./workspace.ts"

/** The fields of the root's manifest that every published manifest repeats. */
export interface Identity {
  readonly license: string
  readonly author?: string | undefined
  readonly homepage?: string | undefined
  readonly bugs?: { readonly url: string } | undefined
  readonly repository?: { readonly type: string; readonly url: string } | undefined
  readonly keywords?: ReadonlyArray<string> | undefined
}

type Manifest = Identity & {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly keywords?: ReadonlyArray<string>
}

/** Returns a manifest with the identity fields in their usual position. The manifest keeps its own keywords. */
export const rewrite = (manifest: Manifest, identity: Identity, directory: string): object => {
  const { author, bugs, homepage, keywords = [], license, repository } = identity
  const { name, version, description, keywords: own = [], ...others } = manifest
  const rest = Object.entries(others).filter(([field]) => !REPEATED.has(field))
  return {
    name,
    version,
    description,
    keywords: [...new Set([...own, ...keywords])].sort(),
    ...(homepage === undefined ? {} : { homepage: `${homepage}/tree/main/${directory}#readme` }),
    ...(bugs === undefined ? {} : { bugs }),
    license,
    ...(author === undefined ? {} : { author }),
    ...(repository === undefined ? {} : { repository: { ...repository, directory } }),
    ...Object.fromEntries(rest)
  }
}

const REPEATED: ReadonlySet<string> = new Set(["author", "bugs", "homepage", "license", "repository"])

/** Returns the text of a manifest with the identity that the root has. */
export const copy = (manifest: string, directory: string): string =>
  `${JSON.stringify(rewrite(JSON.parse(manifest), identity(), directory), null, 2)}\n`

const identity = (): Identity => JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"))

/** Returns the fields that a release still lacks. */
export const lacks = (identity: Identity): ReadonlyArray<string> => {
  const fields = ["author", "homepage", "bugs", "repository", "keywords"] as const
  return fields.flatMap((field) => {
    const value = identity[field]
    if (value === undefined || JSON.stringify(value).length === 2) return [`package.json: ${field} is missing`]
    return /[/@.]invalid\b/u.test(JSON.stringify(value)) ? [`package.json: ${field} holds a reserved domain`] : []
  })
}

if (import.meta.main) {
  const faults = process.argv.includes("--release") ? [...lacks(identity())] : []
  for (const { dir } of published()) {
    const file = path.join(dir, "package.json")
    const before = readFileSync(file, "utf8")
    const after = copy(before, path.relative(root, dir))
    if (isSameJson(before, after)) continue
    if (process.argv.includes("--write")) writeFileSync(file, after)
    else faults.push(`${path.relative(root, file)} differs from the root's manifest. Run "pnpm identity --write".`)
  }
  if (faults.length > 0) {
    console.error(faults.join("\n"))
    process.exitCode = 1
  }
}
