/** Installs js-ipfs once from `lab/js-ipfs`, with its own lockfile, into a folder that git ignores. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../../../..")
const manifests = path.join(root, "lab/js-ipfs")

/** The folder of the installation. */
export const folder = path.join(root, "node_modules/.cache/js-ipfs")

/** The program of js-ipfs. */
export const program = path.join(folder, "node_modules/ipfs/src/cli.js")

/** A copy of the lockfile, written by the last complete install. */
const installed = path.join(folder, "installed.json")
const LOCKFILE = "package-lock.json"

/** True if the program is installed as the lockfile says. */
export const isInstalled = async (): Promise<boolean> => {
  if (!existsSync(installed) || !existsSync(program)) return false
  const [ours, theirs] = await Promise.all([path.join(manifests, LOCKFILE), installed].map((file) => readFile(file)))
  return ours!.equals(theirs!)
}

/**
 * Installs js-ipfs unless it is installed. Takes minutes: 1,100 packages, 290 MB. Install scripts are not run, because
 * none is needed.
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
 * Returns the environment, with two changes. It leaves out the variables that npx and pnpm pass to child processes,
 * because these override every configuration file. It takes the programs of the workspace off PATH. npm then runs on
 * the machine's own Node, with the configuration that belongs to it.
 */
const ownEnvironment = (): NodeJS.ProcessEnv => {
  const inherited = Object.entries(process.env).filter(([name]) => !/^p?npm_config_/iu.test(name))
  const own = process.env["PATH"]?.split(path.delimiter).filter((folder) => !folder.includes("node_modules"))
  return { ...Object.fromEntries(inherited), PATH: own?.join(path.delimiter) }
}
