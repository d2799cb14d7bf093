/** Packs packages as a release would. */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import * as path from "node:path"

import type { Package } from "./workspace.ts"

/**
 * The environment variable that names a folder for tarballs. Scripts that run in the same environment pack each package
 * once, into this folder. The build output must not change meanwhile.
 */
export const TARBALLS = "PLUMBLINE_TARBALLS"

/**
 * Packs a package, and unpacks it into a separate folder below `out`. Returns the paths of the tarball and of its
 * unpacked content.
 */
export const pack = ({ dir, name }: Package, out: string): { readonly tarball: string; readonly content: string } => {
  const folder = path.join(out, name.replace("/", "-"))
  mkdirSync(folder, { recursive: true })
  const shared = process.env[TARBALLS]
  const tarball = shared === undefined ? packInto(dir, folder) : packOnce(dir, path.join(shared, path.basename(folder)))
  execFileSync("tar", ["-xzf", tarball, "-C", folder])
  return { tarball, content: path.join(folder, "package") }
}

const packInto = (dir: string, folder: string): string => {
  execFileSync("pnpm", ["pack", "--pack-destination", folder], { cwd: dir, stdio: ["ignore", "ignore", "inherit"] })
  return tarballIn(folder)
}

/** Packs into a folder that appears complete. If two scripts pack the same package at once, the first one counts. */
const packOnce = (dir: string, folder: string): string => {
  if (!existsSync(folder)) {
    mkdirSync(path.dirname(folder), { recursive: true })
    const made = mkdtempSync(`${folder}.`)
    packInto(dir, made)
    try {
      renameSync(made, folder)
    } catch (error) {
      rmSync(made, { recursive: true })
      if (!existsSync(folder)) throw error
    }
  }
  return tarballIn(folder)
}

const tarballIn = (folder: string): string => globSync(path.join(folder, "*.tgz"))[0]!
