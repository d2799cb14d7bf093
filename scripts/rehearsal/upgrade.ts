/** The part of a rehearsal that upgrades a consumer, and running services, from one release to the next. */
import { existsSync, globSync, readFileSync } from "node:fs"
import * as path from "node:path"

import * as Outside from "../outside.ts"
import { root } from "../workspace.ts"

/** Throws unless a consumer has each of its packages exactly once, in this version. Returns the number of packages. */
export const expectVersion = (folder: string, version: string): number => {
  const manifests = globSync("**/node_modules/@plumbline/*/package.json", { cwd: folder })
  const names = manifests.map((file) => {
    const manifest: { readonly name: string; readonly version: string } = JSON.parse(
      readFileSync(path.join(folder, file), "utf8")
    )
    if (manifest.version !== version) throw new Error(`${file} is ${manifest.version}, and should be ${version}`)
    return manifest.name
  })
  const twice = names.filter((name, i) => names.indexOf(name) !== i)
  if (twice.length > 0) throw new Error(`installed twice: ${twice.join(", ")}`)
  if (names.length === 0) throw new Error("no package of ours is installed")
  return names.length
}

/** Throws unless a consumer's copy of a package has a changelog with these texts, and none of the others. */
export const expectChangelog = (
  folder: string,
  name: string,
  { has, lacks }: { readonly has: ReadonlyArray<string>; readonly lacks: ReadonlyArray<string> }
): void => {
  const file = path.join(folder, "node_modules", name, "CHANGELOG.md")
  const text = existsSync(file) ? readFileSync(file, "utf8") : ""
  for (const part of has)
    if (!text.includes(part)) throw new Error(`the changelog of ${name} lacks "${part}":\n${text}`)
  for (const part of lacks) if (text.includes(part)) throw new Error(`the changelog of ${name} has "${part}":\n${text}`)
}

/** The exit code of `pnpm lab upgrades` on a machine without Postgres, Redis or nginx. */
const UNAVAILABLE = 69

/**
 * Replaces two services of an older program by a newer one, one after the other, while clients call. Throws if a call is
 * lost or not counted. The programs are paths. Without the servers that the services share, nothing is tried, except in
 * CI, where it fails.
 */
export const besideEachOther = async (older: string, newer: string): Promise<void> => {
  const upgrades = path.join(root, "lab/interface/src/upgrades/main.ts")
  const node = ["--disable-warning=ExperimentalWarning", upgrades]
  const words = ["1", "5", "--from", older]
  try {
    console.log(await Outside.run(root, { PLUMBLINE_MAIN: newer }, process.execPath, ...node, ...words))
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === UNAVAILABLE
    if (!isMissing || process.env["CI"] === "true") throw error
    console.log("versions side by side were not tried: Postgres, Redis or nginx is missing")
  }
}
