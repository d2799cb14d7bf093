/** The part of a rehearsal that upgrades a consumer from one release to the next. */
import { existsSync, globSync, readFileSync } from "node:fs"
import * as path from "node:path"

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
