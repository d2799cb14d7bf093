/** Packs packages as a release would. */
import { execFileSync } from "node:child_process"
import { globSync, mkdirSync } from "node:fs"
import * as path from "node:path"

import type { Package } from "./workspace.ts"

/**
 * Packs a package into a separate folder below `out`. Returns the paths of the tarball and of its unpacked content.
 */
export const pack = ({ dir, name }: Package, out: string): { readonly tarball: string; readonly content: string } => {
  const folder = path.join(out, name.replace("/", "-"))
  mkdirSync(folder, { recursive: true })
  execFileSync("pnpm", ["pack", "--pack-destination", folder], { cwd: dir, stdio: ["ignore", "ignore", "inherit"] })
  const [tarball] = globSync(path.join(folder, "*.tgz"))
  execFileSync("tar", ["-xzf", tarball!, "-C", folder])
  return { tarball: tarball!, content: path.join(folder, "package") }
}
