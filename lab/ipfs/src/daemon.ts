/**
 * Runs daemons of other projects as child processes: waits until they listen, and ends them and the processes that they
 * started.
 */
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"

/** Milliseconds that a daemon may take until it listens. */
const PATIENCE = 60_000

/**
 * Resolves with all output of the daemon `name` once it has printed `words`. If the daemon does not print them in time,
 * it is ended.
 */
export const until = (name: string, child: ChildProcess, words: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ""
    const giveUp = (why: string) => {
      void end(child).then(() => reject(new Error(`${name} ${why}: ${said.slice(-300)}`)))
    }
    const timer = setTimeout(() => giveUp("does not become ready"), PATIENCE)
    child.once("close", () => {
      clearTimeout(timer)
      giveUp("ended")
    })
    const hear = (data: Buffer): void => {
      said += data.toString()
      if (!said.includes(words)) return
      clearTimeout(timer)
      resolve(said)
    }
    child.stdout?.on("data", hear)
    child.stderr?.on("data", hear)
  })

/** Ends a daemon, by force after ten seconds. */
export const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000)
  await exited
  clearTimeout(timer)
}
