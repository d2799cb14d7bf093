/**
 * Builds the console as a reader gets it, in a separate process, because this process has the settings of tests.
 *
 * The tests in a browser read one build, which vitest makes before the first of them: several run at a time, and a build
 * deletes the files of the one before.
 */
import { spawnSync } from "node:child_process"
import * as path from "node:path"

const here = path.resolve(import.meta.dirname, "../..")

/** Runs the bundler with these additional arguments. */
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

/** Builds the site once for all test files. `pnpm test` has already done it, in the bundle of the command. */
export const setup = (): void => {
  if (process.env["PLUMBLINE_MAIN"] === undefined) run()
}
