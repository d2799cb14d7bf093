/** The releases of a rehearsal: versions made, packed and published in a copy of the workspace. */
import { rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import * as Outside from "../outside.ts"
import type { Registry } from "../registry.ts"
import { published, versionOf } from "../workspace.ts"

/** A copy of the workspace that publishes to one registry. */
export interface Releases {
  /** Adds a change to be released. */
  readonly change: (name: string, text: string) => void
  /** Runs `changeset`. */
  readonly changeset: (...args: ReadonlyArray<string>) => Promise<string>
  /** Makes the next version of every package, and returns it. */
  readonly version: (...args: ReadonlyArray<string>) => Promise<string>
  /** Publishes every package in that version under a tag. Throws if a package is missing or has another tag. */
  readonly publish: (version: string, tag: string) => Promise<void>
}

/**
 * Returns the releases of the copy in `tree`. `environment` holds the variables that make the tools use the registry.
 */
export const make = (tree: string, registry: Registry, environment: object): Releases => {
  const run = (file: string, ...args: ReadonlyArray<string>) =>
    Outside.run(
      tree,
      // without these variables, pnpm would install the packages that the copy only links
      { ...environment, pnpm_config_verify_deps_before_run: "false", npm_config_verify_deps_before_run: "false" },
      file,
      ...args
    )
  const changeset = (...args: ReadonlyArray<string>) => run(path.join(tree, "node_modules/.bin/changeset"), ...args)
  return {
    change: (name, text) => writeFileSync(path.join(tree, ".changeset", `${name}.md`), text),
    changeset,
    version: async (...args) => {
      await run(process.execPath, "scripts/versions.ts", ...args)
      return versionOf(tree)
    },
    publish: async (version, tag) => {
      if (tag === "snapshot") await changeset("publish", "--tag", tag, "--no-git-tag")
      else {
        const pack = path.join(tree, "dist/pack")
        rmSync(pack, { recursive: true, force: true })
        await changeset("pack", "--out-dir", pack)
        await changeset("publish", "--from-pack-dir", pack, "--no-git-tag")
      }
      const there = registry.published()
      for (const { name } of published()) {
        if (!there.includes(`${name}@${version}`)) throw new Error(`${name}@${version} was not published`)
        const tags = registry.tags(name)
        if (tags[tag] !== version) throw new Error(`the tag ${tag} of ${name} names ${tags[tag]}, and not ${version}`)
      }
      console.log(`published ${published().length} packages as ${version}, under the tag ${tag}`)
    }
  }
}
