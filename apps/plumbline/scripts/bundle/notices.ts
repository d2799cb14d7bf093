/** The licences of the packages whose code is in the bundle. They require that every copy contains their text. */
import { existsSync, globSync, readFileSync } from "node:fs"
import * as path from "node:path"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly author?: string | { readonly name: string }
}

/** Licences that allow copies if the copy contains their text. */
const PERMITTED = /^\(?(?:0BSD|Apache-2\.0|BSD-[23]-Clause|ISC|MIT|OFL-1\.1)(?: OR [A-Za-z0-9.-]+)*\)?$/u

/**
 * Returns the notices, one for each package with a file in the bundle. Fails if a licence requires more than its text.
 */
export const of = (inputs: ReadonlyArray<string>, root: string): string => {
  const folders = new Set(inputs.flatMap((input) => folderOf(path.resolve(root, input))))
  const notices = [...folders].map((folder) => {
    const manifest: Manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"))
    const { author, license = "", name, version } = manifest
    if (!PERMITTED.test(license)) throw new Error(`${name} has the licence ${license || "of nobody"}`)
    const [file] = globSync("{LICEN[CS]E,licen[cs]e}*", { cwd: folder }).sort()
    const by = typeof author === "object" ? author.name : author
    const text =
      file === undefined
        ? `${license}${by === undefined ? "" : `, by ${by}`}`
        : readFileSync(path.join(folder, file), "utf8")
    return { title: `${name} ${version} (${license})`, text: text.trim() }
  })
  return notices
    .toSorted((a, b) => (a.title < b.title ? -1 : 1))
    .map(({ text, title }) => `${title}\n${"-".repeat(title.length)}\n\n${text}\n`)
    .join("\n\n")
}

/** Returns the folder of the third-party package that a file belongs to. */
const folderOf = (file: string): ReadonlyArray<string> => {
  const found = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/u.exec(file)?.[1]
  return found !== undefined && existsSync(path.join(found, "package.json")) ? [found] : []
}
