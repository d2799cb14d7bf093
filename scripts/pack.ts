/** Packs packages as a release would. */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

import type { Package } from "./workspace.ts"

/**
 * The environment variable that names a folder of tarballs that `pnpm pack:all` made. Scripts that run with it take the
 * tarballs from there. Two scripts cannot pack one package at once: packing first removes and writes files of the
 * package.
 */
export const TARBALLS = "PLUMBLINE_TARBALLS"

/**
 * Packs a package, or takes its tarball from the folder of the environment, and unpacks it into a separate folder below
 * `out`. Returns the paths of the tarball and of its unpacked content.
 */
export const pack = ({ dir, name }: Package, out: string): { readonly tarball: string; readonly content: string } => {
  const folder = path.join(out, name.replace("/", "-"))
  mkdirSync(folder, { recursive: true })
  const made = process.env[TARBALLS]
  const tarball = made === undefined ? packInto(dir, folder) : find(dir, name, made)
  execFileSync("tar", ["-xzf", tarball, "-C", folder])
  return { tarball, content: path.join(folder, "package") }
}

const packInto = (dir: string, folder: string): string => {
  execFileSync("pnpm", ["pack", "--pack-destination", folder], { cwd: dir, stdio: ["ignore", "ignore", "inherit"] })
  return globSync(path.join(folder, "*.tgz"))[0]!
}

const find = (dir: string, name: string, folder: string): string => {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(path.join(dir, "package.json"), "utf8"))
  const tarball = path.join(folder, `${name.slice(1).replace("/", "-")}-${version}.tgz`)
  if (!existsSync(tarball)) throw new Error(`${tarball} is missing. Run: pnpm pack:all ${folder}`)
  return tarball
}
