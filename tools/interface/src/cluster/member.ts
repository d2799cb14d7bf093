/** A process of the service: `plumbline up`, with a configuration. */
import { spawn } from "node:child_process"
import { writeFile } from "node:fs/promises"
import * as path from "node:path"
import { createInterface } from "node:readline"

import { Effect } from "effect"

import type { Operated } from "../target.ts"

export interface Member extends Operated {
  /** Ends it as `kill -9` does. */
  readonly kill: () => Promise<void>
}

const command = path.resolve(import.meta.dirname, "../../../../apps/plumbline/src/main.ts")

/** Starts it with a configuration, which is written into the folder. It ends with the scope. */
export const start = (folder: string, name: string, configuration: { readonly admin: { readonly token: string } }) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<Member> => {
      const file = path.join(folder, `${name}.json`)
      await writeFile(file, JSON.stringify(configuration))
      // The shell kills the process when its input ends, so that a killed run leaves none.
      const shell = spawn("sh", ["-c", DEAD_MAN, "sh", process.execPath, command, file], {
        stdio: ["pipe", "pipe", "pipe"],
        env: { PATH: process.env["PATH"], HOME: folder }
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
        adminToken: configuration.admin.token,
        kill: () => {
          shell.stdin.end()
          return ended
        }
      }
    }),
    ({ kill }) => Effect.promise(kill)
  )

// What runs in the background has no standard input of its own.
const DEAD_MAN = `
  exec 3<&0
  "$1" "$2" up --json --port 0 --config "$3" </dev/null 3<&- &
  service=$!
  (read -r _ <&3; kill -KILL "$service") &
  wait "$service"
`
