/** Builds of the console as a reader gets them: in a process of their own, because this one is a test's. */
import { spawnSync } from "node:child_process"
import * as path from "node:path"

const here = path.resolve(import.meta.dirname, "../..")

/** Runs the bundler with more arguments. */
export const run = (...args: ReadonlyArray<string>): void => {
  const bundler = path.join(here, "node_modules/vite/bin/vite.js")
  const { NODE_ENV: _, VITEST: __, ...env } = process.env
  const { status, stderr } = spawnSync(process.execPath, [bundler, "build", "--logLevel", "error", ...args], {
    cwd: here,
    encoding: "utf8",
    env
  })
  if (status !== 0) throw new Error(stderr)
}
