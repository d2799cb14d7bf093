/**
 * Runs a program of the laboratory: `pnpm lab <program> [arguments]`. Without a program it prints the index.
 *
 * A program is a script of a manifest in `lab`, or one that a package keeps in its folder `bench` because it measures
 * private modules. The script's name is the program's name. `pnpm lab test` runs the tests of the laboratory.
 */
import { spawn } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "..")

/** A program: the folder of its manifest, and the arguments with which Node starts it there. */
export interface Program {
  readonly dir: string
  readonly args: ReadonlyArray<string>
}

/** A script that starts a program of the same folder, and not one that builds or tests it. */
const PROGRAM = /^node ((?:--\S+ )*(?:src|bench)\/\S+)$/u

/** Returns the programs by name. */
export const programs = (): ReadonlyMap<string, Program> =>
  new Map(
    globSync("{lab,packages}/*/package.json", { cwd: root })
      .sort()
      .flatMap((file) => {
        const { scripts = {} } = JSON.parse(readFileSync(path.join(root, file), "utf8"))
        return Object.entries<string>(scripts).flatMap(([name, script]) => {
          const [, started] = PROGRAM.exec(script) ?? []
          return started === undefined ? [] : [[name, { dir: path.dirname(file), args: started.split(" ") }] as const]
        })
      })
  )

/** Runs Node in a folder, and returns its exit code. */
const run = (dir: string, args: ReadonlyArray<string>): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: path.join(root, dir), stdio: "inherit" })
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, () => child.kill(signal))
    child.once("close", (code) => resolve(code ?? 1))
  })

if (import.meta.main) {
  const [called, ...rest] = process.argv.slice(2)
  // a first Ctrl-C belongs to the program, which ends by itself
  process.on("SIGINT", () => {})
  if (called === undefined) {
    const index = readFileSync(path.join(import.meta.dirname, "README.md"), "utf8").split("\n\n")
    console.log(index.find((part) => part.startsWith("| program ")))
  } else if (called === "test") {
    process.exitCode = await run(".", [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--config",
      "lab/vitest.config.ts",
      ...rest
    ])
  } else {
    const program = programs().get(called)
    if (program === undefined) {
      console.error(`no program ${called}. Name one of ${[...programs().keys()].join(", ")}, or test.`)
      process.exitCode = 2
    } else {
      process.exitCode = await run(program.dir, [...program.args, ...rest])
    }
  }
}
