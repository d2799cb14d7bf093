/** Builds the site, and tests the size of the script that each screen loads. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { gzipSync } from "node:zlib"

import { expect, test } from "vitest"

import * as Build from "./support/Build.ts"

const here = path.resolve(import.meta.dirname, "..")

/** An entry of the build's manifest. */
interface Chunk {
  readonly file: string
  readonly imports?: ReadonlyArray<string>
  readonly dynamicImports?: ReadonlyArray<string>
}

/** Builds the site, and measures each chunk after gzip. */
const measure = () => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-size-"))
  Build.run("--outDir", folder)
  const chunks = JSON.parse(readFileSync(path.join(folder, "manifest.json"), "utf8")) as Readonly<Record<string, Chunk>>
  const sizes = new Map(
    Object.values(chunks)
      .filter(({ file }) => file.endsWith(".js"))
      .map(({ file }) => [file, gzipSync(readFileSync(path.join(folder, file))).length])
  )
  rmSync(folder, { recursive: true })
  const loaded = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
    if (seen.has(name)) return seen
    seen.add(name)
    for (const next of chunks[name]?.imports ?? []) loaded(next, seen)
    return seen
  }
  const size = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + (sizes.get(chunks[name]?.file ?? "") ?? 0), 0)
  /** Returns the key of the chunk that a shared module gave its name. */
  const shared = (module: string): string => {
    const found = Object.keys(chunks).find((name) => name.startsWith(`_${module}-`))
    if (found === undefined) throw new Error(`no chunk is named after ${module}`)
    return found
  }
  /** Returns the names of the chunks that a chunk loads when it needs them. */
  const later = (name: string): ReadonlyArray<string> => chunks[name]?.dynamicImports ?? []
  return { later, loaded, shared, size }
}

test("the first screen, which proves a value, loads less than 211 kB of script, and any other less than 357 kB in all", () => {
  const { later, loaded, shared, size } = measure()
  const first = new Set([...loaded("index.html"), ...loaded("src/screens/Home.tsx")])
  expect(size(first)).toBeGreaterThan(50_000)
  expect(size(first)).toBeLessThan(211_000)
  const opened = new Set(["src/screens/Home.tsx", "src/screens/NotFound.tsx", "src/shell/Help.tsx"])
  const screens = later("index.html").filter((name) => name.startsWith("src/") && !opened.has(name))
  expect(screens.length).toBeGreaterThan(15)
  for (const screen of screens) {
    const further = loaded(screen)
    expect(size([...further].filter((name) => !first.has(name))), screen).toBeGreaterThan(100)
    // a reader who opens this screen directly loads both
    expect(size(new Set([...first, ...further])), screen).toBeLessThan(357_000)
  }
  const verdicts = size([...loaded(shared("VerdictEthClient"))].filter((name) => !first.has(name)))
  expect(verdicts).toBeGreaterThan(10_000)
  expect(verdicts).toBeLessThan(120_000)
})

test("the page has no script and no style of its own, so that the policy may forbid them", () => {
  const page = readFileSync(path.join(here, "index.html"), "utf8")
  expect(page).not.toMatch(/<style|style=|<script(?![^>]* src=)/u)
})
