/** Installs js-ipfs from `tools/js-ipfs`, with its own lockfile, into a folder that git ignores. Once. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../../../..")
const manifests = path.join(root, "tools/js-ipfs")

/** The folder of the installation. */
export const folder = path.join(root, "node_modules/.cache/js-ipfs")

/** The program of js-ipfs. */
export const program = path.join(folder, "node_modules/ipfs/src/cli.js")

/** The lockfile of the last install that was finished. */
const installed = path.join(folder, "installed.json")
const LOCKFILE = "package-lock.json"

/** True if the program that the lockfile names is there. */
export const isInstalled = async (): Promise<boolean> => {
  if (!existsSync(installed) || !existsSync(program)) return false
  const [ours, theirs] = await Promise.all([path.join(manifests, LOCKFILE), installed].map((file) => readFile(file)))
  return ours!.equals(theirs!)
}

/**
 * Installs it unless it is there. Takes minutes: 1,100 packages, 290 MB. Their install scripts are not run: none is needed.
 */
export const install = async (): Promise<void> => {
  if (await isInstalled()) return
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const file of ["package.json", LOCKFILE]) await copyFile(path.join(manifests, file), path.join(folder, file))
  const npm = spawn("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    env: ownEnvironment(),
    stdio: ["ignore", "inherit", "inherit"]
  })
  const [code] = await once(npm, "exit")
  if (code !== 0) throw new Error(`npm ended with ${code}`)
  await writeFile(installed, await readFile(path.join(folder, LOCKFILE)))
}

/**
 * Returns the environment without the variables that npx and pnpm hand down, which beat every file of configuration,
 * and without the programs of the workspace. npm then runs on the machine's own Node, with the configuration that
 * belongs to it.
 */
const ownEnvironment = (): NodeJS.ProcessEnv => {
  const inherited = Object.entries(process.env).filter(([name]) => !/^p?npm_config_/iu.test(name))
  const own = process.env["PATH"]?.split(path.delimiter).filter((folder) => !folder.includes("node_modules"))
  return { ...Object.fromEntries(inherited), PATH: own?.join(path.delimiter) }
}
