/**
 * Tries to import every path inside every published package, with Node's own resolution. It does so in the workspace,
 * whose manifest leads to sources, and in the packed tarball, whose manifest leads to the build output.
 *
 * The package itself, its `package.json` and its public modules must resolve, each to its file. The workspace's
 * manifest names some test helpers one by one. They resolve in the workspace only. Every other path must be refused:
 * every folder, and every file with and without its extension, below the package and below `src` or `dist`.
 */
import { execFileSync } from "node:child_process"
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

import { doorsByHand } from "./exports.ts"
import { pack } from "./pack.ts"
import { modulesOf, packages, root } from "./workspace.ts"

/** An installed package. */
export interface Installed {
  readonly name: string
  /** The folder that a program finds as `node_modules/<name>`. */
  readonly dir: string
  /** The folder that the manifest leads to. */
  readonly leads: "src" | "dist"
}

/** Returns the specifiers that a program may import, each with the file that it must resolve to. */
const entryPointsOf = ({ dir, leads, name }: Installed): ReadonlyMap<string, string> => {
  const extension = leads === "src" ? "ts" : "js"
  const manifest = JSON.parse(readFileSync(path.join(dir, "package.json"), "utf8"))
  const byHand = leads === "src" ? Object.entries(doorsByHand(manifest.exports)) : []
  return new Map([
    [name, `${leads}/index.${extension}`],
    [`${name}/package.json`, "package.json"],
    ...modulesOf(dir).map((module) => [`${name}/${module}`, `${leads}/${module}.${extension}`] as const),
    ...byHand.map(([entry, file]) => [`${name}/${entry.slice(2)}`, file.slice(2)] as const)
  ])
}

/** Returns every specifier that could lead to a file or a folder of the package. */
const attempts = ({ dir, name }: Installed): ReadonlySet<string> => {
  const found = new Set<string>()
  const files = globSync("**/*", { cwd: dir, exclude: ["**/node_modules"], withFileTypes: true })
  for (const entry of files) {
    const file = path.relative(dir, path.join(entry.parentPath, entry.name)).split(path.sep).join("/")
    const paths = [file, file.replace(/^(?:src|dist)\//u, "")].filter((each) => each !== "")
    for (const each of paths) {
      found.add(`${name}/${each}`)
      if (entry.isDirectory()) found.add(`${name}/${each}/`)
      else {
        const bare = each.replace(/(?:\.d)?\.(?:ts|js)(?:\.map)?$/u, "")
        for (const ending of ["", ".ts", ".js", ".d.ts"]) found.add(`${name}/${bare}${ending}`)
      }
    }
  }
  return found
}

/** Resolves specifiers in a program that has the packages, and returns the file of each specifier that resolves. */
const resolve = (installed: Installed, specifiers: ReadonlySet<string>): ReadonlyMap<string, string> => {
  const program = mkdtempSync(path.join(tmpdir(), "plumbline-entry-points-"))
  try {
    const place = path.join(program, "node_modules", installed.name)
    mkdirSync(path.dirname(place), { recursive: true })
    symlinkSync(installed.dir, place, "dir")
    const script = `
      const found = []
      for (const specifier of ${JSON.stringify([...specifiers])}) {
        try { found.push([specifier, import.meta.resolve(specifier)]) } catch {}
      }
      console.log(JSON.stringify(found))`
    writeFileSync(path.join(program, "main.mjs"), script)
    const said = execFileSync(process.execPath, ["--no-deprecation", "main.mjs"], {
      cwd: program,
      encoding: "utf8",
      maxBuffer: 2 ** 26
    })
    const found: ReadonlyArray<readonly [string, string]> = JSON.parse(said)
    return new Map(found.map(([specifier, url]) => [specifier, fileURLToPath(url)]))
  } finally {
    rmSync(program, { recursive: true, force: true })
  }
}

/** Returns the faults of a package's entries, and the number of paths that were tried. */
export const check = (installed: Installed): { readonly faults: ReadonlyArray<string>; readonly tried: number } => {
  const real = { ...installed, dir: realpathSync(installed.dir) }
  const entryPoints = entryPointsOf(real)
  const specifiers = new Set([...entryPoints.keys(), ...attempts(real)])
  const resolved = resolve(real, specifiers)
  const faults = [...specifiers].flatMap((specifier) => {
    const found = resolved.get(specifier)
    const file = entryPoints.get(specifier)
    if (file === undefined)
      return found === undefined || !existsSync(found)
        ? []
        : [`${specifier} is open: it leads to ${path.relative(real.dir, found)}`]
    if (found === undefined) return [`${specifier} is closed, and should lead to ${file}`]
    if (found !== path.join(real.dir, file)) return [`${specifier} leads to ${found}, not to ${file}`]
    return existsSync(found) ? [] : [`${specifier} leads to ${file}, which does not exist`]
  })
  return { faults, tried: specifiers.size }
}

if (import.meta.main) {
  const out = path.join(root, "dist/entry-points")
  rmSync(out, { recursive: true, force: true })
  const faults: Array<string> = []
  let tried = 0
  for (const each of packages()) {
    const { content } = pack(each, out)
    const places = [
      { name: each.name, dir: each.dir, leads: "src" },
      { name: each.name, dir: content, leads: "dist" }
    ] as const
    for (const place of places) {
      const result = check(place)
      tried += result.tried
      faults.push(...result.faults.map((fault) => `${place.leads === "src" ? "in the workspace" : "packed"}: ${fault}`))
    }
  }
  console.log([...faults, `${tried} paths tried, ${faults.length} faults`].join("\n"))
  process.exitCode = faults.length > 0 ? 1 : 0
}
