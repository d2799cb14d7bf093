/** A process of the service, `plumbline up`, one of several that share their state. */
import { spawn } from "node:child_process"
import { writeFile } from "node:fs/promises"
import * as path from "node:path"
import { createInterface } from "node:readline"

import { MAIN } from "./program.ts"
import type { Operated } from "./target.ts"

export interface Member extends Operated {
  /** Sends SIGTERM, as an operator does, and waits for the end. Returns the milliseconds that it took. */
  readonly stop: () => Promise<number>
  /** Ends the process as `kill -9` does, if it still runs. */
  readonly kill: () => Promise<void>
}

/** The configuration of a member. A `server.port` of 0 means any free port. */
export interface Configuration {
  readonly server: { readonly port: number; readonly [setting: string]: unknown }
  readonly admin: { readonly token: string }
  readonly [section: string]: unknown
}

/** A command line of the service, which runs `up`, and the environment of its process. */
export interface MemberCommand {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly adminToken: string
  /** The port of the admin API, if it is not the port of callers. */
  readonly adminPort?: number
}

/**
 * Starts a process with a configuration, which is written into the folder, and waits until the process is ready.
 * `program` is the path of the command's program.
 */
export const start = async (
  folder: string,
  name: string,
  configuration: Configuration,
  program?: string
): Promise<Member> => {
  const file = path.join(folder, `${name}.json`)
  await writeFile(file, JSON.stringify(configuration))
  const command = { args: ["up", "--config", file], env: { HOME: folder }, adminToken: configuration.admin.token }
  return run(command, program)
}

/** Starts a process by its command line, and waits until the process is ready. */
export const run = async (
  { adminPort, adminToken, args, env }: MemberCommand,
  program: string = MAIN
): Promise<Member> => {
  const shell = spawn("sh", ["-c", DEAD_MAN, "sh", process.execPath, program, ...args, "--json"], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], ...env }
  })
  const ended = new Promise<void>((resolve) => shell.once("exit", () => resolve()))
  const said: Array<string> = []
  createInterface({ input: shell.stderr }).on("line", (line) => said.push(line))
  const announced = await new Promise<string>((resolve, reject) => {
    createInterface({ input: shell.stdout }).once("line", resolve)
    shell.once("exit", () => reject(new Error(`a process of the service did not start: ${said.join("\n")}`)))
  })
  return {
    port: Number(new URL(JSON.parse(announced).url).port),
    ...(adminPort === undefined ? {} : { adminPort }),
    adminToken,
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

// A process in the background has no standard input of its own, so the shell reads it as file 3. A line asks the
// service to end. The end of the input, which also comes when this process is killed, ends the service at once.
const DEAD_MAN = `
  exec 3<&0
  node=$1
  shift
  "$node" --disable-warning=ExperimentalWarning "$@" </dev/null 3<&- &
  service=$!
  (read -r _ <&3 && kill -TERM "$service" && read -r _ <&3; kill -KILL "$service" 2>/dev/null) &
  watch=$!
  wait "$service"
  kill "$watch" 2>/dev/null
`
