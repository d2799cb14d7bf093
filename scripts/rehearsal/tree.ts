/**
 * A copy of the workspace in which a rehearsal can change versions. It has the files and the build output, and links to
 * the installed packages. Links between the workspace's packages lead into the copy.
 */
import { cpSync, existsSync, globSync, lstatSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from "node:fs"
import * as path from "node:path"

import { root } from "../workspace.ts"

const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", ".git", ".turbo", "coverage"])

/** Copies the workspace into an empty folder. */
export const copy = (target: string): void => {
  for (const entry of readdirSync(root)) {
    if (LEFT_OUT.has(entry) || entry === "dist") continue
    cpSync(path.join(root, entry), path.join(target, entry), {
      recursive: true,
      filter: (source) => !LEFT_OUT.has(path.basename(source))
    })
  }
  for (const folder of ["", ...globSync("{packages,apps,tools,lab}/*", { cwd: root })]) {
    const from = path.join(root, folder, "node_modules")
    if (existsSync(from)) link(from, path.join(target, folder, "node_modules"), target)
  }
}

/** Links each installed package, and the packages of the workspace to their copies. */
const link = (from: string, to: string, target: string): void => {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from)) {
    const source = path.join(from, entry)
    if (entry === ".cache") continue
    if (entry.startsWith("@") && !lstatSync(source).isSymbolicLink()) {
      link(source, path.join(to, entry), target)
      continue
    }
    const inner = path.relative(root, realpathSync(source))
    const isMember = /^(?:packages|apps|tools|lab)\/[^/]+$/u.test(inner)
    symlinkSync(isMember ? path.join(target, inner) : source, path.join(to, entry))
  }
}
