/** Runs commands that listen, such as `plumbline proxy` and `plumbline tamper`, in a separate process. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

import { MAIN } from "../program.ts"

/** A process that listens, and the URLs that it announced. `await using` ends it. */
export interface Listening extends AsyncDisposable {
  readonly url: string
  readonly wsUrl: string
}

/** Starts the command, and waits for the line of JSON that it prints when it is ready. */
export const listen = async (args: ReadonlyArray<string>): Promise<Listening> => {
  const child = spawn(process.execPath, [MAIN, ...args, "--json", "--port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: "/nonexistent", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] }
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  const said: Array<string> = []
  createInterface({ input: child.stderr }).on("line", (line) => said.push(line))
  const announced = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve)
    void ended.then(() => reject(new Error(`plumbline ${args[0]} did not start: ${said.join("\n")}`)))
  })
  return {
    ...JSON.parse(announced),
    [Symbol.asyncDispose]: async () => {
      process.off("exit", kill)
      child.kill("SIGTERM")
      await ended
    }
  }
}
