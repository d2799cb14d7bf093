/**
 * Detects the end of the package manager that runs this program as a script.
 *
 * `npx pnpm start` is a chain of five processes: npx, a shell, pnpm, a shell, this program. pnpm passes signals on, but
 * npx does not. A script that started the chain can signal only npx, and a SIGTERM for npx ends only npx. The service
 * would keep running unnoticed, with its port and its data folder. So the service ends when a link of the chain ends.
 */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"

import * as Effect from "effect/Effect"

import { isAlive } from "./ProcessId.ts"

/**
 * Waits for the end of a process between the outermost package manager and this program. Waits for ever if no package
 * manager runs this program.
 */
export const ended: Effect.Effect<string> = Effect.suspend(() =>
  process.env["npm_lifecycle_event"] === undefined
    ? Effect.never
    : Effect.flatMap(
        Effect.promise(() => managers(process.ppid)),
        (chain) => (chain.length === 0 ? Effect.never : Effect.as(broken(chain), "the package manager ended"))
      )
)

/** A process, its parent, and its command line. */
interface Link {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/**
 * Returns the links from a process up to the outermost package manager, with the shells between them. The process that
 * started the outermost package manager is not part of the chain.
 */
const managers = async (from: number): Promise<ReadonlyArray<Link>> => {
  const chain: Array<Link> = []
  let length = 0
  for (let pid = from; pid > 1 && chain.length < MAX_LINKS;) {
    const link = await look(pid)
    if (link === undefined) break
    const isManager = MANAGER.test(link.command)
    if (!isManager && !SHELL.test(link.command)) break
    chain.push(link)
    if (isManager) length = chain.length
    pid = link.parent
  }
  return chain.slice(0, length)
}

const MAX_LINKS = 16

/** `pnpm start`, `node /usr/bin/npx --yes pnpm start`, `npm exec pnpm start` (the title that npm gives itself). */
const MANAGER =
  /^(?:\S*\/)?(?:node\s+(?:-\S+\s+)*\S*)?(?:npm|npx|pnpm|pnpx|yarn|bun)(?:-cli)?(?:\.c?js|\.mjs|\.exe)?(?:\s|$)/u
const SHELL = /^(?:\S*\/)?(?:sh|ash|dash|bash|zsh)\s+-c\s/u

/** Waits until a link of the chain no longer exists. */
const broken = (chain: ReadonlyArray<Link>): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.promise(() => isBroken(chain)),
    (is) =>
      is
        ? Effect.void
        : Effect.andThen(
            Effect.sleep(INTERVAL),
            Effect.suspend(() => broken(chain))
          )
  )

const INTERVAL = "250 millis"

/** True if a link has another parent than before: the old parent has ended, even if it is still listed as a zombie. */
const isBroken = async (chain: ReadonlyArray<Link>): Promise<boolean> => {
  if (process.ppid !== chain[0]?.pid) return true
  // on other systems the parent can be found only by starting a program
  if (process.platform !== "linux") return chain.some(({ pid }) => !isAlive(pid))
  // the parent of the outermost link may end without an effect on this program
  for (const { parent, pid } of chain.slice(0, -1)) {
    if ((await look(pid))?.parent !== parent) return true
  }
  return false
}

/**
 * Returns a process as the system describes it; undefined if the process ended, or if the system does not describe it.
 */
const look = async (pid: number): Promise<Link | undefined> => {
  try {
    return process.platform === "linux" ? await lookInProc(pid) : await lookWithPs(pid)
  } catch {
    return undefined
  }
}

const lookInProc = async (pid: number): Promise<Link> => {
  const [stat, command] = await Promise.all([
    readFile(`/proc/${pid}/stat`, "utf8"),
    readFile(`/proc/${pid}/cmdline`, "utf8")
  ])
  // the text is "pid (name) state parent ..."; the name may hold any characters, even ")"
  const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
  return { pid, parent, command: command.replaceAll("\0", " ") }
}

const lookWithPs = async (pid: number): Promise<Link> => {
  const { stdout } = await promisify(execFile)("ps", ["-o", "ppid=,args=", "-p", String(pid)])
  const line = stdout.trim()
  const space = line.search(/\s/u)
  return { pid, parent: Number(line.slice(0, space)), command: line.slice(space).trim() }
}
