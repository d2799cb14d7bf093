/** The part of a rehearsal that uses the installed command as a new user would. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"

/** Runs the command with these arguments and returns what it printed, without the last line break. */
export type Run = (...args: ReadonlyArray<string>) => Promise<string>

/**
 * Starts the service of an installed command, reads its newest block with it, and returns one line about it. `folder`
 * is where npm installed it.
 */
export const use = async (folder: string, version: string, run: Run): Promise<string> => {
  const said = await run("--version")
  if (said !== `plumbline v${version}`) throw new Error(`--version printed ${said}`)
  const completions = await run("--completions", "bash")
  if (!completions.includes("read-slot")) throw new Error("the completions name no command")

  const data = path.join(folder, "data")
  const program = path.join(folder, "node_modules/.bin/plumbline")
  const service = spawn(program, ["up", "--port", "0", "--json", "--data", data], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(service, "exit")
  try {
    const first = once(createInterface(service.stdout), "line")
    const line = await Promise.race([first, ended])
    if (service.exitCode !== null) throw new Error(`up ended with ${service.exitCode}`)
    const { url }: { readonly url: string } = JSON.parse(String(line[0]))
    if (!url.startsWith("http://127.0.0.1:")) throw new Error(`up listens at ${url}`)
    const answer = await run("block", "latest", "--full", "--json", "--data", data)
    const { verdict }: { readonly verdict: string } = JSON.parse(answer)
    if (verdict !== "VERIFIED") throw new Error(`the newest block is ${verdict}`)
    const file = path.join(folder, "hello.txt")
    writeFileSync(file, "hello world\n")
    const [added]: ReadonlyArray<{ readonly Hash: string }> = JSON.parse(
      await run("ipfs", "add", file, "--json", "--data", data)
    ).value
    const read = await run("ipfs", "cat", added!.Hash, "--data", data)
    if (read !== "hello world") throw new Error(`the added file reads ${read}`)
  } finally {
    service.kill("SIGTERM")
    await ended
  }
  if (service.exitCode !== 0) throw new Error(`up ended with ${service.exitCode}`)
  return `the command of the packed package is ${said}, and proves the newest block of its own service, and a file on it`
}
