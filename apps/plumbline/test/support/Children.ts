/** Runs the command as a child process, as a script does. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** The sources of the program. */
export const SOURCES = path.join(import.meta.dirname, "../../src/main.ts")

/** The program: its sources, or the bundle if `PLUMBLINE_MAIN` names it (`pnpm test`). */
export const MAIN = process.env["PLUMBLINE_MAIN"] ?? SOURCES

/** The folder of the children's code cache. With it, every child but the first starts in half the time. */
const COMPILE_CACHE = path.join(import.meta.dirname, "../../node_modules/.cache/compiled")

/**
 * Children that still run. A failing test leaves its children running. This process runs many test files, and kills
 * these children when it ends.
 */
const left = new Set<ChildProcess>()
process.once("SIGTERM", (signal) => {
  for (const child of left) child.kill("SIGKILL")
  process.kill(process.pid, signal)
})

/** The exit of a child, and its output. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A child that runs. */
export interface Running {
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
  /** The first line of standard output. The promise fails if the child ends without one. */
  readonly firstLine: Promise<string>
  /** Waits until a test of standard output holds. */
  readonly printed: (holds: (stdout: string) => boolean) => Promise<void>
  /** Waits until standard error contains a text. */
  readonly said: (text: string) => Promise<void>
}

/** Starts `plumbline` with these arguments, without the environment variables that the program reads. */
export const start = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): Running =>
  launch(process.execPath, [MAIN, ...args], { env })

/** Starts any program, under the name `argv0` if it is given. */
export const launch = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly env: Readonly<Record<string, string>>; readonly argv0?: string }
): Running => {
  const child = spawn(command, args, {
    ...options,
    env: {
      PATH: process.env["PATH"],
      HOME: "/nonexistent",
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      // No grace is needed, because there is no load balancer.
      PLUMBLINE_SERVER__TIMEOUTS__GRACE: "0s",
      ...options.env
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  left.add(child)
  child.once("close", () => left.delete(child))
  let stdout = ""
  let stderr = ""
  const listeners = new Set<() => void>()
  /** Waits until a test of the output holds. */
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const listener = () => {
        if (!holds()) return
        listeners.delete(listener)
        resolve()
      }
      listeners.add(listener)
      listener()
    })
  const line = Promise.withResolvers<string>()
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
    const end = stdout.indexOf("\n")
    if (end !== -1) line.resolve(stdout.slice(0, end))
    for (const listener of listeners) listener()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
    for (const listener of listeners) listener()
  })
  const said = (text: string): Promise<void> => until(() => stderr.includes(text))
  const printed: Running["printed"] = (holds) => until(() => holds(stdout))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code, signal) => {
      line.reject(new Error(`ended with ${code ?? signal} before a line: ${stdout}${stderr}`))
      resolve({ code, signal, stdout, stderr })
    })
  })
  // a test that waits for the line gets the failure; for other tests this avoids an unhandled rejection
  line.promise.catch(() => undefined)
  return { process: child, ended, firstLine: line.promise, printed, said }
}

/** Runs the command until it ends. */
export const run = (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>): Promise<Ended> =>
  start(args, env).ended

/** A folder that is removed with `await using`. */
export const folder = async (): Promise<{ readonly path: string } & AsyncDisposable> => {
  const made = await mkdtemp(path.join(tmpdir(), "plumbline-test-"))
  return { path: made, [Symbol.asyncDispose]: () => rm(made, { recursive: true, force: true }) }
}

/** Returns the content of all files of a folder as one text. */
export const contents = async (folder: string): Promise<string> => {
  const files = await readdir(folder)
  return (await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")))).join("\n")
}

/** Returns the processes that a process has started. */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  processes().flatMap((process) => (process.parent === pid ? [process.pid] : []))

/** Waits until all of these processes have ended. A zombie counts as ended. */
export const gone = async (pids: ReadonlyArray<number>): Promise<void> => {
  while (processes().some(({ pid, state }) => pids.includes(pid) && !state.startsWith("Z"))) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const processes = (): ReadonlyArray<{ readonly pid: number; readonly parent: number; readonly state: string }> =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => {
      const [pid, parent, state] = line.trim().split(/\s+/)
      return { pid: Number(pid), parent: Number(parent), state: state ?? "" }
    })
