/**
 * Runs programs as on a user's machine: without the configuration that npx and pnpm pass to child processes, and
 * without the workspace's own programs.
 */
import { execFile } from "node:child_process"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"

/**
 * npx and pnpm pass their configuration to child processes as npm_config_* variables, which override every file. They
 * must not decide where a package is published to or installed from.
 */
const inherited = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^p?npm_config_/i.test(key)))

/**
 * PATH without the workspace's programs: npm then runs on the machine's own Node, with the configuration that belongs
 * to it.
 */
export const ownPath = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(path.delimiter)

/** Runs a program and returns its trimmed output. If the program fails, prints its output before throwing. */
export const run = async (cwd: string, env: object, file: string, ...args: ReadonlyArray<string>): Promise<string> => {
  try {
    const options = { cwd, env: { ...inherited, ...env }, maxBuffer: 2 ** 28 }
    const { stdout } = await promisify(execFile)(file, args, options)
    return stdout.trim()
  } catch (error) {
    if (typeof error === "object" && error !== null && "stdout" in error) console.error(error.stdout)
    throw error
  }
}

/** Returns the registry that this machine's configuration names, for packages of other projects. */
export const ordinaryRegistry = (): Promise<string> => run(tmpdir(), {}, "npm", "config", "get", "registry")

/** Returns the lines of an `.npmrc` that takes our packages from one registry, and all others from the ordinary one. */
export const npmrc = async (ours: string): Promise<string> =>
  `registry=${await ordinaryRegistry()}\n@plumbline:registry=${ours}/\n`
