/** Runs anvil with an empty chain. anvil mines transactions and returns its own proofs. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import type { Writable } from "node:stream"

/** A running anvil, which ends when it is disposed. */
export interface AnvilProcess extends AsyncDisposable {
  readonly url: string
}

const require = createRequire(import.meta.url)
const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" }
const name = `@foundry-rs/anvil-${process.platform}-${architectures[process.arch] ?? process.arch}`

/** The script that runs anvil. However this process ends, its end closes the pipe at descriptor 3, which ends anvil. */
const SCRIPT = `(read -r _ <&3 || kill -9 $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&-`

/** Starts anvil at a free port. `options` are further options of its command line. */
export const start = async (options: ReadonlyArray<string> = []): Promise<AnvilProcess> => {
  const binary = createRequire(require.resolve("@foundry-rs/anvil/package.json")).resolve(`${name}/bin/anvil`)
  const child = spawn("/bin/sh", ["-c", SCRIPT, binary, "--port", "0", ...options], {
    env: {},
    detached: true,
    stdio: ["ignore", "pipe", "ignore", "pipe"]
  })
  const pipe = child.stdio[3] as Writable
  pipe.on("error", () => {})
  const ended = once(child, "exit").then(() => pipe.end("\n"))
  const port = await new Promise<string>((resolve, reject) => {
    let text = ""
    child.stdout!.on("data", (part) => {
      text += String(part)
      const [, found] = /Listening on 127\.0\.0\.1:(\d+)/.exec(text) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once("error", reject)
    void ended.then(() => reject(new Error(`anvil ended: ${text}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL")
      await ended
    }
  }
}
