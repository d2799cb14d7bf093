/**
 * Bills of materials (CycloneDX) of the tarballs. pnpm makes them from the lockfile. The command's bundle holds the code
 * of packages that its manifest names for development only, so its bill is cut to what the bundle's notices name.
 */
import { execFileSync } from "node:child_process"
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { command, published, root, versionOf } from "./workspace.ts"

/** The parts of a CycloneDX document that this module reads. */
export interface Bom {
  readonly metadata: { readonly component: { readonly "bom-ref": string } }
  readonly components: ReadonlyArray<{
    readonly "bom-ref": string
    readonly group?: string
    readonly name: string
    readonly version: string
  }>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn?: ReadonlyArray<string> }>
}

/** Returns `name@version` of each package that a file of notices names, of the command or of Vite. */
export const noticed = (notices: string): ReadonlyArray<string> =>
  [...notices.matchAll(/^(?:## )?(@?[\w./-]+)(?: -)? (\d\S*) \([^\n]*\)$/gmu)].map(
    ([, name, version]) => `${name}@${version}`
  )

const nameOf = ({ group, name, version }: Bom["components"][number]): string =>
  `${group === undefined ? "" : `${group}/`}${name}@${version}`

/** Returns a bill with only these components, by `name@version`. Throws if one of them is missing. */
export const cut = (bom: Bom, names: ReadonlySet<string>): Bom => {
  const components = bom.components.filter((component) => names.has(nameOf(component)))
  const kept = new Set([bom.metadata.component["bom-ref"], ...components.map((component) => component["bom-ref"])])
  const there = new Set(components.map(nameOf))
  const missing = [...names].filter((name) => !there.has(name))
  if (missing.length > 0) throw new Error(`the lockfile does not explain ${missing.join(", ")}`)
  return {
    ...bom,
    components,
    dependencies: bom.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ dependsOn = [], ref }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }))
  }
}

const pnpm = (...args: ReadonlyArray<string>): void => {
  execFileSync("pnpm", [...args, "--sbom-format", "cyclonedx"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
}

const read = (file: string): Bom => JSON.parse(readFileSync(file, "utf8"))

/** Returns the name of a package's bill. */
export const fileOf = (name: string): string => `${name.replace("@", "").replace("/", "-")}-${versionOf()}.cdx.json`

/**
 * Writes a bill of each published package into a folder. `content` is the unpacked tarball of the command.
 */
export const write = (folder: string, content: string): void => {
  const pattern = path.join(folder, "%s-%v.cdx.json")
  pnpm("--filter", "./packages/*", "sbom", "--split", "--prod", "--out", pattern)
  const file = path.join(folder, fileOf(command.name))
  const filter = ["--filter", command.name, "sbom", "--sbom-type", "application", "--out", file]
  pnpm(...filter, "--prod")
  const installed = read(file).components.map(nameOf)
  const site = path.join(folder, "console.json")
  pnpm("--filter", "@plumbline/console", "sbom", "--out", site)
  pnpm(...filter)
  const notices = globSync("**/THIRD-PARTY.*", { cwd: content }).map((name) =>
    readFileSync(path.join(content, name), "utf8")
  )
  const ours = published().filter(({ name }) => name !== command.name)
  const [whole, page] = [read(file), read(site)]
  rmSync(site)
  const known = new Set(whole.components.map((component) => component["bom-ref"]))
  const bom = {
    ...whole,
    components: [...whole.components, ...page.components.filter((component) => !known.has(component["bom-ref"]))],
    dependencies: [...whole.dependencies, ...page.dependencies.filter(({ ref }) => !known.has(ref))]
  }
  const names = [...installed, ...ours.map(({ name }) => `${name}@${versionOf()}`), ...notices.flatMap(noticed)]
  writeFileSync(file, `${JSON.stringify(cut(bom, new Set(names)), null, 2)}\n`)
}
