/**
 * Installs a manifest of `lab` that is no member of the workspace, once and with its own lockfile, into a folder that
 * git ignores. For large programs that only one program of the laboratory needs.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../../..")

const LOCKFILE = "package-lock.json"

/** The folder of the installation of `lab/<name>`. */
export const folderOf = (name: string): string => path.join(root, "node_modules/.cache", name)

/** The folder of the manifest. */
export const manifestOf = (name: string): string => path.join(root, "lab", name)

/** A copy of the lockfile, written by the last complete install. */
const markOf = (name: string): string => path.join(folderOf(name), "installed.json")

/** True if the packages are installed as the lockfile says. */
export const isInstalled = async (name: string): Promise<boolean> => {
  if (!existsSync(markOf(name))) return false
  const [ours, theirs] = await Promise.all(
    [path.join(manifestOf(name), LOCKFILE), markOf(name)].map((file) => readFile(file))
  )
  return ours!.equals(theirs!)
}

/** Installs the packages unless they are installed. Install scripts are not run. */
export const install = async (name: string): Promise<void> => {
  if (await isInstalled(name)) return
  const folder = folderOf(name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const file of ["package.json", LOCKFILE])
    await copyFile(path.join(manifestOf(name), file), path.join(folder, file))
  const npm = spawn("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    env: ownEnvironment(),
    stdio: ["ignore", "inherit", "inherit"]
  })
  const [code] = await once(npm, "exit")
  if (code !== 0) throw new Error(`npm ended with ${code}`)
  await writeFile(markOf(name), await readFile(path.join(folder, LOCKFILE)))
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
