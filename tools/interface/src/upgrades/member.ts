/** A process of the service on a port of its own, which ends as an operator ends it: by SIGTERM. */
import { spawn } from "node:child_process"
import { writeFile } from "node:fs/promises"
import * as path from "node:path"
import { createInterface } from "node:readline"

export interface Member {
  /** Sends SIGTERM, and waits for the end. Returns the milliseconds that it took. */
  readonly stop: () => Promise<number>
  /** Ends it at once, if it still runs. */
  readonly kill: () => Promise<void>
}

const command = path.resolve(import.meta.dirname, "../../../../apps/plumbline/src/main.ts")

/** Starts a process with this configuration, and waits until it says that it is ready. */
export const start = async (folder: string, name: string, configuration: object): Promise<Member> => {
  const file = path.join(folder, `${name}.json`)
  await writeFile(file, JSON.stringify(configuration))
  const shell = spawn("sh", ["-c", DEAD_MAN, "sh", process.execPath, command, file], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: folder }
  })
  const ended = new Promise<void>((resolve) => shell.once("exit", () => resolve()))
  const said: Array<string> = []
  createInterface({ input: shell.stderr }).on("line", (line) => said.push(line))
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: shell.stdout }).once("line", () => resolve())
    shell.once("exit", () => reject(new Error(`a process of the service did not start: ${said.join("\n")}`)))
  })
  return {
    stop: async () => {
      const began = performance.now()
      shell.stdin.write("\n")
      await ended
      return performance.now() - began
    },
    kill: () => {
      shell.stdin.end()
      return ended
    }
  }
}

// A line of input asks the process to end; the end of the input, which comes with this process, ends it at once.
const DEAD_MAN = `
  exec 3<&0
  "$1" --disable-warning=ExperimentalWarning "$2" up --json --config "$3" </dev/null 3<&- &
  service=$!
  (read -r _ <&3 && kill -TERM "$service" && read -r _ <&3; kill -KILL "$service" 2>/dev/null) &
  watch=$!
  wait "$service"
  kill "$watch" 2>/dev/null
`
