/**
 * Installs the packed client packages in the environments of users, outside the workspace, and runs programs there. It
 * prints a table: bytes installed, seconds of the install and of the program, bytes of a bundle.
 *
 *     pnpm environments                 all of them
 *     pnpm environments --fast          those of `.ci/run`
 *     pnpm environments --only deno     one; may be repeated
 *     pnpm environments --list          their names
 *     pnpm environments --keep          keeps the folders, and prints where they are
 *
 * It packs the build output, so run `pnpm build` first. It publishes only to a registry on loopback.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"

import { environments } from "./environments/allEnvironments.ts"
import type { Figures } from "./environments/place.ts"
import * as Shelf from "./environments/shelf.ts"
import * as Toolbox from "./environments/toolbox.ts"

const { values } = parseArgs({
  options: {
    chromium: { type: "string", default: "chromium" },
    fast: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] }
  }
})
const { chromium, fast, keep, list, only } = values

const unknown = only.filter((name) => environments.every((each) => each.name !== name))
if (unknown.length > 0) throw new Error(`no such environment: ${unknown.join(", ")}. --list prints their names.`)
const chosen = environments.filter(
  ({ isFast, name }) => (only.length === 0 || only.includes(name)) && (!fast || isFast)
)

const kilobytes = (bytes: number | undefined): string => (bytes === undefined ? "" : `${(bytes / 1000).toFixed(1)} kB`)
const seconds = (time: number | undefined): string => (time === undefined ? "" : `${time.toFixed(1)} s`)

const rowOf = (name: string, { bundle, install, installed, program, said }: Figures) => ({
  environment: name,
  installed: kilobytes(installed),
  install: seconds(install),
  program: seconds(program),
  bundle: kilobytes(bundle),
  said
})

const runAll = async (): Promise<void> => {
  const work = mkdtempSync(path.join(tmpdir(), "plumbline-environments-"))
  const shelf = await Shelf.start(path.join(work, "pack"))
  const rows: Array<ReturnType<typeof rowOf>> = []
  try {
    for (const { about, name, run } of chosen) {
      const folder = path.join(work, name)
      mkdirSync(folder)
      const place = { folder, registry: shelf.url, version: shelf.version, chromium, tool: Toolbox.find }
      try {
        rows.push(rowOf(about, await run(place)))
        console.log(`ok    ${name}: ${rows.at(-1)!.said}`)
      } catch (error) {
        process.exitCode = 1
        rows.push(rowOf(about, { said: "FAILED" }))
        console.log(`FAIL  ${name}: ${error instanceof Error ? error.message : String(error)}`)
      }
      // the folder of one environment takes up to 100 MB
      if (!keep) rmSync(folder, { recursive: true, force: true })
    }
    console.table(rows)
    if (keep) console.log(`kept in ${work}`)
  } finally {
    await shelf.close()
    if (!keep) rmSync(work, { recursive: true, force: true })
  }
}

if (list) for (const { about, isFast, name } of environments) console.log(`${name}: ${about}${isFast ? " (fast)" : ""}`)
else await runAll()
