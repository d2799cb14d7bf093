/** Runs programs that end when this one is asked to end. */
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process"
import { constants } from "node:os"

/** The signals that ask a program to end. SIGKILL cannot be passed on: a process that it ends leaves its children. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const

/** The process groups of the children, by their ids. */
const groups = new Set<number>()

let asked: NodeJS.Signals | undefined
let askedAt = 0

/** Milliseconds that children have to end by themselves. */
const PATIENCE = 10_000

/** True if a signal has asked this process to end. Its children end, and nothing that follows them may begin. */
export const isEnding = (): boolean => asked !== undefined

/**
 * Starts a program in a process group of its own. A signal that asks this process to end goes to the whole group, because
 * a program such as npx does not pass it on to its own children. Once all groups have ended, this process ends with the
 * exit code that shells give to the signal. A second signal, or ten seconds, kills the groups.
 */
export const start = (command: string, args: ReadonlyArray<string>, options: SpawnOptions): ChildProcess => {
  // before the child, so that no signal comes between
  for (const signal of SIGNALS) if (!process.listeners(signal).includes(stop)) process.on(signal, stop)
  const child = spawn(command, args, { ...options, detached: true })
  const { pid } = child
  if (pid === undefined) return child
  groups.add(pid)
  if (asked !== undefined) send(pid, asked)
  child.once("exit", () => {
    // what the program left running stays in its group
    if (asked !== undefined) leaveWhenEnded()
    else if (!send(pid, 0)) groups.delete(pid)
  })
  return child
}

/**
 * Runs a program, and returns its exit code, or 1 if a signal ended it. The promise stays pending if this process is asked
 * to end. Default of `options.stdio`: no input, and the outputs of this process.
 */
export const run = (command: string, args: ReadonlyArray<string>, options: SpawnOptions = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = start(command, args, { stdio: ["ignore", "inherit", "inherit"], ...options })
    child.once("error", reject)
    child.once("close", (code) => {
      if (!isEnding()) resolve(code ?? 1)
    })
  })

const stop = (signal: NodeJS.Signals): void => {
  for (const pid of groups) send(pid, asked === undefined ? signal : "SIGKILL")
  if (asked === undefined) askedAt = performance.now()
  asked ??= signal
  leaveWhenEnded()
}

/** Sends a signal to a process group. Returns false if nothing of the group is left. */
const send = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}

/**
 * Ends this process once no process of any group is left: a program can end before its own children. Kills what is left
 * after `PATIENCE`.
 */
const leaveWhenEnded = (): void => {
  for (const pid of groups) if (!send(pid, 0)) groups.delete(pid)
  const isLate = performance.now() - askedAt > PATIENCE
  if (isLate) for (const pid of groups) send(pid, "SIGKILL")
  if (isLate || groups.size === 0) process.exit(128 + constants.signals[asked!])
  setTimeout(leaveWhenEnded, 20)
}
