/** Runs anvil with an empty chain, and returns its URL. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import type { Writable } from "node:stream"

import { Effect } from "effect"

const require = createRequire(import.meta.url)
const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" }
const name = `@foundry-rs/anvil-${process.platform}-${architectures[process.arch] ?? process.arch}`
const binary = createRequire(require.resolve("@foundry-rs/anvil/package.json")).resolve(`${name}/bin/anvil`)

/** The script that runs anvil. However this process ends, its end closes the pipe at descriptor 3, which ends anvil. */
const SCRIPT = `(read -r _ <&3 || kill -9 $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&-`

const start = async () => {
  const child = spawn("/bin/sh", ["-c", SCRIPT, binary, "--port", "0"], {
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
  const stop = async () => {
    child.kill("SIGKILL")
    await ended
  }
  return { url: `http://127.0.0.1:${port}`, stop }
}

/** The URL of a node that ends with the scope. */
export const url = Effect.map(
  Effect.acquireRelease(Effect.promise(start), ({ stop }) => Effect.promise(stop)),
  (anvil) => anvil.url
)
