/**
 * Runs programs as on a user's machine: without the configuration that npx and pnpm pass to child processes, and
 * without the workspace's own programs.
 */
import { tmpdir } from "node:os"
import * as path from "node:path"

import * as Children from "./children.ts"

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

/** A program that failed, and what it printed. */
class FailedProgram extends Error {
  readonly stdout: string
  readonly stderr: string

  constructor(command: string, { stderr, stdout }: { readonly stdout: string; readonly stderr: string }) {
    super(`Command failed: ${command}\n${stderr}`)
    this.stdout = stdout
    this.stderr = stderr
  }
}

/**
 * Runs a program and returns its trimmed output. If the program fails, prints its output before throwing. The program ends
 * if this process is asked to end.
 */
export const run = (cwd: string, env: object, file: string, ...args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = Children.start(file, args, {
      cwd,
      env: { ...inherited, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const printed = { stdout: "", stderr: "" }
    for (const name of ["stdout", "stderr"] as const) {
      child[name]!.setEncoding("utf8").on("data", (piece: string) => (printed[name] += piece))
    }
    child.once("error", reject)
    child.once("close", (code) => {
      if (Children.isEnding()) return
      if (code === 0) return resolve(printed.stdout.trim())
      console.error(printed.stdout)
      reject(new FailedProgram([file, ...args].join(" "), printed))
    })
  })

/** Returns the registry that this machine's configuration names, for packages of other projects. */
export const ordinaryRegistry = (): Promise<string> => run(tmpdir(), {}, "npm", "config", "get", "registry")

/** Returns the lines of an `.npmrc` that takes our packages from one registry, and all others from the ordinary one. */
export const npmrc = async (ours: string): Promise<string> =>
  `registry=${await ordinaryRegistry()}\n@plumbline:registry=${ours}/\n`
